#include "at_target.h"

namespace gyre::kernel {

AtTarget::AtTarget(unsigned depth, Serve serve, AtResponses::Backward backward)
    : depth_(depth == 0 ? 1 : depth),
      serve_(std::move(serve)),
      backward_(backward),
      responses_(std::move(backward), [this](Payload&) { left(); }) {}

tlm::tlm_sync_enum AtTarget::forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    payload.acquire();
    queue_.notify(payload, phase, delay);
  } else if (phase == tlm::END_RESP) {
    responses_.end(payload, delay);
  }
  return tlm::TLM_ACCEPTED;
}

// A request arrives, or its answer is ready.
void AtTarget::due(Payload& payload, const tlm::tlm_phase& phase) {
  if (phase != tlm::BEGIN_REQ)
    responses_.ready(payload);
  else if (inside_ < depth_)
    accept(payload);
  else
    waiting_ = &payload;
}

void AtTarget::accept(Payload& payload) {
  ++inside_;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time now, delay;
  backward_(payload, phase, now);
  serve_(payload, delay);
  queue_.notify(payload, tlm::BEGIN_RESP, delay);
}

void AtTarget::left() {
  --inside_;
  if (waiting_ == nullptr) return;
  Payload& next = *waiting_;
  waiting_ = nullptr;
  accept(next);
}

}  // namespace gyre::kernel
