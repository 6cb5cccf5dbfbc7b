#include "at_channel.h"

namespace gyre::kernel {
namespace {

// Inside the queue of requests only: a response that was ended in the answer to its request.
DECLARE_EXTENDED_PHASE(gyre_completed);

}  // namespace

AtResponses::AtResponses(Backward backward, std::function<void(Payload&)> left)
    : backward_(std::move(backward)), left_(std::move(left)) {}

void AtResponses::ready(Payload& payload) {
  if (responding_ == nullptr && answers_.empty()) {
    begin(payload);
    if (answers_.empty()) return;
  } else {
    answers_.push_back(&payload);
  }
  respond();
}

void AtResponses::end(Payload& payload, const sc_core::sc_time& delay) { queue_.notify(payload, tlm::END_RESP, delay); }

void AtResponses::due(Payload& payload, const tlm::tlm_phase&) {
  if (responding_ != &payload) return;  // of a response that has not begun: the initiator's mistake
  leave(payload);
  respond();
}

void AtResponses::respond() {
  while (responding_ == nullptr && !answers_.empty()) {
    Payload& payload = *answers_.front();
    answers_.pop_front();
    begin(payload);
  }
}

void AtResponses::begin(Payload& payload) {
  responding_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum answer = backward_(payload, phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return;
  // The initiator ends the response in its answer, perhaps a while from now.
  if (delay != sc_core::SC_ZERO_TIME) return end(payload, delay);
  leave(payload);
}

void AtResponses::leave(Payload& payload) {
  responding_ = nullptr;
  left_(payload);
  payload.release();
}

AtService::AtService(AtResponses::Backward backward, Arrives arrives, std::function<void(Payload&)> left)
    : backward_(backward), arrives_(std::move(arrives)), responses_(std::move(backward), std::move(left)) {}

tlm::tlm_sync_enum AtService::forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    payload.acquire();
    if (delay != sc_core::SC_ZERO_TIME) {
      queue_.notify(payload, phase, delay);
    } else if (arrives_(payload)) {
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
  } else if (phase == tlm::END_RESP) {
    responses_.end(payload, delay);
  }
  return tlm::TLM_ACCEPTED;
}

void AtService::due(Payload& payload, const tlm::tlm_phase&) {
  if (arrives_(payload)) accept(payload);
}

void AtService::accept(Payload& payload) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time now;
  backward_(payload, phase, now);
}

AtRequests::AtRequests(Forward forward, Told accepted, Told answered)
    : forward_(std::move(forward)), accepted_(std::move(accepted)), answered_(std::move(answered)) {}

void AtRequests::send(Payload& payload) {
  payload.acquire();
  requesting_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  switch (forward_(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      return;
    case tlm::TLM_UPDATED:
      if (phase == tlm::END_REQ && delay == sc_core::SC_ZERO_TIME) return request_over(payload);
      return queue_.notify(payload, phase, delay);
    case tlm::TLM_COMPLETED:
      return queue_.notify(payload, gyre_completed, delay);
  }
}

tlm::tlm_sync_enum AtRequests::backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (delay == sc_core::SC_ZERO_TIME && phase == tlm::BEGIN_RESP) {
    due(payload, gyre_completed);
    return tlm::TLM_COMPLETED;
  }
  if (delay == sc_core::SC_ZERO_TIME && phase == tlm::END_REQ) {
    request_over(payload);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) queue_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void AtRequests::due(Payload& payload, const tlm::tlm_phase& phase) {
  const bool ends_here = phase == gyre_completed;
  if (phase != tlm::END_REQ && !ends_here) {
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time delay;
    forward_(payload, end, delay);
  }
  const bool response = phase != tlm::END_REQ;
  if (response) answered_(payload);
  request_over(payload);
  if (response) payload.release();
}

void AtRequests::request_over(Payload& payload) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  accepted_(payload);
}

}  // namespace gyre::kernel
