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
}

Bus::Socket& Bus::add_port(std::uint64_t base, std::uint64_t size, const std::string& range_name, Kind kind) {
  const std::uint64_t end = base + size - 1;
  if (size == 0 || end < base)
    user_error("host bus: range of {} ({} bytes at {:#x}) is empty or passes the end of memory", range_name, size, base);
  for (const Port& port : ports_)
    if (base <= port.range.end && end >= port.range.base)
      user_error("host bus: {} [{:#x}, {:#x}] overlaps {} [{:#x}, {:#x}]: move one of them", range_name, base, end,
                 port.range.name, port.range.base, port.range.end);
  const std::string socket_name = "to_" + range_name;
  auto socket = std::make_unique<Socket>(socket_name.c_str());
  socket->register_invalidate_direct_mem_ptr(this, &Bus::invalidate, static_cast<int>(ports_.size()));
  ports_.push_back({{base, end, range_name, kind}, std::move(socket)});
  return *ports_.back().socket;
}

std::vector<Bus::Range> Bus::ranges() const {
  std::vector<Range> all;
  for (const Port& port : ports_) all.push_back(port.range);
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.base < b.base; });
  return all;
}

Bus::Port* Bus::find(std::uint64_t address) {
  for (Port& port : ports_)
    if (address >= port.range.base && address <= port.range.end) return &port;
  return nullptr;
}

Bus::Port* Bus::find_memory(std::uint64_t address) {
  Port* port = find(address);
  return port != nullptr && port->range.kind == Kind::kMemory ? port : nullptr;
}

void Bus::forward(Port* port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  if (port == nullptr || length == 0 || length - 1 > port->range.end - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - port->range.base);
  (*port->socket)->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned Bus::forward_debug(Port* port, tlm::tlm_generic_payload& payload) {
  if (port == nullptr) return 0;
  const std::uint64_t address = payload.get_address();
  payload.set_address(address - port->range.base);
  const unsigned done = (*port->socket)->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

bool Bus::forward_dmi(Port* port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  dmi.init();
  if (port == nullptr) {
    dmi.set_start_address(address);
    dmi.set_end_address(address);
    return false;
  }
  const Range& range = port->range;
  payload.set_address(address - range.base);
  const bool granted = (*port->socket)->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  const std::uint64_t last = std::min<std::uint64_t>(dmi.get_end_address(), range.end - range.base);
  dmi.set_end_address(range.base + last);
  dmi.set_start_address(range.base + dmi.get_start_address());
  return granted;
}

void Bus::b_transport_cpu(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) { forward(find(p.get_address()), p, delay); }
void Bus::b_transport_external(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  forward(find_memory(p.get_address()), p, delay);
}
unsigned Bus::debug_cpu(tlm::tlm_generic_payload& p) { return forward_debug(find(p.get_address()), p); }
unsigned Bus::debug_external(int, tlm::tlm_generic_payload& p) { return forward_debug(find_memory(p.get_address()), p); }
bool Bus::dmi_cpu(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) { return forward_dmi(find(p.get_address()), p, dmi); }
bool Bus::dmi_external(int, tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
  return forward_dmi(find_memory(p.get_address()), p, dmi);
}

void Bus::invalidate(int port, sc_dt::uint64 begin, sc_dt::uint64 end) {
  const Range& range = ports_[static_cast<std::size_t>(port)].range;
  const std::uint64_t first = range.base + begin;
  const std::uint64_t last = range.base + std::min<std::uint64_t>(end, range.end - range.base);
  cpu_side->invalidate_direct_mem_ptr(first, last);
  for (unsigned i = 0; i < external_master.size(); ++i) external_master[static_cast<int>(i)]->invalidate_direct_mem_ptr(first, last);
}

}  // namespace gyre::host
