// A piece of cable that knows the TLM-2.0 base protocol: bound between two sockets it passes everything on and reports
// every violation.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <string>
#include <vector>

#include "log.h"
#include "protocol_rules.h"

namespace gyre::kernel {

// Adds no time and changes nothing. What it finds stays in `violations`, and is a warning, once a text, if nobody else
// is told.
template <unsigned kBits>
class ProtocolChecker : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ProtocolChecker, kBits> target{"target"};
  tlm_utils::simple_initiator_socket<ProtocolChecker, kBits> initiator{"initiator"};
  std::vector<std::string> violations;
  std::string label;  // for messages; at first the module's name
  std::function<void(const std::string&)> found;

  explicit ProtocolChecker(sc_core::sc_module_name module_name) : sc_module(module_name), label(name()) {
    target.register_nb_transport_fw(this, &ProtocolChecker::forward);
    target.register_b_transport(this, &ProtocolChecker::blocking);
    target.register_get_direct_mem_ptr(this, &ProtocolChecker::direct);
    target.register_transport_dbg(this, &ProtocolChecker::debug);
    initiator.register_nb_transport_bw(this, &ProtocolChecker::backward);
    initiator.register_invalidate_direct_mem_ptr(this, &ProtocolChecker::invalidate);
  }

  std::size_t open() const { return rules_.open(); }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    rules_.forward(payload, sent, delay);
    // The target may return the last hold on a payload that is over.
    if (payload.has_mm()) payload.acquire();
    const tlm::tlm_sync_enum answer = initiator->nb_transport_fw(payload, phase, delay);
    rules_.forward_done(payload, sent, answer, phase, delay);
    if (payload.has_mm()) payload.release();
    return answer;
  }
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    rules_.backward(payload, sent, delay);
    if (payload.has_mm()) payload.acquire();
    const tlm::tlm_sync_enum answer = target->nb_transport_bw(payload, phase, delay);
    rules_.backward_done(payload, sent, answer, phase, delay);
    if (payload.has_mm()) payload.release();
    return answer;
  }
  void blocking(Payload& payload, sc_core::sc_time& delay) {
    rules_.blocking(payload);
    initiator->b_transport(payload, delay);
    rules_.blocking_done(payload);
  }
  bool direct(Payload& payload, tlm::tlm_dmi& dmi) { return initiator->get_direct_mem_ptr(payload, dmi); }
  unsigned debug(Payload& payload) { return initiator->transport_dbg(payload); }
  void invalidate(sc_dt::uint64 begin, sc_dt::uint64 end) { target->invalidate_direct_mem_ptr(begin, end); }

  void note(const std::string& what) {
    violations.push_back(what);
    if (found)
      found(what);
    else
      log_warn(label, "base protocol: {}", what);
  }

  ProtocolRules rules_{[this](const std::string& what) { note(what); }};
};

}  // namespace gyre::kernel
