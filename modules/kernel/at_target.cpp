#include "at_target.h"

namespace gyre::kernel {

// Internal to the queue: the answer is there.
DECLARE_EXTENDED_PHASE(gyre_answer_ready);

AtTarget::AtTarget(unsigned depth, Serve serve, Backward backward)
    : depth_(depth == 0 ? 1 : depth), serve_(std::move(serve)), backward_(std::move(backward)) {}

tlm::tlm_sync_enum AtTarget::forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) payload.acquire();
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) queue_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void AtTarget::due(Payload& payload, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_REQ) {
    if (inside_ < depth_)
      accept(payload);
    else
      waiting_ = &payload;
  } else if (phase == gyre_answer_ready) {
    answers_.push_back(&payload);
    respond();
  } else if (responding_ == &payload) {  // END_RESP
    leave(payload);
  }
}

void AtTarget::accept(Payload& payload) {
  ++inside_;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time now, delay;
  backward_(payload, phase, now);
  serve_(payload, delay);
  queue_.notify(payload, gyre_answer_ready, delay);
}

void AtTarget::respond() {
  while (responding_ == nullptr && !answers_.empty()) {
    Payload& payload = *answers_.front();
    answers_.pop_front();
    responding_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = backward_(payload, phase, delay);
    if (answer == tlm::TLM_ACCEPTED) return;
    // The initiator ends the response in its answer, perhaps a while from now.
    if (delay != sc_core::SC_ZERO_TIME) {
      queue_.notify(payload, tlm::END_RESP, delay);
      return;
    }
    leave(payload);
  }
}

void AtTarget::leave(Payload& payload) {
  responding_ = nullptr;
  --inside_;
  payload.release();
  if (waiting_ != nullptr) {
    Payload& next = *waiting_;
    waiting_ = nullptr;
    accept(next);
  }
  respond();
}

}  // namespace gyre::kernel
