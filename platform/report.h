// What a run says at its end: a short table for people, JSON for programs. Same facts in both.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "config.h"
#include "counters.h"
#include "lint.h"
#include "sim_time.h"
#include "utilisation.h"

namespace gyre::platform {

struct RunReport {
  std::string scene;    // empty: a firmware run
  std::string backend;  // "gpu" or "reference"; of scenes with shaders "soft" or "interp"
  std::uint64_t frames = 0;
  kernel::Picoseconds simulated_ps = 0;
  std::uint64_t host_instructions = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t fragments = 0;  // fragments the output merger received, or the CPU shaded
  std::uint64_t warnings = 0;
  const kernel::LintLog* lints = nullptr;  // what they have found; null: no machine ran
  const kernel::Utilisation* utilisation = nullptr;  // of its units; null: no machine ran
  double wall_seconds = 0;      // the only lines that differ between two runs of the same inputs
  int exit_code = 0;
};

// JSON text; counters in registration order. Everything that depends on the machine it ran on stands under "wall".
std::string report_json(const RunReport& report, const MachineConfig& config,
                        const kernel::CounterRegistry* counters);
void print_table(std::FILE* out, const RunReport& report, const MachineConfig& config,
                 const kernel::CounterRegistry* counters);

}  // namespace gyre::platform
