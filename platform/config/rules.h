// Combinations of knobs the hardware forbids (design: configuration; cp.md §2.2; launch.md §6).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config.h"

namespace gyre::config {

struct Conflict {
  std::vector<std::string> knobs;  // paths, the one most likely to be changed first
  std::string what;                // what is wrong and what to do
};

// The first rule the machine breaks.
std::optional<Conflict> find_conflict(const MachineConfig& machine);

}  // namespace gyre::config
