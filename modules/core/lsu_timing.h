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
  Cycle load_row(std::uint32_t first, unsigned stride, std::uint32_t mask, Cycle issue);
  Cycle store_row(std::uint32_t first, unsigned stride, Cycle issue);
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
    row(first, stride, mask);
    return packet_;
  }
  const Packet& plan_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes) {
    gather(address, mask, bytes);
    return packet_;
  }
  // Issue to execute stage, issue to cache; the cache's answer to the date the result may be read.
  static constexpr Cycle kToExecute = 3, kToCache = 8;
  Cycle after() const { return after_; }
  void count_packet(const Packet& packet) { count_.coalescer_misses += packet.cycles - 1; }
  void count_load(Cycle issue, Cycle ready) { count_.load_cycles += ready - 2 - kToExecute - issue; }

  // Fewer banks of local memory than lanes: lanes side by side conflict too.
  bool rows_conflict() const { return local_banks_ < lanes_; }

  // Cycles by which the last load was late for want of a place in the pool: the warp stands still for them.
  Cycle waited() const { return waited_; }
  const LsuCounters& counters() const { return count_; }
  // Blocks of the last load or store: calls f(address of a byte in it).
  template <class F>
  void for_each_line(F f) const {
    for (unsigned i = 0; i < packet_.lines; ++i) f(packet_.line[i].address);
  }

 private:
  void add(std::uint32_t word);
  // Fill packet_.
  void row(std::uint32_t first, unsigned stride, std::uint32_t mask);
  void gather(const std::uint32_t* address, std::uint32_t mask, unsigned bytes);
  bool gather_rising(const std::uint32_t* address);
  void gather_any(const std::uint32_t* address, std::uint32_t mask);
  void gather_wide(const std::uint32_t* address, std::uint32_t mask, unsigned bytes);
  Cycle load(Cycle issue);
  Cycle store(Cycle issue);
  Cycle present(Cycle at);
  Cycle pending(Cycle at);

  unsigned lanes_, word_shift_, channels_, group_;  // group: lanes of a channel
  unsigned local_banks_;
  Cycle after_;  // from the cache's answer until the result may be read
  Cycle waited_ = 0;
  Packet packet_;
  kernel::PlaceCalendar pool_;
  kernel::Calendar coalescer_;
  LsuCounters count_;
};

}  // namespace gyre::core
