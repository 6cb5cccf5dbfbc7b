// Address translation (Sv39) and physical memory protection (privileged architecture 1.12, §4.4 and §3.7).
#include <cstring>

#include "hart.h"

namespace gyre::host {
namespace {

constexpr unsigned kPageFault[] = {12, 13, 15}, kAccessFault[] = {1, 5, 7};  // by Reach
constexpr std::uint64_t kValid = 1, kRead = 2, kWrite = 4, kExecute = 8, kUser = 16, kAccessed = 64, kDirty = 128;
constexpr std::uint64_t kSum = 1ull << 18, kMxr = 1ull << 19, kMprv = 1ull << 17;
constexpr std::uint64_t kPpnMask = (1ull << 44) - 1;
constexpr unsigned kSv39 = 8;
constexpr std::uint8_t kLocked = 0x80;

}  // namespace

Privilege Hart::data_privilege() const {
  if (privilege_ != Privilege::kMachine || (mstatus_ & kMprv) == 0) return privilege_;
  return static_cast<Privilege>((mstatus_ >> 11) & 3);
}

// Everything that depends on privilege and mstatus: which translations and which blocks are looked up.
void Hart::update_mode() {
  const Privilege data = data_privilege();
  const unsigned set = data == Privilege::kMachine      ? 3
                       : data == Privilege::kUser       ? 0
                       : (mstatus_ & kSum) != 0 ? 2 : 1;
  tlb_ = &tlbs_[set];
  tlb_->used = true;
  blocks_.select(static_cast<unsigned>(privilege_));
}

void Hart::forget_translations() {
  for (Tlb& tlb : tlbs_) {
    if (!tlb.used) continue;
    tlb.load.fill(TlbEntry{});
    tlb.store.fill(TlbEntry{});
    tlb.used = &tlb == tlb_;
  }
  blocks_.forget_recent();
}

bool Hart::translates(Privilege privilege) const {
  return privilege != Privilege::kMachine && satp_ >> 60 == kSv39;
}

bool Hart::physical_access(std::uint64_t address, void* data, std::uint64_t bytes, bool write) {
  Window window;
  if (!bus_.direct(address, write, window) || !window.holds(address, address + bytes - 1) || (write && !window.write))
    return bus_.debug(address, data, bytes, write);
  std::uint8_t* const host = window.host + (address - window.begin);
  if (write) std::memcpy(host, data, bytes);
  else std::memcpy(data, host, bytes);
  return true;
}

// 0 and the physical address, or the exception. A and D bits are set by hardware.
unsigned Hart::translate(std::uint64_t address, Reach reach, Privilege privilege, std::uint64_t& physical) {
  physical = address;
  if (!translates(privilege)) return 0;
  const auto kind = static_cast<unsigned>(reach);
  const auto high = static_cast<std::int64_t>(address) >> 38;
  if (high != 0 && high != -1) return kPageFault[kind];
  std::uint64_t table = (satp_ & kPpnMask) << kPageBits;
  for (int level = 2; level >= 0; --level) {
    const unsigned shift = kPageBits + 9 * static_cast<unsigned>(level);
    const std::uint64_t at = table + ((address >> shift) & 511) * 8;
    std::uint64_t entry = 0;
    if (!pmp_allows(at, 8, Reach::kLoad, Privilege::kSupervisor) || !physical_access(at, &entry, 8, false))
      return kAccessFault[kind];
    if ((entry & kValid) == 0 || (entry & (kRead | kWrite)) == kWrite || entry >> 54 != 0) return kPageFault[kind];
    const std::uint64_t target = ((entry >> 10) & kPpnMask) << kPageBits;
    if ((entry & (kRead | kExecute)) == 0) {
      if ((entry & (kUser | kAccessed | kDirty)) != 0) return kPageFault[kind];
      table = target;
      continue;
    }
    const std::uint64_t inside = (std::uint64_t{1} << shift) - 1;
    if ((target & inside) != 0) return kPageFault[kind];
    if (privilege == Privilege::kUser) {
      if ((entry & kUser) == 0) return kPageFault[kind];
    } else if ((entry & kUser) != 0 && (reach == Reach::kFetch || (mstatus_ & kSum) == 0)) {
      return kPageFault[kind];
    }
    const bool allowed = reach == Reach::kFetch   ? (entry & kExecute) != 0
                         : reach == Reach::kStore ? (entry & kWrite) != 0
                                                  : (entry & kRead) != 0 || (mstatus_ & kMxr) != 0;
    if (!allowed) return kPageFault[kind];
    const std::uint64_t marks = kAccessed | (reach == Reach::kStore ? kDirty : 0);
    if ((entry & marks) != marks) {
      entry |= marks;
      if (!pmp_allows(at, 8, Reach::kStore, Privilege::kSupervisor) || !physical_access(at, &entry, 8, true))
        return kAccessFault[kind];
      stored(at, 8);
    }
    physical = target | (address & inside);
    return 0;
  }
  return kPageFault[kind];
}

// Physical address of an access that does not cross a page, or false with fault_ and trap_value_ set.
bool Hart::locate(std::uint64_t address, unsigned bytes, Reach reach, std::uint64_t& physical) {
  const Privilege privilege = reach == Reach::kFetch ? privilege_ : data_privilege();
  fault_ = translate(address, reach, privilege, physical);
  if (fault_ == 0 && !pmp_allows(physical, bytes, reach, privilege)) fault_ = kAccessFault[static_cast<unsigned>(reach)];
  if (fault_ == 0) return true;
  trap_value_ = address;
  return false;
}

void Hart::write_pmp_config(unsigned first, std::uint64_t value) {
  for (unsigned i = first; i < first + 8; ++i, value >>= 8) {
    std::uint8_t config = static_cast<std::uint8_t>(value) & 0x9F;
    if ((pmp_config_[i] & kLocked) != 0) continue;
    if ((config & 3) == 2) config &= 0xFC;  // write without read is reserved
    pmp_config_[i] = config;
  }
  update_pmp();
}

void Hart::write_pmp_address(unsigned index, std::uint64_t value) {
  const bool next_needs_it = index + 1 < kPmpEntries && (pmp_config_[index + 1] & (kLocked | 0x18)) == (kLocked | 8);
  if ((pmp_config_[index] & kLocked) != 0 || next_needs_it) return;
  pmp_address_[index] = value & ((1ull << 54) - 1);
  update_pmp();
}

void Hart::update_pmp() {
  for (unsigned i = 0; i < kPmpEntries; ++i) {
    const std::uint64_t address = pmp_address_[i];
    PmpRange& range = pmp_ranges_[i];
    range = PmpRange{};
    switch ((pmp_config_[i] >> 3) & 3) {
      case 1: {
        const std::uint64_t from = i == 0 ? 0 : pmp_address_[i - 1] << 2;
        if (address << 2 > from) range = {from, (address << 2) - 1};
        break;
      }
      case 2: range = {address << 2, (address << 2) + 3}; break;
      case 3: {
        const std::uint64_t size_mask = ((address ^ (address + 1)) << 2) | 3;  // 2^(ones + 3) bytes
        range.begin = (address << 2) & ~size_mask;
        range.end = range.begin | size_mask;
        break;
      }
      default: break;
    }
  }
  forget_translations();
  flush_pending_ = true;
}

bool Hart::pmp_allows(std::uint64_t address, std::uint64_t bytes, Reach reach, Privilege privilege) const {
  const std::uint64_t last = address + bytes - 1;
  for (unsigned i = 0; i < kPmpEntries; ++i) {
    const PmpRange& range = pmp_ranges_[i];
    if (last < range.begin || address > range.end) continue;
    if (address < range.begin || last > range.end) return false;  // only a part of the access matches
    if (privilege == Privilege::kMachine && (pmp_config_[i] & kLocked) == 0) return true;
    const unsigned right = reach == Reach::kFetch ? 4 : reach == Reach::kStore ? 2 : 1;
    return (pmp_config_[i] & right) != 0;
  }
  return privilege == Privilege::kMachine;
}

// True if the whole page has the rights of each of its bytes.
bool Hart::pmp_uniform(std::uint64_t page) const {
  const std::uint64_t last = page + kPageBytes - 1;
  for (const PmpRange& range : pmp_ranges_) {
    if (last < range.begin || page > range.end) continue;
    return page >= range.begin && last <= range.end;
  }
  return true;
}

}  // namespace gyre::host
