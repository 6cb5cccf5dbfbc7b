// A socket: the cores that share L1 caches, a texture sampler and one trunk to L2 (memory.md §1).
#pragma once

#include <memory>
#include <vector>

#include "context.h"
#include "launch_router.h"
#include "om_steer.h"
#include "output_merger.h"
#include "simt_core.h"
#include "tex_core.h"

namespace gyre::gpu {

// Assembly only. Ports left open: steer.memory and tex.memory, the socket's way to device memory.
struct Socket : sc_core::sc_module {
  // `om`: the cluster's merger; `index`: of the socket in its cluster; `global_index`: in the device.
  Socket(sc_core::sc_module_name name, kernel::Context& ctx, om::OutputMerger& om, unsigned index,
         unsigned global_index);

  kmu::LaunchRouter router;
  std::vector<std::unique_ptr<core::SimtCore>> cores;
  tex::TexCore tex;
  om::OmSteer steer;
};

}  // namespace gyre::gpu
