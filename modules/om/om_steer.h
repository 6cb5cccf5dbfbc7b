// The steer between a socket and L2: exports leave the memory path here (om.md §10.1).
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "context.h"
#include "mem_attributes.h"

namespace gyre::om {

class OutputMerger;

// Ports: target[n]: the socket's masters. memory: everything that is not an export, untouched and without delay.
// Exports (attribute om, writes) go to the cluster's merger one cycle later; the caller's delay grows only
// while the merger cannot accept more: a posted store ends when it left the LSU. Reads with the attribute and exports
// without a merger (`merger` nullptr) answer with a TLM address error. DMI, invalidation and debug accesses pass
// through.
class OmSteer : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<OmSteer, kernel::kMemoryBusBits> target{"target"};
  tlm_utils::simple_initiator_socket<OmSteer, kernel::kMemoryBusBits> memory{"memory"};

  // `socket_in_cluster`: which ingress of the merger this steer feeds.
  OmSteer(sc_core::sc_module_name name, kernel::Context& ctx, OutputMerger* merger, unsigned socket_in_cluster);

 private:
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(int port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(int port, tlm::tlm_generic_payload& payload);
  void invalidate(sc_dt::uint64 begin, sc_dt::uint64 end);

  OutputMerger* merger_;
  unsigned ingress_;
  kernel::Picoseconds period_ps_;
};

}  // namespace gyre::om
