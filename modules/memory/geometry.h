// The caches of a machine with every "by rule" replaced by its number (memory.md §2, §4.2).
#pragma once

#include <cstdint>
#include <string>

#include "config.h"

namespace gyre::memory {

// The configuration with its zeros resolved: counts, banks, latencies, ports, word width, pending loads, local-memory
// banks, write policies.
GpuConfig with_geometry(GpuConfig gpu);

// What is wrong with the caches of a configuration that with_geometry() made, naming the knob; or "".
std::string check_caches(const GpuConfig& resolved);

// "" or what is wrong with one geometry ("gpu.l2.ways is 3: ..."). `name`: path of the cache's knobs.
std::string check_geometry(const CacheConfig& cache, const std::string& name);

// Latency rules: `base`, and 1 more for each doubling of the reference size.
unsigned stock_latency(std::uint64_t bytes, std::uint64_t reference_bytes, unsigned base);

// Of a power of two.
inline unsigned log2_of(std::uint64_t value) { return 63u - static_cast<unsigned>(__builtin_clzll(value)); }

inline unsigned sets_of(const CacheConfig& cache) {
  return static_cast<unsigned>(cache.bytes / (std::uint64_t{cache.line} * cache.ways));
}

inline bool writes_back(WritePolicy policy) { return policy >= WritePolicy::kBack; }
inline bool allocates(WritePolicy policy) {
  return policy == WritePolicy::kBack || policy == WritePolicy::kThroughAllocate;
}

}  // namespace gyre::memory
