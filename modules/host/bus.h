// The host's interconnect: one memory map, two masters.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mem_attributes.h"

namespace gyre::host {

// Routes by address; targets see offsets from their base. Adds no time. An address nobody has is a TLM address error.
class Bus : public sc_core::sc_module {
 public:
  enum class Kind { kMemory, kDevice };
  struct Range {
    std::uint64_t base;
    std::uint64_t end;  // inclusive
    std::string name;
    Kind kind;
  };

  explicit Bus(sc_core::sc_module_name name);

  tlm_utils::simple_target_socket<Bus, kernel::kHostBusBits> cpu_side{"cpu_side"};
  // DMA masters (command processor, display), any number. They reach memory only; a device's address is an error.
  tlm_utils::multi_passthrough_target_socket<Bus, kernel::kMemoryBusBits, tlm::tlm_base_protocol_types, 0,
                                             sc_core::SC_ZERO_OR_MORE_BOUND>
      external_master{"external_master"};

  // Binds `target` and gives it [base, base + size). Throws UserError if the range is empty, wraps around or
  // overlaps one that is there.
  template <class Target>
  void map(Target& target, std::uint64_t base, std::uint64_t size, const std::string& range_name,
           Kind kind = Kind::kDevice) {
    add_range(base, size, range_name, kind);
    targets_.bind(target);
  }
  std::vector<Range> ranges() const;

 private:
  void add_range(std::uint64_t base, std::uint64_t size, const std::string& range_name, Kind kind);
  // Index of the range and of its target socket; -1: nobody's, or not memory.
  int find(std::uint64_t address) const;
  int find_memory(std::uint64_t address) const;
  void forward(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned forward_debug(int port, tlm::tlm_generic_payload& payload);
  bool forward_dmi(int port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void b_transport_cpu(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void b_transport_external(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_cpu(tlm::tlm_generic_payload& payload);
  unsigned debug_external(int id, tlm::tlm_generic_payload& payload);
  bool dmi_cpu(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  bool dmi_external(int id, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int port, sc_dt::uint64 begin, sc_dt::uint64 end);

  tlm_utils::multi_passthrough_initiator_socket<Bus, kernel::kHostBusBits> targets_{"targets"};
  std::vector<Range> ranges_;  // in the order of binding
};

}  // namespace gyre::host
