#include "cluster.h"

#include <string>

namespace gyre::gpu {

Cluster::Cluster(sc_core::sc_module_name name, kernel::Context& ctx, unsigned index)
    : sc_module(name),
      om("om", ctx, index),
      barriers(ctx.config.gpu.core.barriers),
      router("router", kmu::RouterLevel::kCluster, ctx.config.gpu, 1 + ctx.config.gpu.raster.cores) {
  const GpuConfig& gpu = ctx.config.gpu;
  for (unsigned s = 0; s < gpu.sockets; ++s) {
    sockets.push_back(
        std::make_unique<Socket>(("socket" + std::to_string(s)).c_str(), ctx, om, s, index * gpu.sockets + s));
    router.out.bind(sockets.back()->router);
    for (auto& core : sockets.back()->cores) core->barrier.bind(barriers);
  }
  for (unsigned e = 0; e < gpu.raster.cores; ++e) {
    engines.push_back(std::make_unique<raster::RasterEngine>(("raster" + std::to_string(e)).c_str(), ctx, index, e));
    engines.back()->launch.bind(router.input(1 + e));
  }
}

}  // namespace gyre::gpu
