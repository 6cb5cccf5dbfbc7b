#include "decode.h"

namespace gyre::riscv {
namespace {

Op pick(const Op (&table)[8], unsigned index) { return table[index]; }

constexpr Op X = Op::kIllegal;

Op load_op(unsigned funct3, bool rv64) {
  static constexpr Op table[8] = {Op::kLb, Op::kLh, Op::kLw, Op::kLd, Op::kLbu, Op::kLhu, Op::kLwu, X};
  if (!rv64 && (funct3 == 3 || funct3 == 6)) return X;
  return pick(table, funct3);
}

Op store_op(unsigned funct3, bool rv64) {
  static constexpr Op table[8] = {Op::kSb, Op::kSh, Op::kSw, Op::kSd, X, X, X, X};
  if (!rv64 && funct3 == 3) return X;
  return pick(table, funct3);
}

Op branch_op(unsigned funct3) {
  static constexpr Op table[8] = {Op::kBeq, Op::kBne, X, X, Op::kBlt, Op::kBge, Op::kBltu, Op::kBgeu};
  return pick(table, funct3);
}

void decode_op_imm(std::uint32_t w, bool rv64, Decoded& d) {
  static constexpr Op table[8] = {Op::kAddi, X, Op::kSlti, Op::kSltiu, Op::kXori, X, Op::kOri, Op::kAndi};
  const unsigned funct3 = funct3_of(w);
  d.imm = imm_i(w);
  if (funct3 != 1 && funct3 != 5) {
    d.op = pick(table, funct3);
    return;
  }
  const unsigned shift_bits = rv64 ? 6 : 5;
  const unsigned high = w >> (20 + shift_bits);
  const unsigned arithmetic = 0x400u >> shift_bits;
  d.imm = static_cast<std::int32_t>((w >> 20) & ((1u << shift_bits) - 1));
  if (funct3 == 1)
    d.op = high == 0 ? Op::kSlli : X;
  else
    d.op = high == 0 ? Op::kSrli : high == arithmetic ? Op::kSrai : X;
}

void decode_op(std::uint32_t w, const Isa& isa, Decoded& d) {
  static constexpr Op base[8] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
  static constexpr Op muldiv[8] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                                   Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
  const unsigned funct3 = funct3_of(w);
  switch (funct7_of(w)) {
    case 0x00:
      d.op = pick(base, funct3);
      break;
    case 0x20:
      d.op = funct3 == 0 ? Op::kSub : funct3 == 5 ? Op::kSra : X;
      break;
    case 0x01:
      d.op = isa.m ? pick(muldiv, funct3) : X;
      break;
    case 0x07:
      d.op = !isa.zicond ? X : funct3 == 5 ? Op::kCzeroEqz : funct3 == 7 ? Op::kCzeroNez : X;
      break;
    default:
      break;
  }
}

void decode_op_imm_32(std::uint32_t w, Decoded& d) {
  const unsigned funct3 = funct3_of(w), funct7 = funct7_of(w);
  d.imm = imm_i(w);
  if (funct3 == 0) {
    d.op = Op::kAddiw;
    return;
  }
  d.imm = static_cast<std::int32_t>(rs2_of(w));
  if (funct3 == 1 && funct7 == 0) d.op = Op::kSlliw;
  if (funct3 == 5 && funct7 == 0) d.op = Op::kSrliw;
  if (funct3 == 5 && funct7 == 0x20) d.op = Op::kSraiw;
}

void decode_op_32(std::uint32_t w, const Isa& isa, Decoded& d) {
  static constexpr Op base[8] = {Op::kAddw, Op::kSllw, X, X, X, Op::kSrlw, X, X};
  static constexpr Op muldiv[8] = {Op::kMulw, X, X, X, Op::kDivw, Op::kDivuw, Op::kRemw, Op::kRemuw};
  const unsigned funct3 = funct3_of(w);
  switch (funct7_of(w)) {
    case 0x00:
      d.op = pick(base, funct3);
      break;
    case 0x20:
      d.op = funct3 == 0 ? Op::kSubw : funct3 == 5 ? Op::kSraw : X;
      break;
    case 0x01:
      d.op = isa.m ? pick(muldiv, funct3) : X;
      break;
    default:
      break;
  }
}

void decode_system(std::uint32_t w, Decoded& d) {
  static constexpr Op csr[8] = {X, Op::kCsrrw, Op::kCsrrs, Op::kCsrrc, X, Op::kCsrrwi, Op::kCsrrsi, Op::kCsrrci};
  const unsigned funct3 = funct3_of(w);
  if (funct3 != 0) {
    d.op = pick(csr, funct3);
    d.imm = static_cast<std::int32_t>(w >> 20);
    return;
  }
  switch (w) {
    case 0x00000073:
      d.op = Op::kEcall;
      return;
    case 0x00100073:
      d.op = Op::kEbreak;
      return;
    case 0x00200073:
      d.op = Op::kUret;
      return;
    case 0x10200073:
      d.op = Op::kSret;
      return;
    case 0x30200073:
      d.op = Op::kMret;
      return;
    case 0x10500073:
      d.op = Op::kWfi;
      return;
    default:
      break;
  }
  if (funct7_of(w) == 0x09 && rd_of(w) == 0) d.op = Op::kSfenceVma;
}

void decode_amo(std::uint32_t w, bool rv64, Decoded& d) {
  const unsigned funct3 = funct3_of(w);
  if (funct3 != 2 && !(rv64 && funct3 == 3)) return;
  const bool wide = funct3 == 3;
  switch (w >> 27) {  // aq and rl are accepted without effect
    case 0x02:
      d.op = rs2_of(w) != 0 ? X : wide ? Op::kLrD : Op::kLrW;
      break;
    case 0x03:
      d.op = wide ? Op::kScD : Op::kScW;
      break;
    case 0x01:
      d.op = wide ? Op::kAmoswapD : Op::kAmoswapW;
      break;
    case 0x00:
      d.op = wide ? Op::kAmoaddD : Op::kAmoaddW;
      break;
    case 0x04:
      d.op = wide ? Op::kAmoxorD : Op::kAmoxorW;
      break;
    case 0x0C:
      d.op = wide ? Op::kAmoandD : Op::kAmoandW;
      break;
    case 0x08:
      d.op = wide ? Op::kAmoorD : Op::kAmoorW;
      break;
    case 0x10:
      d.op = wide ? Op::kAmominD : Op::kAmominW;
      break;
    case 0x14:
      d.op = wide ? Op::kAmomaxD : Op::kAmomaxW;
      break;
    case 0x18:
      d.op = wide ? Op::kAmominuD : Op::kAmominuW;
      break;
    case 0x1C:
      d.op = wide ? Op::kAmomaxuD : Op::kAmomaxuW;
      break;
    default:
      break;
  }
}

// isa.md §4.1, §4.2
void decode_custom0(std::uint32_t w, const Isa& isa, Decoded& d) {
  static constexpr Op control[8] = {Op::kTmc, Op::kWspawn, Op::kSplit,   Op::kJoin,
                                    Op::kBar, Op::kPred,   Op::kBarWait, Op::kWsync};
  static constexpr Op lanes[8] = {Op::kVoteAll, Op::kVoteAny,  Op::kVoteUni,  Op::kVoteBallot,
                                  Op::kShflUp,  Op::kShflDown, Op::kShflBfly, Op::kShflIdx};
  const unsigned funct3 = funct3_of(w);
  if (funct7_of(w) == 0) {
    d.op = pick(control, funct3);
    if (funct3 == 6 && d.rd != 0) d.op = Op::kBarArrive;
    if (funct3 == 2) d.imm = d.rs2 != 0;
    if (funct3 == 5) d.imm = d.rd != 0;
  } else if (funct7_of(w) == 1) {
    d.op = pick(lanes, funct3);
  } else if (funct7_of(w) == 4 && isa.pack) {
    if (funct3 == 1) d.op = Op::kPacklb;
    if (funct3 == 2) d.op = Op::kPacklh;
  }
}

// isa.md §4.4
void decode_custom1(std::uint32_t w, Decoded& d) {
  switch (funct3_of(w)) {
    case 0:
      d.op = Op::kWgather;
      break;
    case 3:
      d.op = Op::kOmExport;
      break;
    case 5:
      d.op = funct2_of(w) < 2 ? Op::kTex : X;
      break;
    default:
      return;
  }
  d.rs3 = static_cast<std::uint8_t>(rs3_of(w));
  d.imm = static_cast<std::int32_t>(funct2_of(w));
}

}  // namespace

Decoded decode(std::uint32_t word, const Isa& isa) {
  Decoded d;
  std::uint32_t w = word;
  d.word = word;
  if ((word & 3) != 3) {
    d.word = word & 0xFFFF;
    if (isa.c) {
      d.length = 2;
      w = expand_compressed(static_cast<std::uint16_t>(word), isa.xlen, isa.f, isa.d);
    }
    if (!isa.c || w == 0) return d;
  }
  const bool rv64 = isa.xlen == 64;
  d.rd = static_cast<std::uint8_t>(rd_of(w));
  d.rs1 = static_cast<std::uint8_t>(rs1_of(w));
  d.rs2 = static_cast<std::uint8_t>(rs2_of(w));
  switch (opcode_of(w)) {
    case 0x37:
      d.op = Op::kLui;
      d.imm = imm_u(w);
      break;
    case 0x17:
      d.op = Op::kAuipc;
      d.imm = imm_u(w);
      break;
    case 0x6F:
      d.op = Op::kJal;
      d.imm = imm_j(w);
      break;
    case 0x67:
      d.op = funct3_of(w) == 0 ? Op::kJalr : X;
      d.imm = imm_i(w);
      break;
    case 0x63:
      d.op = branch_op(funct3_of(w));
      d.imm = imm_b(w);
      break;
    case 0x03:
      d.op = load_op(funct3_of(w), rv64);
      d.imm = imm_i(w);
      break;
    case 0x23:
      d.op = store_op(funct3_of(w), rv64);
      d.imm = imm_s(w);
      break;
    case 0x13:
      decode_op_imm(w, rv64, d);
      break;
    case 0x33:
      decode_op(w, isa, d);
      break;
    case 0x1B:
      if (rv64) decode_op_imm_32(w, d);
      break;
    case 0x3B:
      if (rv64) decode_op_32(w, isa, d);
      break;
    case 0x0F:
      d.op = funct3_of(w) == 1 ? Op::kFenceI : Op::kFence;
      break;
    case 0x73:
      decode_system(w, d);
      break;
    case 0x2F:
      if (isa.a) decode_amo(w, rv64, d);
      break;
    case 0x0B:
      if (isa.simt) decode_custom0(w, isa, d);
      break;
    case 0x2B:
      if (isa.simt) decode_custom1(w, d);
      break;
    default:
      decode_fp(w, isa, d);
      break;
  }
  return d;
}

}  // namespace gyre::riscv
