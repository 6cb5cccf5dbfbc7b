// The decoded form of host instructions: what the interpreter executes.
#pragma once

#include <cstdint>

#include "op.h"

namespace gyre::host {

// Operations after decoding. Compressed instructions decode to the operation they stand for; an instruction whose
// only effect would be a write to x0 becomes kNop. Three are no instructions: kEnd closes a block that was cut, kBreak
// stands for a breakpoint, kTrace calls the instruction trace before an instruction.
#define GYRE_HOST_OPS(X)                                                                                       \
  X(kIllegal) X(kEnd) X(kBreak) X(kTrace) X(kNop) X(kLi) X(kAuipc) X(kMv) X(kJal) X(kJalr)                               \
  X(kBeq) X(kBne) X(kBlt) X(kBge) X(kBltu) X(kBgeu)                                                            \
  X(kLb) X(kLh) X(kLw) X(kLd) X(kLbu) X(kLhu) X(kLwu) X(kSb) X(kSh) X(kSw) X(kSd)                              \
  X(kAddi) X(kSlti) X(kSltiu) X(kXori) X(kOri) X(kAndi) X(kSlli) X(kSrli) X(kSrai)                             \
  X(kAdd) X(kSub) X(kSll) X(kSlt) X(kSltu) X(kXor) X(kSrl) X(kSra) X(kOr) X(kAnd)                              \
  X(kAddiw) X(kSlliw) X(kSrliw) X(kSraiw) X(kAddw) X(kSubw) X(kSllw) X(kSrlw) X(kSraw)                         \
  X(kMul) X(kMulh) X(kMulhsu) X(kMulhu) X(kDiv) X(kDivu) X(kRem) X(kRemu)                                      \
  X(kMulw) X(kDivw) X(kDivuw) X(kRemw) X(kRemuw)                                                               \
  X(kFlw) X(kFld) X(kFsw) X(kFsd) X(kFp)                                                                       \
  X(kFaddS) X(kFsubS) X(kFmulS) X(kFdivS) X(kFmaddS) X(kFmsubS)                                                \
  X(kFaddD) X(kFsubD) X(kFmulD) X(kFdivD) X(kFmaddD) X(kFmsubD)                                                \
  X(kLr) X(kSc) X(kAmo) X(kFence) X(kFenceI) X(kCsr) X(kEcall) X(kEbreak) X(kMret) X(kSret) X(kWfi) X(kSfenceVma)

enum class Op : std::uint8_t {
#define X(name) name,
  GYRE_HOST_OPS(X)
#undef X
};

// Result of decoding one instruction; the meaning of the fields depends on the operation:
//   loads        rd, rs1, imm           stores       rs1, rs2, imm
//   branches     rs1, rs2, imm          jal          rd, imm
//   kLi          rd, imm (lui)          kCsr         rd, rs1 = register or immediate, rs2 = funct3, imm = CSR number
//   kLr kSc kAmo rd, rs1, rs2, imm = funct5 | (64-bit ? 32 : 0)
//   kFlw .. kFsd as loads and stores, with the register counted from kFpRegisters
//   kFp, kFadd.. rd, rs1, rs2 as fp_registers says; imm = riscv::Op | rounding mode << 8 | rs3 << 16
//   kIllegal     imm = the instruction's bits (mtval)
struct Decoded {
  Op op = Op::kIllegal;
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t length = 4;  // bytes: 2 or 4
  std::int32_t imm = 0;
};

// One register file holds both kinds: floating-point register n is number kFpRegisters + n.
constexpr unsigned kFpRegisters = 64;

// Which registers of a floating-point instruction are floating-point ones (rs2 and rs3 always are).
struct FpRegisters {
  bool rd, rs1;
};
FpRegisters fp_registers(riscv::Op op);

// Decodes the RV64GC instruction in the low bits of `bits` (its low half decides the length).
Decoded decode(std::uint32_t bits);

// log2 of the access size in the low two bits, bit 2: zero-extended, bit 3: NaN-boxed.
constexpr unsigned access_code(Op op) {
  switch (op) {
    case Op::kLh: case Op::kSh: return 1;
    case Op::kLw: case Op::kSw: case Op::kFsw: return 2;
    case Op::kLd: case Op::kSd: case Op::kFld: case Op::kFsd: return 3;
    case Op::kLbu: return 4;
    case Op::kLhu: return 5;
    case Op::kLwu: return 6;
    case Op::kFlw: return 10;
    default: return 0;
  }
}

}  // namespace gyre::host
