#include "dma.h"

#include <algorithm>

#include "cp.h"

namespace gyre::cp {
namespace {

// Bytes up to the next 4 KiB boundary, and bytes back to the previous one.
std::uint64_t room_after(std::uint64_t address) { return 4096 - address % 4096; }
std::uint64_t room_before(std::uint64_t end) { return (end - 1) % 4096 + 1; }

bool wraps(std::uint64_t address, std::uint64_t bytes) { return address + (bytes - 1) < address; }

}  // namespace

template <class Read, class Write>
unsigned Dma::copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool backward, Read read,
                   Write write) {
  if (bytes == 0) return GYRE_CP_ERR_OK;
  if (wraps(destination, bytes) || wraps(source, bytes)) return GYRE_CP_ERR_ADDR_FAULT;
  clock_.advance(startup_);
  std::uint64_t left = bytes;
  while (left > 0) {
    std::uint64_t part, offset;
    if (backward) {
      part = std::min({left, room_before(destination + left), room_before(source + left)});
      offset = left - part;
    } else {
      offset = bytes - left;
      part = std::min({left, room_after(destination + offset), room_after(source + offset)});
    }
    const unsigned length = static_cast<unsigned>(part);
    if (const unsigned code = read(source + offset, buffer_.data(), length)) return code;
    if (const unsigned code = write(destination + offset, buffer_.data(), length)) return code;
    clock_.advance_to(clock_.from_ps(kernel::kernel_now()));  // a foreign memory may have let time pass
    clock_.advance((part + 63) / 64);
    left -= part;
    bytes_moved_ += part;
    if (clock_.quantum_spent()) clock_.sync();
  }
  return GYRE_CP_ERR_OK;
}

unsigned Dma::host_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  return copy(
      destination, source, bytes, false,
      [&](std::uint64_t at, void* data, unsigned n) {
        return host_.read(at, data, n) ? GYRE_CP_ERR_OK : GYRE_CP_ERR_ADDR_FAULT;
      },
      [&](std::uint64_t at, const void* data, unsigned n) { return device_.write(at, data, n, physical); });
}

unsigned Dma::device_to_host(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  return copy(
      destination, source, bytes, false,
      [&](std::uint64_t at, void* data, unsigned n) { return device_.read(at, data, n, physical); },
      [&](std::uint64_t at, const void* data, unsigned n) {
        return host_.write(at, data, n) ? GYRE_CP_ERR_OK : GYRE_CP_ERR_ADDR_FAULT;
      });
}

unsigned Dma::device_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  // As memmove: an overlapping copy upward starts at the end.
  const bool backward = destination > source && destination - source < bytes;
  return copy(
      destination, source, bytes, backward,
      [&](std::uint64_t at, void* data, unsigned n) { return device_.read(at, data, n, physical); },
      [&](std::uint64_t at, const void* data, unsigned n) { return device_.write(at, data, n, physical); });
}

}  // namespace gyre::cp
