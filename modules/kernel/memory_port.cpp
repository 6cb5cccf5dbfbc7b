#include "memory_port.h"

namespace gyre::kernel {

MemoryPort::MemoryPort(sc_core::sc_module_name name, MemSource source, Picoseconds period_ps, unsigned core)
    : sc_module(name), period_ps_(period_ps) {
  attributes_.source = source;
  attributes_.core = core;
  payload_.set_extension(&attributes_);
  socket.register_invalidate_direct_mem_ptr(this, &MemoryPort::invalidate);
}

MemoryPort::~MemoryPort() { payload_.clear_extension(&attributes_); }

bool MemoryPort::write_transaction(std::uint64_t address, const void* data, unsigned bytes,
                                   const std::uint8_t* enables, bool om, Cycle* when) {
  attributes_.om = om;
  attributes_.io = om;
  const bool ok = transport(tlm::TLM_WRITE_COMMAND, address, static_cast<std::uint8_t*>(const_cast<void*>(data)),
                            bytes, enables, when);
  attributes_.om = attributes_.io = false;
  return ok;
}

std::uint8_t* MemoryPort::ask(std::uint64_t address, unsigned bytes, bool for_write) {
  if (address >= refused_begin_ && address <= refused_end_) return nullptr;
  payload_.set_command(for_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  tlm::tlm_dmi dmi;
  if (!socket->get_direct_mem_ptr(payload_, dmi)) {
    refused_begin_ = dmi.get_start_address();
    refused_end_ = dmi.get_end_address();
    return nullptr;
  }
  Region& region = regions_[next_region_];
  next_region_ = (next_region_ + 1) % regions_.size();
  region = {dmi.get_start_address(), dmi.get_end_address() - dmi.get_start_address() + 1, dmi.get_dmi_ptr(),
            dmi.is_write_allowed()};
  const std::uint64_t offset = address - region.begin;
  if (offset >= region.size || region.size - offset < bytes || (for_write && !region.write)) return nullptr;
  return region.memory + offset;
}

bool MemoryPort::transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, unsigned bytes,
                           const std::uint8_t* enables, Cycle* when) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(const_cast<std::uint8_t*>(enables));
  payload_.set_byte_enable_length(enables != nullptr ? bytes : 0);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  // The annotated delay is relative to kernel time: it carries the caller's local offset there and back.
  const Picoseconds kernel = kernel_now();
  const Picoseconds local = when != nullptr ? *when * period_ps_ : kernel;
  sc_core::sc_time delay = sc_core::sc_time::from_value(local > kernel ? local - kernel : 0);
  socket->b_transport(payload_, delay);
  if (when != nullptr) *when = std::max<Cycle>(*when, (kernel_now() + delay.value() + period_ps_ - 1) / period_ps_);
  const bool ok = payload_.is_response_ok();
  if (!ok && command == tlm::TLM_READ_COMMAND) std::memset(data, 0, bytes);
  return ok;
}

void MemoryPort::invalidate(sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (Region& region : regions_)
    if (region.size != 0 && region.begin <= end && region.begin + region.size - 1 >= begin) region = {};
  refused_begin_ = 1;
  refused_end_ = 0;
  ++epoch_;
}

}  // namespace gyre::kernel
