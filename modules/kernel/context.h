// What every GPU unit is given at construction: configuration, busy tree, fault record, lints, counters.
#pragma once

#include "busy.h"
#include "config.h"
#include "counters.h"
#include "device_counters.h"
#include "fault.h"
#include "lint.h"
#include "reservations.h"
#include "timeline.h"
#include "utilisation.h"

namespace gyre::kernel {

struct Context {
  const MachineConfig& config;
  BusyTree busy{};
  FaultRecord faults{};
  CounterRegistry counters{};
  std::uint64_t progress = 0;  // bumped by whoever retires work; the watchdog compares it

  ReservationSet reservations{};
  Timeline* timeline = nullptr;  // null: not recorded
  const DeviceCounters* device_counters = nullptr;  // null: a core on its own
  LintLog lints{config.lint};
  Utilisation utilisation{};
  std::string protocol_violation{};  // sim.check_protocol: the first one, with its cable; ends the run

  bool approximate() const { return config.sim.timing == Timing::kApproximate; }
  // Approximate style: nobody runs ahead of kernel time by more than a cycle.
  LocalClock gpu_clock() const {
    return LocalClock(config.gpu.period_ps(), approximate() ? config.gpu.period_ps() : config.sim.quantum_ps);
  }
};

}  // namespace gyre::kernel
