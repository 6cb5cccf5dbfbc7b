// What each command does (cp.md §4, §5, §10).
#include <algorithm>

#include "command_processor.h"
#include "dcr.h"
#include "log.h"

namespace gyre::cp {

using kernel::Cycle;

namespace {

enum Compare { kEqual, kGreaterEqual, kGreater, kNotEqual };

bool holds(std::uint64_t memory, unsigned op, std::uint64_t value) {
  switch (op & 3) {
    case kEqual:
      return memory == value;
    case kGreaterEqual:
      return memory >= value;
    case kGreater:
      return memory > value;
    default:
      return memory != value;
  }
}

// Registers that hold physical addresses of buffers the graphics units use without translation (value = address >> 6).
bool holds_buffer_address(unsigned reg) {
  return reg == GYRE_DCR_TEX_ADDR || reg == GYRE_DCR_RASTER_TBUF_ADDR || reg == GYRE_DCR_RASTER_PBUF_ADDR ||
         reg == GYRE_DCR_OM_CBUF_ADDR || reg == GYRE_DCR_OM_ZBUF_ADDR;
}

}  // namespace

CommandProcessor::Failure CommandProcessor::perform(const Command& command) {
  const auto& arg = command.arg;
  const Cycle begin = clock_.now();
  unsigned code = GYRE_CP_ERR_OK;
  device_.set_root(registers_.satp());
  switch (command.opcode) {
    case GYRE_CMD_MEM_WRITE:
    case GYRE_CMD_MEM_READ:
    case GYRE_CMD_MEM_COPY:
      ctx_.busy.take(dma_node_);
      spent(kernel::Doing::kBusy);
      if (command.opcode == GYRE_CMD_MEM_WRITE)
        code = dma_.host_to_device(arg[0], arg[1], arg[2], command.physical());
      else if (command.opcode == GYRE_CMD_MEM_READ)
        code = dma_.device_to_host(arg[0], arg[1], arg[2], command.physical());
      else
        code = dma_.device_to_device(arg[0], arg[1], arg[2], command.physical());
      ctx_.busy.give(dma_node_, clock_.now());
      ledger_.spend(kernel::Doing::kBusy, begin + dma_.worked());
      spent(kernel::Doing::kMemory);
      return {code, command.opcode};
    case GYRE_CMD_EVENT_SIGNAL:
      return event_signal(command);
    case GYRE_CMD_EVENT_WAIT:
      return event_wait(command);
    case GYRE_CMD_DRAW:
      return draw(arg[0], command.physical());
    default:
      return perform_simple(command);
  }
}

CommandProcessor::Failure CommandProcessor::perform_simple(const Command& command) {
  const auto& arg = command.arg;
  Cycle done = 0;
  Failure failure;
  switch (command.opcode) {
    case GYRE_CMD_NOP:
    case GYRE_CMD_FENCE:  // every command runs to completion: nothing is left to wait for
      break;
    case GYRE_CMD_DCR_WRITE:
      failure = dcr_write(command.opcode, arg[0], static_cast<std::uint32_t>(arg[1]), &done);
      break;
    case GYRE_CMD_DCR_READ: {
      std::uint32_t word = static_cast<std::uint32_t>(arg[1]);
      clock_.advance(1);
      failure = dcr_access(command.opcode, false, arg[0] % GYRE_DCR_COUNT, &word, &done);
      if (!failure) active_queue().last_dcr_rsp = word;
      ++done;  // the answer's way back
      break;
    }
    case GYRE_CMD_CACHE_FLUSH:
      return cache_flush(arg[0]);
    case GYRE_CMD_LAUNCH:
      return start_launch(command.opcode);
    case GYRE_CMD_LAUNCH_QMD:
      return launch_qmd(arg[0], command.physical());
    default:
      return {GYRE_CP_ERR_DRAW_STEP_OP, command.opcode};
  }
  clock_.advance_to(done);
  return failure;
}

CommandProcessor::Failure CommandProcessor::dcr_write(unsigned opcode, std::uint64_t number, std::uint32_t value,
                                                      Cycle* done) {
  const unsigned reg = number % GYRE_DCR_COUNT;
  const std::uint64_t address = std::uint64_t{value} << 6;
  if ((gpu_.cp.vm || gpu_.vm) && holds_buffer_address(reg) &&
      (address < gpu_.cp.pinned_base || address - gpu_.cp.pinned_base >= gpu_.cp.pinned_bytes)) {
    ctx_.lints.about_register(
        kernel::Lint::kPinnedSlab, name(), reg,
        fmt::format("is given address {:#x}, outside the pinned slab from {:#x} to {:#x}; the graphics units do not "
                    "translate: allocate the buffer there, virtual address = physical address",
                    address, gpu_.cp.pinned_base, std::uint64_t{gpu_.cp.pinned_base} + gpu_.cp.pinned_bytes - 1));
    return {GYRE_CP_ERR_ADDR_FAULT, opcode};
  }
  clock_.advance(1);
  ++dcr_writes_;
  return dcr_access(opcode, true, reg, &value, done);
}

CommandProcessor::Failure CommandProcessor::dcr_access(unsigned opcode, bool write, unsigned reg, std::uint32_t* word,
                                                       Cycle* done) {
  dcr_payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  dcr_payload_.set_address(std::uint64_t{reg} * 4);
  dcr_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(word));
  dcr_payload_.set_data_length(4);
  dcr_payload_.set_streaming_width(4);
  dcr_payload_.set_byte_enable_ptr(nullptr);
  dcr_payload_.set_byte_enable_length(0);
  dcr_payload_.set_dmi_allowed(false);
  dcr_payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const kernel::Picoseconds now = kernel::kernel_now();
  sc_core::sc_time delay = sc_core::sc_time::from_value(clock_.now_ps() > now ? clock_.now_ps() - now : 0);
  dcr->b_transport(dcr_payload_, delay);
  *done = clock_.from_ps(kernel::kernel_now() + delay.value());
  return {dcr_payload_.is_response_ok() ? GYRE_CP_ERR_OK : GYRE_CP_ERR_ADDR_FAULT, opcode};
}

CommandProcessor::Failure CommandProcessor::cache_flush(std::uint64_t cores) {
  const unsigned present = gpu_.total_cores();
  if (cores > present) kernel::log_warn(name(), "CACHE_FLUSH of {} cores: the device has {}", cores, present);
  for (std::uint32_t core = 0; core < std::min<std::uint64_t>(cores, present); ++core) {
    std::uint32_t word = core;
    Cycle done = 0;
    clock_.advance(1);
    if (const Failure failure = dcr_access(GYRE_CMD_CACHE_FLUSH, false, GYRE_DCR_CACHE_FLUSH, &word, &done))
      return failure;
    clock_.advance_to(done + 1);
    spent(kernel::Doing::kMemory);  // the caches write back
  }
  return {};
}

// The handshake: start pulse, busy rises with it, done at the cycle the last of the device's work ended.
CommandProcessor::Failure CommandProcessor::start_launch(unsigned opcode) {
  // Work of a launch that was given up by the watchdog may still be draining.
  if (!ctx_.busy.idle() && !wait_drained()) return {GYRE_CP_ERR_WATCHDOG, opcode};
  clock_.advance(1);
  if (!launch->start(clock_.now())) return {GYRE_CP_ERR_LAUNCH_INVALID, opcode};
  ++launches_;
  if (!wait_drained()) return {GYRE_CP_ERR_WATCHDOG, opcode};
  return {};
}

bool CommandProcessor::wait_drained() {
  spent(kernel::Doing::kBusy);
  const kernel::BusyTree& busy = ctx_.busy;
  const Cycle patience = gpu_.cp.watchdog_cycles;
  if (patience == 0) {
    clock_.wait_until(busy.idle_event(), [&] { return busy.idle(); });
  } else {
    clock_.sync();
    std::uint64_t progress = ctx_.progress;
    Cycle deadline = clock_.now() + patience;
    while (!busy.idle()) {
      if (ctx_.progress != progress) {
        progress = ctx_.progress;
        deadline = clock_.now() + patience;
      }
      if (clock_.now() >= deadline) {
        kernel::log_warn(name(), "launch makes no progress; busy: {}", busy.describe());
        spent(kernel::Doing::kOutput);
        return false;
      }
      sc_core::wait(sc_core::sc_time::from_value((deadline - clock_.now()) * clock_.period()), busy.idle_event());
      clock_.catch_up();
    }
  }
  // Units that act when the device goes idle (the merger's check for half-exported fragments) act before the launch
  // counts as done.
  sc_core::wait(sc_core::SC_ZERO_TIME);
  clock_.advance_to(busy.last_stamp());
  spent(kernel::Doing::kOutput);
  return true;
}

// Event words are physical addresses whatever SATP says.
CommandProcessor::Failure CommandProcessor::event_signal(const Command& command) {
  clock_.advance(1);
  const std::uint64_t value = command.arg[1];
  const unsigned code = device_.write(command.arg[0], &value, sizeof value, true);
  if (code != GYRE_CP_ERR_OK) return {code, command.opcode};
  spent(kernel::Doing::kBusy);
  time_.write(device_.place(command.arg[0], true), sizeof value);
  spent(kernel::Doing::kMemory);
  return {};
}

CommandProcessor::Failure CommandProcessor::event_wait(const Command& command) {
  const Place word = device_.place(command.arg[0], true);
  spent(kernel::Doing::kBusy);
  for (;;) {
    ledger_.wait_for_input(clock_.now());  // of somebody who writes the word
    std::uint64_t memory = 0;
    if (const unsigned code = device_.read(command.arg[0], &memory, sizeof memory, true)) return {code, command.opcode};
    time_.read(word, sizeof memory);
    if (holds(memory, static_cast<unsigned>(command.arg[2]), command.arg[1])) {
      spent(kernel::Doing::kMemory);
      return {};
    }
    // Nobody can change the word before this thread yields: what the polls up to the end of the quantum see is known.
    while (!clock_.quantum_spent()) time_.read(word, sizeof memory);
    clock_.sync();
    if (active_queue().reset_pending) {
      abandoned_ = true;
      return {};
    }
  }
}

}  // namespace gyre::cp
