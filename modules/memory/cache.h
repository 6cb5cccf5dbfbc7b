// A cache in time: tags, MSHRs, banks, write policy, flush (memory.md §2 to §4, §7). Data stays in backing memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "activity.h"
#include "cache_tags.h"
#include "calendar.h"
#include "line_watch.h"
#include "memory_level.h"
#include "place_calendar.h"

namespace gyre::memory {

using kernel::Cycle;
using kernel::kNever;
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

// Every counter with its name in the report.
struct CacheCounterName {
  const char* label;
  std::uint64_t CacheCounters::*field;
};
inline constexpr CacheCounterName kCacheCounters[] = {
    {"reads", &CacheCounters::reads},
    {"writes", &CacheCounters::writes},
    {"atomics", &CacheCounters::atomics},
    {"bypasses", &CacheCounters::bypasses},
    {"read_hits", &CacheCounters::read_hits},
    {"read_misses", &CacheCounters::read_misses},
    {"write_hits", &CacheCounters::write_hits},
    {"write_misses", &CacheCounters::write_misses},
    {"atomic_misses", &CacheCounters::atomic_misses},
    {"fills", &CacheCounters::fills},
    {"merges", &CacheCounters::merges},
    {"forwards", &CacheCounters::forwards},
    {"evictions", &CacheCounters::evictions},
    {"write_backs", &CacheCounters::write_backs},
    {"bank_stalls", &CacheCounters::bank_stalls},
    {"mshr_stalls", &CacheCounters::mshr_stalls},
    {"flushes", &CacheCounters::flushes},
    {"flush_cycles", &CacheCounters::flush_cycles},
};

// How a cache of the given geometry behaves.
struct CacheSetup {
  CacheConfig geometry;      // nothing left to a rule; has been checked (geometry.h)
  bool last_level = false;   // executes atomics
  std::uint64_t seed = 1;    // random replacement
};

// Rules of the model: a request takes a cycle of its bank; a hit answers `latency` cycles after it entered. A miss holds
// an MSHR entry from then until it is answered; the first of a sector asks the next level, the others chain to it. A fill
// takes the bank for a cycle and every chained request for one more. With all entries of the bank taken a miss waits.
// A request that comes before the fill that holds its sector was asked for (an agent that lags behind) asks for itself.
//
// Laws: reads = read_hits + read_misses, writes = write_hits + write_misses (atomics count as neither); fills + merges =
// read_misses + atomic_misses + write_misses if they allocate; requests to the next level = fills + write_backs +
// forwards + bypasses + atomics that are not executed here.
class Cache final : public kernel::MemoryLevel, public WatchedCache {
 public:
  static constexpr unsigned kSectorBytes = 64, kMaxBanks = 64;

  Cache(const CacheSetup& setup, kernel::MemoryLevel& next);

  [[gnu::always_inline]] Cycle read(MemoryAccess access, Cycle at) override {
    Bank& bank = banks_[line_of(access.address) & bank_mask_];
    count_.reads += access.count;
    return look_up(bank, access, enter(bank, access.count, at));
  }
  [[gnu::always_inline]] Cycle write(MemoryAccess access, Cycle at) override {
    Bank& bank = banks_[line_of(access.address) & bank_mask_];
    count_.writes += access.count;
    return put(bank, access, enter(bank, access.count, at));
  }
  // A read that nothing is in the way of: its line has been there since `at`, its bank is free, uses do not matter. True: as
  // read(). False: nothing has happened, it may be a hit all the same.
  [[gnu::always_inline]] bool read_hit(MemoryAccess access, Cycle at, Cycle& back) {
    Bank& bank = banks_[line_of(access.address) & bank_mask_];
    const Found& found = found_[block_of(access.address) & found_mask_];
    const Cycle last = at + access.count - 1;
    if (__builtin_expect(found.block != block_of(access.address) || found.ready > last || bank.holds_up(last) ||
                             tags_.ordered() || !bank.port.take_now(at, access.count), 0))
      return false;
    count_.reads += access.count;
    count_.read_hits += access.count;
    count_.bank_stalls += access.count - 1;
    back = last + setup_.geometry.latency;
    return true;
  }
  Cycle atomic(std::uint64_t address, Cycle at) override;
  Cycle read_io(MemoryAccess access, Cycle at) override;
  Cycle write_io(MemoryAccess access, Cycle at) override;

  // Accesses to several lines that come in one cycle: those of one bank wait for each other. The cycle the last one is
  // back, or accepted.
  Cycle read_lines(const MemoryAccess* list, unsigned lines, Cycle at) {
    return lines == 1 ? Cache::read(list[0], at) : read_several(list, lines, at);
  }
  Cycle write_lines(const MemoryAccess* list, unsigned lines, Cycle at) {
    return lines == 1 ? Cache::write(list[0], at) : write_several(list, lines, at);
  }
  // Fetch of `count` instructions of one line, one after the other; the first one's answer. `shared`: others fetch here
  // too, so the port is contended for.
  Cycle fetch(std::uint64_t address, unsigned count, bool shared, Cycle at) {
    count_.reads += count;
    count_.read_hits += count - 1;  // the rest comes when the line is there
    Cycle entered = at;
    Bank& bank = banks_[line_of(address) & bank_mask_];
    if (shared) {
      entered = bank.port.take(at, count) - count;
      count_.bank_stalls += entered - at;
    }
    return look_up(bank, {address, 1}, entered);
  }
  // The same where nobody else fetches, if the line has been there since `at` or before: true, and the fetch is done.
  bool fetch_hit(std::uint64_t address, unsigned count, Cycle at) {
    const Found& found = find(address);
    if (found.ready > at) return false;
    tags_.touch(found.slot);
    fetched(count);
    return true;
  }
  // For a client that remembers what it found: a line that was there is there while version() is the same, and has been
  // since settled(). `count` hits of such lines, unless uses_matter().
  std::uint64_t version() const { return version_; }
  Cycle settled() const { return settled_; }
  bool uses_matter() const { return tags_.ordered(); }
  void fetched(unsigned count) {
    count_.reads += count;
    count_.read_hits += count;
  }

  // Waits for what is under way, writes dirty sectors back and invalidates everything. The cycle all of it was accepted
  // below: sets a bank, with write-back times the ways, + the write-backs. The next level is not flushed.
  Cycle flush(Cycle at);

  const CacheCounters& counters() const { return count_; }
  // Cycles of the banks: busy with a request, a fill, a replay or a flush; blocked on memory: a miss waits for an entry.
  kernel::Activity activity() const;
  unsigned latency() const { return setup_.geometry.latency; }
  unsigned banks() const { return static_cast<unsigned>(banks_.size()); }
  unsigned line_bytes() const { return 1u << line_shift_; }

  // ---- stale-line lint
  const HeldSector* held(std::uint64_t address) const override {
    const unsigned slot = tags_.find(line_of(address)), sector = sector_of(address);
    return slot == CacheTags::kNone || !tags_.valid(slot, sector) ? nullptr : &held_[(slot << sector_shift_) + sector];
  }
  bool dirty(std::uint64_t address) const override {
    const unsigned slot = tags_.find(line_of(address));
    return slot != CacheTags::kNone && (tags_.dirty_sectors(slot) >> sector_of(address) & 1) != 0;
  }
  bool write_back() const override { return write_back_; }

 private:
  void watched() override { held_.resize(fills_.size()); }

  struct Bank {
    explicit Bank(unsigned entries) : mshr(entries) {}
    kernel::Calendar port;
    kernel::PlaceCalendar mshr;
    kernel::ActivityMap waits;  // for an MSHR entry
    Cycle quiet = 0;  // the last answer of its misses
    // The latest miss that found no MSHR entry: until it has one nothing passes it.
    Cycle blocked_from = 0, blocked_until = 0;
    bool holds_up(Cycle at) const { return at < blocked_until && at >= blocked_from; }
    // The latest stretch in which fills and replays follow each other without a pause.
    Cycle served_from = 0, served_until = 0;
    void serve(Cycle back, Cycle work) {
      if (back > served_until) served_from = served_until = back;
      if (back >= served_from) served_until += work;
    }
  };
  // The latest fill of a sector; never ready: the sector is not there.
  struct Fill {
    Cycle asked = kNever, ready = kNever;
  };
  // What the last searches ended at: neighbours in time ask for one block. `slot`: of its line, or kNone; `ready`: of its
  // latest fill.
  struct Found {
    std::uint32_t block = ~0u, slot = CacheTags::kNone;
    Cycle ready = kNever;
  };

  std::uint32_t line_of(std::uint64_t address) const { return static_cast<std::uint32_t>(address >> line_shift_); }
  unsigned sector_of(std::uint64_t address) const {
    return static_cast<unsigned>(address / kSectorBytes) & (sectors_ - 1);
  }
  std::size_t fill_of(unsigned slot, std::uint64_t address) const {
    return (std::size_t{slot} << sector_shift_) + sector_of(address);
  }
  // The cycle the last of `count` requests enters its bank.
  [[gnu::always_inline]] Cycle enter(Bank& bank, unsigned count, Cycle at) {
    const Cycle last = bank.port.take(at, count) - 1;
    count_.bank_stalls += last - at;
    if (__builtin_expect(!bank.holds_up(last), 1)) return last;
    count_.mshr_stalls += bank.blocked_until - last;
    return bank.blocked_until;
  }
  static std::uint32_t block_of(std::uint64_t address) { return static_cast<std::uint32_t>(address / kSectorBytes); }
  // Valid until the next call.
  [[gnu::always_inline]] const Found& find(std::uint64_t address) const {
    const Found& last = found_[block_of(address) & found_mask_];
    return __builtin_expect(last.block == block_of(address), 1) ? last : search(address);
  }
  [[gnu::noinline]] const Found& search(std::uint64_t address) const {
    const unsigned slot = tags_.find(line_of(address));
    return found_[block_of(address) & found_mask_] = {
               block_of(address), slot, slot == CacheTags::kNone ? kNever : fills_[fill_of(slot, address)].ready};
  }
  // The line comes or goes.
  void forget(std::uint32_t line) {
    for (unsigned s = 0; s < sectors_; ++s) {
      const std::uint32_t block = (line << sector_shift_) + s;
      if (found_[block & found_mask_].block == block) found_[block & found_mask_] = {};
    }
  }
  [[gnu::always_inline]] Cycle look_up(Bank& bank, MemoryAccess access, Cycle entered) {
    const Found& found = find(access.address);
    if (__builtin_expect(found.ready > entered, 0)) return read_miss(bank, found.slot, access, entered);
    tags_.touch(found.slot);
    count_.read_hits += access.count;
    return entered + setup_.geometry.latency;
  }
  Cycle read_miss(Bank& bank, unsigned slot, MemoryAccess access, Cycle entered);
  Cycle read_several(const MemoryAccess* list, unsigned lines, Cycle at);
  Cycle write_several(const MemoryAccess* list, unsigned lines, Cycle at);
  // Fills `entered` with the cycles the last word for each bank enters it.
  void enter_all(const MemoryAccess* list, unsigned lines, Cycle at, Cycle* entered, std::uint64_t& counter);
  [[gnu::always_inline]] Cycle put(Bank& bank, MemoryAccess access, Cycle entered) {
    const Found& found = find(access.address);
    const bool hit = found.ready <= entered;
    if (__builtin_expect(!hit || !write_back_, 0))
      return write_back_ || write_allocate_ ? pass_or_miss(bank, found.slot, hit, access, entered) : pass(found, access, entered);
    tags_.touch(found.slot);
    count_.write_hits += access.count;
    tags_.set_dirty(found.slot, sector_of(access.address));
    return entered + 1;
  }
  Cycle pass(const Found& found, MemoryAccess access, Cycle entered);
  Cycle pass_or_miss(Bank& bank, unsigned slot, bool hit, MemoryAccess access, Cycle entered);
  Cycle miss(Bank& bank, unsigned slot, MemoryAccess access, Cycle entered);
  Cycle chain(Bank& bank, const Fill& fill, unsigned count, Cycle entered);
  // The MSHR entry of a request that has entered its bank.
  [[gnu::always_inline]] Cycle admit(Bank& bank, Cycle entered) {
    const Cycle free = bank.mshr.available(entered);
    return __builtin_expect(free == entered, 1) ? entered : wait_for_entry(bank, entered, free);
  }
  Cycle wait_for_entry(Bank& bank, Cycle entered, Cycle free);
  // For ActivityMap: what the port did in a bucket.
  static auto port_work(const Bank& bank) {
    return [&bank](Cycle begin) { return bank.port.used(begin, kernel::ActivityMap::kBucketCycles); };
  }
  unsigned claim(std::uint32_t line, Cycle& leave);
  Cycle write_dirty(std::uint32_t line, std::uint8_t sectors, Cycle& at);
  Cycle forward(MemoryAccess access, Cycle at);

  CacheSetup setup_;
  bool write_back_, write_allocate_;
  kernel::MemoryLevel& next_;
  CacheTags tags_;
  unsigned line_shift_, sectors_, sector_shift_, bank_mask_, found_mask_;
  std::vector<Bank> banks_;
  std::vector<Fill> fills_;           // [slot * sectors + sector]
  mutable std::vector<Found> found_;  // by block
  std::uint64_t version_ = 1;  // lines that have left, and flushes
  Cycle settled_ = 0;          // the latest fill was ready
  CacheCounters count_;
  std::uint64_t walked_ = 0;         // cycles of banks in flushes
  std::uint64_t entered_again_ = 0;  // misses that had to wait for an entry
  std::vector<HeldSector> held_;  // [slot * sectors + sector]; empty: not watched
};

}  // namespace gyre::memory
