#include "bus.h"

#include <algorithm>

#include "error.h"

namespace gyre::host {

Bus::Bus(sc_core::sc_module_name name) : sc_module(name) {
  cpu_side.register_b_transport(this, &Bus::b_transport_cpu);
  cpu_side.register_transport_dbg(this, &Bus::debug_cpu);
  cpu_side.register_get_direct_mem_ptr(this, &Bus::dmi_cpu);
  external_master.register_b_transport(this, &Bus::b_transport_external);
  external_master.register_transport_dbg(this, &Bus::debug_external);
  external_master.register_get_direct_mem_ptr(this, &Bus::dmi_external);
  targets_.register_invalidate_direct_mem_ptr(this, &Bus::invalidate);
}

void Bus::add_range(std::uint64_t base, std::uint64_t size, const std::string& range_name, Kind kind) {
  const std::uint64_t end = base + size - 1;
  if (size == 0 || end < base)
    user_error("host bus: range of {} ({} bytes at {:#x}) is empty or passes the end of memory", range_name, size,
               base);
  for (const Range& other : ranges_)
    if (base <= other.end && end >= other.base)
      user_error("host bus: {} [{:#x}, {:#x}] overlaps {} [{:#x}, {:#x}]: move one of them", range_name, base, end,
                 other.name, other.base, other.end);
  ranges_.push_back({base, end, range_name, kind});
}

std::vector<Bus::Range> Bus::ranges() const {
  std::vector<Range> all = ranges_;
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.base < b.base; });
  return all;
}

int Bus::find(std::uint64_t address) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    if (address >= ranges_[i].base && address <= ranges_[i].end) return static_cast<int>(i);
  return -1;
}

int Bus::find_memory(std::uint64_t address) const {
  const int port = find(address);
  return port >= 0 && ranges_[static_cast<std::size_t>(port)].kind == Kind::kMemory ? port : -1;
}

void Bus::forward(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  if (port < 0 || length == 0 || length - 1 > ranges_[static_cast<std::size_t>(port)].end - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - ranges_[static_cast<std::size_t>(port)].base);
  targets_[port]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned Bus::forward_debug(int port, tlm::tlm_generic_payload& payload) {
  if (port < 0) return 0;
  const std::uint64_t address = payload.get_address();
  payload.set_address(address - ranges_[static_cast<std::size_t>(port)].base);
  const unsigned done = targets_[port]->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

bool Bus::forward_dmi(int port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  dmi.init();
  if (port < 0) {
    dmi.set_start_address(address);
    dmi.set_end_address(address);
    return false;
  }
  const Range& range = ranges_[static_cast<std::size_t>(port)];
  payload.set_address(address - range.base);
  const bool granted = targets_[port]->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  const std::uint64_t last = std::min<std::uint64_t>(dmi.get_end_address(), range.end - range.base);
  dmi.set_end_address(range.base + last);
  dmi.set_start_address(range.base + dmi.get_start_address());
  return granted;
}

void Bus::b_transport_cpu(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  forward(find(p.get_address()), p, delay);
}
void Bus::b_transport_external(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  forward(find_memory(p.get_address()), p, delay);
}
unsigned Bus::debug_cpu(tlm::tlm_generic_payload& p) { return forward_debug(find(p.get_address()), p); }
unsigned Bus::debug_external(int, tlm::tlm_generic_payload& p) {
  return forward_debug(find_memory(p.get_address()), p);
}
bool Bus::dmi_cpu(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) { return forward_dmi(find(p.get_address()), p, dmi); }
bool Bus::dmi_external(int, tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
  return forward_dmi(find_memory(p.get_address()), p, dmi);
}

void Bus::invalidate(int port, sc_dt::uint64 begin, sc_dt::uint64 end) {
  const Range& range = ranges_[static_cast<std::size_t>(port)];
  const std::uint64_t first = range.base + begin;
  const std::uint64_t last = range.base + std::min<std::uint64_t>(end, range.end - range.base);
  cpu_side->invalidate_direct_mem_ptr(first, last);
  for (unsigned i = 0; i < external_master.size(); ++i)
    external_master[static_cast<int>(i)]->invalidate_direct_mem_ptr(first, last);
}

}  // namespace gyre::host
