// The copy engine behind MEM_WRITE, MEM_READ and MEM_COPY (cp.md §5.2).
#pragma once

#include <array>
#include <cstdint>

#include "device_space.h"
#include "memory_port.h"
#include "sim_time.h"

namespace gyre::cp {

// Byte exact, any alignment, bursts of at most 4 KiB that cross no 4 KiB boundary on either side. One 64-byte beat a
// cycle after a start-up time. A bus error ends the copy; earlier bursts stay done. Results: GYRE_CP_ERR_*.
class Dma {
 public:
  Dma(kernel::MemoryPort& host, DeviceSpace& device, kernel::LocalClock& clock, unsigned startup)
      : host_(host), device_(device), clock_(clock), startup_(startup) {}

  unsigned host_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);
  unsigned device_to_host(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);
  unsigned device_to_device(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool physical);

  const std::uint64_t& bytes_moved() const { return bytes_moved_; }

 private:
  static constexpr std::uint64_t kBurst = 4096;

  template <class Read, class Write>
  unsigned copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes, bool backward, Read read,
                Write write);

  kernel::MemoryPort& host_;
  DeviceSpace& device_;
  kernel::LocalClock& clock_;
  unsigned startup_;
  std::uint64_t bytes_moved_ = 0;
  std::array<std::uint8_t, kBurst> buffer_{};
};

}  // namespace gyre::cp
