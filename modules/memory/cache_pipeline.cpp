#include "cache_pipeline.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {
namespace {

constexpr std::uint64_t block_of(std::uint64_t address) { return address & ~std::uint64_t{Cache::kSectorBytes - 1}; }

}  // namespace

CachePipeline::CachePipeline(const CacheSetup& setup, unsigned ports, unsigned ways, unsigned queue)
    : setup_(setup),
      write_back_(writes_back(setup.geometry.write)),
      write_allocate_(allocates(setup.geometry.write)),
      tags_(sets_of(setup.geometry), setup.geometry.ways, setup.geometry.replacement, setup.seed),
      line_shift_(log2_of(setup.geometry.line)),
      sectors_(setup.geometry.line / Cache::kSectorBytes),
      queue_(queue),
      ports_(ports),
      banks_(setup.geometry.banks),
      down_(ways) {
  for (Bank& bank : banks_) bank.entries = static_cast<int>(setup.geometry.mshr);
}

bool CachePipeline::quiet() const {
  return misses_ == 0 && below_ == 0 && ways_in_use_ == 0;
}

bool CachePipeline::idle() const { return waiting_banks_ == 0 && answers_.empty() && !flushing() && quiet(); }

bool CachePipeline::offer(unsigned p, const Request& request, Cycle now) {
  const unsigned b = bank_of(request.address);
  Bank& bank = banks_[b];
  // The last place of a way is for those that wait.
  const bool narrow = waiting_banks_ != 0 && down_[way_of(request.address)].size() + 1 >= queue_;
  if (bank.free_from <= now && bank.waiting.empty() && !narrow && accepts(bank, request)) {
    bank.turn = p + 1;
    take(bank, request, now);
    return true;
  }
  ports_[p] = {true, bank.entries <= 0, now, request};
  bank.waiting.push_back(p);
  waiting_banks_ |= std::uint64_t{1} << b;
  return false;
}

Cycle CachePipeline::next_step(Cycle now) const {
  Cycle next = kNever;
  for (std::uint64_t left = waiting_banks_; left != 0; left &= left - 1) {
    const Bank& bank = banks_[static_cast<unsigned>(__builtin_ctzll(left))];
    const Cycle at = std::max(bank.free_from, now);
    if (at < next && std::any_of(bank.waiting.begin(), bank.waiting.end(),
                                 [&](unsigned p) { return accepts(bank, ports_[p].request); }))
      next = at;
  }
  return next;
}

void CachePipeline::step(Cycle now) {
  taken_.clear();
  // Banks take turns too: they share the ways down.
  const std::uint64_t later = waiting_banks_ & ~std::uint64_t{0} << turn_, earlier = waiting_banks_ & ~later;
  for (const std::uint64_t part : {later, earlier})
    for (std::uint64_t left = part; left != 0; left &= left - 1) step(static_cast<unsigned>(__builtin_ctzll(left)), now);
}

void CachePipeline::step(unsigned b, Cycle now) {
  Bank& bank = banks_[b];
  if (bank.free_from > now) return;
  const unsigned ports = static_cast<unsigned>(ports_.size());
  auto best = bank.waiting.end();
  unsigned distance = ports;
  for (auto it = bank.waiting.begin(); it != bank.waiting.end(); ++it) {
    const unsigned behind = *it >= bank.turn ? *it - bank.turn : *it + ports - bank.turn;
    if (behind >= distance || !accepts(bank, ports_[*it].request)) continue;
    best = it;
    distance = behind;
  }
  if (best == bank.waiting.end()) return;
  book_idle(bank, now);
  const unsigned p = *best;
  *best = bank.waiting.back();
  bank.waiting.pop_back();
  if (bank.waiting.empty()) waiting_banks_ &= ~(std::uint64_t{1} << b);
  Port& port = ports_[p];
  port.full = false;
  (port.no_entry ? count_.mshr_stalls : count_.bank_stalls) += now - port.offered;
  bank.turn = p + 1;
  turn_ = (b + 1) % 64;
  taken_.push_back(p);
  take(bank, port.request, now);
}

// The bank is about to do something again.
void CachePipeline::book_idle(const Bank& bank, Cycle now) {
  if (bank.waiting.empty() || now <= bank.free_from) return;
  Cycle since = now;
  for (const unsigned p : bank.waiting) since = std::min(since, ports_[p].offered);
  activity_[bank.entries <= 0 ? kernel::Doing::kMemory : kernel::Doing::kOutput] += now - std::max(since, bank.free_from);
}

void CachePipeline::take(Bank& bank, const Request& request, Cycle now) {
  const Cycle entered = now + request.count - 1;
  count_.bank_stalls += request.count - 1;
  activity_.busy += request.count;
  bank.free_from = entered + 1;
  switch (request.kind) {
    case Kind::kRead: return read(bank, request, entered);
    case Kind::kWrite: return write(bank, request, entered);
    case Kind::kAtomic: return atomic(bank, request, entered);
    case Kind::kReadIo:
    case Kind::kWriteIo: {
      count_.bypasses += request.count;
      const After after = request.kind == Kind::kReadIo ? After::kWhenAnswered : After::kWhenTaken;
      return send(entered + setup_.geometry.latency, request.address, request.kind, after, request.count, request.tag);
    }
  }
}

void CachePipeline::send(Cycle at, std::uint64_t address, Kind kind, After after, unsigned count, unsigned tag) {
  send({at, block_of(address), kind, after, count, tag});
}

void CachePipeline::send(const Downward& request) {
  const unsigned way = way_of(request.address);
  ways_in_use_ |= std::uint64_t{1} << way;
  down_[way].push_back(request);
}

void CachePipeline::read(Bank& bank, const Request& request, Cycle entered) {
  const unsigned slot = tags_.find(line_of(request.address));
  count_.reads += request.count;
  if (slot != CacheTags::kNone) {
    tags_.touch(slot);
    if (tags_.valid(slot, sector_of(request.address))) {
      count_.read_hits += request.count;
      answers_.push(entered + setup_.geometry.latency, request.tag);
      return;
    }
  }
  count_.read_misses += request.count;
  miss(bank, request, entered);
}

void CachePipeline::write(Bank& bank, const Request& request, Cycle entered) {
  const unsigned slot = tags_.find(line_of(request.address)), sector = sector_of(request.address);
  const bool hit = slot != CacheTags::kNone && tags_.valid(slot, sector);
  count_.writes += request.count;
  (hit ? count_.write_hits : count_.write_misses) += request.count;
  if (hit) tags_.touch(slot);
  if (write_back_ && (hit || write_allocate_)) {
    if (hit) tags_.set_dirty(slot, sector);  // a miss: when the sector comes
    answers_.push(entered + 1, request.tag);
  } else {
    if (write_back_) leaves(request.address);
    forward(request, After::kWhenTaken, entered + setup_.geometry.latency);
  }
  if (!hit && write_allocate_) miss(bank, request, entered);
}

void CachePipeline::atomic(Bank& bank, const Request& request, Cycle entered) {
  ++count_.atomics;
  const std::uint32_t line = line_of(request.address);
  const unsigned slot = tags_.find(line), sector = sector_of(request.address);
  if (!setup_.last_level) {
    // Others must not hold the line: it goes, and the request with it (memory.md §4.3).
    Cycle leave = entered + setup_.geometry.latency + setup_.geometry.miss;
    if (slot != CacheTags::kNone) {
      leave += write_dirty(line, tags_.dirty_sectors(slot), leave);
      tags_.drop(slot);
    }
    if (write_back_) leaves(request.address);
    return send(leave, request.address, Kind::kAtomic, After::kWhenAnswered, 1, request.tag);
  }
  if (slot == CacheTags::kNone || !tags_.valid(slot, sector)) {
    ++count_.atomic_misses;
    return miss(bank, request, entered);
  }
  const Cycle old = entered + setup_.geometry.latency;
  if (write_back_)
    tags_.set_dirty(slot, sector);
  else
    forward(request, After::kNothing, old);
  answers_.push(old + 1, request.tag);
}

void CachePipeline::forward(const Request& request, After after, Cycle at) {
  count_.forwards += request.count;
  send(at, request.address, Kind::kWrite, after, request.count, request.tag);
}

unsigned CachePipeline::write_dirty(std::uint32_t line, std::uint8_t sectors, Cycle at) {
  unsigned written = 0;
  for (unsigned left = sectors; left != 0; left &= left - 1) {
    const std::uint64_t sector = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = (std::uint64_t{line} << line_shift_) + sector * Cache::kSectorBytes;
    leaves(address);
    send(at + written++, address, Kind::kWrite, After::kNothing, 1, 0);
  }
  count_.write_backs += written;
  return written;
}

void CachePipeline::miss(Bank& bank, const Request& request, Cycle entered) {
  bank.entries -= static_cast<int>(request.count);
  if (bank.entries <= 0)
    for (const unsigned p : bank.waiting) ports_[p].no_entry = true;
  unsigned node = free_node_;
  if (node == kNone) {
    node = static_cast<unsigned>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_node_ = nodes_[node].next;
  }
  nodes_[node] = {request, kNone};

  const bool written = request.kind != Kind::kRead;
  const std::uint64_t block = block_of(request.address);
  const auto known = std::find_if(bank.misses.begin(), bank.misses.end(), [&](const Miss& m) { return m.block == block; });
  if (known != bank.misses.end()) {
    count_.merges += request.count;
    nodes_[known->last].next = node;
    known->last = node;
    known->written |= written;
    return;
  }
  ++misses_;
  ++count_.fills;
  count_.merges += request.count - 1;
  bank.misses.push_back({block, node, node, written});
  Cycle leave = entered + setup_.geometry.latency + setup_.geometry.miss;
  const std::uint32_t line = line_of(request.address);
  if (tags_.find(line) == CacheTags::kNone) {
    CacheTags::Victim victim;
    tags_.allocate(line, victim);
    count_.evictions += victim.valid;
    if (victim.valid) leave += write_dirty(victim.line, victim.dirty_sectors, leave);
  }
  send(leave, block, Kind::kRead, After::kFill, 1, 0);
}

void CachePipeline::pop(unsigned way) {
  down_[way].pop_front();
  if (down_[way].empty()) ways_in_use_ &= ~(std::uint64_t{1} << way);
  ++below_;
}

void CachePipeline::answered(After after, std::uint64_t address, unsigned tag, Cycle now) {
  --below_;
  if (after == After::kFill)
    fill(banks_[bank_of(address)], address, now);
  else if (after == After::kWhenAnswered)
    answers_.push(now + 1, tag);
}

// Nothing goes before a fill and its replays, so all their dates are known when it comes.
void CachePipeline::fill(Bank& bank, std::uint64_t block, Cycle now) {
  const auto found = std::find_if(bank.misses.begin(), bank.misses.end(), [&](const Miss& m) { return m.block == block; });
  const Miss miss = *found;
  *found = bank.misses.back();
  bank.misses.pop_back();
  --misses_;
  book_idle(bank, now);
  const Cycle at = std::max(now, bank.free_from);
  // A line that was replaced while its sector was on the way only serves those that wait for it.
  if (const unsigned slot = tags_.find(line_of(block)); slot != CacheTags::kNone) {
    tags_.set_valid(slot, sector_of(block));
    if (watch() != nullptr)
      watch()->filled(*this, held_[slot * sectors_ + sector_of(block)], static_cast<std::uint32_t>(block), false);
    if (miss.written && write_back_) tags_.set_dirty(slot, sector_of(block));
  } else if (miss.written && write_back_) {
    ++count_.write_backs;
    leaves(block);
    send(at, block, Kind::kWrite, After::kNothing, 1, 0);
  }
  bank.free_from = at + 1;
  for (unsigned node = miss.first; node != kNone;) {
    const Request& request = nodes_[node].request;
    bank.free_from += request.count;
    bank.entries += static_cast<int>(request.count);
    if (request.kind == Kind::kRead) {
      answers_.push(bank.free_from, request.tag);
    } else if (request.kind == Kind::kAtomic) {
      if (!write_back_) forward(request, After::kNothing, bank.free_from);
      answers_.push(bank.free_from + 1, request.tag);
    }
    const unsigned next = nodes_[node].next;
    nodes_[node].next = free_node_;
    free_node_ = node;
    node = next;
  }
  activity_.busy += bank.free_from - at;
}

bool CachePipeline::probe(std::uint64_t address) {
  const unsigned slot = tags_.find(line_of(address));
  if (slot == CacheTags::kNone || !tags_.valid(slot, sector_of(address))) return false;
  tags_.touch(slot);
  return true;
}

void CachePipeline::flush(Cycle now) {
  flush_ = Flush::kDrains;
  flush_begin_ = now;
}

bool CachePipeline::go_on(Cycle now) {
  if (flush_ == Flush::kNone || !quiet()) return false;
  if (flush_ == Flush::kDrains) walk(now);
  if (!quiet() || now < walked_) return false;
  flush_ = Flush::kNone;
  ++count_.flushes;
  count_.flush_cycles += now - flush_begin_;
  return true;
}

void CachePipeline::walk(Cycle now) {
  flush_ = Flush::kWalks;
  walked_ = now;
  const unsigned banks = static_cast<unsigned>(banks_.size());
  std::vector<Downward> writes;
  for (unsigned b = 0; b < banks; ++b) {
    Cycle when = std::max(now, banks_[b].free_from);
    if (!write_back_) when += tags_.sets() / banks;
    for (unsigned set = b; write_back_ && set < tags_.sets(); set += banks)
      for (unsigned slot = set * tags_.ways(); slot != (set + 1) * tags_.ways(); ++slot, ++when)
        for (unsigned left = tags_.empty(slot) ? 0u : tags_.dirty_sectors(slot); left != 0; left &= left - 1) {
          const std::uint64_t address = (std::uint64_t{tags_.line(slot)} << line_shift_) +
                                        static_cast<unsigned>(__builtin_ctz(left)) * Cache::kSectorBytes;
          leaves(address);
          writes.push_back({when++, address, Kind::kWrite, After::kNothing, 1, 0});
        }
    activity_.busy += when - std::max(now, banks_[b].free_from);
    banks_[b].free_from = when;
    walked_ = std::max(walked_, when);
  }
  // The banks walk side by side.
  std::stable_sort(writes.begin(), writes.end(), [](const Downward& x, const Downward& y) { return x.at < y.at; });
  for (const Downward& w : writes) send(w);
  count_.write_backs += writes.size();
  tags_.clear();
  if (watch() != nullptr) watch()->flushed(*this);
}

bool CachePipeline::dirty(std::uint64_t address) const {
  const unsigned slot = tags_.find(line_of(address));
  if (slot != CacheTags::kNone && (tags_.dirty_sectors(slot) >> sector_of(address) & 1) != 0) return true;
  const std::vector<Miss>& misses = banks_[bank_of(address)].misses;
  return write_back_ && std::any_of(misses.begin(), misses.end(), [&](const Miss& miss) {
           return miss.written && miss.block == block_of(address);
         });
}

}  // namespace gyre::memory
