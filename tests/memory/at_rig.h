// A device's caches and memory in the approximate style, a client at every first-level cache, a checker on every cable.
#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "at_client.h"
#include "at_hierarchy.h"
#include "context.h"
#include "device_memory.h"
#include "fork_case.h"
#include "geometry.h"
#include "hierarchy.h"
#include "simulate.h"

namespace gyre::test {

struct AtRig {
  // One client a first-level cache of core 0 (socket 0, cluster 0) and one a data cache of every other core.
  struct Client {
    memory::AtCache* cache;
    std::unique_ptr<kernel::AtClient> port;
  };

  MachineConfig config;
  kernel::Context ctx;
  const GpuConfig gpu;
  memory::DeviceMemory memory;
  kernel::Cables cables{true};
  memory::AtHierarchy caches;
  std::vector<Client> clients;

  explicit AtRig(const MachineConfig& machine)
      : config(machine), ctx{config}, gpu(memory::with_geometry(config.gpu)), memory("memory", ctx),
        caches("caches", gpu, memory.target, cables) {}

  kernel::AtClient& client(memory::AtCache* cache) {
    const std::string name = "client" + std::to_string(clients.size());
    clients.push_back({cache, std::make_unique<kernel::AtClient>(name.c_str(), cache->banks(),
                                                                 memory::log2_of(cache->line_bytes()), gpu.period_ps(),
                                                                 kernel::MemSource::kLsu)});
    for (unsigned i = 0; i < cache->banks(); ++i) cables.connect(clients.back().port->socket(i), cache->in, i);
    return *clients.back().port;
  }
  // Every first-level cache.
  void client_each() {
    std::vector<memory::AtCache*> seen;
    const auto add = [&](memory::AtCache* cache) {
      if (cache == nullptr || std::find(seen.begin(), seen.end(), cache) != seen.end()) return;
      seen.push_back(cache);
      client(cache);
    };
    for (unsigned core = 0; core < gpu.total_cores(); ++core) {
      add(caches.icache(core));
      add(caches.dcache(core));
    }
    for (unsigned s = 0; s < gpu.clusters * gpu.sockets; ++s) add(caches.tcache(s, 0));
    for (unsigned c = 0; c < gpu.clusters; ++c) {
      add(caches.rcache(c, 0));
      add(caches.ocache(c, 0));
    }
  }
  kernel::Cycle now() const { return kernel::kernel_now() / gpu.period_ps(); }

  // Everything came, nothing is left over, nobody broke a rule, and what one level sent the next one received.
  void check() {
    for (const std::string& what : cables.violations()) throw std::runtime_error(what);
    GYRE_CHECK_EQUAL(cables.open(), 0u);
    GYRE_CHECK(caches.idle());
    for (const Client& c : clients) GYRE_CHECK_EQUAL(c.port->open(), 0u);
    memory::CacheCounters l1, l2, l3, data;
    caches.for_each([&](const std::string& name, const memory::AtCache& cache) {
      const memory::CacheCounters& c = cache.counters();
      GYRE_CHECK_EQUAL(c.reads, c.read_hits + c.read_misses);
      GYRE_CHECK_EQUAL(c.writes, c.write_hits + c.write_misses);
      memory::CacheCounters& sum = name.find("l2") != std::string::npos ? l2 : name == "l3" ? l3 : l1;
      for (const auto& [label, field] : memory::kCacheCounters) sum.*field += c.*field;
      if (name.find("dcache") != std::string::npos) data.atomics += c.atomics;
    });
    const auto reads = [](const memory::CacheCounters& c) { return c.fills; };
    const auto writes = [](const memory::CacheCounters& c) { return c.forwards + c.write_backs; };
    const memory::DramCounters& dram = memory.dram.counters();
    const memory::CacheCounters* above = &l1;
    for (const memory::CacheCounters* level : {&l2, &l3}) {
      if (!(level == &l2 ? gpu.l2.enabled : gpu.l3.enabled)) continue;
      GYRE_CHECK_EQUAL(level->reads, reads(*above));
      GYRE_CHECK_EQUAL(level->writes, writes(*above));
      GYRE_CHECK_EQUAL(level->atomics, above->atomics);
      GYRE_CHECK_EQUAL(level->bypasses, above->bypasses);
      above = level;
    }
    // An atomic of the memory is a read and a write; one that a last level has done does not reach it.
    const std::uint64_t here = gpu.l3.enabled || (gpu.l2.enabled && gpu.clusters == 1)      ? above->atomics
                               : !gpu.l2.enabled && gpu.total_cores() == 1 ? data.atomics : 0;
    const std::uint64_t rmw = above->atomics - here;
    GYRE_CHECK(dram.reads + dram.writes == reads(*above) + writes(*above) + above->bypasses + 2 * rmw);
  }
};

// Machines with different ways to the memory.
struct AtShape {
  const char* name;
  unsigned clusters, sockets, cores;
  bool l2, l3;
  DramKind dram;
};
inline std::ostream& operator<<(std::ostream& out, const AtShape& s) { return out << s.name; }
inline const AtShape kAtShapes[] = {
    {"one core", 1, 1, 1, false, false, DramKind::kFlat},
    {"one core, open rows", 1, 1, 1, false, false, DramKind::kOpenRow},
    {"several cores, no L2", 1, 2, 2, false, false, DramKind::kFlat},
    {"L2", 1, 2, 2, true, false, DramKind::kFlat},
    {"L3 only", 2, 1, 2, false, true, DramKind::kFlat},
    {"two clusters with L2", 2, 1, 1, true, false, DramKind::kOpenRow},
    {"L2 and L3", 2, 2, 1, true, true, DramKind::kFlat},
};
inline MachineConfig machine_of(const AtShape& s) {
  MachineConfig config;
  config.gpu.clusters = s.clusters;
  config.gpu.sockets = s.sockets;
  config.gpu.cores = s.cores;
  config.gpu.l2.enabled = s.l2;
  config.gpu.l3.enabled = s.l3;
  config.gpu.l2.bytes = 16384;
  config.gpu.l3.bytes = 32768;
  config.gpu.dcache.bytes = 4096;
  config.gpu.dram.kind = s.dram;
  return config;
}

}  // namespace gyre::test
