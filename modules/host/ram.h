// Flat memory of the host: RAM and boot ROM.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>

#include "mem_attributes.h"

namespace gyre::host {

// Pages are reserved, not allocated: a large RAM costs only what the firmware touches. Throws UserError if the
// address space cannot be had. Read-only memory refuses writes on the bus with a command error (store access
// fault) and takes them through the debug transport.
class Ram : public sc_core::sc_module {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  Ram(sc_core::sc_module_name name, std::uint64_t bytes, Mode mode = Mode::kReadWrite);
  ~Ram() override;

  tlm_utils::simple_target_socket<Ram, kernel::kHostBusBits> socket{"socket"};

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  // Withdraws (false) or grants again (true) direct access: an observer wants to see the traffic.
  void allow_dmi(bool allowed);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_;
  Mode mode_;
  bool dmi_allowed_ = true;
};

}  // namespace gyre::host
