#include "clint.h"

namespace gyre::host {
namespace {

using Wide = unsigned __int128;
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

// Register of 64 bits at `base`, accessed whole or by halves.
bool within(std::uint64_t offset, unsigned bytes, std::uint64_t base) {
  return (bytes == 8 && offset == base) || (bytes == 4 && (offset == base || offset == base + 4));
}
std::uint64_t part(std::uint64_t whole, std::uint64_t offset, unsigned bytes) {
  if (bytes == 8) return whole;
  return (offset & 4) != 0 ? whole >> 32 : whole & 0xFFFFFFFFu;
}
std::uint64_t merged(std::uint64_t whole, std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  if (bytes == 8) return value;
  return (offset & 4) != 0 ? (whole & 0xFFFFFFFFu) | (value << 32) : (whole & ~std::uint64_t{0xFFFFFFFFu}) | value;
}

}  // namespace

Clint::Clint(sc_core::sc_module_name name, std::uint64_t timebase_hz)
    : RegisterDevice(name), timebase_hz_(timebase_hz) {
  update();
}

std::uint64_t Clint::time_at(kernel::Picoseconds now) const {
  return static_cast<std::uint64_t>(Wide{now} * timebase_hz_ / kPicosecondsPerSecond) + offset_;
}

void Clint::update() {
  // mtime reaches the comparison value when the free-running count reaches compare - offset.
  const __int128 ticks = static_cast<__int128>(compare_) - static_cast<std::int64_t>(offset_);
  if (ticks <= 0) {
    due_ = 0;
  } else {
    const Wide ps = (static_cast<Wide>(ticks) * kPicosecondsPerSecond + timebase_hz_ - 1) / timebase_hz_;
    due_ = ps >= kNever ? kNever : static_cast<kernel::Picoseconds>(ps);
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
}

bool Clint::read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) {
  if (offset == GYRE_CLINT_MSIP && bytes == 4) value = msip_;
  else if (within(offset, bytes, GYRE_CLINT_MTIMECMP)) value = part(compare_, offset, bytes);
  else if (within(offset, bytes, GYRE_CLINT_MTIME)) value = part(time_at(kernel::kernel_now()), offset, bytes);
  else return false;
  return true;
}

bool Clint::write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  if (offset == GYRE_CLINT_MSIP && bytes == 4) {
    msip_ = (value & 1) != 0;
  } else if (within(offset, bytes, GYRE_CLINT_MTIMECMP)) {
    compare_ = merged(compare_, offset, bytes, value);
  } else if (within(offset, bytes, GYRE_CLINT_MTIME)) {
    const std::uint64_t now = time_at(kernel::kernel_now());
    offset_ += merged(now, offset, bytes, value) - now;
  } else {
    return false;
  }
  update();
  return true;
}

}  // namespace gyre::host
