#include "dma.h"

#include <algorithm>

#include "cp.h"
#include "device_map.h"

namespace gyre::cp {
namespace {

// Bytes up to the next 4 KiB boundary, and bytes back to the previous one.
std::uint64_t room_after(std::uint64_t address) { return 4096 - address % 4096; }
std::uint64_t room_before(std::uint64_t end) { return (end - 1) % 4096 + 1; }

constexpr std::uint64_t kBlock = GYRE_DEV_BLOCK_BYTES;

bool wraps(std::uint64_t address, std::uint64_t bytes) { return address + (bytes - 1) < address; }

}  // namespace

template <class Read, class Write>
unsigned Dma::copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, Sides sides, Read read,
                   Write write) {
  worked_ = 0;
  if (bytes == 0) return GYRE_CP_ERR_OK;
  if (wraps(destination, bytes) || wraps(source, bytes)) return GYRE_CP_ERR_ADDR_FAULT;
  clock_.advance(startup_);
  worked_ = startup_;
  const unsigned code = bursts(destination, source, bytes, sides, read, write);
  clock_.advance_to(time_.drained());
  return code;
}

template <class Read, class Write>
unsigned Dma::bursts(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, Sides sides, Read read,
                     Write write) {
  std::uint64_t left = bytes;
  while (left > 0) {
    std::uint64_t part, offset;
    if (sides.backward) {
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
    move(destination + offset, source + offset, length, sides);
    left -= part;
    bytes_moved_ += part;
    if (clock_.quantum_spent()) clock_.sync();
  }
  return GYRE_CP_ERR_OK;
}

// The beats of a burst. Of two sides in device memory that are not aligned alike, one may have a block more.
void Dma::move(std::uint64_t destination, std::uint64_t source, unsigned bytes, Sides sides) {
  struct Side {
    std::uint64_t block = 0, blocks = 0;
  };
  const auto side = [&](bool device, std::uint64_t address) {
    if (!device) return Side{};
    const Place place = device_.place(address, sides.physical);
    time_.walk(place);
    time_.count_bytes(bytes);
    const std::uint64_t first = place.address / kBlock;
    return Side{first, (place.address + bytes - 1) / kBlock - first + 1};
  };
  const Side from = side(sides.from_device, source), to = side(sides.to_device, destination);
  const std::uint64_t beats = std::max({(bytes + kBlock - 1) / kBlock, from.blocks, to.blocks});
  for (std::uint64_t i = 0; i < beats; ++i) {
    DeviceTime::Beat beat;
    if (i < from.blocks) beat.read = (from.block + i) * kBlock;
    if (i < to.blocks) beat.write = (to.block + i) * kBlock;
    time_.issue(beat, clock_.now());
  }
  worked_ += beats;
  clock_.advance_to(time_.next_issue());
}

unsigned Dma::host_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  return copy(
      destination, source, bytes, {false, true, physical, false},
      [&](std::uint64_t at, void* data, unsigned n) {
        return host_.read(at, data, n) ? GYRE_CP_ERR_OK : GYRE_CP_ERR_ADDR_FAULT;
      },
      [&](std::uint64_t at, const void* data, unsigned n) { return device_.write(at, data, n, physical); });
}

unsigned Dma::device_to_host(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  return copy(
      destination, source, bytes, {true, false, physical, false},
      [&](std::uint64_t at, void* data, unsigned n) { return device_.read(at, data, n, physical); },
      [&](std::uint64_t at, const void* data, unsigned n) {
        return host_.write(at, data, n) ? GYRE_CP_ERR_OK : GYRE_CP_ERR_ADDR_FAULT;
      });
}

unsigned Dma::device_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical) {
  // As memmove: an overlapping copy upward starts at the end.
  const bool backward = destination > source && destination - source < bytes;
  return copy(
      destination, source, bytes, {true, true, physical, backward},
      [&](std::uint64_t at, void* data, unsigned n) { return device_.read(at, data, n, physical); },
      [&](std::uint64_t at, const void* data, unsigned n) { return device_.write(at, data, n, physical); });
}

}  // namespace gyre::cp
