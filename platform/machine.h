// The machine a person runs: host subsystem and GPU, elaborated from a configuration, and the loop that runs it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config.h"
#include "context.h"
#include "gpu.h"
#include "host_system.h"
#include "program_names.h"
#include "report.h"
#include "run_loop.h"

namespace gyre::platform {

// What every machine with a GPU can say of its run so far.
RunReport gpu_report(const kernel::Context& ctx, const RunOutcome& outcome);

// One a process: SystemC elaborates once.
class Machine {
 public:
  explicit Machine(const MachineConfig& config);

  host::HostSystem& host() { return host_; }
  gpu::Gpu& gpu() { return gpu_; }
  kernel::Context& context() { return ctx_; }
  ProgramNames& names() { return names_; }

  // Runs until the firmware exits, nothing can happen any more, or the watchdog finds no progress.
  // `progress` (may be empty) is called a few times a second of wall time. `debugger` (may be null) is served
  // meanwhile; it must not outlive the machine.
  RunOutcome run(const std::function<void(const RunOutcome&)>& progress = {}, debug::Debugger* debugger = nullptr);

  // Called before every millisecond of simulated time, at kernel time: input for the UART.
  std::function<void()> before_slice;

  // Instruction, fragment and frame counts of the run so far.
  RunReport report(const RunOutcome& outcome) const;

 private:
  std::string diagnose(const std::string& why) const;

  const MachineConfig config_;
  ProgramNames names_;
  kernel::Context ctx_{config_};
  host::HostSystem host_;
  gpu::Gpu gpu_;
  std::unique_ptr<sc_core::sc_module> wiring_;
  debug::Debugger* debugger_ = nullptr;
};

}  // namespace gyre::platform
