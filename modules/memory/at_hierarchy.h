// The caches of a device in the approximately-timed style, from the units' sockets to those of the memory (memory.md §1).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "at_arbiter.h"
#include "at_cache.h"
#include "cache_tree.h"
#include "cables.h"

namespace gyre::memory {

// The twin of Hierarchy: the same caches and ways by the same rules. Units bind their sockets to `in` of their cache
// while the machine is being built. A level has as many ways to the next as that has banks, a trunk its ports.
// Trunks take icache before dcache before tcache, the other arbiters their clients in turn.
class AtHierarchy : public sc_core::sc_module, public CacheTree<AtCache, AtArbiter> {
 public:
  using Target = tlm::tlm_base_target_socket_b<kernel::kMemoryBusBits>;

  // `resolved`: with_geometry() has been at it, check_caches() found nothing. `memory`: a socket for any number of
  // initiators. `cables` binds the levels to each other and to the memory.
  AtHierarchy(sc_core::sc_module_name name, const GpuConfig& resolved, Target& memory, kernel::Cables& cables);
  ~AtHierarchy() override;

  // CACHE_FLUSH of a core: the caches of its socket and cluster, then L2, then L3 (memory.md §7). Calls `done` when every
  // write-back has been accepted and every walk is over.
  void flush(unsigned core, std::function<void()> done);

  // Nothing is under way.
  bool idle() const;

 private:
  struct Flushing;

  Caches make(const CacheConfig& config, bool last_level, const std::string& prefix, const char* kind);
  std::unique_ptr<AtArbiter> arbiter(const std::string& name, AtArbiter::Policy policy, unsigned there, unsigned back);
  template <class Source>
  void connect(Source& from, Target& to, unsigned ways);
  void connect_all(const Caches& from, Target& to, unsigned ways);
  void flush_next(const std::shared_ptr<Flushing>& flushing);

  const kernel::Picoseconds period_;
  kernel::Cables& cables_;
  std::uint64_t made_ = 0;
};

}  // namespace gyre::memory
