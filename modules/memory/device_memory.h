// Device memory: the GPU's own sparse 32-bit space (memory.md §8, isa.md §11).
#pragma once

#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "at_target.h"
#include "context.h"
#include "dram.h"
#include "mem_attributes.h"

namespace gyre::memory {

// Ports: target[n]: any number of masters, 64-byte bus, TLM base protocol.
// Behaviour: memory everywhere except [0, 0x40), the OM aperture and the local memory window, which answer with a
// TLM address error. Reads of never-written memory give 0. b_transport adds an arbiter's cycle and the dates of `dram`,
// block by block; writes are posted. nb_transport: four phases, the same dates, gpu.dram.queue requests of a port inside
// at a time. A request of a cache (MemAttributes::dates_only) has had its arbiter on the way and only takes its dates.
// DMI covers both flat ranges; transport_dbg is untimed.
class DeviceMemory : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<DeviceMemory, kernel::kMemoryBusBits> target{"target"};

  Dram dram;  // the time of every access, also of those that come from the caches

  DeviceMemory(sc_core::sc_module_name name, kernel::Context& ctx);
  ~DeviceMemory() override;

  // True if every byte of [address, address + bytes) is memory.
  static bool contains(std::uint64_t address, std::uint64_t bytes);

 private:
  static constexpr std::uint64_t kSpaceBytes = 1ull << 32;

  void end_of_elaboration() override;
  tlm::tlm_sync_enum nb_transport_fw(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(int port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(int port, tlm::tlm_generic_payload& payload);
  bool access(tlm::tlm_generic_payload& payload);
  void serve(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  std::uint8_t* bytes_;
  sc_core::sc_time period_;
  unsigned queue_;
  std::vector<std::unique_ptr<kernel::AtTarget>> ports_;  // of nb_transport
};

}  // namespace gyre::memory
