#include "run_loop.h"

#include <algorithm>
#include <chrono>

#include "debugger.h"
#include "run_watch.h"
#include "simulate.h"

namespace gyre::platform {
namespace {

// In simulated time: how long a client of the debugger may have to wait, and between two points of the timeline's curves.
constexpr kernel::Picoseconds kDebugSlice = 10'000'000, kCurveSlice = 10'000'000;
constexpr double kShowSeconds = 0.25;

// A unit has stopped the simulation. (So does a program that ends.)
bool stop_wanted(const kernel::Context& context) {
  return context.lints.failed() || (sc_core::sc_get_status() == sc_core::SC_STOPPED && context.config.gpu.core.strict &&
                                    context.faults.valid());
}

std::string stop_reason(const kernel::Context& context) {
  if (context.lints.failed()) return context.lints.failure();
  return "gpu.core.strict: stopped at a warp fault: " + context.faults.describe_first();
}

}  // namespace

bool run_until_over(const RunSubject& subject, RunOutcome& outcome) {
  using Clock = std::chrono::steady_clock;
  kernel::Context& context = subject.context;
  const auto begin = Clock::now();
  double shown = 0;
  auto measure = [&] {
    outcome.simulated_ps = kernel::kernel_now();
    outcome.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  };
  auto stopped = [&](std::string why) {
    outcome.diagnosis = std::move(why);
    return false;
  };

  RunWatch watch(context.config);
  kernel::Picoseconds slice = subject.slice;
  if (subject.debugger != nullptr) slice = std::min(slice, kDebugSlice);
  if (context.timeline != nullptr) slice = std::min(slice, kCurveSlice);
  while (!subject.over()) {
    // Input comes at the same simulated times, whoever watches.
    if (subject.before && kernel::kernel_now() % subject.slice == 0) subject.before();
    try {
      kernel::simulate(watch.slice(kernel::kernel_now(), slice));
    } catch (const sc_core::sc_report&) {
      if (context.protocol_violation.empty()) throw;
      measure();
      return stopped(subject.diagnose(context.protocol_violation));
    }
    if (subject.after) subject.after();
    measure();
    if (context.timeline != nullptr) context.timeline->sample(context.counters, outcome.simulated_ps);
    if (subject.debugger != nullptr && !subject.debugger->poll()) return stopped("ended by the debugger");
    if (stop_wanted(context)) return stopped(subject.diagnose(stop_reason(context)));
    if (subject.over()) break;
    std::string reason = watch.look(outcome.simulated_ps, subject.progress());
    if (!sc_core::sc_pending_activity()) reason = std::string("nothing can happen any more, and ") + subject.not_over;
    if (!reason.empty()) return stopped(subject.diagnose(reason));
    if (subject.show && outcome.wall_seconds - shown > kShowSeconds) {
      shown = outcome.wall_seconds;
      subject.show(outcome);
    }
  }
  measure();
  return true;
}

void tell_end(debug::Debugger* debugger, const RunOutcome& outcome) {
  if (debugger == nullptr) return;
  if (!outcome.exited && !debugger->killed()) debugger->stuck(outcome.diagnosis);
  debugger->end(outcome.exit_code);
}

}  // namespace gyre::platform
