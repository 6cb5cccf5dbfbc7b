#include "geometry.h"

#include <algorithm>

#include "cache.h"

namespace gyre::memory {
namespace {

bool power(std::uint64_t v) { return v != 0 && (v & (v - 1)) == 0; }

unsigned next_power(unsigned v) {
  unsigned p = 1;
  while (p < v) p *= 2;
  return p;
}

// One cache serves up to four clients.
unsigned share(unsigned clients) { return next_power((clients + 3) / 4); }

// By lanes 1, 2, 4, 8, 16, 32 (memory.md §2).
constexpr unsigned kWords[] = {4, 8, 8, 16, 16, 32, 32}, kBanks[] = {1, 1, 2, 2, 4, 4, 8};

void complete(CacheConfig& cache, unsigned clients, std::uint64_t reference_bytes, unsigned base) {
  if (cache.count == 0) cache.count = share(clients);
  if (cache.latency == 0) cache.latency = stock_latency(cache.bytes, reference_bytes, base);
}

}  // namespace

GpuConfig with_geometry(GpuConfig gpu) {
  unsigned log_lanes = 0;
  while ((2u << log_lanes) <= gpu.core.threads) ++log_lanes;
  const CacheConfig stock_l2 = CacheConfig::level(1 << 20), stock_l3 = CacheConfig::level(2 << 20);
  constexpr std::uint64_t kL1 = 16384;
  if (gpu.core.dcache_word == 0) gpu.core.dcache_word = kWords[log_lanes];
  if (gpu.core.lsu_pending == 0) gpu.core.lsu_pending = std::min(32u, std::max(8u, 2 * gpu.core.warps));
  if (gpu.core.lmem_banks == 0) gpu.core.lmem_banks = gpu.core.threads;
  if (gpu.tex.queue == 0) gpu.tex.queue = std::max(8u, 2 * gpu.core.threads);
  if (gpu.dcache.banks == 0) gpu.dcache.banks = kBanks[log_lanes];
  complete(gpu.icache, gpu.cores, kL1, 2);
  complete(gpu.dcache, gpu.cores, kL1, 2);
  complete(gpu.tcache, gpu.tex.cores, kL1, 2);
  complete(gpu.rcache, gpu.raster.cores, kL1, 2);
  complete(gpu.ocache, gpu.om.cores, kL1, 2);
  for (CacheConfig* l1 : {&gpu.icache, &gpu.tcache, &gpu.rcache, &gpu.ocache})
    if (l1->banks == 0) l1->banks = 1;
  if (gpu.link.l1_ports == 0) gpu.link.l1_ports = std::min(gpu.dcache.banks, gpu.dram.banks);
  if (gpu.l2.banks == 0) gpu.l2.banks = std::min(16u, next_power(gpu.sockets * gpu.link.l1_ports));
  if (gpu.l3.banks == 0) gpu.l3.banks = std::min(16u, next_power(gpu.clusters * gpu.l2.banks));
  complete(gpu.l2, 1, stock_l2.bytes, 4);
  complete(gpu.l3, 1, stock_l3.bytes, 4);

  // Back only where nobody else can hold the line below.
  const auto decide = [](CacheConfig& cache, bool back) {
    if (cache.write == WritePolicy::kAuto) cache.write = back ? WritePolicy::kBack : WritePolicy::kThrough;
  };
  decide(gpu.dcache, !gpu.l2.enabled && !gpu.l3.enabled && gpu.total_cores() == 1);
  decide(gpu.l2, !gpu.l3.enabled && gpu.clusters == 1);
  decide(gpu.l3, true);
  for (CacheConfig* l1 : {&gpu.icache, &gpu.tcache, &gpu.rcache, &gpu.ocache}) l1->write = WritePolicy::kThrough;
  return gpu;
}

std::string check_geometry(const CacheConfig& c, const std::string& name) {
  const auto wrong = [&](const char* knob, std::uint64_t value, const std::string& what) {
    return name + "." + knob + " is " + std::to_string(value) + ": " + what;
  };
  if (!power(c.line) || c.line < Cache::kSectorBytes || c.line > Cache::kSectorBytes * CacheTags::kMaxSectors)
    return wrong("line", c.line, "use 64, 128, 256 or 512 bytes");
  if (c.ways < 1 || c.ways > CacheTags::kMaxWays) return wrong("ways", c.ways, "use 1 to 64");
  if (c.replacement == Replacement::kPlru && !power(c.ways))
    return wrong("ways", c.ways, "PLRU replacement needs a power of two");
  const std::uint64_t set_bytes = std::uint64_t{c.line} * c.ways;
  if (c.bytes % set_bytes != 0 || !power(c.bytes / set_bytes))
    return wrong("bytes", c.bytes,
                 "lines of " + std::to_string(c.line) + " bytes in " + std::to_string(c.ways) +
                     " ways do not give a power of two of sets");
  if (!power(c.banks) || c.banks > Cache::kMaxBanks) return wrong("banks", c.banks, "use a power of two up to 64");
  if (c.banks > c.bytes / set_bytes)
    return wrong("banks", c.banks, "more banks than the " + std::to_string(c.bytes / set_bytes) + " sets");
  if (c.mshr < 1) return wrong("mshr", c.mshr, "a bank needs an entry");
  if (c.latency < 1) return wrong("latency", c.latency, "use 1 or more");
  return "";
}

std::string check_caches(const GpuConfig& gpu) {
  const std::pair<const CacheConfig*, const char*> caches[] = {
      {&gpu.icache, "gpu.icache"}, {&gpu.dcache, "gpu.dcache"}, {&gpu.tcache, "gpu.tcache"}, {&gpu.rcache, "gpu.rcache"},
      {&gpu.ocache, "gpu.ocache"}, {&gpu.l2, "gpu.l2"},         {&gpu.l3, "gpu.l3"}};
  for (const auto& [cache, name] : caches)
    if (const std::string wrong = check_geometry(*cache, name); !wrong.empty()) return wrong;
  if (gpu.dcache.enabled && writes_back(gpu.dcache.write) && gpu.total_cores() > gpu.cores / gpu.dcache.count)
    return "gpu.dcache.write is back: several data caches would hold lines the others do not see; use through";
  if (gpu.l2.enabled && writes_back(gpu.l2.write) && gpu.clusters > 1)
    return "gpu.l2.write is back: the L2s of several clusters would hold lines the others do not see; use through";
  if (gpu.core.dcache_word < 4) return "gpu.core.dcache_word is " + std::to_string(gpu.core.dcache_word) + ": use 4 or more";
  return "";
}

unsigned stock_latency(std::uint64_t bytes, std::uint64_t reference_bytes, unsigned base) {
  unsigned latency = base;
  for (std::uint64_t size = reference_bytes; size < bytes; size *= 2) ++latency;
  return latency;
}

}  // namespace gyre::memory
