// Instruction words as assembly text, for traces, lints and people. Pure.
//
// The text is that of GNU objdump with `-M no-aliases`: mnemonic, a space, operands with commas and ABI register names.
// What differs: jump targets carry 0x and no symbol; the SIMT core's custom instructions (isa.md §4) are named vx_* and
// its CSRs as in isa.md §7; Zicond is known; a word without a meaning is `invalid 0x...`. As there a rounding mode is
// left out when it is dynamic, and where the conversion is exact whatever it is.
#pragma once

#include <cstdint>
#include <string>

#include "decode.h"

namespace gyre::riscv {

// The instruction at address `pc` whose first four bytes are `word` (of a compressed one only the low half is looked
// at). Direct jump targets are printed as addresses of isa.xlen bits. Takes every word.
std::string disassemble(std::uint32_t word, std::uint64_t pc, const Isa& isa);
std::string disassemble(const Decoded& decoded, std::uint64_t pc, const Isa& isa);

// ABI names, index 0..31: "zero", "ra", ... and "ft0", "ft1", ...
const char* register_name(unsigned index);
const char* float_register_name(unsigned index);

// Name of a control and status register; empty if it has none. `simt`: the SIMT core's own are among them.
std::string csr_name(unsigned number, bool simt);

// How an instruction is written: its mnemonic without the suffixes that other fields add (.aq, .rl, _n), and its
// operands: a letter is a field, anything else stands for itself. d s t r: rd, rs1, rs2, rs3; D S T R: the same of the
// floating-point registers; j: immediate; h: immediate in hex; u: its upper 20 bits; b: jump target; c: CSR; z: the rs1
// field as a number; m: rounding mode; q: funct2; f: the sets of a fence.
struct Syntax {
  const char* mnemonic;
  const char* operands;
};
const Syntax& syntax_of(Op op);

}  // namespace gyre::riscv
