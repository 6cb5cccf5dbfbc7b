#include "insn.h"

namespace gyre::host {
namespace {

constexpr std::uint32_t field(std::uint32_t bits, unsigned high, unsigned low) {
  return (bits >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr std::int32_t i_imm(std::uint32_t bits) { return static_cast<std::int32_t>(bits) >> 20; }
constexpr std::int32_t s_imm(std::uint32_t bits) {
  return (static_cast<std::int32_t>(bits) >> 25) * 32 + static_cast<std::int32_t>(field(bits, 11, 7));
}
constexpr std::int32_t b_imm(std::uint32_t bits) {
  return (static_cast<std::int32_t>(bits) >> 31) * 4096 +
         static_cast<std::int32_t>((field(bits, 7, 7) << 11) | (field(bits, 30, 25) << 5) | (field(bits, 11, 8) << 1));
}
constexpr std::int32_t j_imm(std::uint32_t bits) {
  return (static_cast<std::int32_t>(bits) >> 31) * (1 << 20) +
         static_cast<std::int32_t>((field(bits, 19, 12) << 12) | (field(bits, 20, 20) << 11) |
                                   (field(bits, 30, 21) << 1));
}

constexpr Op kBranches[8] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal, Op::kBlt, Op::kBge, Op::kBltu, Op::kBgeu};
constexpr Op kLoads[8] = {Op::kLb, Op::kLh, Op::kLw, Op::kLd, Op::kLbu, Op::kLhu, Op::kLwu, Op::kIllegal};
constexpr Op kStores[8] = {Op::kSb, Op::kSh, Op::kSw, Op::kSd, Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
constexpr Op kAlu[8] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
constexpr Op kAluImm[8] = {Op::kAddi, Op::kSlli, Op::kSlti, Op::kSltiu, Op::kXori, Op::kSrli, Op::kOri, Op::kAndi};
constexpr Op kMulDiv[8] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu, Op::kDiv, Op::kDivu, Op::kRem, Op::kRemu};
constexpr Op kMulDivW[8] = {Op::kMulw, Op::kIllegal, Op::kIllegal, Op::kIllegal,
                            Op::kDivw, Op::kDivuw,   Op::kRemw,    Op::kRemuw};

Op decode_register_op(std::uint32_t bits) {
  const unsigned funct3 = field(bits, 14, 12), funct7 = field(bits, 31, 25);
  if (funct7 == 1) return kMulDiv[funct3];
  if (funct7 == 0) return kAlu[funct3];
  if (funct7 == 0x20) return funct3 == 0 ? Op::kSub : funct3 == 5 ? Op::kSra : Op::kIllegal;
  return Op::kIllegal;
}

Op decode_register_op_w(std::uint32_t bits) {
  const unsigned funct3 = field(bits, 14, 12), funct7 = field(bits, 31, 25);
  if (funct7 == 1) return kMulDivW[funct3];
  if (funct7 == 0) return funct3 == 0 ? Op::kAddw : funct3 == 1 ? Op::kSllw : funct3 == 5 ? Op::kSrlw : Op::kIllegal;
  if (funct7 == 0x20) return funct3 == 0 ? Op::kSubw : funct3 == 5 ? Op::kSraw : Op::kIllegal;
  return Op::kIllegal;
}

void decode_immediate_op(std::uint32_t bits, Decoded& out) {
  const unsigned funct3 = field(bits, 14, 12), top = field(bits, 31, 26);
  out.op = kAluImm[funct3];
  out.imm = i_imm(bits);
  if (funct3 == 1 || funct3 == 5) {
    out.imm = static_cast<std::int32_t>(field(bits, 25, 20));
    if (funct3 == 5 && top == 0x10) out.op = Op::kSrai;
    else if (top != 0) out.op = Op::kIllegal;
  } else if (funct3 == 0 && out.rs1 == 0) {
    out.op = Op::kLi;
  } else if (funct3 == 0 && out.imm == 0) {
    out.op = Op::kMv;
  }
}

void decode_immediate_op_w(std::uint32_t bits, Decoded& out) {
  const unsigned funct3 = field(bits, 14, 12), funct7 = field(bits, 31, 25);
  out.imm = static_cast<std::int32_t>(field(bits, 24, 20));
  if (funct3 == 0) {
    out.op = Op::kAddiw;
    out.imm = i_imm(bits);
  } else if (funct3 == 1 && funct7 == 0) {
    out.op = Op::kSlliw;
  } else if (funct3 == 5 && (funct7 == 0 || funct7 == 0x20)) {
    out.op = funct7 == 0 ? Op::kSrliw : Op::kSraiw;
  }
}

void decode_atomic(std::uint32_t bits, Decoded& out) {
  const unsigned funct3 = field(bits, 14, 12), funct5 = field(bits, 31, 27);
  if (funct3 != 2 && funct3 != 3) return;
  out.imm = static_cast<std::int32_t>(funct5 | (funct3 == 3 ? 32 : 0));
  switch (funct5) {
    case 2: out.op = out.rs2 == 0 ? Op::kLr : Op::kIllegal; break;
    case 3: out.op = Op::kSc; break;
    case 0: case 1: case 4: case 8: case 12: case 16: case 20: case 24: case 28: out.op = Op::kAmo; break;
    default: break;
  }
}

void decode_system(std::uint32_t bits, Decoded& out) {
  const unsigned funct3 = field(bits, 14, 12);
  if (funct3 == 0) {
    if (bits == 0x00000073) out.op = Op::kEcall;
    if (bits == 0x00100073) out.op = Op::kEbreak;
    if (bits == 0x30200073) out.op = Op::kMret;
    if (bits == 0x10500073) out.op = Op::kWfi;
  } else if (funct3 != 4) {
    out.op = Op::kCsr;
    out.rs2 = static_cast<std::uint8_t>(funct3);
    out.imm = static_cast<std::int32_t>(field(bits, 31, 20));
  }
}

bool only_writes_register(Op op) {
  return (op >= Op::kAddi && op <= Op::kRemuw) || op == Op::kLi || op == Op::kAuipc || op == Op::kMv;
}

Decoded decode_full(std::uint32_t bits) {
  Decoded out;
  out.rd = static_cast<std::uint8_t>(field(bits, 11, 7));
  out.rs1 = static_cast<std::uint8_t>(field(bits, 19, 15));
  out.rs2 = static_cast<std::uint8_t>(field(bits, 24, 20));
  const unsigned funct3 = field(bits, 14, 12);
  switch (bits & 0x7F) {
    case 0x37: out.op = Op::kLi; out.imm = static_cast<std::int32_t>(bits & 0xFFFFF000u); break;
    case 0x17: out.op = Op::kAuipc; out.imm = static_cast<std::int32_t>(bits & 0xFFFFF000u); break;
    case 0x6F: out.op = Op::kJal; out.imm = j_imm(bits); break;
    case 0x67: if (funct3 == 0) out.op = Op::kJalr; out.imm = i_imm(bits); break;
    case 0x63: out.op = kBranches[funct3]; out.imm = b_imm(bits); break;
    case 0x03: out.op = kLoads[funct3]; out.imm = i_imm(bits); break;
    case 0x23: out.op = kStores[funct3]; out.imm = s_imm(bits); break;
    case 0x13: decode_immediate_op(bits, out); break;
    case 0x1B: decode_immediate_op_w(bits, out); break;
    case 0x33: out.op = decode_register_op(bits); break;
    case 0x3B: out.op = decode_register_op_w(bits); break;
    case 0x2F: decode_atomic(bits, out); break;
    case 0x0F: out.op = funct3 == 0 ? Op::kFence : funct3 == 1 ? Op::kFenceI : Op::kIllegal; break;
    case 0x73: decode_system(bits, out); break;
    default: break;
  }
  if (out.op == Op::kAdd && out.rs1 == 0) {  // the form c.mv stands for
    out.op = Op::kMv;
    out.rs1 = out.rs2;
  }
  if (out.rd == 0 && only_writes_register(out.op)) out.op = Op::kNop;
  return out;
}

}  // namespace

Decoded decode(std::uint32_t bits) {
  const bool compressed = (bits & 3) != 3;
  Decoded out = decode_full(compressed ? expand_compressed(static_cast<std::uint16_t>(bits)) : bits);
  out.length = compressed ? 2 : 4;
  if (out.op == Op::kIllegal) out.imm = static_cast<std::int32_t>(compressed ? bits & 0xFFFF : bits);
  return out;
}

}  // namespace gyre::host
