// The core's test bench with a memory hierarchy behind it.
#pragma once

#include "geometry.h"
#include "hierarchy.h"
#include "rig.h"

namespace gyre::test {

struct CachedRig : Rig {
  GpuConfig resolved;
  memory::Dram dram;
  memory::Hierarchy caches;

  explicit CachedRig(const RigConfig& c, std::function<void(MachineConfig&)> tweak = nullptr, bool cached = true)
      : Rig(c, tweak),
        resolved(memory::with_geometry(config.gpu)),
        dram(memory::resolve(resolved.dram, resolved.period_ps())),
        caches(resolved, dram) {
    if (ctx.lints.on(kernel::Lint::kStaleLine)) caches.watch_lines();
    if (cached) core.set_caches(caches.icache(0), false, caches.dcache(0));
  }
  void warm(std::uint32_t address) { caches.dcache(0)->read({address, 1}, 0); }
  void check() const {}
};

}  // namespace gyre::test
