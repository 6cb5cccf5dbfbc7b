#include "hierarchy.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {

Hierarchy::Hierarchy(const GpuConfig& resolved, Dram& dram) : CacheTree(resolved) {
  const LinkConfig& link = gpu_.link;
  to_memory_ = std::make_unique<Link>(dram, 0, link.arbiter, 0);
  if (gpu_.l3.enabled) l3_ = make(gpu_.l3, *to_memory_, true);

  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    Cluster& cluster = clusters_[c];
    // Below the cluster: L3 a hop away, or memory behind its arbiter.
    kernel::MemoryLevel* below = to_memory_.get();
    if (gpu_.l3.enabled) {
      cluster.below = std::make_unique<Link>(*l3_[0], 0, link.l3, 0);
      below = cluster.below.get();
    }
    if (gpu_.l2.enabled) {
      cluster.l2 = make(gpu_.l2, *below, l2_is_last());
      below = cluster.l2[0].get();
    } else {
      // An absent L2 costs its arbiter and nothing else; the one of the way in is the only one then.
      below = gpu_.l3.enabled ? static_cast<kernel::MemoryLevel*>(l3_[0].get()) : &dram;
    }
    cluster.arbiter = std::make_unique<Link>(*below, 0, link.arbiter, 0);
    if (gpu_.rcache.enabled) cluster.rcaches = make(gpu_.rcache, *cluster.arbiter, false);
    if (gpu_.ocache.enabled) cluster.ocaches = make(gpu_.ocache, *cluster.arbiter, false);
    for (unsigned s = 0; s < gpu_.sockets; ++s) {
      Socket& socket = sockets_[std::size_t{c} * gpu_.sockets + s];
      socket.trunk = std::make_unique<Link>(*below, link.l1_ports, link.slice + link.arbiter, link.slice);
      if (gpu_.icache.enabled) socket.icaches = make(gpu_.icache, *socket.trunk, false);
      if (gpu_.dcache.enabled) socket.dcaches = make(gpu_.dcache, *socket.trunk, data_cache_is_last());
      if (gpu_.tcache.enabled) socket.tcaches = make(gpu_.tcache, *socket.trunk, false);
    }
  }
}

Hierarchy::Caches Hierarchy::make(const CacheConfig& config, kernel::MemoryLevel& next, bool last_level) {
  Caches caches;
  for (unsigned i = 0; i < config.count; ++i)
    caches.push_back(std::make_unique<Cache>(CacheSetup{config, last_level, gpu_.cache_seed + made_++}, next));
  return caches;
}

Cycle Hierarchy::flush(unsigned core, Cycle at) {
  Cycle done = at;
  for (const auto& side_by_side : flush_order(core)) {
    const Cycle begin = done;
    for (Cache* cache : side_by_side) done = std::max(done, cache->flush(begin));
  }
  return done;
}

}  // namespace gyre::memory
