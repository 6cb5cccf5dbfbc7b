// The bare device: a kernel image on the GPU without host and driver (isa.md §11, §12).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config.h"
#include "context.h"
#include "gpu.h"
#include "grid_walk.h"
#include "machine.h"
#include "report.h"

namespace gyre::platform {

// What to run, and how it starts.
struct DeviceProgram {
  std::string image;         // RV32 ELF, loaded where it is linked
  bool legacy = false;       // warp 0, lane 0 of every core at the ELF entry; otherwise a launch through the KMU
  std::string kernel;        // KMU: kernel function; empty: `main`, or the only kernel of the image
  kmu::Dim3 grid{1, 1, 1};   // KMU: CTAs
  kmu::Dim3 block{0, 1, 1};  // KMU: threads of a CTA; x = 0: one warp
  std::uint32_t lmem = 0;    // KMU: local memory of a CTA, bytes
  std::vector<std::uint32_t> arguments;  // KMU: words at GYRE_DEV_USER_BASE, which the kernel's argument points to
};

// One a process: SystemC elaborates once. The console of isa.md §11 is read every 10 µs of simulated time, so the
// quantum is at most that.
class BareDevice {
 public:
  explicit BareDevice(const MachineConfig& config);
  ~BareDevice();

  // Loads and starts the program and runs until the device is idle. The exit code is the word at GYRE_DEV_EXIT_CODE
  // (255 if it is larger). Throws UserError for an image or a launch the device cannot take. A warp fault, a hang or
  // the watchdog ends the run without an exit code; `diagnosis` says what happened.
  // `debugger` (may be null) is served meanwhile; it must not outlive the device.
  RunOutcome run(const DeviceProgram& program, const std::function<void(const RunOutcome&)>& progress = {},
                 debug::Debugger* debugger = nullptr);

  RunReport report(const RunOutcome& outcome) const;
  kernel::Context& context() { return ctx_; }
  ProgramNames& names() { return names_; }
  gpu::Gpu& gpu() { return gpu_; }
  const MachineConfig& config() const { return config_; }

 private:
  struct Bench;
  void launch(const DeviceProgram& program, std::uint32_t start, std::uint32_t kernel);
  // Loads the program and starts it. True: it runs, false: the debugger ended the run before it began.
  bool start(const DeviceProgram& program, debug::Debugger* debugger);
  void finish(RunOutcome& outcome);
  void drain_console();
  std::string diagnose(const std::string& why) const;

  const MachineConfig config_;
  ProgramNames names_;
  kernel::Context ctx_{config_};
  gpu::Gpu gpu_;
  std::unique_ptr<Bench> bench_;
};

}  // namespace gyre::platform
