#include "rv32.h"

#include <array>
#include <cstdio>

namespace gyre::simtcheck {
namespace {

uint8_t x(uint32_t word, unsigned at) { return static_cast<uint8_t>((word >> at) & 31); }
uint8_t f(uint32_t word, unsigned at) { return static_cast<uint8_t>(32 + ((word >> at) & 31)); }

int32_t imm_i(uint32_t w) { return static_cast<int32_t>(w) >> 20; }
int32_t imm_s(uint32_t w) { return (static_cast<int32_t>(w & 0xFE000000u) >> 20) | static_cast<int32_t>((w >> 7) & 31); }
int32_t imm_b(uint32_t w) {
  return static_cast<int32_t>(((w >> 31) ? 0xFFFFF000u : 0) | ((w << 4) & 0x800) | ((w >> 20) & 0x7E0) |
                              ((w >> 7) & 0x1E));
}
int32_t imm_j(uint32_t w) {
  return static_cast<int32_t>(((w >> 31) ? 0xFFF00000u : 0) | (w & 0xFF000) | ((w >> 9) & 0x800) | ((w >> 20) & 0x7FE));
}

void decode_float(Insn& insn, uint32_t w) {
  insn.op = Op::kAlu;
  insn.rd = f(w, 7);
  insn.rs1 = f(w, 15);
  insn.rs2 = f(w, 20);
  switch (w >> 25) {
    case 0x00:
    case 0x04:
    case 0x08:
    case 0x0C:
    case 0x14:
      return;
    case 0x10:
      if (insn.funct3 == 0 && insn.rs1 == insn.rs2) insn.op = Op::kMove;
      return;
    case 0x2C:
      insn.rs2 = 0;
      return;
    case 0x50:
      insn.rd = x(w, 7);
      return;
    case 0x60:
      insn.rd = x(w, 7);
      insn.rs2 = 0;
      return;
    case 0x68:
      insn.rs1 = x(w, 15);
      insn.rs2 = 0;
      return;
    case 0x70:
      insn.rd = x(w, 7);
      insn.rs2 = 0;
      if (insn.funct3 == 0) insn.op = Op::kMove;
      return;
    case 0x78:
      insn.op = Op::kMove;
      insn.rs1 = x(w, 15);
      insn.rs2 = 0;
      return;
    default:
      insn.op = Op::kUnknown;
  }
}

void decode_custom0(Insn& insn, uint32_t w) {
  insn.rd = x(w, 7);
  insn.rs1 = x(w, 15);
  insn.rs2 = x(w, 20);
  const uint32_t funct7 = w >> 25;
  if (funct7 == 1) {
    insn.op = insn.funct3 < 4 ? Op::kVote : Op::kShuffle;
    if (insn.funct3 < 4) insn.rs2 = 0;
    return;
  }
  if (funct7 != 0) return;
  static constexpr std::array<Op, 8> kOps = {Op::kTmc, Op::kWspawn, Op::kSplit, Op::kJoin,
                                             Op::kBar, Op::kPred,   Op::kBar,   Op::kNothing};
  insn.op = kOps[insn.funct3];
  if (insn.op == Op::kSplit) insn.rs2 = 0;  // the field only says "inverted"
  if (insn.op == Op::kPred) insn.rd = 0;
}

void decode_custom1(Insn& insn, uint32_t w) {
  insn.rd = x(w, 7);
  insn.rs1 = x(w, 15);
  insn.rs2 = x(w, 20);
  insn.rs3 = x(w, 27);
  if (insn.funct3 == 0) insn.op = Op::kGather;
  if (insn.funct3 == 3) insn.op = Op::kExport;
  if (insn.funct3 == 5) insn.op = Op::kTex;
}

void decode_system(Insn& insn, uint32_t w) {
  if (insn.funct3 == 0) {
    insn.op = w == 0x00000073 ? Op::kTrap : w == 0x00100073 ? Op::kStop : Op::kUnknown;
    return;
  }
  if (insn.funct3 == 4) return;
  insn.op = w == 0xC0001073 ? Op::kStop : Op::kCsr;  // csrw cycle, x0 is "unimp"
  insn.rd = x(w, 7);
  insn.imm = static_cast<int32_t>(w >> 20);
  const bool immediate = insn.funct3 >= 5;
  const unsigned source = (w >> 15) & 31;
  if (!immediate) insn.rs1 = x(w, 15);
  insn.writes_csr = (insn.funct3 & 3) == 1 || source != 0;
}

}  // namespace

Insn decode(uint32_t w) {
  Insn insn;
  insn.word = w;
  insn.funct3 = (w >> 12) & 7;
  switch (w & 0x7F) {
    case 0x37:
      insn.op = Op::kLui;
      insn.rd = x(w, 7);
      insn.imm = static_cast<int32_t>(w & 0xFFFFF000);
      break;
    case 0x17:
      insn.op = Op::kAuipc;
      insn.rd = x(w, 7);
      insn.imm = static_cast<int32_t>(w & 0xFFFFF000);
      break;
    case 0x6F:
      insn.op = Op::kJal;
      insn.rd = x(w, 7);
      insn.imm = imm_j(w);
      break;
    case 0x67:
      if (insn.funct3 != 0) break;
      insn.op = Op::kJalr;
      insn.rd = x(w, 7);
      insn.rs1 = x(w, 15);
      insn.imm = imm_i(w);
      break;
    case 0x63:
      if (insn.funct3 == 2 || insn.funct3 == 3) break;
      insn.op = Op::kBranch;
      insn.rs1 = x(w, 15);
      insn.rs2 = x(w, 20);
      insn.imm = imm_b(w);
      break;
    case 0x03:
      insn.op = Op::kLoad;
      insn.rd = x(w, 7);
      insn.rs1 = x(w, 15);
      insn.imm = imm_i(w);
      break;
    case 0x07:
      insn.op = Op::kLoad;
      insn.rd = f(w, 7);
      insn.rs1 = x(w, 15);
      insn.imm = imm_i(w);
      break;
    case 0x23:
      insn.op = Op::kStore;
      insn.rs1 = x(w, 15);
      insn.rs2 = x(w, 20);
      insn.imm = imm_s(w);
      break;
    case 0x27:
      insn.op = Op::kStore;
      insn.rs1 = x(w, 15);
      insn.rs2 = f(w, 20);
      insn.imm = imm_s(w);
      break;
    case 0x13:
      insn.rd = x(w, 7);
      insn.rs1 = x(w, 15);
      insn.imm = imm_i(w);
      insn.op = insn.funct3 != 0 ? Op::kAlu : insn.imm == 0 && insn.rs1 != 0 ? Op::kMove : Op::kAddImm;
      break;
    case 0x33:
      insn.rd = x(w, 7);
      insn.rs1 = x(w, 15);
      insn.rs2 = x(w, 20);
      insn.op = (w >> 25) == 0 && insn.funct3 == 0         ? Op::kAdd
                : (w >> 25) == 0x20 && insn.funct3 == 0    ? Op::kSub
                : (w >> 25) == 0 && (insn.funct3 | 1) == 3 ? Op::kCompare
                                                           : Op::kAlu;
      break;
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F:
      insn.op = Op::kAlu;
      insn.rd = f(w, 7);
      insn.rs1 = f(w, 15);
      insn.rs2 = f(w, 20);
      insn.rs3 = f(w, 27);
      break;
    case 0x53:
      decode_float(insn, w);
      break;
    case 0x0F:
      insn.op = Op::kNothing;
      break;
    case 0x73:
      decode_system(insn, w);
      break;
    case 0x0B:
      decode_custom0(insn, w);
      break;
    case 0x2B:
      decode_custom1(insn, w);
      break;
    default:
      break;
  }
  return insn;
}

std::string register_name(unsigned reg) {
  static const char* const kInteger[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                           "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                           "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  if (reg < 32) return kInteger[reg];
  const unsigned n = reg - 32;
  if (n < 8) return "ft" + std::to_string(n);
  if (n < 10) return "fs" + std::to_string(n - 8);
  if (n < 18) return "fa" + std::to_string(n - 10);
  if (n < 28) return "fs" + std::to_string(n - 16);
  return "ft" + std::to_string(n - 20);
}

std::string describe(const Insn& insn) {
  const std::string rd = register_name(insn.rd), rs1 = register_name(insn.rs1), rs2 = register_name(insn.rs2);
  static const char* const kBranch[8] = {"beq", "bne", "?", "?", "blt", "bge", "bltu", "bgeu"};
  switch (insn.op) {
    case Op::kBranch:
      return std::string(kBranch[insn.funct3]) + " " + rs1 + ", " + rs2;
    case Op::kJal:
      return insn.rd == 0 ? "j" : "jal " + rd;
    case Op::kJalr:
      return insn.is_return() ? "ret" : "jalr " + rd + ", " + rs1;
    case Op::kSplit:
      return "split " + rd + ", " + rs1;
    case Op::kJoin:
      return "join " + rs1;
    case Op::kPred:
      return "pred " + rs1 + ", " + rs2;
    case Op::kTmc:
      return "tmc " + rs1;
    case Op::kWspawn:
      return "wspawn " + rs1 + ", " + rs2;
    case Op::kBar:
      return "bar " + rs1 + ", " + rs2;
    default:
      break;
  }
  char text[32];
  std::snprintf(text, sizeof text, ".word 0x%08x", insn.word);
  return text;
}

}  // namespace gyre::simtcheck
