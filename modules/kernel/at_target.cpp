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
    if (delay != sc_core::SC_ZERO_TIME) {
      arrivals_.notify(payload, phase, delay);
    } else if (accepts(payload)) {
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
  } else if (phase == tlm::END_RESP) {
    responses_.end(payload, delay);
  }
  return tlm::TLM_ACCEPTED;
}

void AtTarget::arrives(Payload& payload, const tlm::tlm_phase&) {
  if (!accepts(payload)) return;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time now;
  backward_(payload, phase, now);
}

bool AtTarget::accepts(Payload& payload) {
  if (inside_ >= depth_) {
    waiting_ = &payload;
    return false;
  }
  serve(payload);
  return true;
}

void AtTarget::serve(Payload& payload) {
  ++inside_;
  sc_core::sc_time delay;
  serve_(payload, delay);
  answers_.push(kernel_now() + delay.value(), &payload);
  alarm_.set(answers_.next());
}

void AtTarget::answers_due() {
  while (answers_.next() <= kernel_now()) responses_.ready(*answers_.pop());
  if (!answers_.empty()) alarm_.set(answers_.next());
}

void AtTarget::left() {
  --inside_;
  if (waiting_ == nullptr) return;
  Payload& next = *waiting_;
  waiting_ = nullptr;
  serve(next);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time now;
  backward_(next, phase, now);
}

}  // namespace gyre::kernel
