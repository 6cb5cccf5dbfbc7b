// Barriers across the cores of a cluster (isa.md §6, global barriers).
#pragma once

#include <cstdint>
#include <systemc>

#include "sim_time.h"

namespace gyre::kernel {

// A core, as the cluster sees it.
class BarrierMember {
 public:
  // Barrier `number` is open from `stamp` on. Called by another core's thread or within arrive(); must not wait.
  virtual void barrier_opened(unsigned number, Cycle stamp) = 0;

 protected:
  ~BarrierMember() = default;
};

class ClusterBarrierPort : public virtual sc_core::sc_interface {
 public:
  // Every active warp of `member` has arrived at barrier `number`, the last of them at `stamp`. The barrier opens when
  // `cores` members have arrived: all of them are told, the last one within this call. Never waits.
  virtual void arrive(BarrierMember& member, unsigned number, std::uint32_t cores, Cycle stamp) = 0;
};

}  // namespace gyre::kernel
