// The caches of a device and the ways between them (memory.md §1).
#pragma once

#include <memory>

#include "cache_tree.h"
#include "config.h"
#include "dram.h"
#include "link.h"

namespace gyre::memory {

class Hierarchy : public CacheTree<Cache, Link> {
 public:
  // `resolved`: with_geometry() has been at it, check_caches() found nothing.
  Hierarchy(const GpuConfig& resolved, Dram& dram);

  // CACHE_FLUSH of a core: the caches of its socket and cluster, then L2, then L3 (memory.md §7). The cycle every
  // write-back has been accepted and every walk is over.
  Cycle flush(unsigned core, Cycle at);

 private:
  Caches make(const CacheConfig& config, kernel::MemoryLevel& next, bool last_level);

  std::uint64_t made_ = 0;
};

}  // namespace gyre::memory
