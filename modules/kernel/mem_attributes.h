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

  // ---- approximate style, requests that are dates
  bool atomic = false;      // one read-modify-write at the last level
  bool dates_only = false;  // what it does has happened already: no data moves, and the address is memory
  unsigned words = 1;       // of the block: it keeps its bank for that many cycles (MemoryAccess::count)

  tlm::tlm_extension_base* clone() const override { return new MemAttributes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MemAttributes&>(other); }
};

}  // namespace gyre::kernel
