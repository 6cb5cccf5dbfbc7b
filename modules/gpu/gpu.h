// The GPU: clusters, device memory, kernel management, register bus and command processor, wired together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "at_hierarchy.h"
#include "cluster.h"
#include "command_processor.h"
#include "dcr_bus.h"
#include "device_memory.h"
#include "hierarchy.h"
#include "kmu.h"

namespace gyre::gpu {

struct RequestPaths;

// Assembly plus the two things that belong to the device as a whole: the answers to DCR reads, and the check for
// half exported fragments when the device goes idle.
struct Gpu : sc_core::sc_module, dcr::ReadHandler, kernel::DeviceCounters {
  SC_HAS_PROCESS(Gpu);
  Gpu(sc_core::sc_module_name name, kernel::Context& ctx);
  ~Gpu() override;

  // What every agent waits for, a line each: for the hang report.
  std::string describe_wait() const;
  std::uint64_t counter(unsigned cls, unsigned index, unsigned core) const override;
  // Approximate style: the ways of the units to their caches.
  RequestPaths& requests() { return *requests_; }
  // The class that kernels read through their CSRs, on every core.
  void select_counters(unsigned cls);

  // All cores in the order of their device-wide index: f(SimtCore&).
  template <class F>
  void for_each_core(F f) const {
    for (const auto& cluster : clusters)
      for (const auto& socket : cluster->sockets)
        for (const auto& core : socket->cores) f(*core);
  }

  memory::DeviceMemory memory;
  std::unique_ptr<memory::Hierarchy> caches;       // loose; null: gpu.caches is off
  std::unique_ptr<memory::AtHierarchy> at_caches;  // approximate; the same
  dcr::DcrBus dcr;
  kmu::Kmu kmu;
  kmu::LaunchRouter router;
  cp::CommandProcessor cp;
  std::vector<std::unique_ptr<Cluster>> clusters;

 private:
  std::uint32_t read_dcr(unsigned reg, std::uint32_t tag, kernel::Cycle* when) override;
  void drained();
  void attach_caches();
  void attach_requests();
  void connect_core(const GpuConfig& resolved, unsigned index);
  void connect_merger(const GpuConfig& resolved, unsigned index);
  void connect_units(const GpuConfig& resolved, unsigned index);
  kernel::Cycle flush_requests(unsigned core);
  template <class Caches>
  void register_caches(const Caches& all);
  memory::CacheCounters cache_sum(memory::Hierarchy::Kind kind, unsigned core) const;
  std::uint64_t memory_counter(unsigned index, unsigned core) const;
  // Of the core with this device-wide index.
  Cluster& cluster_of(unsigned core) const { return *clusters[core / ctx_.config.gpu.cores_per_cluster()]; }
  Socket& socket_of(unsigned core) const {
    return *cluster_of(core).sockets[core % ctx_.config.gpu.cores_per_cluster() / ctx_.config.gpu.cores];
  }
  core::SimtCore& core_at(unsigned core) const { return *socket_of(core).cores[core % ctx_.config.gpu.cores]; }

  kernel::Context& ctx_;
  std::unique_ptr<RequestPaths> requests_;  // approximate
};

}  // namespace gyre::gpu
