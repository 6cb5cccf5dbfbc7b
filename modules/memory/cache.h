// A cache in time: tags, MSHRs, banks, write policy, flush (memory.md §2 to §4, §7). Data stays in backing memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache_tags.h"
#include "calendar.h"
#include "memory_level.h"
#include "place_calendar.h"

namespace gyre::memory {

using kernel::Cycle;
using kernel::MemoryAccess;

struct CacheCounters {
  std::uint64_t reads = 0, writes = 0, atomics = 0, bypasses = 0;
  std::uint64_t read_hits = 0, read_misses = 0, write_hits = 0, write_misses = 0;
  std::uint64_t atomic_misses = 0;  // of a last-level cache
  std::uint64_t fills = 0;        // sectors asked for below
  std::uint64_t merges = 0;       // misses chained to a fill under way
  std::uint64_t forwards = 0;     // writes passed on
  std::uint64_t evictions = 0;    // lines that made room
  std::uint64_t write_backs = 0;  // dirty sectors written below, by eviction, flush or an atomic
  std::uint64_t bank_stalls = 0, mshr_stalls = 0;  // cycles
  std::uint64_t flushes = 0, flush_cycles = 0;
};

// How a cache of the given geometry behaves.
struct CacheSetup {
  CacheConfig geometry;
  bool write_back = false;      // else write-through
  bool write_allocate = false;  // a write miss fills; write-back caches do (memory.md §4.2)
  bool last_level = false;      // executes atomics
  unsigned miss_cycles = 2;     // from the failed lookup until the fill request leaves (tag, MSHR)
  std::uint64_t seed = 1;       // random replacement
};

// Rules of the model: a request takes a cycle of its bank; a hit answers `latency` cycles after it entered. A miss holds
// an MSHR entry from then until it is answered; the first of a sector asks the next level, the others chain to it. A fill
// takes the bank for a cycle and every chained request for one more. With all entries of the bank taken a miss waits.
// A request that comes before the fill that holds its sector was asked for (an agent that lags behind) asks for itself.
//
// Laws: reads = read_hits + read_misses, writes = write_hits + write_misses (atomics count as neither); fills + merges =
// read_misses + atomic_misses + write_misses if they allocate; requests to the next level = fills + write_backs +
// forwards + bypasses + atomics that are not executed here.
class Cache final : public kernel::MemoryLevel {
 public:
  static constexpr unsigned kSectorBytes = 64;

  // Geometry has been checked (check_geometry).
  Cache(const CacheSetup& setup, kernel::MemoryLevel& next);

  Cycle read(MemoryAccess access, Cycle at) override;
  Cycle write(MemoryAccess access, Cycle at) override;
  Cycle atomic(std::uint64_t address, Cycle at) override;
  Cycle read_io(MemoryAccess access, Cycle at) override;
  Cycle write_io(MemoryAccess access, Cycle at) override;

  // Waits for what is under way, writes dirty sectors back and invalidates everything. The cycle all of it was accepted
  // below: sets a bank, with write-back times the ways, + the write-backs. The next level is not flushed.
  Cycle flush(Cycle at);

  const CacheCounters& counters() const { return count_; }
  unsigned latency() const { return setup_.geometry.latency; }
  unsigned banks() const { return static_cast<unsigned>(banks_.size()); }
  unsigned line_bytes() const { return 1u << line_shift_; }

 private:
  struct Bank {
    explicit Bank(unsigned entries) : mshr(entries) {}
    kernel::Calendar port;
    kernel::PlaceCalendar mshr;
    Cycle quiet = 0;  // the last answer of its misses
  };
  // The latest fill of a sector.
  struct Fill {
    Cycle asked = 0, ready = 0;
  };

  std::uint32_t line_of(std::uint64_t address) const { return static_cast<std::uint32_t>(address >> line_shift_); }
  unsigned sector_of(std::uint64_t address) const {
    return static_cast<unsigned>(address / kSectorBytes) & (sectors_ - 1);
  }
  // The cycle the last of `count` requests enters its bank.
  Cycle enter(Bank& bank, unsigned count, Cycle at) {
    const Cycle last = bank.port.take(at, count) - 1;
    count_.bank_stalls += last - at;
    return last;
  }
  Cycle miss(Bank& bank, unsigned slot, MemoryAccess access, Cycle entered);
  Cycle chain(Bank& bank, const Fill& fill, unsigned count, Cycle entered);
  Cycle admit(Bank& bank, Cycle entered);
  unsigned claim(std::uint32_t line, Cycle& leave);
  Cycle write_dirty(std::uint32_t line, std::uint8_t sectors, Cycle at);
  Cycle forward(MemoryAccess access, Cycle at);

  CacheSetup setup_;
  kernel::MemoryLevel& next_;
  CacheTags tags_;
  unsigned line_shift_, sectors_, bank_mask_;
  std::vector<Bank> banks_;
  std::vector<Fill> fills_;  // [slot * sectors + sector]
  CacheCounters count_;
};

// What is wrong with a geometry ("ways is 3: PLRU needs a power of two"), or "". `name`: path of the cache's knobs.
std::string check_geometry(const CacheConfig& cache, const std::string& name);

// Latency rules of memory.md §2: 2, and one more each time an L1 doubles beyond 16 KiB; for L2 and L3 4 and their
// default sizes.
unsigned stock_latency(std::uint64_t bytes, std::uint64_t reference_bytes, unsigned base);

}  // namespace gyre::memory
