// Fragment launch: packed waves become messages to their owner core (Rasterizer §9, launch.md §5.3).
#pragma once

#include <cstdint>

#include "activity.h"
#include "context.h"
#include "launch.h"
#include "packer.h"
#include "registers.h"
#include "sim_time.h"

namespace gyre::raster {

using kernel::Cycle;

struct LaunchCounters {
  std::uint64_t waves = 0;
  std::uint64_t lanes_filled = 0;  // four a quad, helper lanes included
  std::uint64_t stalls = 0;        // cycles a message waited for the launch bus
};

class Launcher {
 public:
  // `cluster`: index of the engine's cluster; only its cores are addressed.
  Launcher(kernel::Context& ctx, unsigned cluster, kernel::LocalClock& clock)
      : ctx_(ctx), cluster_(cluster), clock_(clock) {}

  void start(const DrawState& draw, std::uint8_t ctx_id);

  // Offers the wave completed at `at`; returns when the launch bus has taken it, at the clock's time. Waits (the
  // calling thread) under back-pressure.
  void launch(const Wave& wave, Cycle at, kernel::LaunchSink& sink);

  const LaunchCounters& counters() const { return counters_; }
  // Blocked on output: the launch bus refuses.
  const kernel::Activity& activity() const { return ledger_.activity(); }

 private:
  kernel::Context& ctx_;
  unsigned cluster_;
  kernel::LocalClock& clock_;
  kernel::LaunchMessage message_;  // reused
  LaunchCounters counters_;
  kernel::Ledger ledger_;
};

}  // namespace gyre::raster
