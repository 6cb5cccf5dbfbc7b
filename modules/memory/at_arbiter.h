// The ways between two levels of the approximately-timed style: arbitration, a register slice, back-pressure
// (memory.md §1, timing.md §2.2). The twin of Link.
#pragma once

#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "alarm.h"
#include "at_channel.h"
#include "due_queue.h"
#include "mem_attributes.h"
#include "sim_time.h"

namespace gyre::memory {

// Ports: in[n], the clients; out[n], the ways down, chosen by the block's address. All speak the base protocol.
// A way takes one request a cycle, of the client whose turn it is, and keeps it `there` cycles in a slice of depth()
// places: a request that stands for several words of a block takes as many cycles. END_REQ when the request is in the
// slice. Answers of reads and atomics take `back` cycles; those of writes none, nobody waits for them.
// b_transport, debug access and DMI are passed on; b_transport takes the cycles but meets nobody.
class AtArbiter : public sc_core::sc_module {
 public:
  enum class Policy { kFixed, kRoundRobin };  // fixed: the first client first

  tlm_utils::multi_passthrough_target_socket_optional<AtArbiter, kernel::kMemoryBusBits> in{"in"};
  tlm_utils::multi_passthrough_initiator_socket<AtArbiter, kernel::kMemoryBusBits> out{"out"};

  AtArbiter(sc_core::sc_module_name name, Policy policy, unsigned there, unsigned back, kernel::Picoseconds period);
  ~AtArbiter() override;

  // Places of a way's slice: two, or as many as there are cycles in it.
  unsigned depth() const { return there_ < 2 ? 2 : there_; }
  // The most requests that were in one slice.
  unsigned most() const { return most_; }
  bool idle() const;

  std::uint64_t requests() const { return requests_; }
  std::uint64_t stalls() const { return stalls_; }  // cycles that requests waited for their way
  const std::uint64_t* requests_counter() const { return &requests_; }
  const std::uint64_t* stalls_counter() const { return &stalls_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Client;
  struct Way;

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int way, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(int, Payload& payload, sc_core::sc_time& delay);
  bool direct(int, Payload& payload, tlm::tlm_dmi& dmi) { return out[0]->get_direct_mem_ptr(payload, dmi); }
  unsigned debug(int, Payload& payload) { return out[0]->transport_dbg(payload); }
  void withdraw(int, sc_dt::uint64 begin, sc_dt::uint64 end);

  bool arrive(Client& client, Payload& payload);
  void take(Way& way, Client& client, Payload& payload);
  void work();
  void arbitrate(Way& way);
  void send(Way& way);
  void answered(Way& way, Payload& payload);
  kernel::Cycle next_date();
  void changed();
  Way& way_of(const Payload& payload) { return *ways_[payload.get_address() / 64 % ways_.size()]; }
  kernel::Cycle now() const { return kernel::cycle_now(period_); }

  struct Answer {
    Payload* payload;
    Client* client;
  };

  const Policy policy_;
  const unsigned there_, back_;
  const kernel::Picoseconds period_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Way>> ways_;
  kernel::DueQueue<Answer> answers_;  // on their way up
  bool working_ = false;
  unsigned most_ = 0;
  std::uint64_t requests_ = 0, stalls_ = 0;
  std::unique_ptr<kernel::Alarm> alarm_;
};

}  // namespace gyre::memory
