// A unit's way to memory: a TLM-2.0 initiator with a small cache of DMI regions.
#pragma once

#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "mem_attributes.h"
#include "sim_time.h"

namespace gyre::kernel {

// Function first: data moves in the call. Time: through DMI none is added (the unit knows its own hit latency);
// through b_transport the annotated delay is added to `*when` (GPU or host cycles of `period_ps`).
class MemoryPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<MemoryPort, kMemoryBusBits> socket{"socket"};

  MemoryPort(sc_core::sc_module_name name, MemSource source, Picoseconds period_ps, unsigned core = 0);
  ~MemoryPort() override;

  // The port's unit takes its dates from a cache: transactions then only move data.
  void set_timed(bool on) { attributes_.timed = on; }

  // False: the address is not memory (TLM address error); a read then leaves zeros.
  bool read(std::uint64_t address, void* data, unsigned bytes, Cycle* when = nullptr) {
    if (const std::uint8_t* memory = direct(address, bytes, false)) {
      std::memcpy(data, memory, bytes);
      return true;
    }
    return transport(tlm::TLM_READ_COMMAND, address, static_cast<std::uint8_t*>(data), bytes, nullptr, when);
  }
  bool write(std::uint64_t address, const void* data, unsigned bytes, Cycle* when = nullptr) {
    if (std::uint8_t* memory = direct(address, bytes, true)) {
      std::memcpy(memory, data, bytes);
      return true;
    }
    return transport(tlm::TLM_WRITE_COMMAND, address, static_cast<std::uint8_t*>(const_cast<void*>(data)), bytes,
                     nullptr, when);
  }
  // A write that always travels as a transaction (never DMI), with byte enables (0xFF / 0x00 a byte) or nullptr.
  // `om`: sets the OM attribute (export).
  bool write_transaction(std::uint64_t address, const void* data, unsigned bytes, const std::uint8_t* enables, bool om,
                         Cycle* when);

  // A range that may be accessed directly.
  struct Region {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;  // 0: unused
    std::uint8_t* memory = nullptr;
    bool write = false;
  };
  // The DMI region `address` lies in, size 0 if there is none. A copy of it holds until epoch() changes.
  Region region(std::uint64_t address) {
    if (direct(address, 1, false) == nullptr) return {};
    for (const Region& region : regions_)
      if (address - region.begin < region.size) return region;
    return {};
  }
  // Bumped whenever direct access to some range was withdrawn.
  std::uint64_t epoch() const { return epoch_; }

  // Pointer to [address, address + bytes) if that range may be accessed directly, else nullptr.
  std::uint8_t* direct(std::uint64_t address, unsigned bytes, bool for_write) {
    for (const Region& region : regions_)
      if (address - region.begin < region.size && region.size - (address - region.begin) >= bytes &&
          (region.write || !for_write))
        return region.memory + (address - region.begin);
    return ask(address, bytes, for_write);
  }

 private:
  std::uint8_t* ask(std::uint64_t address, unsigned bytes, bool for_write);
  bool transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, unsigned bytes,
                 const std::uint8_t* enables, Cycle* when);
  void invalidate(sc_dt::uint64 begin, sc_dt::uint64 end);

  std::array<Region, 4> regions_{};
  unsigned next_region_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t refused_begin_ = 1, refused_end_ = 0;  // last range that offered no DMI
  Picoseconds period_ps_;
  tlm::tlm_generic_payload payload_;  // reused for every transaction: no allocation
  MemAttributes attributes_;
};

}  // namespace gyre::kernel
