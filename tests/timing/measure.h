// Directed micro-benchmarks: the steady state of a loop, against a closed form.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "../core/cached_rig.h"

namespace gyre::test {

struct Loop {
  RigConfig rig;
  std::function<void(MachineConfig&)> tweak;
  unsigned warps = 1;
  std::function<void(Rig&)> data;      // fills memory
  std::function<void(Asm&)> setup;     // before the loop
  std::function<void(Asm&)> body;      // one iteration; s0 counts, s0 and ra are taken
  unsigned few = 20, many = 220;       // iterations
};

// Cycles until everything has drained.
inline kernel::Cycle cycles(const Loop& loop, unsigned iterations) {
  const std::string text = run_forked([&] {
    CachedRig rig(loop.rig, loop.tweak);
    Asm k(kKernel);
    if (loop.setup) loop.setup(k);
    k.li(s0, iterations);
    const int top = k.bound();
    loop.body(k);
    k.addi(s0, s0, -1);
    k.bnez(s0, top);
    k.ret();
    rig.program(k);
    if (loop.data) loop.data(rig);
    rig.grid(loop.warps, loop.rig.threads);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    if (std::getenv("GYRE_TIMING_COUNTERS") != nullptr) {
      const auto c = rig.caches.dcache(0)->counters();
      std::printf("  reads %llu misses %llu bank stalls %llu, loads %llu, coalescer %llu pending %llu, cycles %llu\n",
                  static_cast<unsigned long long>(c.reads), static_cast<unsigned long long>(c.read_misses),
                  static_cast<unsigned long long>(c.bank_stalls), static_cast<unsigned long long>(rig.core.engine().loads),
                  static_cast<unsigned long long>(rig.core.engine().lsu.counters().coalescer_misses),
                  static_cast<unsigned long long>(rig.core.engine().lsu.counters().pending_stalls),
                  static_cast<unsigned long long>(rig.ctx.busy.last_stamp()));
    }
    return std::to_string(rig.ctx.busy.last_stamp());
  });
  return std::strtoull(text.c_str(), nullptr, 10);
}

// Cycles of one iteration, start-up and cold misses of the first ones taken out.
inline double per_iteration(const Loop& loop) {
  const kernel::Cycle few = cycles(loop, loop.few), many = cycles(loop, loop.many);
  return static_cast<double>(many - few) / static_cast<double>(loop.many - loop.few);
}

// One line of the table; fails beyond `percent`.
inline void expect(const std::string& what, double measured, double closed_form, double percent = 15) {
  const double error = 100 * (measured - closed_form) / closed_form;
  std::printf("%-58s %10.2f %10.2f %+7.1f %%\n", what.c_str(), measured, closed_form, error);
  std::fflush(stdout);
  BOOST_TEST(std::abs(error) <= percent, what << ": " << measured << ", closed form " << closed_form);
}

}  // namespace gyre::test
