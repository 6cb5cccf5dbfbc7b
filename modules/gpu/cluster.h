// A cluster: sockets, raster engines and the output merger they share (graphics hardware stack §1).
#pragma once

#include <memory>
#include <vector>

#include "cluster_barrier.h"
#include "output_merger.h"
#include "raster_engine.h"
#include "socket.h"

namespace gyre::gpu {

struct Cluster : sc_core::sc_module {
  Cluster(sc_core::sc_module_name name, kernel::Context& ctx, unsigned index);

  om::OutputMerger om;
  ClusterBarrier barriers;
  kmu::LaunchRouter router;  // input 0: the trunk from the device; inputs 1..: the raster engines
  std::vector<std::unique_ptr<Socket>> sockets;
  std::vector<std::unique_ptr<raster::RasterEngine>> engines;
};

}  // namespace gyre::gpu
