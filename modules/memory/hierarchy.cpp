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

void Hierarchy::watch_lines() {
  lines_ = std::make_unique<LineWatch>();
  const auto chain = [&](const Caches& firsts, unsigned cluster) {
    std::vector<const WatchedCache*> list;
    for (const auto& first : firsts) list.push_back(first.get());
    for (const auto& l2 : clusters_[cluster].l2) list.push_back(l2.get());
    for (const auto& l3 : l3_) list.push_back(l3.get());
    return list;
  };
  const Caches none;
  for (unsigned core = 0; core < gpu_.total_cores(); ++core) {
    std::vector<const WatchedCache*> path = chain(none, core / gpu_.cores_per_cluster());
    if (const WatchedCache* first = dcache(core)) path.insert(path.begin(), first);
    lines_->add_writer("core " + std::to_string(core), path);
  }
  // A pixel belongs to one merger; early-Z, which may look through another one's cache, only culls less by old depth. So
  // mergers of a cluster count as if they shared their caches.
  for (unsigned c = 0; c < gpu_.clusters; ++c)
    lines_->add_writer("the output merger of cluster " + std::to_string(c), chain(clusters_[c].ocaches, c));

  // Lower levels first: a cache must know what is below it.
  for (const auto& l3 : l3_) lines_->add_cache(*l3, Kind::kL3, "l3", nullptr);
  const WatchedCache* const l3 = l3_.empty() ? nullptr : l3_[0].get();
  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    const std::string prefix = "cluster" + std::to_string(c) + ".";
    for (const auto& l2 : clusters_[c].l2) lines_->add_cache(*l2, Kind::kL2, prefix + "l2", l3);
    const WatchedCache* const below = clusters_[c].l2.empty() ? l3 : clusters_[c].l2[0].get();
    const auto add = [&](const std::string& where, const char* name, Kind kind, const Caches& caches) {
      for (std::size_t i = 0; i < caches.size(); ++i)
        lines_->add_cache(*caches[i], kind, where + name + std::to_string(i), below);
    };
    for (unsigned s = 0; s < gpu_.sockets; ++s) {
      const Socket& socket = sockets_[std::size_t{c} * gpu_.sockets + s];
      const std::string where = prefix + "socket" + std::to_string(s) + ".";
      add(where, "icache", Kind::kIcache, socket.icaches);
      add(where, "dcache", Kind::kDcache, socket.dcaches);
      add(where, "tcache", Kind::kTcache, socket.tcaches);
    }
    add(prefix, "rcache", Kind::kRcache, clusters_[c].rcaches);
    add(prefix, "ocache", Kind::kOcache, clusters_[c].ocaches);
  }
}

}  // namespace gyre::memory
