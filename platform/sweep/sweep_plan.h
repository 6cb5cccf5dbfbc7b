// A sweep file: one scene or several on many machines (docs/sweeps.md).
#pragma once

#include <string>
#include <vector>

namespace gyre::platform {

// One run: a scene on a machine.
struct SweepPoint {
  std::string scene;
  std::vector<std::string> values;  // by SweepPlan::knobs
  std::vector<std::string> sets;    // KEY=VALUE, fixed ones first
};

struct SweepPlan {
  static constexpr std::size_t kMaxPoints = 10000;

  std::string config, size;          // of `gyre render`; empty: its defaults
  std::vector<std::string> knobs;    // that differ from point to point
  std::vector<std::string> columns;  // counters the table shows beside its own
  std::vector<SweepPoint> points;    // scene by scene
};

// Every point's machine has been checked. UserError: file, line, key, what is wrong.
SweepPlan read_sweep(const std::string& path);

}  // namespace gyre::platform
