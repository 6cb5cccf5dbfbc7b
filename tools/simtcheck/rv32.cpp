#include "rv32.h"

#include "disassembler.h"

namespace gyre::simtcheck {
namespace {

using Code = riscv::Op;

// What the tools compile for (simt_c.md): the core of the default build without the strided loads, which no compiler
// emits and the checker does not follow.
constexpr riscv::Isa kIsa{32, true, false, true, false, false, true, true, false};
constexpr uint32_t kUnimp = 0xC0001073;  // csrrw x0, cycle, x0

constexpr bool within(Code code, Code first, Code last) { return code >= first && code <= last; }

// The registers that the operands of the instruction name.
void take_registers(const riscv::Decoded& d, Insn& insn) {
  constexpr unsigned kFloat = 32;
  for (const char* field = riscv::syntax_of(d.op).operands; *field != '\0'; ++field) {
    if (*field == 'd') insn.rd = d.rd;
    if (*field == 's') insn.rs1 = d.rs1;
    if (*field == 't') insn.rs2 = d.rs2;
    if (*field == 'r') insn.rs3 = d.rs3;
    if (*field == 'D') insn.rd = static_cast<uint8_t>(kFloat + d.rd);
    if (*field == 'S') insn.rs1 = static_cast<uint8_t>(kFloat + d.rs1);
    if (*field == 'T') insn.rs2 = static_cast<uint8_t>(kFloat + d.rs2);
    if (*field == 'R') insn.rs3 = static_cast<uint8_t>(kFloat + d.rs3);
  }
}

Op kind_of(const riscv::Decoded& d) {
  if (d.word == kUnimp) return Op::kStop;
  if (within(d.op, Code::kBeq, Code::kBgeu)) return Op::kBranch;
  if (within(d.op, Code::kLb, Code::kLd) || d.op == Code::kFlw) return Op::kLoad;
  if (within(d.op, Code::kSb, Code::kSd) || d.op == Code::kFsw) return Op::kStore;
  if (within(d.op, Code::kCsrrw, Code::kCsrrci)) return Op::kCsr;
  if (within(d.op, Code::kVoteAll, Code::kVoteBallot)) return Op::kVote;
  if (within(d.op, Code::kShflUp, Code::kShflIdx)) return Op::kShuffle;
  switch (d.op) {
    case Code::kLui:
      return Op::kLui;
    case Code::kAuipc:
      return Op::kAuipc;
    case Code::kJal:
      return Op::kJal;
    case Code::kJalr:
      return Op::kJalr;
    case Code::kAddi:
      return d.imm == 0 && d.rs1 != 0 ? Op::kMove : Op::kAddImm;
    case Code::kAdd:
      return Op::kAdd;
    case Code::kSub:
      return Op::kSub;
    case Code::kSlt:
    case Code::kSltu:
      return Op::kCompare;
    case Code::kFsgnjS:
      return d.rs1 == d.rs2 ? Op::kMove : Op::kAlu;
    case Code::kFmvXW:
    case Code::kFmvWX:
      return Op::kMove;
    case Code::kFence:
    case Code::kFenceI:
    case Code::kWsync:
      return Op::kNothing;
    case Code::kEcall:
      return Op::kTrap;
    case Code::kEbreak:
      return Op::kStop;
    case Code::kSplit:
      return Op::kSplit;
    case Code::kJoin:
      return Op::kJoin;
    case Code::kPred:
      return Op::kPred;
    case Code::kTmc:
      return Op::kTmc;
    case Code::kWspawn:
      return Op::kWspawn;
    case Code::kBar:
    case Code::kBarArrive:
    case Code::kBarWait:
      return Op::kBar;
    case Code::kWgather:
      return Op::kGather;
    case Code::kTex:
      return Op::kTex;
    case Code::kOmExport:
      return Op::kExport;
    case Code::kIllegal:
    case Code::kUret:
    case Code::kSret:
    case Code::kMret:
    case Code::kWfi:
    case Code::kSfenceVma:
      return Op::kUnknown;
    default:  // arithmetic
      return Op::kAlu;
  }
}

}  // namespace

Insn decode(uint32_t word) {
  const riscv::Decoded d = riscv::decode(word, kIsa);
  Insn insn;
  insn.word = word;
  insn.funct3 = static_cast<uint8_t>(riscv::funct3_of(word));
  insn.op = kind_of(d);
  insn.imm = d.imm;
  if (insn.op == Op::kUnknown) return insn;
  take_registers(d, insn);
  if (insn.op == Op::kCsr) insn.writes_csr = (insn.funct3 & 3) == 1 || riscv::rs1_of(word) != 0;
  return insn;
}

std::string register_name(unsigned reg) {
  return reg < 32 ? riscv::register_name(reg) : riscv::float_register_name(reg - 32);
}

std::string describe(const Insn& insn, uint32_t pc) { return riscv::disassemble(insn.word, pc, kIsa); }

}  // namespace gyre::simtcheck
