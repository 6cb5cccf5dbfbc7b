// Makes a timed function an approximately-timed TLM-2.0 target: four phases, a bounded number of requests inside.
#pragma once

#include "alarm.h"
#include "at_channel.h"
#include "due_queue.h"

namespace gyre::kernel {

// For one socket. Owned by the module of the socket, which hands its nb_transport_fw calls on. A request that finds
// `depth` others inside gets its END_REQ when one of them has left: that is the back-pressure. Requests are served in
// the order and at the time of their arrival; responses leave in the order of their times.
class AtTarget {
 public:
  using Payload = tlm::tlm_generic_payload;
  // Does the transaction and adds the time until the response to `delay`; must not wait.
  using Serve = std::function<void(Payload&, sc_core::sc_time& delay)>;

  AtTarget(unsigned depth, Serve serve, AtResponses::Backward backward);

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return service_.forward(payload, phase, delay);
  }

  unsigned inside() const { return inside_; }

 private:
  bool accepts(Payload& payload);
  void serve(Payload& payload);
  void answers_due();
  void left();

  const unsigned depth_;
  Serve serve_;
  unsigned inside_ = 0;
  Payload* waiting_ = nullptr;  // at most one: the next may not begin before this one's END_REQ
  AtService service_;
  DueQueue<Payload*> answers_;  // picoseconds
  Alarm alarm_{"answers_due", [this] { answers_due(); }};
};

}  // namespace gyre::kernel
