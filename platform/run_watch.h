// When a run ends although its program has not: nothing progresses, the time limit is reached, or the user says stop.
#pragma once

#include <cstdint>
#include <string>

#include "config.h"
#include "sim_time.h"

namespace gyre::platform {

// One a run, for the whole machine and the bare device. The first interrupt from the keyboard (SIGINT, SIGTERM) ends
// the run in order, at the end of the current slice; the second one ends the program at once.
class RunWatch {
 public:
  explicit RunWatch(const MachineConfig& config);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // The user has asked for the end of the run.
  static bool interrupted();

  // How long to simulate before the next look; `wanted`, or less when the limit is nearer.
  kernel::Picoseconds slice(kernel::Picoseconds now, kernel::Picoseconds wanted) const;

  // The reason to stop now; empty: go on. `progress`: work retired so far, of any kind and any unit.
  std::string look(kernel::Picoseconds now, std::uint64_t progress);

 private:
  const std::uint64_t watchdog_cycles_;
  const kernel::Picoseconds watchdog_, limit_;  // 0: none
  std::uint64_t seen_ = 0;
  kernel::Picoseconds seen_at_ = 0;
};

}  // namespace gyre::platform
