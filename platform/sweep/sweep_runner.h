// The runs of a sweep, several at once: each is a process of its own (SystemC elaborates one machine a process).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep_results.h"

namespace gyre::platform {

class SweepRunner {
 public:
  // Files of a point go into `folder` as NUMBER.png, NUMBER.json (its report) and, if it says something, NUMBER.log.
  SweepRunner(const SweepPlan& plan, std::string folder);

  // Runs all points, at most `jobs` (1 or more) at once; an interrupt from the keyboard lets those that run end in order
  // and starts no more. `changed` after each start and end.
  void run(unsigned jobs, const std::function<void()>& changed);

  const std::vector<PointResult>& results() const { return results_; }
  std::size_t ended() const { return ended_; }
  // Points whose picture is not that of the first point of their scene: a fault of the model.
  std::vector<std::size_t> other_pictures() const;

  std::string file(std::size_t point, const char* ending) const;

 private:
  struct Running {
    int process;
    std::size_t point;
  };
  void start(std::size_t point);
  void finish(std::size_t point, int status);

  const SweepPlan& plan_;
  std::string folder_;
  std::vector<PointResult> results_;
  std::vector<Running> running_;
  std::size_t ended_ = 0;
};

}  // namespace gyre::platform
