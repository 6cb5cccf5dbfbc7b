// What the points of a sweep have given: a table of their own numbers, for people and for programs (docs/sweeps.md).
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "sweep_plan.h"

namespace gyre::platform {

// What a point's report says. Nothing in it depends on the computer it ran on.
struct PointNumbers {
  std::uint64_t gpu_cycles = 0, warp_instructions = 0, fragments = 0;
  std::string busiest;  // kind of unit that is busy for the largest part of the time
  double busy = 0;      // that part, 0 to 1
  std::vector<std::optional<std::uint64_t>> columns;  // by SweepPlan::columns; nothing: no counter of that name
};

// From the JSON text of `gyre render --report`. A column names a counter in full, or by its end without the numbers of
// instances ("tcache.read_misses"): then it is the sum of all it fits.
PointNumbers read_numbers(const std::string& report, const std::vector<std::string>& columns);

struct PointResult {
  enum class State { kWaiting, kDone, kFailed } state = State::kWaiting;
  PointNumbers numbers;  // of a point that is done
  std::string said;      // of one that has failed: why
};

// Cycles against those of the first point of the same scene; nothing where one of the two is missing.
std::optional<double> relative(const SweepPlan& plan, const std::vector<PointResult>& results, std::size_t point);

// One line a point, in the order of the plan, whatever order they ended in.
std::string results_csv(const SweepPlan& plan, const std::vector<PointResult>& results);
void print_results(std::FILE* out, const SweepPlan& plan, const std::vector<PointResult>& results);

}  // namespace gyre::platform
