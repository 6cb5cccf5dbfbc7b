// The two ends of an approximately-timed link: what a target does with its answers, what an initiator does with its
// requests. They keep the exclusion rules of the TLM-2.0 base protocol, so that their owners need not think of them.
#pragma once

#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include <functional>

#include "ring.h"

namespace gyre::kernel {

// Answers of one target socket: BEGIN_RESP one at a time, in the order they are given.
class AtResponses {
 public:
  using Payload = tlm::tlm_generic_payload;
  // The backward path of the socket.
  using Backward = std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

  // `left`: the response is over; the payload is released after the call.
  AtResponses(Backward backward, std::function<void(Payload&)> left);

  // The answer is there now. The owner has acquired the payload at its BEGIN_REQ.
  void ready(Payload& payload);
  // END_RESP came on the forward path, to take effect after `delay`.
  void end(Payload& payload, const sc_core::sc_time& delay);

 private:
  void due(Payload& payload, const tlm::tlm_phase& phase);
  void respond();
  void begin(Payload& payload);
  void leave(Payload& payload);

  Backward backward_;
  std::function<void(Payload&)> left_;
  Payload* responding_ = nullptr;
  Ring<Payload*> answers_;
  tlm_utils::peq_with_cb_and_phase<AtResponses> queue_{this, &AtResponses::due};
};

// Requests of one initiator socket: BEGIN_REQ one at a time; responses are ended as they come.
class AtRequests {
 public:
  using Payload = tlm::tlm_generic_payload;
  // The forward path of the socket.
  using Forward = std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_core::sc_time&)>;
  using Told = std::function<void(Payload&)>;

  // `accepted`: the target has taken the request, the next may be sent; perhaps from within send(). `answered`: the
  // response is there; the hold that send() took on the payload is given back after the call.
  AtRequests(Forward forward, Told accepted, Told answered);

  // False while a request waits to be taken.
  bool free() const { return requesting_ == nullptr; }
  // Requires free().
  void send(Payload& payload);
  // Calls of the backward path.
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

 private:
  void due(Payload& payload, const tlm::tlm_phase& phase);
  void request_over(Payload& payload);

  Forward forward_;
  Told accepted_, answered_;
  Payload* requesting_ = nullptr;
  tlm_utils::peq_with_cb_and_phase<AtRequests> queue_{this, &AtRequests::due};
};

}  // namespace gyre::kernel
