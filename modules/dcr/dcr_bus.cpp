#include "dcr_bus.h"

#include <cstring>

#include "log.h"

namespace gyre::dcr {

using kernel::Cycle;

DcrBus::DcrBus(sc_core::sc_module_name name, kernel::Picoseconds period_ps) : sc_module(name), period_ps_(period_ps) {
  target.register_b_transport(this, &DcrBus::transport);
}

std::vector<unsigned> DcrBus::unwritten(unsigned first, unsigned last) const {
  std::vector<unsigned> found;
  for (unsigned reg = first; reg <= last && reg < GYRE_DCR_COUNT; ++reg)
    if (!written_[reg]) found.push_back(reg);
  return found;
}

void DcrBus::transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay) {
  const std::uint64_t address = request.get_address();
  if (request.get_data_length() != 4 || address % 4 != 0 || address / 4 >= GYRE_DCR_COUNT) {
    request.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const unsigned reg = static_cast<unsigned>(address / 4);
  std::uint32_t word;
  std::memcpy(&word, request.get_data_ptr(), 4);
  if (request.is_write()) {
    delay += sc_core::sc_time::from_value(period_ps_);
    written_.set(reg);
    broadcast(reg, word, delay);
  } else if (request.is_read()) {
    word = answer(reg, word, delay);
    std::memcpy(request.get_data_ptr(), &word, 4);
  }
  request.set_response_status(tlm::TLM_OK_RESPONSE);
}

void DcrBus::broadcast(unsigned reg, std::uint32_t value, sc_core::sc_time delay) {
  for (unsigned unit = 0; unit < units.size(); ++unit) {
    std::uint32_t copy = value;  // a unit may not change what the next one sees
    sc_core::sc_time unit_delay = delay;
    payload_.set_command(tlm::TLM_WRITE_COMMAND);
    payload_.set_address(std::uint64_t{reg} * 4);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&copy));
    payload_.set_data_length(4);
    payload_.set_streaming_width(4);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_byte_enable_length(0);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    units[unit]->b_transport(payload_, unit_delay);
  }
}

std::uint32_t DcrBus::answer(unsigned reg, std::uint32_t tag, sc_core::sc_time& delay) {
  if (reader_ != nullptr && (reg == GYRE_DCR_CACHE_FLUSH || reg == GYRE_DCR_MPM_VALUE)) {
    const kernel::Picoseconds now = kernel::kernel_now();
    Cycle when = (now + delay.value() + period_ps_ - 1) / period_ps_;
    const std::uint32_t word = reader_->read_dcr(reg, tag, &when);
    if (when * period_ps_ > now + delay.value()) delay = sc_core::sc_time::from_value(when * period_ps_ - now);
    return word;
  }
  if (!warned_[reg]) {
    warned_.set(reg);
    kernel::log_warn(name(), "read of DCR {:#05x}, which nobody answers: 0 is returned", reg);
  }
  return 0;
}

}  // namespace gyre::dcr
