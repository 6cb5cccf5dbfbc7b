// A cache of the approximately-timed style: a CachePipeline behind TLM-2.0 sockets, base protocol, four phases.
#pragma once

#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <map>
#include <memory>
#include <vector>

#include "at_channel.h"
#include "cache_pipeline.h"
#include "mem_attributes.h"
#include "payload_pool.h"
#include "sim_time.h"

namespace gyre::memory {

// Ports: in[n], one for each client, arbitrated round-robin in every bank; out, to the next level. Both speak the base
// protocol; b_transport waits for its answer, so loosely-timed initiators may be clients too.
// Data is where it always is, in the memory behind `out` (transport_dbg); what travels below are dates: fills whose
// bytes nobody looks at, writes without an enabled byte. So data is right whatever the dates.
// A request that is not within one block of 64 bytes, or a write with an enable the debug path cannot serve, gets
// TLM_BURST_ERROR_RESPONSE; an address behind which there is no memory TLM_ADDRESS_ERROR_RESPONSE. Both pass no tags.
class AtCache : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<AtCache, kernel::kMemoryBusBits> in{"in"};
  tlm_utils::simple_initiator_socket<AtCache, kernel::kMemoryBusBits> out{"out"};

  // `queue`: requests on their way to the next level.
  AtCache(sc_core::sc_module_name name, const CacheSetup& setup, kernel::Picoseconds period, unsigned queue = 4);
  ~AtCache() override;

  const CacheCounters& counters() const { return pipeline_->counters(); }
  bool idle() const { return pipeline_->idle() && open_ == 0; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Client;
  // A request inside, by its tag.
  struct Entry {
    Payload* payload = nullptr;
    Client* client = nullptr;
    sc_core::sc_event* blocked = nullptr;  // b_transport waits here
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  bool direct(int, Payload& payload, tlm::tlm_dmi& dmi) { return out->get_direct_mem_ptr(payload, dmi); }
  unsigned debug(int, Payload& payload) { return out->transport_dbg(payload); }
  void withdraw(sc_dt::uint64 begin, sc_dt::uint64 end);

  void arrive(Client& client, Payload& payload, sc_core::sc_event* blocked);
  void offer_next(Client& client);
  // The transaction's effect; false: it has failed, and its status says why.
  bool move_data(Payload& payload);
  unsigned enter(Client& client, Payload& payload, sc_core::sc_event* blocked);
  void answer(unsigned tag);
  void step();
  void answer_due();
  void send_down();
  void taken_below();
  void schedule();
  void notify_at(sc_core::sc_event& event, kernel::Cycle cycle);
  kernel::Cycle now() const { return (kernel::kernel_now() + period_ - 1) / period_; }

  kernel::Picoseconds period_;
  CacheSetup setup_;
  unsigned queue_;
  std::unique_ptr<CachePipeline> pipeline_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<Entry> entries_;
  std::vector<unsigned> free_entries_;
  unsigned open_ = 0;
  kernel::Cycle stepped_ = CachePipeline::kNever;  // the last cycle that was stepped
  std::vector<unsigned> taken_;
  std::vector<CachePipeline::Answer> answers_;
  std::multimap<kernel::Cycle, unsigned> due_;  // tags by the date of their answer

  kernel::PayloadPool pool_;
  kernel::AtRequests requests_;
  CachePipeline::Downward sent_;  // the request that waits to be taken below
  kernel::Cycle next_down_ = 0;   // one request a cycle
  sc_core::sc_event step_{"step_event"}, answer_{"answer_event"}, down_{"down_event"};
};

}  // namespace gyre::memory
