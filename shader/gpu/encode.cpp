#include "encode.h"

#include <stdexcept>

namespace gyre::shader::gpu {
namespace {

using riscv::Op;
using u32 = std::uint32_t;

enum class Format : std::uint8_t {
  kNone,
  kR,
  kI,
  kShift,
  kLoad,
  kStore,
  kBranch,
  kU,
  kJ,
  kCsr,
  kCsrImm,
  kWord,
  kFp,       // rd, rs1, rs2, rounding mode
  kFpFixed,  // rd, rs1, rs2, funct3 selects
  kFpUnary,  // rd, rs1, rounding mode; selector in rs2
  kFpMove,   // rd, rs1, funct3 selects; selector in rs2
  kFma,
  kSplit,
  kCustom0,
  kCustom1
};

// Which of rd, rs1, rs2, rs3 are floating-point registers.
constexpr std::uint8_t kXXX = 0, kFd = 1, kF1 = 2, kF2 = 4, kFFF = 7, kFAll = 15;
// Which fields custom instructions have.
constexpr std::uint8_t kRd = 1, kR1 = 2, kR2 = 4, kR3 = 8;

struct Form {
  Op op;
  const char* name;
  Format format;
  std::uint8_t opcode, funct3, funct7, selector;
  std::uint8_t floats;
  std::uint8_t fields;  // custom formats only
};

constexpr Form kForms[] = {
    {Op::kLui, "lui", Format::kU, 0x37, 0, 0, 0, kXXX, 0},
    {Op::kAuipc, "auipc", Format::kU, 0x17, 0, 0, 0, kXXX, 0},
    {Op::kJal, "jal", Format::kJ, 0x6F, 0, 0, 0, kXXX, 0},
    {Op::kJalr, "jalr", Format::kLoad, 0x67, 0, 0, 0, kXXX, 0},
    {Op::kBeq, "beq", Format::kBranch, 0x63, 0, 0, 0, kXXX, 0},
    {Op::kBne, "bne", Format::kBranch, 0x63, 1, 0, 0, kXXX, 0},
    {Op::kBlt, "blt", Format::kBranch, 0x63, 4, 0, 0, kXXX, 0},
    {Op::kBge, "bge", Format::kBranch, 0x63, 5, 0, 0, kXXX, 0},
    {Op::kBltu, "bltu", Format::kBranch, 0x63, 6, 0, 0, kXXX, 0},
    {Op::kBgeu, "bgeu", Format::kBranch, 0x63, 7, 0, 0, kXXX, 0},
    {Op::kLb, "lb", Format::kLoad, 0x03, 0, 0, 0, kXXX, 0},
    {Op::kLh, "lh", Format::kLoad, 0x03, 1, 0, 0, kXXX, 0},
    {Op::kLw, "lw", Format::kLoad, 0x03, 2, 0, 0, kXXX, 0},
    {Op::kLbu, "lbu", Format::kLoad, 0x03, 4, 0, 0, kXXX, 0},
    {Op::kLhu, "lhu", Format::kLoad, 0x03, 5, 0, 0, kXXX, 0},
    {Op::kSb, "sb", Format::kStore, 0x23, 0, 0, 0, kXXX, 0},
    {Op::kSh, "sh", Format::kStore, 0x23, 1, 0, 0, kXXX, 0},
    {Op::kSw, "sw", Format::kStore, 0x23, 2, 0, 0, kXXX, 0},
    {Op::kAddi, "addi", Format::kI, 0x13, 0, 0, 0, kXXX, 0},
    {Op::kSlti, "slti", Format::kI, 0x13, 2, 0, 0, kXXX, 0},
    {Op::kSltiu, "sltiu", Format::kI, 0x13, 3, 0, 0, kXXX, 0},
    {Op::kXori, "xori", Format::kI, 0x13, 4, 0, 0, kXXX, 0},
    {Op::kOri, "ori", Format::kI, 0x13, 6, 0, 0, kXXX, 0},
    {Op::kAndi, "andi", Format::kI, 0x13, 7, 0, 0, kXXX, 0},
    {Op::kSlli, "slli", Format::kShift, 0x13, 1, 0x00, 0, kXXX, 0},
    {Op::kSrli, "srli", Format::kShift, 0x13, 5, 0x00, 0, kXXX, 0},
    {Op::kSrai, "srai", Format::kShift, 0x13, 5, 0x20, 0, kXXX, 0},
    {Op::kAdd, "add", Format::kR, 0x33, 0, 0x00, 0, kXXX, 0},
    {Op::kSub, "sub", Format::kR, 0x33, 0, 0x20, 0, kXXX, 0},
    {Op::kSll, "sll", Format::kR, 0x33, 1, 0x00, 0, kXXX, 0},
    {Op::kSlt, "slt", Format::kR, 0x33, 2, 0x00, 0, kXXX, 0},
    {Op::kSltu, "sltu", Format::kR, 0x33, 3, 0x00, 0, kXXX, 0},
    {Op::kXor, "xor", Format::kR, 0x33, 4, 0x00, 0, kXXX, 0},
    {Op::kSrl, "srl", Format::kR, 0x33, 5, 0x00, 0, kXXX, 0},
    {Op::kSra, "sra", Format::kR, 0x33, 5, 0x20, 0, kXXX, 0},
    {Op::kOr, "or", Format::kR, 0x33, 6, 0x00, 0, kXXX, 0},
    {Op::kAnd, "and", Format::kR, 0x33, 7, 0x00, 0, kXXX, 0},
    {Op::kMul, "mul", Format::kR, 0x33, 0, 0x01, 0, kXXX, 0},
    {Op::kMulh, "mulh", Format::kR, 0x33, 1, 0x01, 0, kXXX, 0},
    {Op::kMulhsu, "mulhsu", Format::kR, 0x33, 2, 0x01, 0, kXXX, 0},
    {Op::kMulhu, "mulhu", Format::kR, 0x33, 3, 0x01, 0, kXXX, 0},
    {Op::kDiv, "div", Format::kR, 0x33, 4, 0x01, 0, kXXX, 0},
    {Op::kDivu, "divu", Format::kR, 0x33, 5, 0x01, 0, kXXX, 0},
    {Op::kRem, "rem", Format::kR, 0x33, 6, 0x01, 0, kXXX, 0},
    {Op::kRemu, "remu", Format::kR, 0x33, 7, 0x01, 0, kXXX, 0},
    {Op::kCzeroEqz, "czero.eqz", Format::kR, 0x33, 5, 0x07, 0, kXXX, 0},
    {Op::kCzeroNez, "czero.nez", Format::kR, 0x33, 7, 0x07, 0, kXXX, 0},
    {Op::kCsrrw, "csrrw", Format::kCsr, 0x73, 1, 0, 0, kXXX, 0},
    {Op::kCsrrs, "csrrs", Format::kCsr, 0x73, 2, 0, 0, kXXX, 0},
    {Op::kCsrrc, "csrrc", Format::kCsr, 0x73, 3, 0, 0, kXXX, 0},
    {Op::kCsrrwi, "csrrwi", Format::kCsrImm, 0x73, 5, 0, 0, kXXX, 0},
    {Op::kCsrrsi, "csrrsi", Format::kCsrImm, 0x73, 6, 0, 0, kXXX, 0},
    {Op::kCsrrci, "csrrci", Format::kCsrImm, 0x73, 7, 0, 0, kXXX, 0},
    {Op::kFlw, "flw", Format::kLoad, 0x07, 2, 0, 0, kFd, 0},
    {Op::kFsw, "fsw", Format::kStore, 0x27, 2, 0, 0, kF2, 0},
    {Op::kFmaddS, "fmadd.s", Format::kFma, 0x43, 0, 0, 0, kFAll, 0},
    {Op::kFmsubS, "fmsub.s", Format::kFma, 0x47, 0, 0, 0, kFAll, 0},
    {Op::kFnmsubS, "fnmsub.s", Format::kFma, 0x4B, 0, 0, 0, kFAll, 0},
    {Op::kFnmaddS, "fnmadd.s", Format::kFma, 0x4F, 0, 0, 0, kFAll, 0},
    {Op::kFaddS, "fadd.s", Format::kFp, 0x53, 0, 0x00, 0, kFFF, 0},
    {Op::kFsubS, "fsub.s", Format::kFp, 0x53, 0, 0x04, 0, kFFF, 0},
    {Op::kFmulS, "fmul.s", Format::kFp, 0x53, 0, 0x08, 0, kFFF, 0},
    {Op::kFdivS, "fdiv.s", Format::kFp, 0x53, 0, 0x0C, 0, kFFF, 0},
    {Op::kFsqrtS, "fsqrt.s", Format::kFpUnary, 0x53, 0, 0x2C, 0, kFd | kF1, 0},
    {Op::kFsgnjS, "fsgnj.s", Format::kFpFixed, 0x53, 0, 0x10, 0, kFFF, 0},
    {Op::kFsgnjnS, "fsgnjn.s", Format::kFpFixed, 0x53, 1, 0x10, 0, kFFF, 0},
    {Op::kFsgnjxS, "fsgnjx.s", Format::kFpFixed, 0x53, 2, 0x10, 0, kFFF, 0},
    {Op::kFminS, "fmin.s", Format::kFpFixed, 0x53, 0, 0x14, 0, kFFF, 0},
    {Op::kFmaxS, "fmax.s", Format::kFpFixed, 0x53, 1, 0x14, 0, kFFF, 0},
    {Op::kFcvtWS, "fcvt.w.s", Format::kFpUnary, 0x53, 0, 0x60, 0, kF1, 0},
    {Op::kFcvtWuS, "fcvt.wu.s", Format::kFpUnary, 0x53, 0, 0x60, 1, kF1, 0},
    {Op::kFmvXW, "fmv.x.w", Format::kFpMove, 0x53, 0, 0x70, 0, kF1, 0},
    {Op::kFeqS, "feq.s", Format::kFpFixed, 0x53, 2, 0x50, 0, kF1 | kF2, 0},
    {Op::kFltS, "flt.s", Format::kFpFixed, 0x53, 1, 0x50, 0, kF1 | kF2, 0},
    {Op::kFleS, "fle.s", Format::kFpFixed, 0x53, 0, 0x50, 0, kF1 | kF2, 0},
    {Op::kFclassS, "fclass.s", Format::kFpMove, 0x53, 1, 0x70, 0, kF1, 0},
    {Op::kFcvtSW, "fcvt.s.w", Format::kFpUnary, 0x53, 0, 0x68, 0, kFd, 0},
    {Op::kFcvtSWu, "fcvt.s.wu", Format::kFpUnary, 0x53, 0, 0x68, 1, kFd, 0},
    {Op::kFmvWX, "fmv.w.x", Format::kFpMove, 0x53, 0, 0x78, 0, kFd, 0},
    {Op::kEcall, "ecall", Format::kWord, 0x73, 0, 0, 0, kXXX, 0},
    {Op::kTmc, "tmc", Format::kCustom0, 0x0B, 0, 0, 0, kXXX, kR1},
    {Op::kWspawn, "wspawn", Format::kCustom0, 0x0B, 1, 0, 0, kXXX, kR1 | kR2},
    {Op::kSplit, "split", Format::kSplit, 0x0B, 2, 0, 0, kXXX, kRd | kR1},
    {Op::kJoin, "join", Format::kCustom0, 0x0B, 3, 0, 0, kXXX, kR1},
    {Op::kWsync, "wsync", Format::kCustom0, 0x0B, 7, 0, 0, kXXX, 0},
    {Op::kVoteAll, "vote.all", Format::kCustom0, 0x0B, 0, 1, 0, kXXX, kRd | kR1},
    {Op::kVoteAny, "vote.any", Format::kCustom0, 0x0B, 1, 1, 0, kXXX, kRd | kR1},
    {Op::kVoteUni, "vote.uni", Format::kCustom0, 0x0B, 2, 1, 0, kXXX, kRd | kR1},
    {Op::kVoteBallot, "vote.ballot", Format::kCustom0, 0x0B, 3, 1, 0, kXXX, kRd | kR1},
    {Op::kShflUp, "shfl.up", Format::kCustom0, 0x0B, 4, 1, 0, kXXX, kRd | kR1 | kR2},
    {Op::kShflDown, "shfl.down", Format::kCustom0, 0x0B, 5, 1, 0, kXXX, kRd | kR1 | kR2},
    {Op::kShflBfly, "shfl.bfly", Format::kCustom0, 0x0B, 6, 1, 0, kXXX, kRd | kR1 | kR2},
    {Op::kShflIdx, "shfl.idx", Format::kCustom0, 0x0B, 7, 1, 0, kXXX, kRd | kR1 | kR2},
    {Op::kOmExport, "vx_om_export", Format::kCustom1, 0x2B, 3, 0, 0, kXXX, kR1 | kR2 | kR3},
    {Op::kTex, "vx_tex", Format::kCustom1, 0x2B, 5, 0, 0, kXXX, kRd | kR1 | kR2 | kR3},
};

// Index + 1 into kForms of every operation, 0: none.
struct Index {
  std::uint8_t at[riscv::kOpCount] = {};
  constexpr Index() {
    for (std::size_t i = 0; i < sizeof kForms / sizeof kForms[0]; ++i)
      at[static_cast<unsigned>(kForms[i].op)] = static_cast<std::uint8_t>(i + 1);
  }
};
constexpr Index kIndex;

const Form* find(Op op) {
  const unsigned i = static_cast<unsigned>(op) < riscv::kOpCount ? kIndex.at[static_cast<unsigned>(op)] : 0;
  return i == 0 ? nullptr : &kForms[i - 1];
}

const Form& form_of(Op op) {
  const Form* form = find(op);
  if (form == nullptr) throw std::logic_error("no encoding for operation " + std::to_string(static_cast<int>(op)));
  return *form;
}

bool within(std::int32_t imm, int bits) { return imm >= -(1 << (bits - 1)) && imm < 1 << (bits - 1); }

u32 branch_bits(u32 v) { return (v >> 12 & 1) << 31 | (v >> 5 & 63) << 25 | (v >> 1 & 15) << 8 | (v >> 11 & 1) << 7; }
u32 jump_bits(u32 v) {
  return (v >> 20 & 1) << 31 | (v >> 1 & 0x3FF) << 21 | (v >> 11 & 1) << 20 | (v >> 12 & 255) << 12;
}

}  // namespace

bool has_encoding(Op op) { return find(op) != nullptr; }

std::vector<Op> encodable_ops() {
  std::vector<Op> ops;
  for (const Form& form : kForms) ops.push_back(form.op);
  return ops;
}

const char* mnemonic(Op op) { return form_of(op).name; }

bool immediate_fits(Op op, std::int32_t imm) {
  switch (form_of(op).format) {
    case Format::kI:
    case Format::kLoad:
    case Format::kStore:
      return within(imm, 12);
    case Format::kShift:
      return imm >= 0 && imm < 32;
    case Format::kBranch:
      return within(imm, 13) && imm % 2 == 0;
    case Format::kJ:
      return within(imm, 21) && imm % 2 == 0;
    case Format::kU:
      return (imm & 0xFFF) == 0;
    case Format::kCsr:
    case Format::kCsrImm:
      return imm >= 0 && imm < 4096;
    case Format::kSplit:
      return imm == 0 || imm == 1;
    case Format::kCustom1:
      return imm >= 0 && imm < (op == Op::kTex ? 2 : 4);
    default:
      return imm == 0;
  }
}

std::uint32_t encode(const MachineInsn& i) {
  const Form& f = form_of(i.op);
  if (!immediate_fits(i.op, i.imm))
    throw std::logic_error(std::string("immediate ") + std::to_string(i.imm) + " does not fit " + f.name);
  const u32 imm = static_cast<u32>(i.imm);
  const u32 rd = u32{i.rd} << 7, rs1 = u32{i.rs1} << 15, rs2 = u32{i.rs2} << 20, rs3 = u32{i.rs3} << 27;
  const u32 base = u32{f.opcode} | u32{f.funct3} << 12 | u32{f.funct7} << 25, selector = u32{f.selector} << 20;
  const u32 rm = u32{i.rm} << 12;
  switch (f.format) {
    case Format::kR:
    case Format::kFpFixed:
      return base | rd | rs1 | rs2;
    case Format::kI:
    case Format::kLoad:
    case Format::kCsr:
    case Format::kCsrImm:
      return base | rd | rs1 | imm << 20;
    case Format::kShift:
      return base | rd | rs1 | imm << 20;
    case Format::kStore:
      return base | rs1 | rs2 | (imm >> 5 & 127) << 25 | (imm & 31) << 7;
    case Format::kBranch:
      return base | rs1 | rs2 | branch_bits(imm);
    case Format::kU:
      return base | rd | imm;
    case Format::kJ:
      return base | rd | jump_bits(imm);
    case Format::kFp:
      return base | rm | rd | rs1 | rs2;
    case Format::kFpUnary:
      return base | rm | rd | rs1 | selector;
    case Format::kFpMove:
      return base | rd | rs1 | selector;
    case Format::kFma:
      return base | rm | rd | rs1 | rs2 | rs3;
    case Format::kSplit:
      return base | rd | rs1 | imm << 20;
    case Format::kCustom0:
      return base | rd | rs1 | rs2;
    case Format::kCustom1:
      return base | rd | rs1 | rs2 | rs3 | imm << 25;
    default:
      return base;
  }
}

Operands operands_of(Op op) {
  const Form& f = form_of(op);
  Operands o;
  switch (f.format) {
    case Format::kR:
    case Format::kFp:
    case Format::kFpFixed:
      o.rd = o.rs1 = o.rs2 = true;
      break;
    case Format::kI:
    case Format::kShift:
    case Format::kLoad:
    case Format::kCsr:
    case Format::kFpUnary:
    case Format::kFpMove:
      o.rd = o.rs1 = true;
      break;
    case Format::kStore:
    case Format::kBranch:
      o.rs1 = o.rs2 = true;
      break;
    case Format::kU:
    case Format::kJ:
    case Format::kCsrImm:
      o.rd = true;
      break;
    case Format::kFma:
      o.rd = o.rs1 = o.rs2 = o.rs3 = true;
      break;
    case Format::kSplit:
    case Format::kCustom0:
    case Format::kCustom1:
      o.rd = (f.fields & kRd) != 0;
      o.rs1 = (f.fields & kR1) != 0;
      o.rs2 = (f.fields & kR2) != 0;
      o.rs3 = (f.fields & kR3) != 0;
      break;
    default:
      break;
  }
  o.frd = o.rd && (f.floats & kFd) != 0;
  o.frs1 = o.rs1 && (f.floats & kF1) != 0;
  o.frs2 = o.rs2 && (f.floats & kF2) != 0;
  o.frs3 = o.rs3 && (f.floats & 8) != 0;
  return o;
}

std::string assembly(const MachineInsn& i) {
  const Form& f = form_of(i.op);
  const Operands o = operands_of(i.op);
  auto reg = [](bool is_float, unsigned n) { return (is_float ? "f" : "x") + std::to_string(n); };
  const std::string rd = reg(o.frd, i.rd), rs1 = reg(o.frs1, i.rs1), rs2 = reg(o.frs2, i.rs2), rs3 = reg(o.frs3, i.rs3);
  const std::string imm = std::to_string(i.imm), name = f.name;
  static constexpr const char* kRounding[8] = {"rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn"};
  const std::string rm = std::string(", ") + kRounding[i.rm & 7];
  switch (f.format) {
    case Format::kR:
    case Format::kFpFixed:
      return name + " " + rd + ", " + rs1 + ", " + rs2;
    case Format::kI:
    case Format::kShift:
      return name + " " + rd + ", " + rs1 + ", " + imm;
    case Format::kLoad:
      return name + " " + rd + ", " + imm + "(" + rs1 + ")";
    case Format::kStore:
      return name + " " + rs2 + ", " + imm + "(" + rs1 + ")";
    case Format::kBranch:
      return name + " " + rs1 + ", " + rs2 + ", " + imm;
    case Format::kU:
      return name + " " + rd + ", " + std::to_string(static_cast<u32>(i.imm) >> 12);
    case Format::kJ:
      return name + " " + rd + ", " + imm;
    case Format::kCsr:
      return name + " " + rd + ", " + imm + ", " + rs1;
    case Format::kCsrImm:
      return name + " " + rd + ", " + imm + ", " + std::to_string(i.rs1);
    case Format::kFp:
      return name + " " + rd + ", " + rs1 + ", " + rs2 + rm;
    case Format::kFpUnary:
      return name + " " + rd + ", " + rs1 + rm;
    case Format::kFpMove:
      return name + " " + rd + ", " + rs1;
    case Format::kFma:
      return name + " " + rd + ", " + rs1 + ", " + rs2 + ", " + rs3 + rm;
    case Format::kCustom1:
      return ".insn r4 0x2B, " + std::to_string(f.funct3) + ", " + imm + ", x" + std::to_string(i.rd) + ", " + rs1 +
             ", " + rs2 + ", " + rs3;
    case Format::kSplit:
    case Format::kCustom0:
      return ".insn r 0x0B, " + std::to_string(f.funct3) + ", " + std::to_string(f.funct7) + ", x" +
             std::to_string(i.rd) + ", " + rs1 + ", x" +
             std::to_string(f.format == Format::kSplit ? static_cast<unsigned>(i.imm) : i.rs2);
    default:
      return name;
  }
}

}  // namespace gyre::shader::gpu
