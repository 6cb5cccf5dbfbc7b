// The caches of the device: who is attached to which, and the counters kernels and host read (memory.md §1, isa.md §8).
#include "csr.h"
#include "error.h"
#include "geometry.h"
#include "gpu.h"

namespace gyre::gpu {
namespace {

using memory::CacheCounters;
using Kind = memory::Hierarchy::Kind;

// Counters of a data cache and of L2 and L3, in the order of their indices.
std::uint64_t data_cache(const CacheCounters& c, unsigned index) {
  switch (index) {
    case 0x03: return c.reads;
    case 0x04: return c.writes;
    case 0x05: return c.read_misses;
    case 0x06: return c.write_misses;
    case 0x07: return c.evictions;
    case 0x08: return c.bank_stalls;
    case 0x09: return c.mshr_stalls;
    default: return 0;
  }
}

// Of RASTER and TEX: reads, misses, bank stalls, MSHR stalls from 06 on.
std::uint64_t read_cache(const CacheCounters& c, unsigned index) {
  switch (index) {
    case 0x06: return c.reads;
    case 0x07: return c.read_misses;
    case 0x08: return c.bank_stalls;
    case 0x09: return c.mshr_stalls;
    default: return 0;
  }
}

// Of OM, from 07 on.
std::uint64_t merger_cache(const CacheCounters& c, unsigned index) {
  switch (index) {
    case 0x07: return c.reads;
    case 0x08: return c.writes;
    case 0x09: return c.read_misses;
    case 0x0A: return c.write_misses;
    case 0x0B: return c.bank_stalls;
    case 0x0C: return c.mshr_stalls;
    default: return 0;
  }
}

}  // namespace

void Gpu::attach_caches() {
  const GpuConfig resolved = memory::with_geometry(ctx_.config.gpu);
  if (const std::string wrong = memory::check_caches(resolved); !wrong.empty()) user_error("{}", wrong);
  caches = std::make_unique<memory::Hierarchy>(resolved, memory.dram);
  if (ctx_.lints.on(kernel::Lint::kStaleLine)) caches->watch_lines();
  cp.set_watch(caches->lines());
  for (unsigned core = 0; core < resolved.total_cores(); ++core)
    core_at(core).set_caches(caches->icache(core), resolved.cores > resolved.icache.count, caches->dcache(core));
  for (unsigned c = 0; c < resolved.clusters; ++c) {
    Cluster& cluster = *clusters[c];
    std::vector<memory::Cache*> mergers;
    for (unsigned i = 0; i < resolved.om.cores && resolved.ocache.enabled; ++i) mergers.push_back(caches->ocache(c, i));
    cluster.om.set_caches(mergers, caches->merger_writer(c));
    for (unsigned e = 0; e < cluster.engines.size(); ++e)
      cluster.engines[e]->set_caches(caches->rcache(c, e), caches->ocache(c, e));
    for (unsigned s = 0; s < resolved.sockets; ++s) {
      std::vector<memory::Cache*> samplers;
      for (unsigned t = 0; t < resolved.tex.cores && resolved.tcache.enabled; ++t)
        samplers.push_back(caches->tcache(c * resolved.sockets + s, t));
      cluster.sockets[s]->tex.set_caches(samplers);
    }
  }
  register_caches(*caches);
}

template <class Caches>
void Gpu::register_caches(const Caches& all) {
  const std::string prefix = std::string(name()) + ".";
  all.for_each([&](const std::string& cache, const auto& c) {
    for (const auto& [label, field] : memory::kCacheCounters)
      ctx_.counters.add(prefix + cache + "." + label, &(c.counters().*field));
    std::string kind = cache.substr(cache.rfind('.') + 1);
    if (kind != "l2" && kind != "l3") kind.erase(kind.find_last_not_of("0123456789") + 1);
    ctx_.utilisation.add(prefix + cache, kind, c.banks(), [&c](kernel::Cycle) { return c.activity(); });
  });
  all.for_each_trunk([&](const std::string& trunk, const auto& link) {
    ctx_.counters.add(prefix + trunk + ".requests", link.requests_counter());
    ctx_.counters.add(prefix + trunk + ".stalls", link.stalls_counter());
  });
}
template void Gpu::register_caches(const memory::AtHierarchy& all);

CacheCounters Gpu::cache_sum(Kind kind, unsigned core) const {
  return at_caches ? at_caches->sum(kind, core) : caches ? caches->sum(kind, core) : CacheCounters{};
}

std::uint64_t Gpu::counter(unsigned cls, unsigned index, unsigned core) const {
  const auto sum = [&](Kind kind) { return cache_sum(kind, core); };
  const bool cached = caches != nullptr || at_caches != nullptr;
  switch (cls) {
    case GYRE_MPM_ICACHE: {
      const CacheCounters c = sum(Kind::kIcache);
      return index == 0x03 ? c.reads : index == 0x04 ? c.read_misses : index == 0x05 ? c.mshr_stalls : 0;
    }
    case GYRE_MPM_DCACHE: return data_cache(sum(Kind::kDcache), index);
    case GYRE_MPM_L2: return data_cache(sum(Kind::kL2), index);
    case GYRE_MPM_L3: return data_cache(sum(Kind::kL3), index);
    case GYRE_MPM_MEM: return memory_counter(index, core);
    case GYRE_MPM_RASTER: {
      if (cached && index >= 0x06) return read_cache(sum(Kind::kRcache), index);
      std::uint64_t total = 0;
      for (const auto& engine : cluster_of(core).engines) total += engine->mpm(index);
      return total;
    }
    case GYRE_MPM_TEX:
      return cached && index >= 0x06 ? read_cache(sum(Kind::kTcache), index) : socket_of(core).tex.counter(index);
    case GYRE_MPM_OM:
      return cached && index >= 0x07 ? merger_cache(sum(Kind::kOcache), index) : cluster_of(core).om.counter(index);
    default: return core_at(core).mpm(cls, index);
  }
}

std::uint64_t Gpu::memory_counter(unsigned index, unsigned core) const {
  const memory::DramCounters& dram = memory.dram.counters();
  switch (index) {
    case 0x03: return dram.reads;
    case 0x04: return dram.writes;
    case 0x05: return dram.read_latency;
    case 0x06: return dram.bus_stalls;
    default: return core_at(core).mpm(GYRE_MPM_MEM, index);
  }
}

}  // namespace gyre::gpu
