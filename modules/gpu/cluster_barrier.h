// The barriers of a cluster: opens when enough of its cores have arrived (isa.md §6, timing.md §3).
#pragma once

#include <algorithm>
#include <vector>

#include "cluster_barrier_port.h"

namespace gyre::gpu {

// Works inside the arriving core's call. A barrier opens at its latest arrival, in whatever order arrivals are
// simulated.
class ClusterBarrier : public kernel::ClusterBarrierPort {
 public:
  // `barriers`: how many, see CoreConfig.
  explicit ClusterBarrier(unsigned barriers) : barriers_(barriers) {}

  void arrive(kernel::BarrierMember& member, unsigned number, std::uint32_t cores, kernel::Cycle stamp) override {
    State& state = barriers_[number];
    state.arrived.push_back(&member);
    state.latest = std::max(state.latest, stamp);
    if (state.arrived.size() < cores) return;
    const kernel::Cycle open = state.latest + kThereAndBack + 1;
    std::vector<kernel::BarrierMember*> members;
    members.swap(state.arrived);
    state.latest = 0;
    for (kernel::BarrierMember* core : members) core->barrier_opened(number, open);
  }

  // Nobody has arrived anywhere: for a debugger that has ended all warps.
  void reset() { std::fill(barriers_.begin(), barriers_.end(), State{}); }

 private:
  static constexpr kernel::Cycle kThereAndBack = 2;  // core to cluster to core
  struct State {
    std::vector<kernel::BarrierMember*> arrived;
    kernel::Cycle latest = 0;
  };
  std::vector<State> barriers_;
};

}  // namespace gyre::gpu
