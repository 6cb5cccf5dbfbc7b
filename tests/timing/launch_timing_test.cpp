// From the start pulse of a launch until the device has drained (timing.md §4, launch.md §11).
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <string>

#include "../gpu/device_bench.h"
#include "device_map.h"
#include "table.h"

using namespace gyre;
using namespace gyre::test;
using kernel::Cycle;

namespace {

constexpr u32 kImage = GYRE_DEV_IMAGE_BASE, kKernel = kImage + 0x1000;

// The same launch three times: the last one finds its code in the caches.
struct Launches : DeviceBench {
  SC_HAS_PROCESS(Launches);
  Cycle cycles = 0;  // of the last one, from its start pulse to the drain

  Launches(sc_core::sc_module_name name, const MachineConfig& machine, u32 ctas, unsigned prologue)
      : DeviceBench(name, machine), ctas_(ctas), prologue_(prologue) {
    SC_THREAD(run);
  }

 private:
  void load_program() {
    Asm start(kImage), empty(kKernel);
    for (unsigned i = 0; i < prologue_; ++i) start.addi(t0, t0, 1);
    start.entry();
    empty.ret();
    load(kImage, start.finish());
    load(kKernel, empty.finish());
  }
  void run() {
    load_program();
    const u32 threads = ctx.config.gpu.core.threads;
    for (unsigned reg = GYRE_DCR_STARTUP_ADDR0; reg <= GYRE_DCR_CLUSTER_DIM_Z; ++reg) write_dcr(reg, 0);
    write_dcr(GYRE_DCR_STARTUP_ADDR0, kImage);
    write_dcr(GYRE_DCR_KERNEL_ENTRY0, kKernel);
    for (unsigned axis = 0; axis < 3; ++axis) {
      write_dcr(GYRE_DCR_BLOCK_DIM_X + axis, axis == 0 ? threads : 1);
      write_dcr(GYRE_DCR_GRID_DIM_X + axis, axis == 0 ? ctas_ : 1);
      write_dcr(GYRE_DCR_CLUSTER_DIM_X + axis, 1);
    }
    write_dcr(GYRE_DCR_BLOCK_SIZE, threads);
    kernel::LocalClock clock = ctx.gpu_clock();
    for (unsigned launch = 0; launch < 3; ++launch) {
      clock.advance(1000);
      clock.sync();
      const Cycle begin = clock.now();
      GYRE_CHECK(device.kmu.start(begin));
      clock.wait_until(ctx.busy.idle_event(), [this] { return ctx.busy.idle(); });
      cycles = ctx.busy.last_stamp() - begin;
      clock.advance_to(ctx.busy.last_stamp());
    }
    GYRE_CHECK(!ctx.faults.valid());
  }
  u32 ctas_;
  unsigned prologue_;
};

// Start pulse to drain.
double launch(Timing style, u32 ctas, unsigned prologue, const std::function<void(MachineConfig&)>& tweak = {}) {
  const std::string text = run_forked([&] {
    MachineConfig config;
    config.sim.timing = style;
    if (tweak) tweak(config);
    Launches bench("bench", config, ctas, prologue);
    kernel::simulate();
    return std::to_string(bench.cycles);
  });
  return std::strtod(text.c_str(), nullptr);
}

constexpr double kStraight = 6, kBranch = 12, kControl = 14;
// KMU to the first message, three levels of the launch bus, accept, thread numbers of 4 lanes, schedulable.
constexpr double kToSchedulable = 2 + 3 + 1 + 2 + 1;
// CSRR entry, CSRR argument, JALR to the kernel, its RET, WSYNC, TMC: until the warp is gone. The entry is there (4 and 5
// around the execute stage) before JALR comes; WSYNC holds the next fetch like the other warp-control instructions.
constexpr double kWindow = kStraight + kStraight + kBranch + kBranch + kControl + kControl;

}  // namespace

BOOST_AUTO_TEST_SUITE(launch_timing)

BOOST_AUTO_TEST_CASE(an_empty_kernel) {
  for (const unsigned prologue : {0u, 4u, 15u}) {
    const auto measured = [&](Timing style) { return launch(style, 1, prologue); };
    expect_styles("launch to drain, empty kernel, prologue of " + std::to_string(prologue),
                  kToSchedulable + kStraight * prologue + kWindow, measured(Timing::kLoose), measured(Timing::kApproximate));
  }
}

// Many CTAs of a warp each: one after the other through the slots of the core, at the window from the second time on. The
// queue in front of the dispatcher is shorter than what the core runs of them in a quantum.
BOOST_AUTO_TEST_CASE(a_further_cta) {
  constexpr u32 kFew = 16, kMany = 96;
  constexpr std::uint64_t kDefaultQuantum = SimConfig{}.quantum_ps, kCycle = 2500;
  const auto expect_slope = [](unsigned warps, std::uint64_t quantum_ps) {
    const auto measured = [=](Timing style) {
      const auto grid = [&](u32 ctas) {
        return launch(style, ctas, 15, [=](MachineConfig& m) {
          m.gpu.core.warps = warps;
          m.sim.quantum_ps = quantum_ps;
        });
      };
      return (grid(kMany) - grid(kFew)) / (kMany - kFew);
    };
    // A slot: schedulable after accept, thread numbers and a cycle; the window; three cycles until it is free.
    constexpr double kSlot = 1 + 2 + 1 + kWindow + 3;
    const std::string what = "a further CTA, " + std::to_string(warps) + " slots, quantum " + std::to_string(quantum_ps / kCycle);
    expect_styles(what, kSlot / warps, measured(Timing::kLoose), measured(Timing::kApproximate));
  };
  for (const unsigned warps : {1u, 2u, 4u}) expect_slope(warps, kDefaultQuantum);
  for (const unsigned quantum : {1u, 40u, 100u, 4000u}) expect_slope(4, quantum * kCycle);
}

BOOST_AUTO_TEST_SUITE_END()
