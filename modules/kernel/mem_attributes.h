// Ignorable TLM extension that travels with a memory request (memory.md §4.3).
#pragma once

#include <tlm>

namespace gyre::kernel {

constexpr unsigned kMemoryBusBits = 512;  // device memory fabric: 64 bytes (design §3)
constexpr unsigned kHostBusBits = 64;     // host bus targets (CP registers, devices)
constexpr unsigned kDcrBusBits = 32;      // DCR bus: address = register number * 4

enum class MemSource : unsigned char { kUnknown, kFetch, kLsu, kRaster, kEarlyZ, kTex, kOm, kCp, kHost };

struct MemAttributes : tlm::tlm_extension<MemAttributes> {
  MemSource source = MemSource::kUnknown;
  unsigned core = 0;  // global core index of an LSU or fetch request
  bool io = false;    // uncached
  bool om = false;    // OM export: peeled off by the steer
  bool timed = false; // the initiator has the dates of its cache: the memory adds none

  tlm::tlm_extension_base* clone() const override { return new MemAttributes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MemAttributes&>(other); }
};

}  // namespace gyre::kernel
