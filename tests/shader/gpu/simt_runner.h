// Generated images on one SIMT core of the test bench, many in a row.
#pragma once

#include <vector>

#include "entry.h"
#include "gpu_image.h"
#include "rig.h"

namespace gyre::test {

constexpr u32 kArgs = 0x00011000, kUniformsAt = 0x00012000, kTexelsAt = 0x00014000, kInputsAt = 0x00100000,
              kResultsAt = 0x00200000;

class SimtRunner {
 public:
  explicit SimtRunner(unsigned threads, unsigned warps = 2)
      : rig_([&] {
          RigConfig c;
          c.threads = threads;
          c.warps = warps;
          return c;
        }()) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Rig& rig() { return rig_; }
  TestMemory& memory() { return rig_.memory; }

  void load(const shader::gpu::Image& image) {
    auto put = [&](u32 at, const std::vector<u32>& words) { rig_.memory.load(at, words); };
    put(image.base, image.start);
    put(image.kernels_address, image.kernels);
    put(image.routines_address, image.routines);
    put(image.table_address, image.table);
  }
  template <class T>
  void put(u32 at, const T* values, std::size_t count) {
    std::memcpy(rig_.memory.at(at, sizeof(T) * count), values, sizeof(T) * count);
  }

  // Launches `count` lanes of a kernel and waits; throws when the core met a fault or a branch nobody guarded.
  void launch(u32 image, u32 entry, u32 argument, u32 count) {
    const u32 threads = rig_.config.gpu.core.threads;
    for (u32 block = 0; block * threads < count; ++block) {
      kernel::LaunchMessage m;
      m.pc = image;
      m.entry = entry;
      m.param = argument;
      m.ctx_id = context_;
      m.compute.grid_dim = {(count + threads - 1) / threads, 1, 1};
      m.compute.block_idx = {block, 0, 0};
      m.compute.block_dim = {threads, 1, 1};
      m.compute.block_size = threads;
      m.compute.warp_step = {0, 0, 0};
      while (!rig_.core.try_put(m, rig_.core.now())) sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
    }
    rig_.run_to_idle();
    ++context_;
    if (rig_.ctx.faults.valid())
      throw std::runtime_error(fmt::format("fault {} at {:#x}, value {:#x}",
                                           static_cast<int>(rig_.ctx.faults.first().cause), rig_.ctx.faults.first().pc,
                                           rig_.ctx.faults.first().value));
    if (rig_.core.engine().divergent_branches != 0) throw std::runtime_error("a divergent branch");
    if (rig_.core.engine().count.ipdom_imbalance != 0) throw std::runtime_error("a warp ended with an open SPLIT");
  }

 private:
  Rig rig_;
  std::uint8_t context_ = 1;
};

}  // namespace gyre::test
