#include "om_steer.h"

#include "output_merger.h"

namespace gyre::om {

OmSteer::OmSteer(sc_core::sc_module_name name, kernel::Context& ctx, OutputMerger* merger, unsigned socket_in_cluster)
    : sc_module(name), merger_(merger), ingress_(socket_in_cluster), period_ps_(ctx.config.gpu.period_ps()) {
  target.register_b_transport(this, &OmSteer::b_transport);
  target.register_get_direct_mem_ptr(this, &OmSteer::get_direct_mem_ptr);
  target.register_transport_dbg(this, &OmSteer::transport_dbg);
  memory.register_invalidate_direct_mem_ptr(this, &OmSteer::invalidate);
}

void OmSteer::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  if (attributes == nullptr || !attributes->om) {
    memory->b_transport(payload, delay);
    return;
  }
  if (!payload.is_write() || merger_ == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const kernel::Cycle at = (kernel::kernel_now() + delay.value() + period_ps_ - 1) / period_ps_;
  kernel::Cycle accepted = at + 1;
  payload.set_response_status(merger_->export_beat(ingress_, payload, accepted));
  if (accepted > at + 1) delay = sc_core::sc_time::from_value((accepted - 1) * period_ps_) - sc_core::sc_time_stamp();
}

bool OmSteer::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return memory->get_direct_mem_ptr(payload, dmi);
}

unsigned OmSteer::transport_dbg(int, tlm::tlm_generic_payload& payload) { return memory->transport_dbg(payload); }

void OmSteer::invalidate(sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (int port = 0; port < static_cast<int>(target.size()); ++port)
    target[port]->invalidate_direct_mem_ptr(begin, end);
}

}  // namespace gyre::om
