#include "at_hierarchy.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {
namespace {

// Memory request queue (memory.md §2).
unsigned queue_of(const CacheConfig& cache) {
  unsigned places = 1;
  while (places < std::max(2 * cache.latency, writes_back(cache.write) ? cache.mshr : 0)) places *= 2;
  return places;
}

}  // namespace

struct AtHierarchy::Flushing {
  std::array<std::vector<AtCache*>, 4> order;
  unsigned step = 0;
  std::size_t left = 0;
  std::function<void()> done;
};

AtHierarchy::AtHierarchy(sc_core::sc_module_name module_name, const GpuConfig& resolved, Target& memory, kernel::Cables& cables)
    : sc_module(module_name), CacheTree(resolved), period_(resolved.period_ps()), cables_(cables) {
  const LinkConfig& link = gpu_.link;
  using Policy = AtArbiter::Policy;
  if (gpu_.l2.enabled || gpu_.l3.enabled) {
    to_memory_ = arbiter("to_memory", Policy::kRoundRobin, link.arbiter, 0);
    connect(*to_memory_, memory, gpu_.dram.banks);
  }
  if (gpu_.l3.enabled) {
    l3_ = make(gpu_.l3, true, "", "l3_");
    connect_all(l3_, to_memory_->in, gpu_.dram.banks);
  }
  for (unsigned c = 0; c < gpu_.clusters; ++c) {
    Cluster& cluster = clusters_[c];
    const std::string prefix = "cluster" + std::to_string(c) + "_";
    Target* below = gpu_.l3.enabled ? static_cast<Target*>(&l3_[0]->in) : &memory;
    unsigned ways = gpu_.l3.enabled ? gpu_.l3.banks : gpu_.dram.banks;
    if (gpu_.l2.enabled) {
      cluster.l2 = make(gpu_.l2, l2_is_last(), prefix, "l2_");
      // Below the cluster: L3 a hop away, or memory behind its arbiter.
      if (gpu_.l3.enabled && link.l3 != 0) {
        cluster.below = arbiter(prefix + "below", Policy::kRoundRobin, link.l3, 0);
        connect(*cluster.below, *below, ways);
        below = &cluster.below->in;
      }
      connect_all(cluster.l2, gpu_.l3.enabled ? *below : static_cast<Target&>(to_memory_->in), ways);
      below = &cluster.l2[0]->in;
      ways = gpu_.l2.banks;
    }
    // An absent L2 costs its arbiter and nothing else; the one of the way in is the only one then.
    cluster.arbiter = arbiter(prefix + "arbiter", Policy::kRoundRobin, link.arbiter, 0);
    connect(*cluster.arbiter, *below, ways);
    if (gpu_.rcache.enabled) cluster.rcaches = make(gpu_.rcache, false, prefix, "rcache");
    if (gpu_.ocache.enabled) cluster.ocaches = make(gpu_.ocache, false, prefix, "ocache");
    connect_all(cluster.ocaches, cluster.arbiter->in, ways);
    connect_all(cluster.rcaches, cluster.arbiter->in, ways);
    for (unsigned s = 0; s < gpu_.sockets; ++s) {
      Socket& socket = sockets_[std::size_t{c} * gpu_.sockets + s];
      const std::string place = prefix + "socket" + std::to_string(s) + "_";
      socket.trunk = arbiter(place + "trunk", Policy::kFixed, link.slice + link.arbiter, link.slice);
      connect(*socket.trunk, *below, link.l1_ports);
      if (gpu_.icache.enabled) socket.icaches = make(gpu_.icache, false, place, "icache");
      if (gpu_.dcache.enabled) socket.dcaches = make(gpu_.dcache, data_cache_is_last(), place, "dcache");
      if (gpu_.tcache.enabled) socket.tcaches = make(gpu_.tcache, false, place, "tcache");
      for (const Caches* caches : {&socket.icaches, &socket.dcaches, &socket.tcaches})
        connect_all(*caches, socket.trunk->in, link.l1_ports);
    }
  }
}

AtHierarchy::~AtHierarchy() = default;

AtHierarchy::Caches AtHierarchy::make(const CacheConfig& config, bool last_level, const std::string& prefix,
                                      const char* kind) {
  Caches caches;
  for (unsigned i = 0; i < config.count; ++i)
    caches.push_back(std::make_unique<AtCache>((prefix + kind + std::to_string(i)).c_str(),
                                               CacheSetup{config, last_level, gpu_.cache_seed + made_++}, period_,
                                               queue_of(config)));
  return caches;
}

std::unique_ptr<AtArbiter> AtHierarchy::arbiter(const std::string& name, AtArbiter::Policy policy, unsigned there,
                                                unsigned back) {
  return std::make_unique<AtArbiter>(name.c_str(), policy, there, back, period_);
}

template <class Source>
void AtHierarchy::connect(Source& from, Target& to, unsigned ways) {
  for (unsigned way = 0; way < ways; ++way) cables_.connect(from.out, to, way);
}

void AtHierarchy::connect_all(const Caches& from, Target& to, unsigned ways) {
  for (const auto& cache : from) connect(*cache, to, ways);
}

void AtHierarchy::flush(unsigned core, std::function<void()> done) {
  auto flushing = std::make_shared<Flushing>();
  flushing->order = flush_order(core);
  flushing->done = std::move(done);
  flush_next(flushing);
}

void AtHierarchy::flush_next(const std::shared_ptr<Flushing>& flushing) {
  while (flushing->step < flushing->order.size()) {
    const std::vector<AtCache*>& caches = flushing->order[flushing->step++];
    if (caches.empty()) continue;
    flushing->left = caches.size();
    for (AtCache* cache : caches)
      cache->flush([this, flushing] {
        if (--flushing->left == 0) flush_next(flushing);
      });
    return;
  }
  flushing->done();
}

bool AtHierarchy::idle() const {
  bool idle = to_memory_ == nullptr || to_memory_->idle();
  for_each([&](const std::string&, const AtCache& cache) { idle = idle && cache.idle(); });
  for_each_trunk([&](const std::string&, const AtArbiter& trunk) { idle = idle && trunk.idle(); });
  for (const Cluster& cluster : clusters_)
    idle = idle && cluster.arbiter->idle() && (cluster.below == nullptr || cluster.below->idle());
  return idle;
}

}  // namespace gyre::memory
