// Encoder of what the code generator emits: RV32IMF, Zicond, Zicsr and the SIMT instructions (isa.md §4). The inverse
// of modules/riscv/decode.h on these instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "op.h"

namespace gyre::shader::gpu {

// Fields as riscv::Decoded names them: `imm` is an immediate, shift amount, CSR number, byte distance of a branch, the
// upper 20 bits in place of LUI, funct2 of VX_TEX and VX_OM_EXPORT, or 1 for the .N form of SPLIT.
struct MachineInsn {
  riscv::Op op = riscv::Op::kIllegal;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;  // 0..31 of the file the instruction uses
  std::uint8_t rm = 0;                             // rounding mode, where the instruction has one
  std::int32_t imm = 0;
};

constexpr std::uint8_t kRoundNearest = 0, kRoundToZero = 1, kRoundDown = 2;

// The word. Throws std::logic_error for an instruction the encoder does not know or an immediate out of range: both are
// mistakes of the generator, never of a shader.
std::uint32_t encode(const MachineInsn& insn);

// True when the operation has an encoding here.
bool has_encoding(riscv::Op op);
// True when the immediate fits (branches: even and within reach).
bool immediate_fits(riscv::Op op, std::int32_t imm);

// Which register files the fields name, for allocation and for text.
struct Operands {
  bool rd = false, rs1 = false, rs2 = false, rs3 = false;      // the field is a register
  bool frd = false, frs1 = false, frs2 = false, frs3 = false;  // of the floating-point file
};
Operands operands_of(riscv::Op op);

// Assembly of standard instructions as llvm-mc reads it, .insn for the others.
std::string assembly(const MachineInsn& insn);
const char* mnemonic(riscv::Op op);

// All operations with an encoding.
std::vector<riscv::Op> encodable_ops();

}  // namespace gyre::shader::gpu
