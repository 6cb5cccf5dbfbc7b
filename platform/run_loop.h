// Lets a machine run until it is done, with everything that watches it: debugger, lints, watchdog, limits, timeline.
#pragma once

#include <functional>
#include <string>

#include "context.h"

namespace gyre::debug {
class Debugger;
}

namespace gyre::platform {

struct RunOutcome {
  bool exited = false;      // the program ended the run; otherwise `diagnosis` says why it stopped
  int exit_code = 1;
  std::string diagnosis;    // hang or fault report, several lines
  kernel::Picoseconds simulated_ps = 0;
  double wall_seconds = 0;
};

// What the loop has to know of the machine. Functions may not be empty unless it is said.
struct RunSubject {
  kernel::Context& context;
  debug::Debugger* debugger = nullptr;                           // null: none
  std::function<void(const RunOutcome&)> show;                   // a few times a second of wall time; may be empty
  kernel::Picoseconds slice;                                     // between two looks at `over`, at most
  std::function<void()> before, after;                           // each slice; may be empty
  std::function<bool()> over;                                    // the program has ended
  std::function<std::uint64_t()> progress;                       // work retired so far
  std::function<std::string(const std::string& why)> diagnose;   // the reason, and who waits for what
  const char* not_over;                                          // "the firmware has not exited"
};

// Fills in the times of `outcome`. False: the run stopped before it was over; outcome.diagnosis is set.
bool run_until_over(const RunSubject& subject, RunOutcome& outcome);
// Tells the debugger's clients, if there are any, how the run ended.
void tell_end(debug::Debugger* debugger, const RunOutcome& outcome);

}  // namespace gyre::platform
