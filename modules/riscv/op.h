// Every instruction the platform knows: RV32/RV64 IMAFDC, Zicsr, Zicond and the SIMT core's custom opcodes (isa.md §4).
#pragma once

#include <cstdint>

namespace gyre::riscv {

enum class Op : std::uint8_t {
  kIllegal,
  // I
  kLui, kAuipc, kJal, kJalr, kBeq, kBne, kBlt, kBge, kBltu, kBgeu,
  kLb, kLh, kLw, kLbu, kLhu, kLwu, kLd, kSb, kSh, kSw, kSd,
  kAddi, kSlti, kSltiu, kXori, kOri, kAndi, kSlli, kSrli, kSrai,
  kAdd, kSub, kSll, kSlt, kSltu, kXor, kSrl, kSra, kOr, kAnd,
  kAddiw, kSlliw, kSrliw, kSraiw, kAddw, kSubw, kSllw, kSrlw, kSraw,
  kFence, kFenceI, kEcall, kEbreak, kUret, kSret, kMret, kWfi, kSfenceVma,
  // Zicsr (imm = CSR number; rs1 = register or 5-bit immediate)
  kCsrrw, kCsrrs, kCsrrc, kCsrrwi, kCsrrsi, kCsrrci,
  // M
  kMul, kMulh, kMulhsu, kMulhu, kDiv, kDivu, kRem, kRemu, kMulw, kDivw, kDivuw, kRemw, kRemuw,
  // A
  kLrW, kScW, kAmoswapW, kAmoaddW, kAmoxorW, kAmoandW, kAmoorW, kAmominW, kAmomaxW, kAmominuW, kAmomaxuW,
  kLrD, kScD, kAmoswapD, kAmoaddD, kAmoxorD, kAmoandD, kAmoorD, kAmominD, kAmomaxD, kAmominuD, kAmomaxuD,
  // Zicond
  kCzeroEqz, kCzeroNez,
  // F
  kFlw, kFsw, kFmaddS, kFmsubS, kFnmsubS, kFnmaddS, kFaddS, kFsubS, kFmulS, kFdivS, kFsqrtS,
  kFsgnjS, kFsgnjnS, kFsgnjxS, kFminS, kFmaxS, kFcvtWS, kFcvtWuS, kFcvtLS, kFcvtLuS, kFmvXW, kFeqS, kFltS, kFleS,
  kFclassS, kFcvtSW, kFcvtSWu, kFcvtSL, kFcvtSLu, kFmvWX,
  // D
  kFld, kFsd, kFmaddD, kFmsubD, kFnmsubD, kFnmaddD, kFaddD, kFsubD, kFmulD, kFdivD, kFsqrtD,
  kFsgnjD, kFsgnjnD, kFsgnjxD, kFminD, kFmaxD, kFcvtWD, kFcvtWuD, kFcvtLD, kFcvtLuD, kFmvXD, kFeqD, kFltD, kFleD,
  kFclassD, kFcvtDW, kFcvtDWu, kFcvtDL, kFcvtDLu, kFmvDX, kFcvtSD, kFcvtDS,
  // custom0 funct7 0: warp control. SPLIT and PRED: imm = 1 for the .N form
  kTmc, kWspawn, kSplit, kJoin, kBar, kBarArrive, kBarWait, kPred, kWsync,
  // custom0 funct7 1
  kVoteAll, kVoteAny, kVoteUni, kVoteBallot, kShflUp, kShflDown, kShflBfly, kShflIdx,
  // custom1: imm = funct2
  kWgather, kOmExport, kTex,
  kCount
};

constexpr unsigned kOpCount = static_cast<unsigned>(Op::kCount);

}  // namespace gyre::riscv
