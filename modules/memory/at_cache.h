// A cache of the approximately-timed style: a CachePipeline behind TLM-2.0 sockets, base protocol, four phases.
#pragma once

#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <functional>
#include <memory>
#include <vector>

#include "alarm.h"
#include "at_channel.h"
#include "cache_pipeline.h"
#include "mem_attributes.h"
#include "payload_pool.h"
#include "sim_time.h"

namespace gyre::memory {

// Ports: in[n], one for each client, arbitrated round-robin in every bank; out[n], the ways to the next level, chosen by
// the block's address, a request a cycle each. All speak the base protocol; b_transport waits for its answer, so
// loosely-timed initiators may be clients too. MemAttributes of a request say how many words of the block it stands for,
// whether it is an atomic, and whether it is uncached.
// Data is where it always is, in the memory behind `out` (transport_dbg); what travels below are dates: fills whose
// bytes nobody looks at, writes without an enabled byte. So data is right whatever the dates. With
// MemAttributes::dates_only nothing is moved here either.
// A request that is not within one block of 64 bytes gets TLM_BURST_ERROR_RESPONSE; an address behind which there is no
// memory TLM_ADDRESS_ERROR_RESPONSE. Both pass no tags.
class AtCache : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket_optional<AtCache, kernel::kMemoryBusBits> in{"in"};
  tlm_utils::multi_passthrough_initiator_socket<AtCache, kernel::kMemoryBusBits> out{"out"};

  // `queue`: requests on each way to the next level.
  AtCache(sc_core::sc_module_name name, const CacheSetup& setup, kernel::Picoseconds period, unsigned queue = 4);
  ~AtCache() override;

  // The block at `address` is there (a fill counts from the cycle it comes). Counts nothing; a use for replacement.
  bool probe(std::uint64_t address) { return pipeline_->probe(address); }
  // Counts reads that hit, of a client that has asked probe().
  void count_reads(std::uint64_t words) { pipeline_->count_reads(words); }

  // Takes no requests, waits for those under way, writes dirty sectors back and invalidates everything (memory.md §7);
  // then calls `done`, when all of it has been accepted below. Flushes asked for meanwhile follow.
  void flush(std::function<void()> done);

  unsigned banks() const { return setup_.geometry.banks; }
  unsigned line_bytes() const { return setup_.geometry.line; }
  unsigned latency() const { return setup_.geometry.latency; }
  const CacheCounters& counters() const { return pipeline_->counters(); }
  kernel::Activity activity() const { return pipeline_->activity(); }
  bool idle() const { return pipeline_->idle() && open_ == 0; }
  friend WatchedCache& watched_by_lint(AtCache& cache) { return *cache.pipeline_; }
  LineReader lines() { return {pipeline_.get(), true}; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Client;
  struct Way;
  struct Arrival {
    Payload* payload = nullptr;
    sc_core::sc_event* blocked = nullptr;  // b_transport waits here
  };
  // A request inside, by its tag.
  struct Entry {
    Payload* payload = nullptr;
    Client* client = nullptr;
    sc_core::sc_event* blocked = nullptr;
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int way, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  bool direct(int, Payload& payload, tlm::tlm_dmi& dmi) { return out[0]->get_direct_mem_ptr(payload, dmi); }
  unsigned debug(int, Payload& payload) { return out[0]->transport_dbg(payload); }
  void withdraw(int, sc_dt::uint64 begin, sc_dt::uint64 end);

  // True: the request has been taken.
  bool arrive(Client& client, Payload& payload, sc_core::sc_event* blocked);
  bool offer(Client& client, const Arrival& arrival, kernel::Cycle today);
  // The transaction's effect; false: it has failed, and its status says why.
  bool move_data(Payload& payload);
  unsigned enter(Client& client, const Arrival& arrival);
  void answer(unsigned tag);
  void work();
  void take(kernel::Cycle today);
  void send_down(Way& way, kernel::Cycle today);
  void taken_below(Way& way);
  void answered_below(Payload& payload);
  kernel::Cycle next_date(kernel::Cycle today);
  void changed(kernel::Cycle today);
  kernel::Cycle now();

  kernel::Picoseconds period_;
  CacheSetup setup_;
  std::unique_ptr<CachePipeline> pipeline_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Way>> ways_;
  std::vector<Entry> entries_;
  std::vector<unsigned> free_entries_;
  unsigned open_ = 0;
  std::vector<unsigned> taken_;
  std::vector<std::function<void()>> flushes_;  // the first one is under way
  bool working_ = false;
  kernel::Picoseconds now_ps_ = 0;
  kernel::Cycle now_ = 0;

  kernel::PayloadPool pool_;
  std::unique_ptr<kernel::Alarm> alarm_;
};

}  // namespace gyre::memory
