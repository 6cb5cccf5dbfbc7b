// Machines a picture must not depend on.
#pragma once

#include <string>
#include <vector>

#include "gyre_paths.h"

namespace gyre::test {

struct Machine {
  const char* name;
  std::vector<std::string> options;
};

inline const std::vector<Machine> kMachines = {
    {"tiny", {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/tiny.yaml"}},
    {"default", {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml"}},
    {"wide", {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/wide.yaml"}},
    {"early-z", {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", "gpu.raster.earlyz=true"}},
    {"two engines, two slices, 64-pixel bins",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/tiny.yaml", "--set", "gpu.raster.cores=2", "--set", "gpu.raster.slices=2", "--set",
      "gpu.raster.bin_log=6"}},
    {"three engines, early-z, 10 ns quantum",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", "gpu.raster.cores=3", "--set", "gpu.raster.bin_log=5",
      "--set", "gpu.raster.earlyz=true", "--set", "sim.quantum=10ns"}},
    {"four engines, 32-pixel bins",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", "gpu.raster.cores=4", "--set", "gpu.raster.bin_log=5"}},
    {"4 threads, 100 us quantum",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", "gpu.core.threads=4", "--set", "sim.quantum=100us"}},
    {"16 threads",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", "gpu.core.threads=16", "--set", "gpu.core.warps=4"}},
    {"32 threads, two slices, early-z",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/tiny.yaml", "--set", "gpu.core.threads=32", "--set", "gpu.raster.slices=2", "--set",
      "gpu.raster.earlyz=true"}},
    {"one warp", {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/tiny.yaml", "--set", "gpu.core.warps=1"}},
    {"wide, early-z, 3 slices, 10 ns quantum",
     {"--config", std::string(GYRE_SOURCE_DIR) + "/configs/wide.yaml", "--set", "gpu.raster.earlyz=true", "--set", "gpu.raster.slices=3",
      "--set", "sim.quantum=10ns"}},
};

}  // namespace gyre::test
