// Directed micro-benchmarks: the steady state of a loop, against a closed form.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <string>

#include "../core/cached_rig.h"
#include "../core/requests_rig.h"
#include "table.h"

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

template <class RigT>
std::string run_loop(const Loop& loop, unsigned iterations) {
  RigT rig(loop.rig, loop.tweak);
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
  return std::to_string(rig.ctx.busy.last_stamp());
}

// Cycles until everything has drained.
inline kernel::Cycle cycles(const Loop& loop, unsigned iterations, Timing style) {
  const std::string text = run_forked([&] {
    return style == Timing::kLoose ? run_loop<CachedRig>(loop, iterations) : run_loop<RequestsRig>(loop, iterations);
  });
  return std::strtoull(text.c_str(), nullptr, 10);
}

// Cycles of one iteration, start-up and cold misses of the first ones taken out.
inline double per_iteration(const Loop& loop, Timing style) {
  const kernel::Cycle few = cycles(loop, loop.few, style), many = cycles(loop, loop.many, style);
  return static_cast<double>(many - few) / static_cast<double>(loop.many - loop.few);
}

// One line of the table, both styles; fails beyond 15 % loose, 2 % approximate. `value` makes the quantity out of the
// cycles of an iteration.
inline void expect(const std::string& what, const Loop& loop, double closed_form, const std::function<double(double)>& value) {
  const double loose = value(per_iteration(loop, Timing::kLoose)), approximate = value(per_iteration(loop, Timing::kApproximate));
  expect_styles(what, closed_form, loose, approximate);
}

}  // namespace gyre::test
