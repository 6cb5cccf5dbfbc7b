// Fetch engine: bin headers -> primitive ids -> primitive records (Rasterizer §6).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "activity.h"
#include "at_client.h"
#include "cache.h"
#include "calendar.h"
#include "config.h"
#include "context.h"
#include "coverage.h"
#include "line_tags.h"
#include "memory_port.h"
#include "registers.h"
#include "stripe.h"
#include "sim_time.h"

namespace gyre::raster {

using kernel::Cycle;

// One (bin, primitive) reference.
struct Record {
  std::uint32_t x = 0, y = 0;  // bin origin in pixels
  std::uint64_t bin = 0;       // bins of this draw in the order the engine walks them
  std::uint64_t order = 0;     // records of this draw in pid-list order
  std::uint16_t pid = 0;
  gyre_edge edges[3] = {};
  gyre_plane depth = {};
  Cycle ready = 0;  // edge values at the bin origin are there
};

constexpr Cycle kUnknown = kernel::kNever;  // a date that depends on an answer under way

struct FetchCounters {
  std::uint64_t bins = 0, empty_bins = 0, primitives = 0, dropped = 0, pid_alias = 0;
  std::uint64_t reads = 0, read_latency = 0, rcache_reads = 0, rcache_misses = 0;
};

// Function runs one step at a time, always in pid-list order. Everything that overlaps in hardware (pid stream,
// record reads, credits, the request queue) is dates only, so it can neither block nor reorder.
// Approximate (set_client): requests are under way for several records, as many as there are credits; their dates become
// known in order.
class Fetch {
 public:
  Fetch(std::string name, kernel::Context& ctx, kernel::MemoryPort& memory);

  // Null: tags of its own say what hits.
  void set_cache(memory::Cache* cache) {
    cache_ = cache;
    watched_ = {cache, false};
  }

  // `present`: the cache has the block, for the counter of misses. `answered`: called when a date has become known.
  void set_client(kernel::AtClient* client, std::function<bool(std::uint64_t)> present, const memory::LineReader& lines,
                  std::function<void()> answered);

  // Begins a draw at `at`: the headers of `stripe`. `draw` must stay valid until done().
  void start(const DrawState& draw, const Stripe& stripe, Cycle at);

  // Null: there is none, or its date is not known yet.
  const Record* front() const { return !records_.empty() && records_.front().ready != kUnknown ? &records_.front() : nullptr; }
  bool done() const { return records_.empty() && headers_left_ == 0 && pids_left_ == 0; }

  // There is room for a record, and something left to read.
  bool can_step() const {
    return records_.size() < (client_ != nullptr ? credits_.size() : 1) && (headers_left_ != 0 || pids_left_ != 0) &&
           time_ != kUnknown && under_way_ < queue_.size();
  }
  // Requires can_step(): reads one header or one primitive, at `at` or later. May leave front() empty.
  void step(Cycle at);
  // Date of the next step's request.
  Cycle time() const { return time_; }
  // The record at the front leaves the output queue at `at`; its credit comes back.
  void pop(Cycle at);

  const FetchCounters& counters() const { return counters_; }
  // Busy: requests of the header and pid stream. Blocked on output: no credit.
  const kernel::Activity& activity() const { return ledger_.activity(); }

 private:
  void read_header();
  void begin_bin(const gyre_bin_header& header);
  void read_primitive();
  void end_of_bin();
  // ---- approximate
  void send(std::uint64_t address, unsigned bytes, Cycle at, kernel::AtClient::Done done);
  void pid_answered(std::uint64_t sequence, Cycle done);
  void record_answered(std::uint64_t sequence, Cycle done);
  void resolve();
  bool read(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done);
  // One request of `bytes` (a multiple of 4) at `at`; false: not memory. `*done`: the response is complete.
  bool request(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done);
  bool cached_request(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done, Cycle& slot);
  const std::vector<memory::MemoryAccess>& words(std::uint64_t address, unsigned bytes);
  // Stale-line lint, of the words in lines_.
  void watch_lines(bool primitive);
  void access_fault(std::uint64_t address);

  std::string name_;
  kernel::Context& ctx_;
  kernel::MemoryPort& memory_;
  memory::Cache* cache_ = nullptr;
  memory::LineReader watched_;
  const GpuConfig& config_;
  const DrawState* draw_ = nullptr;

  std::deque<Record> records_;
  std::uint32_t headers_left_ = 0, pids_left_ = 0;
  std::uint64_t header_address_ = 0, header_step_ = 0, pids_base_ = 0, pid_address_ = 0;
  std::uint64_t bins_ = 0, orders_ = 0;
  bool alias_reported_ = false;

  Cycle time_ = 0;        // next request of the FSM
  Cycle last_ready_ = 0;  // records leave in order, one a cycle
  Cycle bin_done_ = 0;    // last response of the bin
  kernel::AtClient* client_ = nullptr;
  std::function<bool(std::uint64_t)> present_;
  std::function<void()> answered_;
  // By record, in order: where its words are, and the date of the last one.
  struct Request {
    std::uint64_t address = 0;
    unsigned bytes = 0;
    Cycle done = kUnknown;
  };
  std::deque<Request> requests_;  // of the records whose date is not known
  std::uint64_t first_request_ = 0;  // sequence number of requests_.front()
  unsigned under_way_ = 0;
  Record bin_;             // what the records of the bin have in common
  Cycle next_time_ = 0;    // time_ once the answers of the bin are there
  LineTags tags_;
  std::vector<memory::MemoryAccess> lines_;
  kernel::Calendar port_;       // rcache port: one word a cycle
  std::vector<Cycle> queue_;    // completion of the last mem_queue requests
  std::vector<Cycle> credits_;  // return of the last mem_fifo pid credits
  std::size_t queue_next_ = 0, credit_next_ = 0;
  FetchCounters counters_;
  kernel::Ledger ledger_;
};

}  // namespace gyre::raster
