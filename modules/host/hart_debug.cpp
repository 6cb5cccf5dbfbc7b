#include "hart_debug.h"

#include <algorithm>

namespace gyre::host {
namespace {

constexpr unsigned kFflags = 1, kFrm = 2, kFcsr = 3;
constexpr std::uint64_t kValid = 1, kLeaf = 2 | 8, kPpnMask = (1ull << 44) - 1;

}  // namespace

bool HartDebug::read_csr(unsigned number, std::uint64_t& value) {
  if (number >= kFflags && number <= kFcsr) {  // there even while floating point is off
    value = number == kFcsr ? hart_.fcsr_ : number == kFrm ? hart_.fcsr_ >> 5 : hart_.fcsr_ & 0x1F;
    return true;
  }
  const Privilege present = hart_.privilege_;
  hart_.privilege_ = Privilege::kMachine;
  const bool known = hart_.csr_read(number, value);
  hart_.privilege_ = present;
  return known;
}

bool HartDebug::write_csr(unsigned number, std::uint64_t value) {
  const auto bits = static_cast<unsigned>(value);
  switch (number) {
    case kFflags: hart_.fcsr_ = (hart_.fcsr_ & 0xE0) | (bits & 0x1F); return true;
    case kFrm: hart_.fcsr_ = (hart_.fcsr_ & 0x1F) | (bits & 7) << 5; return true;
    case kFcsr: hart_.fcsr_ = bits & 0xFF; return true;
    default: break;
  }
  const Privilege present = hart_.privilege_;
  hart_.privilege_ = Privilege::kMachine;
  const bool known = hart_.csr_write(number, value);
  set_privilege(present);
  return known;
}

void HartDebug::set_privilege(Privilege privilege) {
  hart_.privilege_ = privilege;
  hart_.update_mode();
}

// A walk that asks for nothing but valid entries.
bool HartDebug::translate(std::uint64_t address, std::uint64_t& physical) {
  physical = address;
  if (!hart_.translates(hart_.privilege_)) return true;
  const auto high = static_cast<std::int64_t>(address) >> 38;
  if (high != 0 && high != -1) return false;
  std::uint64_t table = (hart_.satp_ & kPpnMask) << kPageBits;
  for (int level = 2; level >= 0; --level) {
    const unsigned shift = kPageBits + 9 * static_cast<unsigned>(level);
    std::uint64_t entry = 0;
    if (!hart_.physical_access(table + ((address >> shift) & 511) * 8, &entry, 8, false)) return false;
    if ((entry & kValid) == 0) return false;
    table = ((entry >> 10) & kPpnMask) << kPageBits;
    if ((entry & kLeaf) == 0) continue;
    physical = table | (address & ((std::uint64_t{1} << shift) - 1));
    return true;
  }
  return false;
}

std::uint64_t HartDebug::access(std::uint64_t address, void* data, std::uint64_t bytes, bool write) {
  auto* at = static_cast<std::uint8_t*>(data);
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t chunk = std::min(bytes - done, kPageBytes - (address + done) % kPageBytes);
    std::uint64_t physical = 0;
    if (!translate(address + done, physical) || !hart_.physical_access(physical, at + done, chunk, write)) break;
    if (write) hart_.stored(physical, chunk);
    done += chunk;
  }
  return done;
}

std::uint64_t HartDebug::read(std::uint64_t address, void* data, std::uint64_t bytes) {
  return access(address, data, bytes, false);
}

std::uint64_t HartDebug::write(std::uint64_t address, const void* data, std::uint64_t bytes) {
  return access(address, const_cast<void*>(data), bytes, true);
}

void HartDebug::points_changed() {
  hart_.debug_ = breakpoints_.empty() && watches_.empty() ? nullptr : this;
  hart_.flush_pending_ = true;   // blocks are built around breakpoints
  hart_.forget_translations();   // watched pages have none
}

void HartDebug::add_breakpoint(std::uint64_t pc) {
  const auto at = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), pc);
  if (at == breakpoints_.end() || *at != pc) breakpoints_.insert(at, pc);
  points_changed();
}

void HartDebug::remove_breakpoint(std::uint64_t pc) {
  const auto at = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), pc);
  if (at != breakpoints_.end() && *at == pc) breakpoints_.erase(at);
  points_changed();
}

void HartDebug::add_watchpoint(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes) {
  if (bytes == 0) return;
  const Watch watch{address, address + bytes - 1, reads, writes};
  if (std::find(watches_.begin(), watches_.end(), watch) == watches_.end()) watches_.push_back(watch);
  points_changed();
}

void HartDebug::remove_watchpoint(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes) {
  const Watch watch{address, address + bytes - 1, reads, writes};
  watches_.erase(std::remove(watches_.begin(), watches_.end(), watch), watches_.end());
  points_changed();
}

void HartDebug::clear() {
  if (breakpoints_.empty() && watches_.empty()) return;
  breakpoints_.clear();
  watches_.clear();
  points_changed();
}

bool HartDebug::breaks_at(std::uint64_t pc) const {
  return std::binary_search(breakpoints_.begin(), breakpoints_.end(), pc);
}

bool HartDebug::watched(std::uint64_t address, std::uint64_t bytes, bool write) {
  if (pass_) return false;
  const std::uint64_t last = address + bytes - 1;
  for (const Watch& watch : watches_) {
    if (address > watch.last || last < watch.first || !(write ? watch.writes : watch.reads)) continue;
    watched_address_ = std::max(address, watch.first);
    watched_write_ = write;
    return true;
  }
  return false;
}

bool HartDebug::page_is_watched(std::uint64_t address) const {
  const std::uint64_t first = address & ~(kPageBytes - 1), last = first + kPageBytes - 1;
  return std::any_of(watches_.begin(), watches_.end(),
                     [=](const Watch& watch) { return first <= watch.last && last >= watch.first; });
}

bool Hart::watched(std::uint64_t address, unsigned bytes, bool write) {
  if (debug_ == nullptr || !debug_->watched(address, bytes, write)) return false;
  fault_ = kWatched;
  return true;
}

Stop HartDebug::step(bool pass) {
  pass_ = pass;
  hart_.stepping_ = true;
  const Stop stop = hart_.run(hart_.cycle() + 1);
  hart_.stepping_ = false;
  pass_ = false;
  return stop;
}

}  // namespace gyre::host
