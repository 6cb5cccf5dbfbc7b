// Loads, stores and atomics beyond the fast path: first touch of a page, misaligned, device, code that is overwritten.
#include <algorithm>
#include <cstring>

#include "hart_debug.h"

namespace gyre::host {
namespace {

constexpr unsigned kLoadMisaligned = 4, kLoadFault = 5, kStoreMisaligned = 6, kStoreFault = 7;

std::uint64_t extend(std::uint64_t raw, unsigned code) {
  if (code >= 8) return raw | 0xFFFFFFFF00000000u;
  const unsigned shift = 64 - (8u << (code & 3));
  if (code >= 4) return raw << shift >> shift;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << shift) >> shift);
}

}  // namespace

// Host pointer to an access that lies in memory windows, entering its page into the fast path when that is allowed.
std::uint8_t* Hart::fill(std::uint64_t address, std::uint64_t physical, unsigned bytes, bool write) {
  const std::uint64_t last = physical + bytes - 1;
  Window window;
  if (last < physical || !bus_.direct(physical, write, window)) return nullptr;
  if (!window.holds(physical, last) || (write && !window.write)) return nullptr;
  const std::uint64_t page = physical & ~(kPageBytes - 1);
  if (window.holds(page, page + kPageBytes - 1) && !(write && blocks_.page_holds_code(page)) && pmp_uniform(page) &&
      (debug_ == nullptr || !debug_->page_is_watched(address))) {
    const std::uint64_t tag = address & ~(kPageBytes - 1);
    tlb_entry(write ? tlb_->store : tlb_->load, address) = {
        tag, reinterpret_cast<std::uint64_t>(window.host) + (page - window.begin) - tag};
  }
  return window.host + (physical - window.begin);
}

// An access across a page border whose two pages may be anywhere: by parts, memory only, both checked first.
Hart::Access Hart::split(std::uint64_t address, unsigned bytes, void* data, bool write) {
  const Reach reach = write ? Reach::kStore : Reach::kLoad;
  const auto first_bytes = static_cast<unsigned>(kPageBytes - address % kPageBytes), rest = bytes - first_bytes;
  auto* const at = static_cast<std::uint8_t*>(data);
  std::uint64_t first = 0, second = 0;
  if (!locate(address, first_bytes, reach, first) || !locate(address + first_bytes, rest, reach, second))
    return Access::kFault;
  if (!physical_access(first, at, first_bytes, write) || !physical_access(second, at + first_bytes, rest, write)) {
    fault_ = write ? kStoreFault : kLoadFault;
    trap_value_ = address;
    return Access::kFault;
  }
  if (write) {
    stored(first, first_bytes);
    stored(second, rest);
  }
  return Access::kDone;
}

Hart::Access Hart::load_slow(std::uint64_t address, unsigned code, std::uint64_t& value) {
  const unsigned bytes = 1u << (code & 3);
  std::uint64_t raw = 0;
  if (watched(address, bytes, false)) return Access::kFault;
  if (address % kPageBytes + bytes > kPageBytes && translates(data_privilege())) {
    const Access access = split(address, bytes, &raw, false);
    value = extend(raw, code);
    return access;
  }
  if (!locate(address, bytes, Reach::kLoad, physical_)) return Access::kFault;
  const std::uint8_t* host = fill(address, physical_, bytes, false);
  if (host == nullptr) return Access::kDevice;
  std::memcpy(&raw, host, bytes);
  value = extend(raw, code);
  return Access::kDone;
}

Hart::Access Hart::store_slow(std::uint64_t address, unsigned code, std::uint64_t value) {
  const unsigned bytes = 1u << (code & 3);
  if (watched(address, bytes, true)) return Access::kFault;
  if (address % kPageBytes + bytes > kPageBytes && translates(data_privilege()))
    return split(address, bytes, &value, true);
  if (!locate(address, bytes, Reach::kStore, physical_)) return Access::kFault;
  std::uint8_t* host = fill(address, physical_, bytes, true);
  if (host == nullptr) return Access::kDevice;
  std::memcpy(host, &value, bytes);
  stored(physical_, bytes);
  return Access::kDone;
}

void Hart::stored(std::uint64_t address, std::uint64_t bytes) {
  if (blocks_.holds_code(address, bytes)) flush_pending_ = true;
}

bool Hart::load_device(unsigned code, std::uint64_t& value) {
  const unsigned bytes = 1u << (code & 3);
  std::uint64_t raw = 0;
  if ((physical_ & (bytes - 1)) == 0) {
    if (!bus_.read(physical_, bytes, raw)) return false;
  } else if (!bus_.debug(physical_, &raw, bytes, false)) {  // only memory takes misaligned accesses
    return false;
  }
  value = extend(raw, code);
  return true;
}

bool Hart::store_device(unsigned code, std::uint64_t value) {
  const unsigned bytes = 1u << (code & 3);
  if ((physical_ & (bytes - 1)) == 0) {
    if (!bus_.write(physical_, bytes, value)) return false;
  } else if (!bus_.debug(physical_, &value, bytes, true)) {
    return false;
  }
  stored(physical_, bytes);
  return true;
}

namespace {

std::uint64_t combine(unsigned function, bool wide, std::uint64_t old, std::uint64_t operand) {
  const std::uint64_t b = wide ? operand : extend(operand, 2);
  const auto signed_old = static_cast<std::int64_t>(old), signed_b = static_cast<std::int64_t>(b);
  const std::uint64_t unsigned_old = wide ? old : extend(old, 6), unsigned_b = wide ? b : extend(b, 6);
  switch (function) {
    case 0: return old + b;
    case 1: return b;
    case 4: return old ^ b;
    case 8: return old | b;
    case 12: return old & b;
    case 16: return signed_old < signed_b ? old : b;
    case 20: return signed_old > signed_b ? old : b;
    case 24: return unsigned_old < unsigned_b ? old : b;
    default: return unsigned_old > unsigned_b ? old : b;
  }
}

}  // namespace

// Atomics work on memory only; a device refuses them. Memory without a window is reached over the bus, for which pc
// and cycle have to be exact: then the caller tries again with `over_bus`.
unsigned Hart::atomic(Op op, const Slot& slot, bool over_bus) {
  const std::uint64_t address = x_[slot.rs1], operand = x_[slot.rs2];
  const bool wide = (slot.imm & 32) != 0, is_load = op == Op::kLr;
  const unsigned bytes = wide ? 8 : 4, code = wide ? 3 : 2;
  trap_value_ = address;
  if (address % bytes != 0) return is_load ? kLoadMisaligned : kStoreMisaligned;
  if (!over_bus && watched(address, bytes, !is_load)) return kWatched;
  std::uint64_t physical = 0;
  if (!locate(address, bytes, is_load ? Reach::kLoad : Reach::kStore, physical)) return fault_;
  std::uint8_t* host = fill(address, physical, bytes, !is_load);
  std::uint64_t raw = 0;
  if (host != nullptr) {
    std::memcpy(&raw, host, bytes);
  } else {
    if (!over_bus) return kOverBus;
    if (!bus_.debug(physical, &raw, bytes, false) || !bus_.read(physical, bytes, raw))
      return is_load ? kLoadFault : kStoreFault;
  }
  const std::uint64_t old = extend(raw, code);
  if (op == Op::kLr) {
    reserved_ = true;
    reserved_address_ = address;
    reserved_value_ = old;
    x_[slot.rd] = old;
    return 0;
  }
  std::uint64_t result = operand;
  if (op == Op::kSc) {
    // Writers that are not this hart are noticed by the value they leave.
    const bool success = reserved_ && reserved_address_ == address && reserved_value_ == old;
    reserved_ = false;
    if (!success) {
      x_[slot.rd] = 1;
      return 0;
    }
  } else {
    result = combine(slot.imm & 31, wide, old, operand);
  }
  if (host != nullptr) std::memcpy(host, &result, bytes);
  else if (!bus_.write(physical, bytes, result)) return kStoreFault;
  x_[slot.rd] = op == Op::kSc ? 0 : old;
  stored(physical, bytes);
  return 0;
}

// Page by page, each translated as an access of the present privilege would be.
bool Hart::guest_access(std::uint64_t address, void* data, std::uint64_t bytes, bool write) {
  auto* at = static_cast<std::uint8_t*>(data);
  const Privilege privilege = data_privilege();
  if (bytes != 0 && address + bytes - 1 < address) return false;
  while (bytes != 0) {
    const std::uint64_t chunk =
        translates(privilege) ? std::min(bytes, kPageBytes - address % kPageBytes) : bytes;
    std::uint64_t physical = 0;
    if (translate(address, write ? Reach::kStore : Reach::kLoad, privilege, physical) != 0) return false;
    if (!physical_access(physical, at, chunk, write)) return false;
    if (write) stored(physical, chunk);
    address += chunk;
    at += chunk;
    bytes -= chunk;
  }
  return true;
}

bool Hart::read_memory(std::uint64_t address, void* data, std::uint64_t bytes) {
  return guest_access(address, data, bytes, false);
}

bool Hart::write_memory(std::uint64_t address, const void* data, std::uint64_t bytes) {
  return guest_access(address, const_cast<void*>(data), bytes, true);
}

void Hart::invalidate_windows() {
  for (Tlb& tlb : tlbs_) {
    tlb.load.fill(TlbEntry{});
    tlb.store.fill(TlbEntry{});
  }
  fetch_window_ = Window{};
}

}  // namespace gyre::host
