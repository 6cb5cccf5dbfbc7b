#include "machine.h"

#include <chrono>

#include "debugger.h"
#include "host_map.h"
#include "log.h"
#include "run_watch.h"
#include "simulate.h"

namespace gyre::platform {
namespace {

// Simulated time between two looks at the watchdog, the exit status and the terminal.
constexpr kernel::Picoseconds kSlice = 1'000'000'000;  // 1 ms

// With a timeline: between two points of its curves.
constexpr kernel::Picoseconds kCurveSlice = 10'000'000;  // 10 us

// With a debugger listening: how long a client may have to wait, in simulated time.
constexpr kernel::Picoseconds kDebugSlice = 10'000'000;  // 10 us

// What firmware prints is the run's own output.
void print_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The cables between host and GPU. Bus sockets are made on demand and need a module under construction as parent.
struct Wiring : sc_core::sc_module {
  SC_HAS_PROCESS(Wiring);
  Wiring(sc_core::sc_module_name name, host::HostSystem& host, gpu::Gpu& gpu, debug::Debugger*& user)
      : sc_module(name), debugger(user) {
    SC_METHOD(before_first);
    host.map_external(gpu.cp.registers, GYRE_HOST_CP_BASE, GYRE_HOST_CP_BYTES, "cp");
    gpu.cp.host_memory.socket.bind(host.bus.external_master);
    gpu.cp.irq.bind(host.plic);
  }
  // Methods run before the first thread does: everything is bound, and nothing has happened.
  void before_first() {
    if (debugger != nullptr) debugger->begin();
  }
  debug::Debugger*& debugger;
};

}  // namespace

Machine::Machine(const MachineConfig& config) : config_(config), host_("host", config_, print_text), gpu_("gpu", ctx_) {
  ctx_.counters.add("host.cpu.retired", host_.cpu.retired_counter());
  ctx_.counters.add("host.cpu.cycles", host_.cpu.cycle_counter());
  names_.serve(ctx_);
  wiring_ = std::make_unique<Wiring>("wiring", host_, gpu_, debugger_);
}

RunOutcome Machine::run(const std::function<void(const RunOutcome&)>& progress, debug::Debugger* debugger) {
  debugger_ = debugger != nullptr && !debugger->empty() ? debugger : nullptr;
  const RunOutcome outcome = run_slices(progress);
  if (debugger_ == nullptr) return outcome;
  if (!outcome.exited && !debugger_->killed()) debugger_->stuck(outcome.diagnosis);
  debugger_->end(outcome.exit_code);
  return outcome;
}

RunOutcome Machine::run_slices(const std::function<void(const RunOutcome&)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto last_progress = begin;
  RunOutcome outcome;
  auto measure = [&] {
    outcome.simulated_ps = kernel::kernel_now();
    outcome.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  };

  RunWatch watch(config_);
  kernel::Picoseconds slice = kSlice;
  if (debugger_ != nullptr) slice = std::min(slice, kDebugSlice);
  if (ctx_.timeline != nullptr) slice = std::min(slice, kCurveSlice);
  while (!host_.exit.exited) {
    if (before_slice && kernel::kernel_now() % kSlice == 0) before_slice();
    kernel::simulate(watch.slice(kernel::kernel_now(), slice));
    measure();
    if (ctx_.timeline != nullptr) ctx_.timeline->sample(ctx_.counters, outcome.simulated_ps);
    if (debugger_ != nullptr && !debugger_->poll()) {
      outcome.diagnosis = "ended by the debugger";
      return outcome;
    }
    if (host_.exit.exited) break;
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) {
      outcome.diagnosis = diagnose(stop_reason(ctx_));
      return outcome;
    }
    std::string reason = watch.look(outcome.simulated_ps, ctx_.progress + *host_.cpu.retired_counter());
    if (!sc_core::sc_pending_activity()) reason = "nothing can happen any more, and the firmware has not exited";
    if (!reason.empty()) {
      outcome.diagnosis = diagnose(reason);
      return outcome;
    }
    if (progress && std::chrono::duration<double>(Clock::now() - last_progress).count() > 0.25) {
      last_progress = Clock::now();
      progress(outcome);
    }
  }
  measure();
  if (ctx_.lints.failed()) {  // in the very last moment
    outcome.diagnosis = diagnose(stop_reason(ctx_));
    return outcome;
  }
  outcome.exited = true;
  outcome.exit_code = host_.exit.code;
  return outcome;
}

std::string Machine::diagnose(const std::string& why) const {
  return fmt::format("{} at {:.6f} ms; who waits for what:\n  host: {}\n{}", why,
                     static_cast<double>(kernel::kernel_now()) * 1e-9, host_.cpu.describe(), gpu_.describe_wait());
}

RunReport Machine::report(const RunOutcome& outcome) const {
  RunReport report = gpu_report(ctx_, outcome);
  report.frames = host_.display.frames();
  report.host_instructions = *host_.cpu.retired_counter();
  return report;
}

std::string stop_reason(const kernel::Context& ctx) {
  if (ctx.lints.failed()) return ctx.lints.failure();
  return "gpu.core.strict: stopped at a warp fault: " + ctx.faults.describe_first();
}

RunReport gpu_report(const kernel::Context& ctx, const RunOutcome& outcome) {
  RunReport report;
  report.backend = "gpu";
  report.simulated_ps = outcome.simulated_ps;
  report.warp_instructions = ctx.counters.sum("instructions");
  report.thread_instructions = ctx.counters.sum("thread_instructions");
  report.fragments = ctx.counters.sum("fragments");
  report.warnings = kernel::warnings_logged();
  report.lints = &ctx.lints;
  report.wall_seconds = outcome.wall_seconds;
  report.exit_code = outcome.exit_code;
  return report;
}

}  // namespace gyre::platform
