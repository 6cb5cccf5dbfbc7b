// The command processor: fetches commands from a ring in host memory and drives the GPU (cp.md).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "context.h"
#include "decode.h"
#include "device_space.h"
#include "device_time.h"
#include "dma.h"
#include "irq.h"
#include "launch.h"
#include "mem_attributes.h"
#include "memory_port.h"
#include "registers.h"
#include "sim_time.h"

namespace gyre::cp {

// One queue, commands strictly in order, one at a time. Retirement (completion word, SEQNUM, interrupt) and errors
// become visible at kernel time, so what software sees does not depend on the quantum.
// Chosen beyond cp.md: a queue reset abandons an EVENT_WAIT, which could otherwise never be recovered; a fault raised
// during any command, not only a launch, fails that command.
// Not modelled: several queues, priorities, Sv39, the head mirror (as in the original).
class CommandProcessor : public sc_core::sc_module {
 public:
  // Host side. Aligned 32-bit accesses of GYRE_CP_REG_BYTES; anything else is a TLM address error.
  tlm_utils::simple_target_socket<CommandProcessor, kernel::kHostBusBits> registers{"registers"};
  kernel::MemoryPort host_memory;  // ring lines, completion words, profile slots, host side of copies
  sc_core::sc_port<kernel::IrqSink, 1, sc_core::SC_ZERO_OR_MORE_BOUND> irq{"irq"};  // source GYRE_IRQ_CP

  // Device side.
  kernel::MemoryPort device_memory;                                                      // below all caches
  tlm_utils::simple_initiator_socket<CommandProcessor, kernel::kDcrBusBits> dcr{"dcr"};  // to dcr::DcrBus
  sc_core::sc_port<kernel::LaunchControl> launch{"launch"};                              // to the KMU

  SC_HAS_PROCESS(CommandProcessor);
  // Throws UserError for a machine the capability words cannot describe.
  CommandProcessor(sc_core::sc_module_name name, kernel::Context& ctx);

  const Queue& queue() const { return registers_.queue(); }
  // For a hang report: the command that is not over yet; empty when there is none.
  std::string describe_wait() const;
  // The time of device memory, before anything runs: loose from `dram`, approximate through requests of `client`, which is
  // bound to the memory below all caches.
  void set_dram(memory::Dram& dram) { time_.set_dram(&dram); }
  void set_client(kernel::AtClient& client) { time_.set_client(&client); }
  // Stale-line lint; null: off.
  void set_watch(memory::LineWatch* watch) { device_.set_watch(watch); }

 private:
  struct Failure {
    unsigned code = GYRE_CP_ERR_OK;
    unsigned opcode = 0;
    explicit operator bool() const { return code != GYRE_CP_ERR_OK; }
  };

  // command_processor.cpp: the register socket
  void transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& request);
  bool access(bool write, std::uint64_t offset, std::uint32_t* word, sc_core::sc_time delay);
  LiveState live(sc_core::sc_time delay) const;
  void apply_reset();
  void drive_irq();
  void spent(kernel::Doing what) { ledger_.spend(what, clock_.now()); }
  Queue& active_queue() { return registers_.queue(); }

  // engine.cpp: lines and commands
  void run();
  bool can_work() const { return registers_.queue_runs() && registers_.queue().has_work(); }
  void fetch_line();
  void next_command();
  void end_line();
  void execute(const Command& command);
  bool write_profile(const Command& command, kernel::Cycle start, kernel::Cycle end);
  void show(const Command& command, kernel::Cycle start);  // on the timeline
  void name_old_read(const Command& command);              // lint stale-line
  void retire();
  void fail(const Failure& failure);

  // operations.cpp: what each command does
  Failure perform(const Command& command);
  Failure perform_simple(const Command& command);  // what a DRAW step may be, DRAW itself apart
  Failure dcr_write(unsigned opcode, std::uint64_t reg, std::uint32_t value, kernel::Cycle* done);
  Failure dcr_access(unsigned opcode, bool write, unsigned reg, std::uint32_t* word, kernel::Cycle* done);
  Failure cache_flush(std::uint64_t cores);
  Failure start_launch(unsigned opcode);
  bool wait_drained();
  Failure event_signal(const Command& command);
  Failure event_wait(const Command& command);

  // draw.cpp: descriptors in device memory
  Failure launch_qmd(std::uint64_t address, bool physical);
  Failure draw(std::uint64_t address, bool physical);

  static constexpr unsigned kDecoderWidth = 5;  // commands of one line without an extra cycle

  kernel::Context& ctx_;
  const GpuConfig& gpu_;
  kernel::LocalClock clock_;
  kernel::BusyTree::Node dma_node_;
  kernel::Ledger ledger_;
  RegisterFile registers_;
  DeviceSpace device_;
  DeviceTime time_;
  Dma dma_;
  kernel::Timeline::Row row_;

  Command current_;            // the last command that began
  bool in_command_ = false;    // and it is not over yet
  bool executing_ = false;     // between the start of a line fetch or command and its end
  bool reset_faults_ = false;  // the pending reset is CP_CTRL's: it clears the fault record too
  bool abandoned_ = false;     // the current command ended by a reset
  bool irq_driven_ = false;    // last level given to the sink
  kernel::Cycle wake_stamp_ = 0;
  sc_core::sc_event wake_{"wake"};
  tlm::tlm_generic_payload dcr_payload_;
  std::uint64_t commands_ = 0, lines_ = 0, launches_ = 0, dcr_writes_ = 0, draw_steps_ = 0, errors_ = 0;
};

}  // namespace gyre::cp
