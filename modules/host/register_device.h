// Base of the host's devices: a target socket whose naturally aligned accesses arrive as register reads and writes.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>

#include "mem_attributes.h"

namespace gyre::host {

// Accesses have no latency of their own and never wait. An access the device refuses (size, or an offset that does
// not exist) is a TLM address error, which the host sees as an access fault. Devices have no debug transport:
// reading a register may change it.
class RegisterDevice : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterDevice, kernel::kHostBusBits> socket{"socket"};

 protected:
  explicit RegisterDevice(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &RegisterDevice::b_transport);
  }
  // `bytes` is 1, 2, 4 or 8 and divides `offset`. False: refused.
  virtual bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) = 0;
  virtual bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const unsigned bytes = payload.get_data_length();
    const std::uint64_t offset = payload.get_address();
    const bool plain = payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= bytes;
    const bool sized = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    bool ok = plain && sized && offset % bytes == 0;
    std::uint64_t value = 0;
    if (ok && payload.is_write()) {
      std::memcpy(&value, payload.get_data_ptr(), bytes);
      ok = write_register(offset, bytes, value);
    } else if (ok && payload.is_read()) {
      ok = read_register(offset, bytes, value);
      if (ok) std::memcpy(payload.get_data_ptr(), &value, bytes);
    }
    payload.set_dmi_allowed(false);
    payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
};

}  // namespace gyre::host
