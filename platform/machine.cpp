#include "machine.h"

#include "debugger.h"
#include "host_map.h"
#include "log.h"

namespace gyre::platform {
namespace {

// Simulated time between two looks at the exit status.
constexpr kernel::Picoseconds kSlice = 1'000'000'000;  // 1 ms

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
  RunOutcome outcome;
  outcome.exited = run_until_over({ctx_, debugger_, progress, kSlice, before_slice, {}, [this] { return host_.exit.exited; },
                                   [this] { return ctx_.progress + *host_.cpu.retired_counter(); },
                                   [this](const std::string& why) { return diagnose(why); }, "the firmware has not exited"},
                                  outcome);
  if (outcome.exited) outcome.exit_code = host_.exit.code;
  tell_end(debugger_, outcome);
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

RunReport gpu_report(const kernel::Context& ctx, const RunOutcome& outcome) {
  RunReport report;
  report.backend = "gpu";
  report.simulated_ps = outcome.simulated_ps;
  report.warp_instructions = ctx.counters.sum("instructions");
  report.thread_instructions = ctx.counters.sum("thread_instructions");
  report.fragments = ctx.counters.sum("fragments");
  report.warnings = kernel::warnings_logged();
  report.lints = &ctx.lints;
  report.utilisation = &ctx.utilisation;
  report.wall_seconds = outcome.wall_seconds;
  report.exit_code = outcome.exit_code;
  return report;
}

}  // namespace gyre::platform
