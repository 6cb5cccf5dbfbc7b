// One walker slice: TE -> BE/QE -> early-Z, with dates (Rasterizer §7).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "activity.h"
#include "at_client.h"
#include "cache.h"
#include "calendar.h"
#include "context.h"
#include "coverage.h"
#include "fetch.h"
#include "memory_port.h"
#include "registers.h"
#include "sim_time.h"

namespace gyre::raster {

struct SliceCounters {
  std::uint64_t squares = 0, blocks = 0, quads = 0, pixels = 0, early_z_reads = 0, early_z_culled = 0;
};

// The read port to committed depth; slices of an engine share it, one pixel a cycle.
class DepthReader {
 public:
  DepthReader(kernel::Context& ctx, kernel::MemoryPort& memory) : ctx_(ctx), memory_(memory) {}

  // Null: every word hits.
  void set_cache(memory::Cache* cache) {
    cache_ = cache;
    watched_ = {cache, false};
  }
  // Approximate style instead. `answered`: called when a date has become known.
  void set_client(kernel::AtClient* client, const memory::LineReader& lines, std::function<void()> answered) {
    client_ = client;
    watched_ = lines;
    answered_ = std::move(answered);
  }
  bool later() const { return client_ != nullptr; }

  // Narrows `quad.mask`; returns the date the last of its words has arrived when asked for at `at`. Approximate: the
  // date before which that cannot be; `done` is called with the date if it comes later.
  Cycle cull(Quad& quad, const gyre_plane& plane, const DrawState& draw, Cycle at, SliceCounters& counters,
             const std::function<kernel::AtClient::Done()>& done);

  kernel::Activity activity() const { return activity_.activity(); }

 private:
  // Stale-line lint.
  void watch_words(const memory::MemoryAccess* words, unsigned lines);

  kernel::Context& ctx_;
  kernel::MemoryPort& memory_;
  memory::Cache* cache_ = nullptr;
  memory::LineReader watched_;
  kernel::AtClient* client_ = nullptr;
  std::function<void()> answered_;
  kernel::Calendar port_;
  kernel::ActivityMap activity_;
};

// Up to threads-many stamps of one primitive and one block.
struct BlockWave {
  std::uint32_t first = 0;  // into Slice::quads()
  std::uint32_t count = 0;
  Cycle ready = 0;
};

// Holds one record at a time in function: the next is accepted when the last wave of this one has left. In time the
// tile engine goes on as soon as its own walk is over, held up only by a full quad buffer.
class Slice {
 public:
  Slice(const GpuConfig& config, DepthReader& depth) : config_(config), depth_(depth) {}

  void start(Cycle at);
  // Walks the record from `at` on. Requires empty().
  void accept(const Record& record, const DrawState& draw, Cycle at);

  bool empty() const { return head_ == waves_.size(); }
  const BlockWave& head() const { return waves_[head_]; }
  const Quad* quads(const BlockWave& wave) const { return quads_.data() + wave.first; }
  // The head wave left at `at`.
  void pop(Cycle at);

  std::uint64_t bin() const { return bin_; }
  std::uint64_t order() const { return order_; }
  // End of the current record's walk; the next record may enter the tile engine. kUnknown: depth words are under way.
  Cycle free_at() const { return walk_end_ == kUnknown ? kUnknown : walk_end_ + stall_; }

  const SliceCounters& counters() const { return counters_; }
  // Of the tile engine. Blocked on memory: early-Z has no depth yet; on output: the quad buffer is full.
  kernel::Activity walk_activity() const {
    kernel::Ledger ledger = walk_;
    settle(ledger);
    return ledger.activity();
  }
  // Of the block engine, which works in step with it.
  kernel::Activity block_activity() const {
    kernel::Activity activity = walk_activity();
    activity.busy = block_cycles_;
    return activity;
  }

 private:
  // Depth words of a wave under way, whether anything of it was left or not.
  struct Reading {
    Cycle ready = 0;
    unsigned pending = 0;
    std::uint32_t wave = kNone;
  };
  static constexpr std::uint32_t kNone = ~0u;

  void fill_buffer(Cycle at);
  void answered(std::size_t reading, Cycle at);
  void resolve();
  // Books the walk that is over.
  void settle(kernel::Ledger& ledger) const {
    ledger.spend(kernel::Doing::kBusy, worked_);
    if (walk_end_ == kUnknown) return;  // not over
    ledger.spend(kernel::Doing::kMemory, walk_end_);
    ledger.spend(kernel::Doing::kOutput, free_at());
  }

  const GpuConfig& config_;
  DepthReader& depth_;
  std::vector<Quad> quads_;  // reused: no allocation once warm
  std::vector<BlockWave> waves_;
  std::size_t head_ = 0;
  std::size_t entered_ = 0;     // waves that fitted into the quad buffer so far
  std::uint32_t buffered_ = 0;  // stamps in the quad buffer
  Cycle walk_end_ = 0, stall_ = 0;
  Cycle worked_ = 0;  // the walk would have ended here but for early-Z
  kernel::Ledger walk_;
  std::uint64_t block_cycles_ = 0;
  std::uint64_t bin_ = 0, order_ = 0;
  std::vector<Reading> readings_;  // of the record, with early-Z in the approximate style
  std::size_t resolved_ = 0;
  Cycle last_ = 0, walked_ = 0;    // the latest resolved date; the end of the walk itself
  SliceCounters counters_;
};

}  // namespace gyre::raster
