// Which caches there are, whom they serve, and what they are called: the same for the caches of both timing styles
// (memory.md §1).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cache.h"
#include "config.h"
#include "line_watch.h"

namespace gyre::memory {

// What the stale-line lint watches of a cache of either style.
inline WatchedCache& watched_by_lint(Cache& cache) { return cache; }

//   icache, dcache, tcache (socket) ── trunk ──┐
//   rcache, ocache (cluster) ───────── arbiter ┴─ L2 (cluster) ── L3 (device) ── memory
//
// L2 and L3 stand there only when they are on. A cache that is off is null: its clients then see every access hit.
template <class CacheT, class LinkT>
class CacheTree {
 public:
  // Indices are device-wide for cores and sockets, of the cluster or socket for the units in it.
  CacheT* icache(unsigned core) { return pick(socket_of(core).icaches, core % gpu_.cores); }
  CacheT* dcache(unsigned core) { return pick(socket_of(core).dcaches, core % gpu_.cores); }
  CacheT* tcache(unsigned socket, unsigned sampler) { return pick(sockets_[socket].tcaches, sampler); }
  CacheT* rcache(unsigned cluster, unsigned engine) { return pick(clusters_[cluster].rcaches, engine); }
  CacheT* ocache(unsigned cluster, unsigned merger) { return pick(clusters_[cluster].ocaches, merger); }

  // Sums of counters over the caches that serve a core (isa.md §8): its socket's, its cluster's, the device's.
  using Kind = CacheKind;
  CacheCounters sum(Kind kind, unsigned core) const {
    CacheCounters total;
    for (const auto& cache : caches(kind, core))
      for (const auto& [label, field] : kCacheCounters) total.*field += cache->counters().*field;
    return total;
  }

  // f(name, cache) for every cache in the order of the report; names as "cluster0.socket1.dcache0".
  template <class F>
  void for_each(F&& f) const {
    const auto all = [&](const std::string& prefix, const char* kind, const Caches& list) {
      for (std::size_t i = 0; i < list.size(); ++i) f(prefix + kind + std::to_string(i), *list[i]);
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
    for (const auto& l3 : l3_) f(std::string("l3"), *l3);
  }
  // Turns the stale-line lint on, before anything runs; lines() stays null without.
  void watch_lines();
  LineWatch* lines() { return lines_.get(); }
  // Numbers of writers to lines(): a core, the output mergers of a cluster.
  unsigned core_writer(unsigned core) const { return 1 + core; }
  unsigned merger_writer(unsigned cluster) const { return 1 + gpu_.total_cores() + cluster; }

  template <class F>
  void for_each_trunk(F&& f) const {
    for (std::size_t s = 0; s < sockets_.size(); ++s)
      f("cluster" + std::to_string(s / gpu_.sockets) + ".socket" + std::to_string(s % gpu_.sockets) + ".trunk",
        *sockets_[s].trunk);
  }

 protected:
  using Caches = std::vector<std::unique_ptr<CacheT>>;
  struct Socket {
    std::unique_ptr<LinkT> trunk;
    Caches icaches, dcaches, tcaches;
  };
  struct Cluster {
    std::unique_ptr<LinkT> below, arbiter;  // L2 to what is below it; graphics units to L2 or what is below
    Caches l2, rcaches, ocaches;
  };

  explicit CacheTree(const GpuConfig& resolved)
      : gpu_(resolved), clusters_(resolved.clusters), sockets_(std::size_t{resolved.clusters} * resolved.sockets) {}
  ~CacheTree() = default;

  // The only data cache of a device without L2 and L3 is its last level.
  bool data_cache_is_last() const {
    return !gpu_.l2.enabled && !gpu_.l3.enabled && gpu_.total_cores() <= gpu_.cores / gpu_.dcache.count;
  }
  bool l2_is_last() const { return !gpu_.l3.enabled && gpu_.clusters == 1; }

  // What CACHE_FLUSH of a core walks, one list after the other, the caches of a list side by side: dcache, then icache
  // (memory.md §7), the others meanwhile.
  std::array<std::vector<CacheT*>, 4> flush_order(unsigned core) const {
    std::array<std::vector<CacheT*>, 4> order;
    const auto add = [&](unsigned step, Kind kind) {
      for (const auto& cache : caches(kind, core)) order[step].push_back(cache.get());
    };
    for (const Kind kind : {Kind::kDcache, Kind::kTcache, Kind::kRcache, Kind::kOcache}) add(0, kind);
    add(1, Kind::kIcache);
    add(2, Kind::kL2);
    add(3, Kind::kL3);
    return order;
  }

  GpuConfig gpu_;
  std::unique_ptr<LinkT> to_memory_;
  Caches l3_;
  std::vector<Cluster> clusters_;
  std::vector<Socket> sockets_;  // device-wide
  std::unique_ptr<LineWatch> lines_;

 private:
  static CacheT* pick(const Caches& caches, unsigned client) {
    return caches.empty() ? nullptr : caches[client % caches.size()].get();
  }
  Socket& socket_of(unsigned core) { return sockets_[core / gpu_.cores]; }

  const Caches& caches(Kind kind, unsigned core) const {
    const Socket& socket = sockets_[core / gpu_.cores];
    const Cluster& cluster = clusters_[core / gpu_.cores_per_cluster()];
    switch (kind) {
      case Kind::kIcache: return socket.icaches;
      case Kind::kDcache: return socket.dcaches;
      case Kind::kTcache: return socket.tcaches;
      case Kind::kRcache: return cluster.rcaches;
      case Kind::kOcache: return cluster.ocaches;
      case Kind::kL2: return cluster.l2;
      case Kind::kL3: break;
    }
    return l3_;
  }
};

template <class CacheT, class LinkT>
void CacheTree<CacheT, LinkT>::watch_lines() {
  lines_ = std::make_unique<LineWatch>();
  const auto chain = [&](const Caches& firsts, unsigned cluster) {
    std::vector<const WatchedCache*> list;
    for (const auto& first : firsts) list.push_back(&watched_by_lint(*first));
    for (const auto& l2 : clusters_[cluster].l2) list.push_back(&watched_by_lint(*l2));
    for (const auto& l3 : l3_) list.push_back(&watched_by_lint(*l3));
    return list;
  };
  const Caches none;
  for (unsigned core = 0; core < gpu_.total_cores(); ++core) {
    std::vector<const WatchedCache*> path = chain(none, core / gpu_.cores_per_cluster());
    if (CacheT* first = dcache(core)) path.insert(path.begin(), &watched_by_lint(*first));
    lines_->add_writer("core " + std::to_string(core), path);
  }
  // A pixel belongs to one merger; early-Z, which may look through another one's cache, only culls less by old depth. So
  // mergers of a cluster count as if they shared their caches.
  for (unsigned c = 0; c < gpu_.clusters; ++c)
    lines_->add_writer("the output merger of cluster " + std::to_string(c), chain(clusters_[c].ocaches, c));

  // Lower levels first: a cache must know what is below it.
  for (const auto& l3 : l3_) lines_->add_cache(watched_by_lint(*l3), Kind::kL3, "l3", nullptr);
  const WatchedCache* const l3 = l3_.empty() ? nullptr : &watched_by_lint(*l3_[0]);
  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    const std::string prefix = "cluster" + std::to_string(c) + ".";
    for (const auto& l2 : clusters_[c].l2) lines_->add_cache(watched_by_lint(*l2), Kind::kL2, prefix + "l2", l3);
    const WatchedCache* const below = clusters_[c].l2.empty() ? l3 : &watched_by_lint(*clusters_[c].l2[0]);
    const auto add = [&](const std::string& where, const char* name, Kind kind, const Caches& caches) {
      for (std::size_t i = 0; i < caches.size(); ++i)
        lines_->add_cache(watched_by_lint(*caches[i]), kind, where + name + std::to_string(i), below);
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
