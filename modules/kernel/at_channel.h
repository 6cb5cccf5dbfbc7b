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

// The calls of one target socket: requests as they arrive, and their answers.
class AtService {
 public:
  using Payload = tlm::tlm_generic_payload;
  // True: the request has been taken, which ends it; else the owner calls accept() when it is.
  using Arrives = std::function<bool(Payload&)>;

  // `left`: as for AtResponses.
  AtService(AtResponses::Backward backward, Arrives arrives, std::function<void(Payload&)> left);

  // Calls of the forward path. Acquires the payload of a request.
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  // END_REQ of a request that was not taken when it arrived.
  void accept(Payload& payload);
  // The answer is there now.
  void ready(Payload& payload) { responses_.ready(payload); }

 private:
  void due(Payload& payload, const tlm::tlm_phase& phase);

  AtResponses::Backward backward_;
  Arrives arrives_;
  AtResponses responses_;
  tlm_utils::peq_with_cb_and_phase<AtService> queue_{this, &AtService::due};  // requests with a delay
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
