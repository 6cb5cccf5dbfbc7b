#include "cache_pipeline.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {
namespace {

constexpr std::uint64_t block_of(std::uint64_t address) { return address & ~std::uint64_t{Cache::kSectorBytes - 1}; }

}  // namespace

CachePipeline::CachePipeline(const CacheSetup& setup, unsigned ports, unsigned queue)
    : setup_(setup),
      write_back_(writes_back(setup.geometry.write)),
      write_allocate_(allocates(setup.geometry.write)),
      tags_(sets_of(setup.geometry), setup.geometry.ways, setup.geometry.replacement, setup.seed),
      line_shift_(log2_of(setup.geometry.line)),
      sectors_(setup.geometry.line / Cache::kSectorBytes),
      queue_(queue),
      ports_(ports),
      banks_(setup.geometry.banks) {
  for (Bank& bank : banks_) bank.entries = setup.geometry.mshr;
}

bool CachePipeline::can_step() const {
  for (const Bank& bank : banks_)
    if (!bank.replays.empty() || !bank.fills.empty()) return true;
  for (const Port& port : ports_)
    if (port.full && accepts(banks_[bank_of(port.request.address)])) return true;
  return false;
}

bool CachePipeline::idle() const {
  for (const Bank& bank : banks_)
    if (!bank.replays.empty() || !bank.fills.empty() || !bank.misses.empty()) return false;
  for (const Port& port : ports_)
    if (port.full) return false;
  return down_.empty();
}

void CachePipeline::step(Cycle now, std::vector<unsigned>& taken, std::vector<Answer>& answers) {
  const unsigned ports = static_cast<unsigned>(ports_.size());
  for (unsigned b = 0; b < banks_.size(); ++b) {
    Bank& bank = banks_[b];
    bool busy = true;
    if (!bank.replays.empty()) {
      const Request request = bank.replays.front();
      bank.replays.pop_front();
      ++bank.entries;
      if (!request.write) answers.push_back({now + 1, request.tag});
    } else if (!bank.fills.empty()) {
      Miss filled = std::move(bank.fills.front());
      bank.fills.pop_front();
      install(bank, std::move(filled), now);
    } else {
      busy = false;
    }
    for (unsigned k = 0; k < ports; ++k) {
      const unsigned p = (bank.turn + k) % ports;
      Port& port = ports_[p];
      if (!port.full || bank_of(port.request.address) != b) continue;
      port.no_entry |= bank.entries == 0;
      if (busy || !accepts(bank)) continue;
      (port.no_entry ? count_.mshr_stalls : count_.bank_stalls) += now - port.offered;
      busy = true;
      bank.turn = (p + 1) % ports;
      port.full = false;
      taken.push_back(p);
      look_up(bank, port.request, now, answers);
    }
  }
}

void CachePipeline::look_up(Bank& bank, const Request& request, Cycle now, std::vector<Answer>& answers) {
  const unsigned slot = tags_.find(line_of(request.address)), sector = sector_of(request.address);
  const bool hit = slot != CacheTags::kNone && tags_.valid(slot, sector);
  if (slot != CacheTags::kNone && (hit || !request.write)) tags_.touch(slot);
  const Cycle looked_up = now + setup_.geometry.latency;
  if (!request.write) {
    ++count_.reads;
    ++(hit ? count_.read_hits : count_.read_misses);
    if (hit)
      answers.push_back({looked_up, request.tag});
    else
      miss(bank, request, now);
    return;
  }
  ++count_.writes;
  ++(hit ? count_.write_hits : count_.write_misses);
  if (!hit && write_allocate_) miss(bank, request, now);
  if (write_back_ && (hit || write_allocate_)) {
    if (hit) tags_.set_dirty(slot, sector);  // a miss: when the sector comes
    answers.push_back({now + 1, request.tag});
  } else {
    pass_on(request, looked_up);
  }
}

void CachePipeline::pass_on(const Request& request, Cycle at) {
  ++count_.forwards;
  down_.push_back({at, block_of(request.address), true, true, request.tag});
}

void CachePipeline::miss(Bank& bank, const Request& request, Cycle now) {
  --bank.entries;
  const std::uint64_t block = block_of(request.address);
  const auto known = std::find_if(bank.misses.begin(), bank.misses.end(), [&](const Miss& m) { return m.block == block; });
  if (known != bank.misses.end()) {
    ++count_.merges;
    known->requests.push_back(request);
    return;
  }
  ++count_.fills;
  bank.misses.push_back({block, {request}});
  Cycle leave = now + setup_.geometry.latency + setup_.geometry.miss;
  const std::uint32_t line = line_of(request.address);
  if (tags_.find(line) == CacheTags::kNone) {
    CacheTags::Victim victim;
    tags_.allocate(line, victim);
    count_.evictions += victim.valid;
    for (unsigned dirty = victim.valid ? victim.dirty_sectors : 0u; dirty != 0; dirty &= dirty - 1) {
      ++count_.write_backs;
      const std::uint64_t sector = static_cast<unsigned>(__builtin_ctz(dirty));
      down_.push_back({leave++, (std::uint64_t{victim.line} << line_shift_) + sector * Cache::kSectorBytes, true, false, 0});
    }
  }
  down_.push_back({leave, block, false, false, 0});
}

void CachePipeline::filled(std::uint64_t address) {
  Bank& bank = banks_[bank_of(address)];
  const auto miss = std::find_if(bank.misses.begin(), bank.misses.end(), [&](const Miss& m) { return m.block == address; });
  bank.fills.push_back(std::move(*miss));
  bank.misses.erase(miss);
}

// The fill's cycle. A line that was replaced while its sector was on the way only serves those that wait for it.
void CachePipeline::install(Bank& bank, Miss miss, Cycle now) {
  const unsigned slot = tags_.find(line_of(miss.block)), sector = sector_of(miss.block);
  bool written = false;
  for (const Request& request : miss.requests) written |= request.write;
  if (slot != CacheTags::kNone) {
    tags_.set_valid(slot, sector);
    if (written && write_back_) tags_.set_dirty(slot, sector);
  } else if (written && write_back_) {
    ++count_.write_backs;
    down_.push_back({now, miss.block, true, false, 0});
  }
  bank.replays.insert(bank.replays.end(), miss.requests.begin(), miss.requests.end());
}

}  // namespace gyre::memory
