// The host CPU: the hart in time, on the bus, with its interrupt lines (host.md, design §4).
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <functional>

#include "clint.h"
#include "config.h"
#include "hart_debug.h"
#include "host_exit.h"
#include "plic.h"
#include "sim_time.h"

namespace gyre::host {

// One SC_THREAD in the host clock domain; an instruction is a cycle. Runs ahead of kernel time by at most the
// quantum (passed by less than a block of instructions), and syncs before every device access, at WFI, at a
// semihosting call and at the end of a quantum. The thread ends when `exit` is set; then kernel time has reached
// the end, exit.event is notified and, if `stops_simulation`, sc_stop called.
class HostCpu : public sc_core::sc_module, private HartBus {
 public:
  // Receives semihosting calls, at kernel time.
  class SemihostHandler {
   public:
    virtual ~SemihostHandler() = default;
    virtual void on_semihost(Hart& hart) = 0;
  };

  HostCpu(sc_core::sc_module_name name, const HostConfig& config, std::uint64_t quantum_ps, Clint& clint, Plic& plic,
          HostExit& exit, SemihostHandler& semihost);

  ~HostCpu() override;

  tlm_utils::simple_initiator_socket<HostCpu, kernel::kHostBusBits> socket{"socket"};

  Hart& hart() { return hart_; }
  const Hart& hart() const { return hart_; }
  bool stops_simulation = true;

  // For debuggers. `on_halt` is called with the hart between two instructions: when it has come to a point
  // of `debug`, has done a step, or a halt was requested. Simulated time stands still until it returns; its answer
  // says how to go on. The first instruction after it is executed whatever points are at it, and before any interrupt.
  enum class Halt { kRequest, kBreakpoint, kWatchpoint, kStep };
  enum class Resume { kRun, kStep };
  std::function<Resume(Halt)> on_halt;
  // Halts before the next instruction; also ends the wait of a WFI, which is then executed again. From the simulation's
  // thread, at any time; before the first instruction too.
  void request_halt();
  HartDebug& debug() { return debug_; }

  // What the CPU is doing, for a hang report: "waits for an interrupt at pc …" or "runs at pc …".
  std::string describe() const;
  // Reported counters.
  const std::uint64_t* retired_counter() const { return &retired_; }
  const std::uint64_t* cycle_counter() const { return &cycles_; }

 private:
  SC_HAS_PROCESS(HostCpu);

  bool direct(std::uint64_t address, bool write, Window& window) override;
  bool read(std::uint64_t address, unsigned bytes, std::uint64_t& value) override;
  bool write(std::uint64_t address, unsigned bytes, std::uint64_t value) override;
  bool debug(std::uint64_t address, void* data, std::uint64_t bytes, bool write) override;
  std::uint64_t time() override;
  void semihost(Hart& hart) override;

  void run();
  void halt(Halt reason);
  Stop resume();
  void wait_for_interrupt();
  void update_lines();
  kernel::Cycle run_limit() const;
  void sync_to_hart();
  bool transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes);
  void invalidate(sc_dt::uint64 begin, sc_dt::uint64 end);

  Clint& clint_;
  Plic& plic_;
  HostExit& exit_;
  SemihostHandler& semihost_;
  kernel::LocalClock clock_;
  Hart hart_;
  HartDebug debug_{hart_};
  std::array<Window, 4> windows_{};
  unsigned next_window_ = 0;
  tlm::tlm_generic_payload payload_;
  kernel::MemAttributes attributes_;
  sc_core::sc_event halt_event_{"halt"};
  sc_core::sc_event_or_list wake_;
  bool waiting_ = false;
  bool halt_requested_ = false, resuming_ = false, stepping_ = false;
  std::uint64_t retired_ = 0, cycles_ = 0;
};

}  // namespace gyre::host
