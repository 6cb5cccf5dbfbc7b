// When loads and stores of a core are done: coalescer, data cache, pending pool, banks of local memory (memory.md §5, §6).
#pragma once

#include <cstdint>

#include "cache.h"
#include "calendar.h"
#include "machine.h"
#include "place_calendar.h"

namespace gyre::core {

using kernel::Cycle;

struct LsuCounters {
  std::uint64_t coalescer_misses = 0;   // extra cycles of packets whose lanes touch several words of a channel
  std::uint64_t local_bank_stalls = 0;  // extra cycles of local accesses
  std::uint64_t pending_stalls = 0;     // cycles loads waited for a place in the pool
  std::uint64_t load_cycles = 0;        // latency of timed loads, execute stage to answer
};

// Lanes are divided over the channels in order; within a channel, lanes in one word of the cache port go together, in
// the cycle of the lowest; a channel presents a word a cycle. Nothing is merged across channels or packets.
class LsuTiming {
 public:
  // `resolved`: memory::with_geometry() has been at it.
  explicit LsuTiming(const GpuConfig& resolved);

  memory::Cache* dcache = nullptr;

  // A load or store of `lanes` at `first`, `first` + stride, ... (stride 0 or 4 bytes, all lanes of the warp), issued at
  // `issue`. Loads: the cycle the result may be read. Stores: the cycle the last word was accepted. With stride 4 all
  // lanes take part.
  Cycle load_row(std::uint32_t first, unsigned stride, std::uint32_t mask, Cycle issue) {
    const BlockWords block = row_in_block(first, stride, mask);
    if (block.cycles == 1) {
      const Cycle begin = pending(issue + kToExecute), at = begin + kToCache - kToExecute;
      return loaded(dcache->read({first, block.words}, at), at + 1, begin, issue);
    }
    plan(first, stride, block);
    return load(packet_.line, packet_.lines, packet_.cycles, issue);
  }
  // A load_row that nothing is in the way of. True: done, `ready`. False: nothing has happened.
  [[gnu::always_inline]] bool load_row_hit(std::uint32_t first, unsigned stride, std::uint32_t mask, Cycle issue,
                                           Cycle& ready) {
    if (__builtin_expect(stride == 0 && mask != all_ && channels_ != 1, 0)) return false;
    const BlockWords block = row_in_block(first, stride, all_);
    Cycle data = 0;
    if (__builtin_expect(block.cycles != 1 || !pool_.surely(issue + kToExecute) ||
                             !dcache->read_hit({first, block.words}, issue + kToCache, data), 0))
      return false;
    ready = data + after_;
    count_load(issue, ready);
    return true;
  }
  [[gnu::always_inline]] Cycle store_row(std::uint32_t first, unsigned stride, Cycle issue) {
    const BlockWords block = row_in_block(first, stride, all_);
    if (__builtin_expect(block.cycles != 1, 0)) return store_blocks(first, stride, block, issue);
    waited_ = 0;
    return dcache->write({first, block.words}, issue + kToCache);
  }
  // The same for lanes anywhere in cached memory; bit l of `mask`: lane l takes part. `bytes` a lane.
  Cycle load_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue);
  Cycle store_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue);
  // An atomic of one lane after the other; the cycle the last result may be read.
  Cycle atomic_lanes(const std::uint32_t* address, std::uint32_t mask, Cycle issue);
  // Uncached words, in the order of the lanes.
  Cycle load_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue);
  Cycle store_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue);
  // Extra cycles of a local access through bank conflicts. Lanes in one word share its access.
  Cycle local_conflicts(const std::uint32_t* address, std::uint32_t mask);

  // ---- approximate style: what an access asks of the cache, without a date
  struct Packet {
    memory::MemoryAccess line[2 * kMaxLanes];
    unsigned lines = 0;
    unsigned cycles = 1;  // of the coalescer
  };
  // Valid until the next call.
  const Packet& plan_row(std::uint32_t first, unsigned stride, std::uint32_t mask) {
    plan(first, stride, row_in_block(first, stride, mask));
    return packet_;
  }
  const Packet& plan_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes) {
    gather(address, mask, bytes);
    return packet_;
  }
  // Issue to execute stage (issue, operands, dispatch), issue to cache (then ingest, address generation, switch, coalescer,
  // adapter: timing.md §2.2); the cache's answer to the date the result may be read.
  static constexpr Cycle kToExecute = 3, kToCache = 8;
  Cycle after() const { return after_; }
  void count_packet(const Packet& packet) { count_.coalescer_misses += packet.cycles - 1; }
  void count_load(Cycle issue, Cycle ready) { count_.load_cycles += ready - 2 - kToExecute - issue; }

  // Fewer banks of local memory than lanes: lanes side by side conflict too.
  bool rows_conflict() const { return local_banks_ < lanes_; }

  // Cycles by which the last load was late for want of a place in the pool: the warp stands still for them.
  Cycle waited() const { return waited_; }
  const LsuCounters& counters() const { return count_; }

 private:
  static constexpr Cycle kHitStay = 24;  // longer at the cache: the load counts as a miss
  // Adds accesses to words of the cache port to the end of packet_.
  class Writer;
  // The words of a row in one block of 64 bytes: their number and the cycles of the coalescer; 0: not in one block.
  struct BlockWords {
    unsigned words, cycles;
  };
  BlockWords row_in_block(std::uint32_t first, unsigned stride, std::uint32_t mask) const {
    if (stride == 0) return {mask == all_ ? channels_ : asking(mask), 1};
    const std::uint32_t width = 1u << word_shift_;
    if (group_ * 4 != width || (first & 63) + 4 * lanes_ > 64) return {0, 0};
    // Each channel asks for a word, or for a part of one and for the next.
    const unsigned cycles = (first & (width - 1)) == 0 ? 1 : 2;
    return {channels_ * cycles, cycles};
  }
  void one_block(std::uint32_t first, BlockWords block) {
    packet_.line[0] = {first, block.words};
    packet_.lines = 1;
    packet_.cycles = block.cycles;
  }
  // Channels with a lane in `mask`.
  unsigned asking(std::uint32_t mask) const;
  Cycle store_blocks(std::uint32_t first, unsigned stride, BlockWords block, Cycle issue);
  // A load that took its place at `begin` was at the cache with all words at `asked`, and the last of them is there at
  // `data`: the cycle the result may be read.
  Cycle loaded(Cycle data, Cycle asked, Cycle begin, Cycle issue) {
    const Cycle ready = data + after_;
    // A hit leaves before the pool could fill with its like; misses hold their place until the answer is gathered.
    if (data > asked + kHitStay) pool_.hold(begin, ready - 2);
    count_load(issue, ready);
    return ready;
  }
  // Fill packet_.
  void row(std::uint32_t first, unsigned stride);
  void plan(std::uint32_t first, unsigned stride, BlockWords block);
  void gather(const std::uint32_t* address, std::uint32_t mask, unsigned bytes);
  bool gather_ordered(const std::uint32_t* address);
  void gather_any(const std::uint32_t* address, std::uint32_t mask);
  void gather_wide(const std::uint32_t* address, std::uint32_t mask, unsigned bytes);
  // Of `lines` with `cycles` in the coalescer.
  Cycle load(const memory::MemoryAccess* line, unsigned lines, unsigned cycles, Cycle issue);
  Cycle store(const memory::MemoryAccess* line, unsigned lines, unsigned cycles, Cycle issue);
  Cycle present(unsigned cycles, Cycle at);
  // The first cycle at or after `at` with a place in the pool.
  Cycle pending(Cycle at) {
    const Cycle from = pool_.available(at);
    waited_ = from - at;
    count_.pending_stalls += waited_;
    return from;
  }

  unsigned lanes_, word_shift_, channels_, group_;  // group: lanes of a channel
  std::uint32_t all_;                               // mask of all lanes
  unsigned local_banks_;
  Cycle after_;  // from the cache's answer until the result may be read
  Cycle waited_ = 0;
  Packet packet_;
  kernel::PlaceCalendar pool_;
  kernel::Calendar coalescer_;
  LsuCounters count_;
};

}  // namespace gyre::core
