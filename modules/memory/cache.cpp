#include "cache.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {

Cache::Cache(const CacheSetup& setup, kernel::MemoryLevel& next)
    : setup_(setup),
      write_back_(writes_back(setup.geometry.write)),
      write_allocate_(allocates(setup.geometry.write)),
      next_(next),
      tags_(sets_of(setup.geometry), setup.geometry.ways, setup.geometry.replacement, setup.seed),
      line_shift_(log2_of(setup.geometry.line)),
      sectors_(setup.geometry.line / kSectorBytes),
      sector_shift_(log2_of(sectors_)),
      bank_mask_(setup.geometry.banks - 1),
      found_mask_(std::min(tags_.sets() * 8 * sectors_, 1024u) - 1),
      banks_(setup.geometry.banks, Bank(setup.geometry.mshr)),
      fills_(std::size_t{tags_.slots()} * sectors_),
      found_(found_mask_ + 1) {}

// `slot`: where the line is, or kNone.
Cycle Cache::read_miss(Bank& bank, unsigned slot, MemoryAccess access, Cycle entered) {
  count_.read_misses += access.count;
  if (slot == CacheTags::kNone) return miss(bank, slot, access, entered);
  tags_.touch(slot);
  const Fill& fill = fills_[fill_of(slot, access.address)];
  return fill.asked <= entered ? chain(bank, fill, access.count, entered) : miss(bank, slot, access, entered);
}

inline void Cache::enter_all(const MemoryAccess* list, unsigned lines, Cycle at, Cycle* entered, std::uint64_t& counter) {
  unsigned words[kMaxBanks];
  const unsigned shift = line_shift_, banks = bank_mask_;
  for (unsigned b = 0; b <= banks; ++b) words[b] = 0;
  for (const MemoryAccess* const end = list + lines; list != end; ++list)
    words[static_cast<std::uint32_t>(list->address >> shift) & banks] += list->count;
  for (unsigned b = 0; b <= banks; ++b) {
    if (words[b] == 0) continue;
    counter += words[b];
    entered[b] = enter(banks_[b], words[b], at);
  }
}

Cycle Cache::read_several(const MemoryAccess* list, unsigned lines, Cycle at) {
  Cycle entered[kMaxBanks], done = at;
  enter_all(list, lines, at, entered, count_.reads);
  for (unsigned i = 0; i < lines; ++i) {
    const unsigned b = line_of(list[i].address) & bank_mask_;
    done = std::max(done, look_up(banks_[b], list[i], entered[b]));
  }
  return done;
}

// A miss of a cache that writes through without allocation passes by, like its hits.
Cycle Cache::pass(const Found& found, MemoryAccess access, Cycle entered) {
  const bool hit = found.ready <= entered;
  (hit ? count_.write_hits : count_.write_misses) += access.count;
  if (tags_.ordered() && found.slot != CacheTags::kNone && tags_.valid(found.slot, sector_of(access.address)))
    tags_.touch(found.slot);
  return std::max(entered + 1, forward(access, entered + setup_.geometry.latency));
}

// Any other write that is not a hit of a write-back cache.
Cycle Cache::pass_or_miss(Bank& bank, unsigned slot, bool hit, MemoryAccess access, Cycle entered) {
  bool there = slot != CacheTags::kNone && tags_.valid(slot, sector_of(access.address));
  if (there) tags_.touch(slot);
  Cycle accepted = entered + 1;
  if (hit) {
    count_.write_hits += access.count;
  } else {
    count_.write_misses += access.count;
    if (write_allocate_) {
      const Cycle stalls = count_.mshr_stalls;
      const Fill fill = there ? fills_[fill_of(slot, access.address)] : Fill{};
      if (fill.asked <= entered)
        chain(bank, fill, access.count, entered);
      else
        miss(bank, slot, access, entered);
      accepted += count_.mshr_stalls - stalls;  // it has left the port once it has its entry
      if (!there) slot = tags_.find(line_of(access.address));
      there = true;
    }
  }
  if (!write_back_ || !there)  // without allocation a miss passes by
    return std::max(accepted, forward(access, entered + setup_.geometry.latency));
  tags_.set_dirty(slot, sector_of(access.address));
  return accepted;
}

Cycle Cache::write_several(const MemoryAccess* list, unsigned lines, Cycle at) {
  Cycle entered[kMaxBanks], done = at;
  enter_all(list, lines, at, entered, count_.writes);
  for (unsigned i = 0; i < lines; ++i) {
    const unsigned b = line_of(list[i].address) & bank_mask_;
    done = std::max(done, put(banks_[b], list[i], entered[b]));
  }
  return done;
}

// A request that has to wait for its MSHR entry enters once more: fills and replays of its neighbours go first (memory.md
// §3), and nothing passes it. The calendar knows to a bucket when an entry is free; it became free by a fill, and all that
// came back before the bank had a pause goes first.
Cycle Cache::wait_for_entry(Bank& bank, Cycle entered, Cycle free) {
  if (free + kernel::PlaceCalendar::kBucketCycles > bank.served_from) free = std::max(free, bank.served_until);
  const Cycle from = bank.port.take(free, 1) - 1;
  ++entered_again_;
  count_.mshr_stalls += from - entered;
  bank.waits.wait(kernel::Doing::kMemory, entered, from, port_work(bank));
  if (from > bank.blocked_until) {
    if (entered > bank.blocked_until) bank.blocked_from = entered;
    bank.blocked_until = from;
  }
  return from;
}

kernel::Activity Cache::activity() const {
  kernel::Activity sum;
  for (const Bank& bank : banks_) sum += bank.waits.activity(port_work(bank));
  sum.busy = count_.reads + count_.writes + count_.atomics + count_.bypasses + 2 * count_.fills + count_.merges +
             walked_ + entered_again_;
  return sum;
}

Cycle Cache::chain(Bank& bank, const Fill& fill, unsigned count, Cycle entered) {
  const Cycle from = admit(bank, entered);
  count_.merges += count;
  // Replays follow the fill, one a cycle; without one to wait for (its turn came late) it is a lookup again.
  const Cycle done = std::max(bank.port.take(std::max(from, fill.ready), count), from + setup_.geometry.latency);
  if (fill.ready > from) bank.serve(fill.ready, count);
  bank.mshr.hold(from, done, count);
  bank.quiet = std::max(bank.quiet, done);
  return done;
}

// `slot`: where the line is, or kNone.
Cycle Cache::miss(Bank& bank, unsigned slot, MemoryAccess access, Cycle entered) {
  const Cycle from = admit(bank, entered);
  const std::uint32_t block = block_of(access.address);
  Cycle leave = from + setup_.geometry.latency + setup_.geometry.miss;
  if (slot == CacheTags::kNone) slot = claim(block >> sector_shift_, leave);
  const unsigned sector = block & (sectors_ - 1);
  tags_.set_valid(slot, sector);
  ++count_.fills;
  count_.merges += access.count - 1;
  const Cycle back = next_.read({access.address, 1}, leave);
  const std::size_t place = (std::size_t{slot} << sector_shift_) + sector;
  if (LineWatch* const lines = watch()) lines->filled(*this, held_[place], static_cast<std::uint32_t>(access.address));
  const Cycle done = bank.port.take(back, 1 + access.count);  // the fill, then the requests again
  fills_[place] = {from, back + 1};
  found_[block & found_mask_] = {block, slot, back + 1};
  settled_ = std::max(settled_, back + 1);
  bank.serve(back, 1 + access.count);
  bank.mshr.hold(from, done + 2 * (1 + access.count), access.count);  // neighbours go before the next
  bank.quiet = std::max(bank.quiet, done);
  return done;
}

// Makes room for a line. Dirty sectors of the one that goes are written before the fill is requested.
inline unsigned Cache::claim(std::uint32_t line, Cycle& leave) {
  CacheTags::Victim victim;
  const unsigned slot = tags_.allocate(line, victim);
  if (sectors_ != 1) {  // the one that is asked for is written by the caller
    for (unsigned s = 0; s < sectors_; ++s) fills_[slot * sectors_ + s] = {};
    forget(line);
  }
  if (!victim.valid) return slot;
  forget(victim.line);
  ++count_.evictions;
  ++version_;
  if (victim.dirty_sectors != 0) write_dirty(victim.line, victim.dirty_sectors, leave);
  return slot;
}

// One a cycle from `at` on, which becomes the cycle after the last.
Cycle Cache::write_dirty(std::uint32_t line, std::uint8_t sectors, Cycle& at) {
  Cycle accepted = at;
  for (; sectors != 0; sectors &= static_cast<std::uint8_t>(sectors - 1)) {
    const unsigned sector = static_cast<unsigned>(__builtin_ctz(sectors));
    ++count_.write_backs;
    const std::uint64_t address = (std::uint64_t{line} << line_shift_) + std::uint64_t{sector} * kSectorBytes;
    accepted = std::max(accepted, next_.write({address, 1}, at++));
    leaves(address);  // into what the next has filled for it
  }
  return accepted;
}

Cycle Cache::forward(MemoryAccess access, Cycle at) {
  count_.forwards += access.count;
  return next_.write(access, at);
}

Cycle Cache::atomic(std::uint64_t address, Cycle at) {
  ++count_.atomics;
  const std::uint32_t line = line_of(address);
  const unsigned sector = sector_of(address);
  Bank& bank = banks_[line & bank_mask_];
  const Cycle entered = enter(bank, 1, at);
  unsigned slot = tags_.find(line);
  if (!setup_.last_level) {
    // Others must not hold the line: it goes, and the request with it (memory.md §4.3).
    Cycle leave = entered + setup_.geometry.latency + setup_.geometry.miss;
    if (slot != CacheTags::kNone) {
      write_dirty(line, tags_.dirty_sectors(slot), leave);
      tags_.drop(slot);
      forget(line);
      ++version_;
      for (unsigned s = 0; s < sectors_; ++s) fills_[slot * sectors_ + s] = {};
    }
    return next_.atomic(address, leave) + 1;
  }
  const bool present = slot != CacheTags::kNone && tags_.valid(slot, sector);
  const Fill fill = present ? fills_[fill_of(slot, address)] : Fill{};
  const bool hit = present && fill.ready <= entered;
  count_.atomic_misses += !hit;
  Cycle old;
  if (hit)
    old = entered + setup_.geometry.latency;
  else if (present && fill.asked <= entered)
    old = chain(bank, fill, 1, entered);
  else
    old = miss(bank, slot, {address, 1}, entered);
  if (write_back_)
    tags_.set_dirty(tags_.find(line), sector);
  else
    forward({address, 1}, old);
  return old + 1;
}

Cycle Cache::read_io(MemoryAccess access, Cycle at) {
  count_.bypasses += access.count;
  const Cycle entered = enter(banks_[line_of(access.address) & bank_mask_], access.count, at);
  return next_.read_io(access, entered + setup_.geometry.latency) + 1;
}

Cycle Cache::write_io(MemoryAccess access, Cycle at) {
  count_.bypasses += access.count;
  const Cycle entered = enter(banks_[line_of(access.address) & bank_mask_], access.count, at);
  return next_.write_io(access, entered + setup_.geometry.latency);
}

Cycle Cache::flush(Cycle at) {
  const unsigned sets_a_bank = tags_.sets() / banks();
  const Cycle walk = write_back_ ? Cycle{sets_a_bank} * tags_.ways() : sets_a_bank;
  Cycle done = at;
  for (unsigned b = 0; b < banks(); ++b) {
    Bank& bank = banks_[b];
    Cycle when = std::max(at, bank.quiet);
    for (unsigned set = b; set < tags_.sets(); set += banks()) {
      if (!write_back_) break;
      for (unsigned slot = set * tags_.ways(); slot != (set + 1) * tags_.ways(); ++slot) {
        const std::uint8_t dirty = tags_.empty(slot) ? std::uint8_t{0} : tags_.dirty_sectors(slot);
        if (dirty != 0) done = std::max(done, write_dirty(tags_.line(slot), dirty, when));
        ++when;
      }
    }
    if (!write_back_) when += walk;
    const Cycle begin = std::max(at, bank.quiet);
    bank.port.take(begin, when - begin);  // the bank takes no requests meanwhile
    walked_ += when - begin;
    done = std::max(done, when);
  }
  tags_.clear();
  ++version_;
  std::fill(fills_.begin(), fills_.end(), Fill{});
  std::fill(found_.begin(), found_.end(), Found{});
  if (watch() != nullptr) watch()->flushed(*this);
  ++count_.flushes;
  count_.flush_cycles += done - at;
  return done;
}

}  // namespace gyre::memory
