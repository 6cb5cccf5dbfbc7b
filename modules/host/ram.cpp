#include "ram.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "error.h"

namespace gyre::host {

Ram::Ram(sc_core::sc_module_name name, std::uint64_t bytes, Mode mode) : sc_module(name), bytes_(bytes), mode_(mode) {
  void* memory = bytes == 0 ? MAP_FAILED
                            : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    user_error("host.ram: cannot reserve {} bytes of memory: choose a smaller size, at least 1 MiB", bytes);
  data_ = static_cast<std::uint8_t*>(memory);
  socket.register_b_transport(this, &Ram::b_transport);
  socket.register_transport_dbg(this, &Ram::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Ram::get_direct_mem_ptr);
}

Ram::~Ram() { munmap(data_, bytes_); }

void Ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  if (address > bytes_ || length > bytes_ - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  std::uint8_t* data = payload.get_data_ptr();
  const std::uint8_t* enables = payload.get_byte_enable_ptr();
  const unsigned enable_length = payload.get_byte_enable_length();
  if (payload.is_write() && mode_ == Mode::kReadOnly) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  if (enables != nullptr && enable_length != 0) {
    for (std::uint64_t i = 0; i < length; ++i) {
      if (enables[i % enable_length] == 0) continue;
      if (payload.is_write()) data_[address + i] = data[i];
      if (payload.is_read()) data[i] = data_[address + i];
    }
  } else if (payload.is_write()) {
    std::memcpy(data_ + address, data, length);
  } else if (payload.is_read()) {
    std::memcpy(data, data_ + address, length);
  }
  payload.set_dmi_allowed(dmi_allowed_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Ram::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= bytes_) return 0;
  const std::uint64_t length = std::min<std::uint64_t>(payload.get_data_length(), bytes_ - address);
  if (payload.is_write()) std::memcpy(data_ + address, payload.get_data_ptr(), length);
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), data_ + address, length);
  return static_cast<unsigned>(length);
}

bool Ram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(bytes_ - 1);
  if (!dmi_allowed_) {
    dmi.allow_none();
    return false;
  }
  dmi.set_dmi_ptr(data_);
  if (mode_ == Mode::kReadOnly) dmi.allow_read();
  else dmi.allow_read_write();
  return true;
}

void Ram::allow_dmi(bool allowed) {
  if (dmi_allowed_ == allowed) return;
  dmi_allowed_ = allowed;
  // Also tells those who were refused to ask again. Before the simulation nobody has asked.
  if (sc_core::sc_start_of_simulation_invoked()) socket->invalidate_direct_mem_ptr(0, bytes_ - 1);
}

}  // namespace gyre::host
