// Instruction decoder shared by the host hart and the SIMT core. Pure: word in, fields out.
#pragma once

#include <cstdint>

#include "op.h"

namespace gyre::riscv {

// Fields of a 32-bit instruction word.
constexpr unsigned opcode_of(std::uint32_t w) { return w & 0x7F; }
constexpr unsigned rd_of(std::uint32_t w) { return (w >> 7) & 31; }
constexpr unsigned funct3_of(std::uint32_t w) { return (w >> 12) & 7; }
constexpr unsigned rs1_of(std::uint32_t w) { return (w >> 15) & 31; }
constexpr unsigned rs2_of(std::uint32_t w) { return (w >> 20) & 31; }
constexpr unsigned rs3_of(std::uint32_t w) { return w >> 27; }
constexpr unsigned funct2_of(std::uint32_t w) { return (w >> 25) & 3; }
constexpr unsigned funct7_of(std::uint32_t w) { return w >> 25; }
constexpr std::int32_t imm_i(std::uint32_t w) { return static_cast<std::int32_t>(w) >> 20; }
constexpr std::int32_t imm_s(std::uint32_t w) {
  return ((static_cast<std::int32_t>(w) >> 25) * 32) | static_cast<std::int32_t>(rd_of(w));
}
constexpr std::int32_t imm_b(std::uint32_t w) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(static_cast<std::int32_t>(w) >> 31) << 12) |
                                   ((w << 4) & 0x800) | ((w >> 20) & 0x7E0) | ((w >> 7) & 0x1E));
}
constexpr std::int32_t imm_u(std::uint32_t w) { return static_cast<std::int32_t>(w & 0xFFFFF000u); }
constexpr std::int32_t imm_j(std::uint32_t w) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(static_cast<std::int32_t>(w) >> 31) << 20) |
                                   (w & 0xFF000) | ((w >> 9) & 0x800) | ((w >> 20) & 0x7FE));
}

// What the hart implements; an instruction outside of it decodes as kIllegal.
struct Isa {
  unsigned xlen = 32;
  bool m = true;
  bool a = false;
  bool f = true;
  bool d = false;
  bool c = false;
  bool zicond = true;
  bool simt = false;  // custom0 and custom1 of the SIMT core
  bool pack = false;  // PACKLB.F and PACKLH.F among them
};

constexpr Isa kSimtIsa{32, true, false, true, false, false, true, true};
constexpr Isa kHostIsa{64, true, true, true, true, true, false, false};

struct Decoded {
  Op op = Op::kIllegal;
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t rs3 = 0;
  std::uint8_t rm = 0;      // rounding mode field of floating-point operations
  std::uint8_t length = 4;  // bytes: 2 or 4
  std::int32_t imm = 0;     // immediate, shift amount, CSR number or funct2
  std::uint32_t word = 0;   // as fetched (a compressed one: its 16 bits)
};

// Decodes the instruction whose first four bytes are `word` (only the low half is looked at when it is compressed).
Decoded decode(std::uint32_t word, const Isa& isa);

// The 32-bit equivalent of a compressed instruction, or 0 (which is illegal) if there is none.
std::uint32_t expand_compressed(std::uint16_t half, unsigned xlen, bool f, bool d);

// Floating-point part of the decoder: fills `out` and returns true if `word` is an F or D operation of `isa`.
bool decode_fp(std::uint32_t word, const Isa& isa, Decoded& out);

}  // namespace gyre::riscv
