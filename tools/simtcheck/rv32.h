// Instructions as the checker sees them: which registers they read and write and how control leaves them (isa.md §1,
// §4). Made from the decoder that the SIMT core uses.
#ifndef GYRE_TOOLS_SIMTCHECK_RV32_H
#define GYRE_TOOLS_SIMTCHECK_RV32_H

#include <cstdint>
#include <string>

namespace gyre::simtcheck {

/// Registers are numbered 0..31 integer, 32..63 float. 0 is x0 and also means "none".
constexpr unsigned kRegisters = 64;
constexpr unsigned kRa = 1, kSp = 2, kA0 = 10, kFa0 = 42;

enum class Op : uint8_t {
  kAlu,     // rd from rs1, rs2, rs3, the same in each lane for the same operands
  kMove,    // rd = rs1
  kAddImm,  // rd = rs1 + imm
  kAdd,
  kSub,
  kCompare,  // slt, sltu
  kLui,      // rd = imm
  kAuipc,
  kLoad,
  kStore,   // address rs1 + imm, data rs2
  kBranch,  // to pc + imm on rs1, rs2
  kJal,
  kJalr,
  kCsr,      // imm = number; writes_csr
  kNothing,  // fence, wsync
  kTrap,     // ecall
  kStop,     // ebreak, unimp: control does not go on
  kSplit,
  kJoin,
  kPred,
  kTmc,
  kWspawn,
  kBar,
  kVote,
  kShuffle,
  kGather,
  kTex,
  kExport,
  kUnknown
};

struct Insn {
  Op op = Op::kUnknown;
  uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  uint8_t funct3 = 0;  // branch condition, access size
  bool writes_csr = false;
  int32_t imm = 0;  // immediate or CSR number
  uint32_t word = 0;

  bool is_return() const { return op == Op::kJalr && rd == 0 && rs1 == kRa && imm == 0; }
  bool is_word_access() const { return (funct3 & 3) == 2; }
};

Insn decode(uint32_t word);

/// "a0", "ft3".
std::string register_name(unsigned reg);
/// The instruction as text (modules/riscv/disassembler.h).
std::string describe(const Insn& insn, uint32_t pc);

}  // namespace gyre::simtcheck

#endif
