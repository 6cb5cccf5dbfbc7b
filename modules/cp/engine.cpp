// The queue engine: lines, decode, retirement, errors (cp.md §3, §5, §8, §9).
#include "command_processor.h"
#include "log.h"

namespace gyre::cp {

using kernel::Cycle;

void CommandProcessor::run() {
  for (;;) {
    clock_.wait_until(wake_, [this] { return can_work(); });
    clock_.advance_to(wake_stamp_);
    ledger_.wait_for_input(clock_.now());
    executing_ = true;
    if (active_queue().line_valid) {
      next_command();
    } else {
      fetch_line();
    }
    executing_ = false;
    spent(kernel::Doing::kBusy);
    if (active_queue().reset_pending) apply_reset();
    if (clock_.quantum_spent()) clock_.sync();
  }
}

void CommandProcessor::fetch_line() {
  Queue& q = active_queue();
  clock_.advance(1);
  // The registers may have changed since the doorbell that checked them.
  unsigned code = q.ring_error();
  if (code == GYRE_CP_ERR_OK) {
    spent(kernel::Doing::kBusy);
    clock_.advance(gpu_.cp.line_latency);
    spent(kernel::Doing::kMemory);
    if (!host_memory.read(q.line_address(), q.line.data(), GYRE_CP_LINE_BYTES)) code = GYRE_CP_ERR_ADDR_FAULT;
  }
  if (code != GYRE_CP_ERR_OK) {
    fail({code, GYRE_CMD_NOP});
    return;
  }
  ++lines_;
  q.line_valid = true;
  q.offset = q.commands_in_line = 0;
}

void CommandProcessor::end_line() {
  active_queue().line_valid = false;
  active_queue().head += GYRE_CP_LINE_BYTES;
}

void CommandProcessor::next_command() {
  Queue& q = active_queue();
  const Decoded decoded = decode(q.line, q.offset);
  const unsigned opcode = decoded.command.opcode;
  switch (decoded.status) {
    case DecodeStatus::kEndOfLine:
      end_line();
      return;
    case DecodeStatus::kBadOpcode:
      if (!gpu_.cp.compat) {
        fail({GYRE_CP_ERR_BAD_OPCODE, opcode});
        return;
      }
      kernel::log_warn(name(), "unknown opcode {:#x}: the rest of the line is dropped", opcode);
      end_line();
      return;
    case DecodeStatus::kOverrun:
      fail({GYRE_CP_ERR_LINE_OVERRUN, opcode});
      return;
    case DecodeStatus::kCommand:
      break;
  }
  clock_.advance(q.commands_in_line >= kDecoderWidth ? 2 : 1);  // decode
  execute(decoded.command);
  if (q.error != 0 || abandoned_) return;
  ++q.commands_in_line;
  q.offset += decoded.command.size;
  // No yield since the retirement: software that sees the last SEQNUM of a line also sees the line finished.
  if (decode(q.line, q.offset).status == DecodeStatus::kEndOfLine) end_line();
}

void CommandProcessor::execute(const Command& command) {
  clock_.advance(1);  // bid for the resource
  abandoned_ = false;
  const Cycle start = clock_.now();
  const std::uint64_t faults = ctx_.faults.count();
  current_ = command;
  in_command_ = true;
  Failure failure = perform(command);
  in_command_ = false;
  if (abandoned_) return;
  name_old_read(command);
  if (!failure && ctx_.faults.count() != faults) failure = {GYRE_CP_ERR_GPU_FAULT, command.opcode};
  const Cycle end = clock_.now();
  show(command, start);
  clock_.advance(1);  // retire
  clock_.sync();
  if (!failure && !write_profile(command, start, end)) failure = {GYRE_CP_ERR_ADDR_FAULT, command.opcode};
  if (!failure && active_queue().cmpl_addr != 0) {
    const std::uint64_t done = active_queue().seqnum + 1;
    if (!host_memory.write(active_queue().cmpl_addr, &done, sizeof done))
      failure = {GYRE_CP_ERR_ADDR_FAULT, command.opcode};
  }
  if (failure) {
    fail(failure);
    return;
  }
  retire();
}

void CommandProcessor::name_old_read(const Command& command) {
  std::uint32_t where = 0;
  if (!device_.take_old(where)) return;
  ctx_.lints.about(kernel::Lint::kStaleLine, name(), command.opcode,
                   fmt::format("command {}", command_name(command.opcode)),
                   fmt::format("reads {:#x} from memory while a cache holds what {} wrote there, not written back; a "
                               "CACHE_FLUSH must come between",
                               where, device_.watch()->writer_of(where)));
}

void CommandProcessor::show(const Command& command, Cycle start) {
  if (ctx_.timeline == nullptr) return;
  std::string details;
  if (command.opcode == GYRE_CMD_DCR_WRITE)
    details = fmt::format(R"("register":"{:#05x}","value":"{:#x}")", command.arg[0], command.arg[1]);
  else if (command.opcode >= GYRE_CMD_MEM_WRITE && command.opcode <= GYRE_CMD_MEM_COPY)
    details = fmt::format(R"("to":"{:#x}","from":"{:#x}","bytes":{})", command.arg[0], command.arg[1], command.arg[2]);
  ctx_.timeline->slice(row_, command_name(command.opcode), start * clock_.period(), clock_.now_ps(), details);
}

std::string CommandProcessor::describe_wait() const {
  if (!in_command_) return "";
  const Queue& q = registers_.queue();
  std::string text = fmt::format("in command {:#04x} ({}) at ring position {:#x}, after {} commands", current_.opcode,
                                 command_name(current_.opcode), q.head + q.offset, q.seqnum);
  if (current_.opcode == GYRE_CMD_EVENT_WAIT)
    text += fmt::format(": waits for the event word at device address {:#x} (value {:#x}, comparison {})",
                        current_.arg[0], current_.arg[1], current_.arg[2] & 3);
  else if (!ctx_.busy.idle())
    text += ": waits until the device is idle";
  return text;
}

bool CommandProcessor::write_profile(const Command& command, Cycle start, Cycle end) {
  if (!command.profiled() || !active_queue().profiling()) return true;
  const std::uint64_t stamps[2] = {start, end};
  return host_memory.write(command.profile_slot, stamps, sizeof stamps);
}

void CommandProcessor::retire() {
  ++active_queue().seqnum;
  ++commands_;
  ++ctx_.progress;
  registers_.raise(RegisterFile::kIrqProgress);
  drive_irq();
}

void CommandProcessor::fail(const Failure& failure) {
  clock_.sync();
  ++errors_;
  registers_.fail(failure.code, failure.opcode);
  kernel::log_warn(name(), "queue stopped: error {} in command {:#x} after {} commands", failure.code, failure.opcode,
                   active_queue().seqnum);
  drive_irq();
}

}  // namespace gyre::cp
