// The command format of a ring line and of a DRAW step (cp.md §4, §5.4). Pure; safe on any bytes.
#pragma once

#include <array>
#include <cstdint>

#include "cp.h"

namespace gyre::cp {

struct Command {
  std::uint8_t opcode = GYRE_CMD_NOP;
  std::uint8_t flags = 0;
  unsigned size = 4;  // bytes in the line, profile slot included
  std::array<std::uint64_t, 3> arg{};
  std::uint64_t profile_slot = 0;  // host address, with GYRE_CP_F_PROFILE

  bool physical() const { return (flags & GYRE_CP_F_MEM_PHYSICAL) != 0; }
  bool profiled() const { return (flags & GYRE_CP_F_PROFILE) != 0; }
};

enum class DecodeStatus {
  kCommand,
  kEndOfLine,  // fewer than 4 bytes left, or zero padding
  kBadOpcode,  // command.opcode holds it
  kOverrun,    // the command does not fit into the rest of the line
};

struct Decoded {
  DecodeStatus status = DecodeStatus::kEndOfLine;
  Command command;
};

using Line = std::array<std::uint8_t, GYRE_CP_LINE_BYTES>;

// The command at byte `offset` of a line. Never reads outside the line, whatever `offset` is.
Decoded decode(const Line& line, unsigned offset);

// Bytes of a step that have a meaning; the last eight of its 28 are "don't care".
constexpr unsigned kStepBytes = 20;
using StepBytes = std::array<std::uint8_t, kStepBytes>;

// "MEM_WRITE"; "unknown" for what is none.
const char* command_name(unsigned opcode);

// A DRAW step. Its opcode is not checked here.
Command decode_step(const StepBytes& step);

}  // namespace gyre::cp
