// A host system for one test case; use inside run_forked.
#pragma once

#include <string>

#include "asm.h"
#include "fork_case.h"
#include "host_system.h"
#include "simulate.h"

namespace gyre::test {

struct Machine {
  explicit Machine(std::uint64_t quantum_ps = 1'000'000, std::uint64_t ram_bytes = 16 << 20) {
    config.sim.quantum_ps = quantum_ps;
    config.host.ram_bytes = ram_bytes;
  }

  host::HostSystem& build() {
    system = std::make_unique<host::HostSystem>("host", config, [this](std::string_view s) { text += s; });
    return *system;
  }
  // Loads `code` at the start of RAM and runs until the firmware ends the run or `limit_us` of simulated time is over.
  void run(Asm& code, double limit_us = 100'000) {
    if (!system) build();
    system->load_bios("test program", code.bytes());
    kernel::simulate(static_cast<kernel::Picoseconds>(1e6 * limit_us));
  }

  MachineConfig config;
  std::string text;
  std::unique_ptr<host::HostSystem> system;
};

// Ends the run through the finisher with the exit code in `code_register` (0 = pass). Clobbers t5, t6.
inline void finish(Asm& a, unsigned code_register) {
  a.li(t6, 0x100000);
  a.word(enc::i(0x13, 1, t5, code_register, 16));
  a.li(t4, 0x3333);
  a.bne(code_register, zero, "finish_" + std::to_string(a.here()));
  const std::string fail = "finish_" + std::to_string(a.here() - 4);
  a.li(t4, 0x5555);
  a.label(fail);
  a.op(6, 0, t5, t5, t4);
  a.sw(t5, t6);
  const std::string spin = "spin_" + std::to_string(a.here());
  a.label(spin);
  a.j(spin);
}

}  // namespace gyre::test
