// The caches of a device and the ways between them (memory.md §1).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache.h"
#include "config.h"
#include "dram.h"
#include "link.h"

namespace gyre::memory {

//   icache, dcache, tcache (socket) ── trunk ──┐
//   rcache, ocache (cluster) ───────── arbiter ┴─ L2 (cluster) ── L3 (device) ── memory
//
// L2 and L3 stand there only when they are on. A cache that is off is null: its clients then see every access hit.
class Hierarchy {
 public:
  // `resolved`: with_geometry() has been at it, check_caches() found nothing.
  Hierarchy(const GpuConfig& resolved, Dram& dram);

  // Indices are device-wide for cores and sockets, of the cluster or socket for the units in it.
  Cache* icache(unsigned core) { return pick(sockets_[core / gpu_.cores].icaches, core % gpu_.cores); }
  Cache* dcache(unsigned core) { return pick(sockets_[core / gpu_.cores].dcaches, core % gpu_.cores); }
  Cache* tcache(unsigned socket, unsigned sampler) { return pick(sockets_[socket].tcaches, sampler); }
  Cache* rcache(unsigned cluster, unsigned engine) { return pick(clusters_[cluster].rcaches, engine); }
  Cache* ocache(unsigned cluster, unsigned merger) { return pick(clusters_[cluster].ocaches, merger); }

  // CACHE_FLUSH of a core: the caches of its socket and cluster, then L2, then L3 (memory.md §7). The cycle every
  // write-back has been accepted and every walk is over.
  Cycle flush(unsigned core, Cycle at);

  // Sums of counters over the caches that serve a core (isa.md §8): its socket's, its cluster's, the device's.
  enum class Kind { kIcache, kDcache, kTcache, kRcache, kOcache, kL2, kL3 };
  CacheCounters sum(Kind kind, unsigned core) const;

  // f(name, cache) for every cache in the order of the report; names as "cluster0.socket1.dcache0".
  void for_each(const std::function<void(const std::string&, const Cache&)>& f) const;
  // Turns the stale-line lint on, before anything runs; stays null without.
  void watch_lines();
  LineWatch* lines() { return lines_.get(); }
  // Numbers of writers to lines(): a core, the output mergers of a cluster.
  unsigned core_writer(unsigned core) const { return 1 + core; }
  unsigned merger_writer(unsigned cluster) const { return 1 + gpu_.total_cores() + cluster; }

  void for_each_trunk(const std::function<void(const std::string&, const Link&)>& f) const;

 private:
  using Caches = std::vector<std::unique_ptr<Cache>>;
  struct Socket {
    std::unique_ptr<Link> trunk;
    Caches icaches, dcaches, tcaches;
  };
  struct Cluster {
    std::unique_ptr<Link> below, arbiter;  // L2 to what is below it; graphics units to L2 or what is below
    Caches l2, rcaches, ocaches;
  };

  static Cache* pick(const Caches& caches, unsigned client) {
    return caches.empty() ? nullptr : caches[client % caches.size()].get();
  }
  Caches make(const CacheConfig& config, kernel::MemoryLevel& next, bool last_level);

  GpuConfig gpu_;
  std::unique_ptr<Link> to_memory_;
  Caches l3_;
  std::vector<Cluster> clusters_;
  std::vector<Socket> sockets_;  // device-wide
  std::uint64_t made_ = 0;
  std::unique_ptr<LineWatch> lines_;
};

}  // namespace gyre::memory
