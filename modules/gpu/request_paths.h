// What the units of an approximately timed device need to send requests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "at_cache.h"
#include "at_client.h"
#include "cables.h"
#include "calendar.h"
#include "geometry.h"
#include "om_pipeline.h"

namespace gyre::gpu {

struct RequestPaths {
  explicit RequestPaths(bool checked, kernel::Cables::Found found) : cables(checked, std::move(found)) {}

  kernel::Cables cables;  // every cable between a unit, the caches and the memory
  std::vector<std::unique_ptr<kernel::AtClient>> clients;
  std::vector<std::unique_ptr<om::OmPipeline>> pipelines;
  // Ports of instruction caches that several cores share.
  std::map<const memory::AtCache*, kernel::Calendar> fetch_ports;

  // A way to `cache`, to be made while the machine is being built; null without a cache.
  kernel::AtClient* client(const std::string& name, memory::AtCache* cache, kernel::Picoseconds period,
                           kernel::MemSource source, unsigned core = 0) {
    if (cache == nullptr) return nullptr;
    clients.push_back(std::make_unique<kernel::AtClient>(
        name.c_str(), cache->banks(), memory::log2_of(cache->line_bytes()), period, source, core));
    for (unsigned channel = 0; channel < clients.back()->channels(); ++channel)
      cables.connect(clients.back()->socket(channel), cache->in, channel);
    return clients.back().get();
  }
  // The same to device memory, below all caches.
  template <class Target>
  kernel::AtClient& memory_client(const std::string& name, Target& memory, const GpuConfig& gpu, kernel::MemSource source) {
    clients.push_back(std::make_unique<kernel::AtClient>(name.c_str(), gpu.dram.banks, memory::log2_of(gpu.dram.interleave),
                                                         gpu.period_ps(), source));
    for (unsigned channel = 0; channel < clients.back()->channels(); ++channel)
      cables.connect(clients.back()->socket(channel), memory, channel);
    return *clients.back();
  }
};

}  // namespace gyre::gpu
