#include "decode.h"

namespace gyre::cp {
namespace {

// Size in bytes of each opcode without its profile slot.
constexpr unsigned kSize[] = {4, 28, 28, 28, 20, 20, 12, 8, 20, 28, 12, 12, 12};
static_assert(sizeof kSize / sizeof kSize[0] == GYRE_CMD_LAST + 1, "one size an opcode");

std::uint64_t little_endian(const std::uint8_t* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

Decoded decode(const Line& line, unsigned offset) {
  Decoded result;
  if (offset > GYRE_CP_LINE_BYTES || GYRE_CP_LINE_BYTES - offset < 4) return result;
  const std::uint8_t* bytes = line.data() + offset;
  Command& command = result.command;
  command.opcode = bytes[0];
  command.flags = bytes[1];
  if (command.opcode == GYRE_CMD_NOP && command.flags == 0) return result;
  if (command.opcode > GYRE_CMD_LAST) {
    result.status = DecodeStatus::kBadOpcode;
    return result;
  }
  const unsigned size = kSize[command.opcode];
  command.size = size + (command.profiled() ? 8 : 0);
  if (command.size > GYRE_CP_LINE_BYTES - offset) {
    result.status = DecodeStatus::kOverrun;
    return result;
  }
  if (size == 8) command.arg[0] = little_endian(bytes + 4, 4);
  for (unsigned i = 0; i < 3 && 12 + 8 * i <= size; ++i) command.arg[i] = little_endian(bytes + 4 + 8 * i, 8);
  if (command.profiled()) command.profile_slot = little_endian(bytes + size, 8);
  result.status = DecodeStatus::kCommand;
  return result;
}

Command decode_step(const StepBytes& step) {
  Command command;
  command.opcode = step[0];
  command.flags = step[1];
  command.size = GYRE_CP_DRAW_STEP_BYTES;
  command.arg = {little_endian(step.data() + 4, 8), little_endian(step.data() + 12, 8), 0};
  return command;
}

const char* command_name(unsigned opcode) {
  static constexpr const char* kNames[] = {"NOP",          "MEM_WRITE",  "MEM_READ",    "MEM_COPY",   "DCR_WRITE",
                                           "DCR_READ",     "LAUNCH",     "FENCE",       "EVENT_SIGNAL", "EVENT_WAIT",
                                           "CACHE_FLUSH",  "LAUNCH_QMD", "DRAW"};
  static_assert(sizeof kNames / sizeof kNames[0] == GYRE_CMD_LAST + 1);
  return opcode <= GYRE_CMD_LAST ? kNames[opcode] : "unknown";
}

}  // namespace gyre::cp
