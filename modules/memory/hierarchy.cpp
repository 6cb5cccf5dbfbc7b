#include "hierarchy.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {
namespace {

void add(CacheCounters& sum, const CacheCounters& c) {
  for (const auto& [label, field] : kCacheCounters) sum.*field += c.*field;
}

}  // namespace

Hierarchy::Hierarchy(const GpuConfig& resolved, Dram& dram) : gpu_(resolved) {
  const LinkConfig& link = gpu_.link;
  to_memory_ = std::make_unique<Link>(dram, 0, link.arbiter, 0);
  if (gpu_.l3.enabled) l3_ = make(gpu_.l3, *to_memory_, true);

  // The only data cache of a device without L2 and L3 is its last level.
  const bool alone = !gpu_.l2.enabled && !gpu_.l3.enabled && gpu_.total_cores() <= gpu_.cores / gpu_.dcache.count;

  clusters_.resize(gpu_.clusters);
  sockets_.resize(std::size_t{gpu_.clusters} * gpu_.sockets);
  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    Cluster& cluster = clusters_[c];
    // Below the cluster: L3 a hop away, or memory behind its arbiter.
    kernel::MemoryLevel* below = to_memory_.get();
    if (gpu_.l3.enabled) {
      cluster.below = std::make_unique<Link>(*l3_[0], 0, link.l3, 0);
      below = cluster.below.get();
    }
    if (gpu_.l2.enabled) {
      cluster.l2 = make(gpu_.l2, *below, !gpu_.l3.enabled && gpu_.clusters == 1);
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
      if (gpu_.dcache.enabled) socket.dcaches = make(gpu_.dcache, *socket.trunk, alone);
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
  const Socket& socket = sockets_[core / gpu_.cores];
  const Cluster& cluster = clusters_[core / gpu_.cores_per_cluster()];
  Cycle done = at;
  const auto level = [&](std::initializer_list<const Caches*> kinds) {
    const Cycle begin = done;  // the caches of a level walk side by side
    for (const Caches* caches : kinds)
      for (const auto& cache : *caches) done = std::max(done, cache->flush(begin));
  };
  // dcache, then icache (memory.md §7); the others walk meanwhile.
  level({&socket.dcaches, &socket.tcaches, &cluster.rcaches, &cluster.ocaches});
  level({&socket.icaches});
  level({&cluster.l2});
  level({&l3_});
  return done;
}

CacheCounters Hierarchy::sum(Kind kind, unsigned core) const {
  const Socket& socket = sockets_[core / gpu_.cores];
  const Cluster& cluster = clusters_[core / gpu_.cores_per_cluster()];
  const Caches* caches = nullptr;
  switch (kind) {
    case Kind::kIcache: caches = &socket.icaches; break;
    case Kind::kDcache: caches = &socket.dcaches; break;
    case Kind::kTcache: caches = &socket.tcaches; break;
    case Kind::kRcache: caches = &cluster.rcaches; break;
    case Kind::kOcache: caches = &cluster.ocaches; break;
    case Kind::kL2: caches = &cluster.l2; break;
    case Kind::kL3: caches = &l3_; break;
  }
  CacheCounters total;
  for (const auto& cache : *caches) add(total, cache->counters());
  return total;
}

void Hierarchy::for_each(const std::function<void(const std::string&, const Cache&)>& f) const {
  const auto all = [&](const std::string& prefix, const char* kind, const Caches& caches) {
    for (std::size_t i = 0; i < caches.size(); ++i) f(prefix + kind + std::to_string(i), *caches[i]);
  };
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const std::string cluster = "cluster" + std::to_string(c) + ".";
    for (unsigned s = 0; s < gpu_.sockets; ++s) {
      const std::string prefix = cluster + "socket" + std::to_string(s) + ".";
      const Socket& socket = sockets_[c * gpu_.sockets + s];
      all(prefix, "icache", socket.icaches);
      all(prefix, "dcache", socket.dcaches);
      all(prefix, "tcache", socket.tcaches);
    }
    all(cluster, "rcache", clusters_[c].rcaches);
    all(cluster, "ocache", clusters_[c].ocaches);
    for (const auto& l2 : clusters_[c].l2) f(cluster + "l2", *l2);
  }
  for (const auto& l3 : l3_) f("l3", *l3);
}

void Hierarchy::watch_lines() {
  lines_ = std::make_unique<LineWatch>();
  const auto chain = [&](const Caches& firsts, unsigned cluster) {
    std::vector<const Cache*> list;
    for (const auto& first : firsts) list.push_back(first.get());
    for (const auto& l2 : clusters_[cluster].l2) list.push_back(l2.get());
    for (const auto& l3 : l3_) list.push_back(l3.get());
    return list;
  };
  const Caches none;
  for (unsigned core = 0; core < gpu_.total_cores(); ++core) {
    std::vector<const Cache*> path = chain(none, core / gpu_.cores_per_cluster());
    if (const Cache* first = dcache(core)) path.insert(path.begin(), first);
    lines_->add_writer("core " + std::to_string(core), path);
  }
  // A pixel belongs to one merger; early-Z, which may look through another one's cache, only culls less by old depth. So
  // mergers of a cluster count as if they shared their caches.
  for (unsigned c = 0; c < gpu_.clusters; ++c)
    lines_->add_writer("the output merger of cluster " + std::to_string(c), chain(clusters_[c].ocaches, c));

  // Lower levels first: a cache must know what is below it.
  for (const auto& l3 : l3_) lines_->add_cache(*l3, "l3", nullptr);
  const Cache* const l3 = l3_.empty() ? nullptr : l3_[0].get();
  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    const std::string prefix = "cluster" + std::to_string(c) + ".";
    for (const auto& l2 : clusters_[c].l2) lines_->add_cache(*l2, prefix + "l2", l3);
    const Cache* const below = clusters_[c].l2.empty() ? l3 : clusters_[c].l2[0].get();
    const auto add = [&](const std::string& where, const char* kind, const Caches& caches) {
      for (std::size_t i = 0; i < caches.size(); ++i)
        lines_->add_cache(*caches[i], where + kind + std::to_string(i), below);
    };
    for (unsigned s = 0; s < gpu_.sockets; ++s) {
      const Socket& socket = sockets_[std::size_t{c} * gpu_.sockets + s];
      const std::string where = prefix + "socket" + std::to_string(s) + ".";
      add(where, "icache", socket.icaches);
      add(where, "dcache", socket.dcaches);
      add(where, "tcache", socket.tcaches);
    }
    add(prefix, "rcache", clusters_[c].rcaches);
    add(prefix, "ocache", clusters_[c].ocaches);
  }
}

void Hierarchy::for_each_trunk(const std::function<void(const std::string&, const Link&)>& f) const {
  for (std::size_t s = 0; s < sockets_.size(); ++s)
    f("cluster" + std::to_string(s / gpu_.sockets) + ".socket" + std::to_string(s % gpu_.sockets) + ".trunk",
      *sockets_[s].trunk);
}

}  // namespace gyre::memory
