// From the shared decoder's instruction to the interpreter's: fewer operations, fields where the executors want them.
#include "decode.h"

#include "insn.h"

namespace gyre::host {
namespace {

using From = riscv::Op;

#define SAME(name) \
  case From::name: return Op::name;

Op operation(From op) {
  switch (op) {
    SAME(kAuipc) SAME(kJal) SAME(kJalr) SAME(kBeq) SAME(kBne) SAME(kBlt) SAME(kBge) SAME(kBltu) SAME(kBgeu)
    SAME(kLb) SAME(kLh) SAME(kLw) SAME(kLd) SAME(kLbu) SAME(kLhu) SAME(kLwu) SAME(kSb) SAME(kSh) SAME(kSw) SAME(kSd)
    SAME(kAddi) SAME(kSlti) SAME(kSltiu) SAME(kXori) SAME(kOri) SAME(kAndi) SAME(kSlli) SAME(kSrli) SAME(kSrai)
    SAME(kAdd) SAME(kSub) SAME(kSll) SAME(kSlt) SAME(kSltu) SAME(kXor) SAME(kSrl) SAME(kSra) SAME(kOr) SAME(kAnd)
    SAME(kAddiw) SAME(kSlliw) SAME(kSrliw) SAME(kSraiw) SAME(kAddw) SAME(kSubw) SAME(kSllw) SAME(kSrlw) SAME(kSraw)
    SAME(kMul) SAME(kMulh) SAME(kMulhsu) SAME(kMulhu) SAME(kDiv) SAME(kDivu) SAME(kRem) SAME(kRemu)
    SAME(kMulw) SAME(kDivw) SAME(kDivuw) SAME(kRemw) SAME(kRemuw)
    SAME(kFence) SAME(kFenceI) SAME(kEcall) SAME(kEbreak) SAME(kMret) SAME(kSret) SAME(kWfi) SAME(kSfenceVma)
    SAME(kFlw) SAME(kFld) SAME(kFsw) SAME(kFsd)
    case From::kLui: return Op::kLi;
    case From::kCsrrw: case From::kCsrrs: case From::kCsrrc: case From::kCsrrwi: case From::kCsrrsi: case From::kCsrrci:
      return Op::kCsr;
    case From::kLrW: case From::kLrD: return Op::kLr;
    case From::kScW: case From::kScD: return Op::kSc;
    default: break;
  }
  if (op >= From::kAmoswapW && op <= From::kAmomaxuD) return Op::kAmo;
  return op >= From::kFlw && op <= From::kFcvtDS ? Op::kFp : Op::kIllegal;
}

#undef SAME

bool only_writes_register(Op op) {
  return (op >= Op::kAddi && op <= Op::kRemuw) || op == Op::kLi || op == Op::kAuipc || op == Op::kMv;
}

// Operations with an executor of their own, for the rounding mode nearly everything uses.
Op fast_fp(From op, unsigned rm) {
  if (rm != 0 && rm != 7) return Op::kFp;
  switch (op) {
    case From::kFaddS: return Op::kFaddS;
    case From::kFsubS: return Op::kFsubS;
    case From::kFmulS: return Op::kFmulS;
    case From::kFdivS: return Op::kFdivS;
    case From::kFmaddS: return Op::kFmaddS;
    case From::kFmsubS: return Op::kFmsubS;
    case From::kFaddD: return Op::kFaddD;
    case From::kFsubD: return Op::kFsubD;
    case From::kFmulD: return Op::kFmulD;
    case From::kFdivD: return Op::kFdivD;
    case From::kFmaddD: return Op::kFmaddD;
    case From::kFmsubD: return Op::kFmsubD;
    default: return Op::kFp;
  }
}

void floating_point(const riscv::Decoded& from, Decoded& out) {
  const FpRegisters registers = fp_registers(from.op);
  if (registers.rd) out.rd += kFpRegisters;
  if (registers.rs1) out.rs1 += kFpRegisters;
  out.rs2 += kFpRegisters;  // an operation without rs2 does not look at it
  if (out.op != Op::kFp) return;
  out.op = fast_fp(from.op, from.rm);
  out.imm = static_cast<std::int32_t>(static_cast<unsigned>(from.op) | from.rm << 8 | (from.rs3 + kFpRegisters) << 16);
}

}  // namespace

FpRegisters fp_registers(From op) {
  switch (op) {
    case From::kFlw: case From::kFld: return {true, false};
    case From::kFsw: case From::kFsd: return {false, false};
    case From::kFcvtWS: case From::kFcvtWuS: case From::kFcvtLS: case From::kFcvtLuS: case From::kFmvXW:
    case From::kFeqS: case From::kFltS: case From::kFleS: case From::kFclassS:
    case From::kFcvtWD: case From::kFcvtWuD: case From::kFcvtLD: case From::kFcvtLuD: case From::kFmvXD:
    case From::kFeqD: case From::kFltD: case From::kFleD: case From::kFclassD:
      return {false, true};
    case From::kFcvtSW: case From::kFcvtSWu: case From::kFcvtSL: case From::kFcvtSLu: case From::kFmvWX:
    case From::kFcvtDW: case From::kFcvtDWu: case From::kFcvtDL: case From::kFcvtDLu: case From::kFmvDX:
      return {true, false};
    default: return {true, true};
  }
}

Decoded decode(std::uint32_t bits) {
  const riscv::Decoded from = riscv::decode(bits, riscv::kHostIsa);
  Decoded out;
  out.length = from.length;
  out.op = operation(from.op);
  out.rd = from.rd;
  out.rs1 = from.rs1;
  out.rs2 = from.rs2;
  out.imm = from.imm;
  switch (out.op) {
    case Op::kAddi:
      if (out.rs1 == 0) out.op = Op::kLi;
      else if (out.imm == 0) out.op = Op::kMv;
      break;
    case Op::kAdd:
      if (out.rs1 == 0) {  // the form c.mv stands for
        out.op = Op::kMv;
        out.rs1 = out.rs2;
      }
      break;
    case Op::kFence:
      if (riscv::funct3_of(bits) > 1) out.op = Op::kIllegal;
      break;
    case Op::kCsr: out.rs2 = static_cast<std::uint8_t>(riscv::funct3_of(bits)); break;
    case Op::kLr: case Op::kSc: case Op::kAmo:
      out.imm = static_cast<std::int32_t>(bits >> 27 | (riscv::funct3_of(bits) == 3 ? 32 : 0));
      break;
    case Op::kFlw: case Op::kFld: case Op::kFsw: case Op::kFsd: case Op::kFp: floating_point(from, out); break;
    default: break;
  }
  if (out.rd == 0 && only_writes_register(out.op)) out.op = Op::kNop;
  if (out.op == Op::kIllegal) out.imm = static_cast<std::int32_t>(from.word);
  return out;
}

}  // namespace gyre::host
