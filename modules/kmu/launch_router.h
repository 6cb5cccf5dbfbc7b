// One level of the launch bus (launch.md §5.2): device, cluster or socket.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "config.h"
#include "launch.h"
#include "sim_time.h"

namespace gyre::kmu {

enum class RouterLevel { kDevice, kCluster, kSocket };

// Works inside the producer's call and never waits: a message is passed to the next level one cycle later, or refused.
// COMPUTE goes round-robin over the outputs that take it, the pointer moving when eop passes; FRAGMENT goes to the
// output named by this level's slice of `dest` and to no other. From the first beat of a run to its eop the
// router belongs to one input and one output; the other inputs are refused.
// The register stage of a level is latency only: the messages wait in the queues of the cores.
class LaunchRouter : public sc_core::sc_module, public kernel::LaunchSink {
 public:
  // In the order of the index in the level: clusters, sockets of the cluster, cores of the socket.
  sc_core::sc_port<kernel::LaunchSink, 0, sc_core::SC_ONE_OR_MORE_BOUND> out{"out"};

  SC_HAS_PROCESS(LaunchRouter);
  // `inputs`: producers that may have a run open at the same time (cluster level: 0 trunk, 1.. raster engines).
  LaunchRouter(sc_core::sc_module_name name, RouterLevel level, const GpuConfig& gpu, unsigned inputs = 1);

  // The sink to bind producer `index` to. The router itself is input 0.
  kernel::LaunchSink& input(unsigned index) { return index == 0 ? static_cast<LaunchSink&>(*this) : extra_[index - 1]; }

  bool try_put(const kernel::LaunchMessage& message, kernel::Cycle stamp) override { return put(0, message, stamp); }
  const sc_core::sc_event& space_event() const override;
  kernel::Cycle space_stamp() const override { return stamp_for(0); }

 private:
  static constexpr kernel::Cycle kLevelCycles = 1;
  static constexpr unsigned kAnyOutput = ~0u;
  static constexpr unsigned kFree = ~0u;

  struct Input : kernel::LaunchSink {
    Input(LaunchRouter* owner, unsigned number) : router(owner), index(number) {}
    bool try_put(const kernel::LaunchMessage& message, kernel::Cycle stamp) override {
      return router->put(index, message, stamp);
    }
    const sc_core::sc_event& space_event() const override { return router->space_event(); }
    kernel::Cycle space_stamp() const override { return router->stamp_for(index); }
    LaunchRouter* router;
    unsigned index;
  };

  void end_of_elaboration() override;
  bool put(unsigned input, const kernel::LaunchMessage& message, kernel::Cycle stamp);
  bool pass(unsigned output, unsigned input, const kernel::LaunchMessage& message, kernel::Cycle stamp);
  unsigned output_of(std::uint32_t dest) const;
  kernel::Cycle stamp_for(unsigned input) const;
  void listen();
  void relay();

  RouterLevel level_;
  unsigned cores_, sockets_;      // per socket, per cluster
  std::deque<Input> extra_;       // inputs 1.. (stable addresses)
  std::vector<unsigned> wanted_;  // a refused input's output, or kAnyOutput

  unsigned pointer_ = 0;     // round-robin, next output to try
  unsigned holder_ = kFree;  // input whose run is open
  unsigned run_output_ = 0;
  bool refused_by_run_ = false;
  kernel::Cycle run_end_ = 0;  // stamp of the last eop that freed the router

  // Space events of the outputs are relayed only while a producer is refused, so an unblocked launch costs nothing.
  bool listening_ = false;
  bool just_asked_ = false;
  std::vector<kernel::Cycle> seen_;  // space stamps of the outputs when last looked at
  kernel::Cycle newest_space_ = 0;
  sc_core::sc_event space_{"space"};
  sc_core::sc_event listen_{"listen"};
  sc_core::sc_event_or_list outputs_space_;
};

}  // namespace gyre::kmu
