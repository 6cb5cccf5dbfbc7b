// Performance counters of the whole device, as a core's CSRs and the host's DCR reads see them (isa.md §8).
#pragma once

#include <cstdint>

namespace gyre::kernel {

class DeviceCounters {
 public:
  // Counter `index` (CSR number - 0xB00) of an MPM class, for core `core` (global index): the core's own, or the sum over
  // the shared units that serve it. 0 for what does not exist.
  virtual std::uint64_t counter(unsigned cls, unsigned index, unsigned core) const = 0;

 protected:
  ~DeviceCounters() = default;
};

}  // namespace gyre::kernel
