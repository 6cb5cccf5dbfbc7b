// The copy engine behind MEM_WRITE, MEM_READ and MEM_COPY (cp.md §5.2).
#pragma once

#include <array>
#include <cstdint>

#include "device_space.h"
#include "device_time.h"
#include "memory_port.h"
#include "sim_time.h"

namespace gyre::cp {

// Byte exact, any alignment, bursts of at most 4 KiB that cross no 4 KiB boundary on either side. One 64-byte beat a
// cycle after a start-up time, as far as device memory keeps up: beats wait when as many as may be are under way. The
// copy is over when the last block has come or its write has been accepted. A bus error ends the copy; earlier bursts stay
// done. Results: GYRE_CP_ERR_*.
class Dma {
 public:
  Dma(kernel::MemoryPort& host, DeviceSpace& device, DeviceTime& time, kernel::LocalClock& clock, unsigned startup)
      : host_(host), device_(device), time_(time), clock_(clock), startup_(startup) {}

  unsigned host_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);
  unsigned device_to_host(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);
  unsigned device_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);

  const std::uint64_t& bytes_moved() const { return bytes_moved_; }
  // Cycles of the last copy in which it started up or a beat began; it waited for memory in the others.
  Cycle worked() const { return worked_; }

 private:
  static constexpr std::uint64_t kBurst = 4096;

  // Which sides are device memory, and how.
  struct Sides {
    bool from_device, to_device, physical, backward;
  };
  template <class Read, class Write>
  unsigned copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, Sides sides, Read read, Write write);
  template <class Read, class Write>
  unsigned bursts(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, Sides sides, Read read, Write write);
  void move(std::uint64_t destination, std::uint64_t source, unsigned bytes, Sides sides);

  kernel::MemoryPort& host_;
  DeviceSpace& device_;
  DeviceTime& time_;
  kernel::LocalClock& clock_;
  unsigned startup_;
  Cycle worked_ = 0;
  std::uint64_t bytes_moved_ = 0;
  std::array<std::uint8_t, kBurst> buffer_{};
};

}  // namespace gyre::cp
