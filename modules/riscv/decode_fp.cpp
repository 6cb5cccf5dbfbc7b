#include "decode.h"

namespace gyre::riscv {
namespace {

constexpr Op X = Op::kIllegal;

// Rounding mode field: 5 and 6 are reserved, 7 is dynamic.
bool rounding_ok(unsigned rm) { return rm <= 4 || rm == 7; }

Op single(Op s, Op d, bool is_double) { return is_double ? d : s; }

Op convert_to_int(unsigned selector, bool rv64, bool dbl) {
  switch (selector) {
    case 0:
      return single(Op::kFcvtWS, Op::kFcvtWD, dbl);
    case 1:
      return single(Op::kFcvtWuS, Op::kFcvtWuD, dbl);
    case 2:
      return rv64 ? single(Op::kFcvtLS, Op::kFcvtLD, dbl) : X;
    case 3:
      return rv64 ? single(Op::kFcvtLuS, Op::kFcvtLuD, dbl) : X;
    default:
      return X;
  }
}

Op convert_from_int(unsigned selector, bool rv64, bool dbl) {
  switch (selector) {
    case 0:
      return single(Op::kFcvtSW, Op::kFcvtDW, dbl);
    case 1:
      return single(Op::kFcvtSWu, Op::kFcvtDWu, dbl);
    case 2:
      return rv64 ? single(Op::kFcvtSL, Op::kFcvtDL, dbl) : X;
    case 3:
      return rv64 ? single(Op::kFcvtSLu, Op::kFcvtDLu, dbl) : X;
    default:
      return X;
  }
}

// Operations without a rounding mode: funct3 selects.
Op no_rounding(unsigned group, unsigned funct3, unsigned rs2, bool rv64, bool dbl) {
  switch (group) {
    case 0x04:
      if (funct3 == 0) return single(Op::kFsgnjS, Op::kFsgnjD, dbl);
      if (funct3 == 1) return single(Op::kFsgnjnS, Op::kFsgnjnD, dbl);
      return funct3 == 2 ? single(Op::kFsgnjxS, Op::kFsgnjxD, dbl) : X;
    case 0x05:
      if (funct3 == 0) return single(Op::kFminS, Op::kFminD, dbl);
      return funct3 == 1 ? single(Op::kFmaxS, Op::kFmaxD, dbl) : X;
    case 0x14:
      if (funct3 == 2) return single(Op::kFeqS, Op::kFeqD, dbl);
      if (funct3 == 1) return single(Op::kFltS, Op::kFltD, dbl);
      return funct3 == 0 ? single(Op::kFleS, Op::kFleD, dbl) : X;
    case 0x1C:
      if (rs2 != 0) return X;
      if (funct3 == 1) return single(Op::kFclassS, Op::kFclassD, dbl);
      return funct3 != 0 || (dbl && !rv64) ? X : single(Op::kFmvXW, Op::kFmvXD, dbl);
    case 0x1E:
      return rs2 != 0 || funct3 != 0 || (dbl && !rv64) ? X : single(Op::kFmvWX, Op::kFmvDX, dbl);
    default:
      return X;
  }
}

Op op_fp(std::uint32_t w, const Isa& isa) {
  const unsigned format = funct2_of(w);  // 0 single, 1 double
  const bool dbl = format == 1;
  if (format > 1 || (dbl && !isa.d)) return X;
  const bool rv64 = isa.xlen == 64;
  const unsigned group = w >> 27, rs2 = rs2_of(w), funct3 = funct3_of(w);
  if (const Op op = no_rounding(group, funct3, rs2, rv64, dbl); op != X) return op;
  if (!rounding_ok(funct3)) return X;
  switch (group) {
    case 0x00:
      return single(Op::kFaddS, Op::kFaddD, dbl);
    case 0x01:
      return single(Op::kFsubS, Op::kFsubD, dbl);
    case 0x02:
      return single(Op::kFmulS, Op::kFmulD, dbl);
    case 0x03:
      return single(Op::kFdivS, Op::kFdivD, dbl);
    case 0x0B:
      return rs2 == 0 ? single(Op::kFsqrtS, Op::kFsqrtD, dbl) : X;
    case 0x08:
      if (!isa.d) return X;
      if (dbl) return rs2 == 0 ? Op::kFcvtDS : X;
      return rs2 == 1 ? Op::kFcvtSD : X;
    case 0x18:
      return convert_to_int(rs2, rv64, dbl);
    case 0x1A:
      return convert_from_int(rs2, rv64, dbl);
    default:
      return X;
  }
}

}  // namespace

bool decode_fp(std::uint32_t w, const Isa& isa, Decoded& d) {
  if (!isa.f) return false;
  const unsigned funct3 = funct3_of(w);
  switch (opcode_of(w)) {
    case 0x07:
      d.op = funct3 == 2 ? Op::kFlw : funct3 == 3 && isa.d ? Op::kFld : X;
      d.imm = imm_i(w);
      break;
    case 0x27:
      d.op = funct3 == 2 ? Op::kFsw : funct3 == 3 && isa.d ? Op::kFsd : X;
      d.imm = imm_s(w);
      break;
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F: {
      static constexpr Op ops[2][4] = {{Op::kFmaddS, Op::kFmsubS, Op::kFnmsubS, Op::kFnmaddS},
                                       {Op::kFmaddD, Op::kFmsubD, Op::kFnmsubD, Op::kFnmaddD}};
      const unsigned format = funct2_of(w);
      if (format > 1 || (format == 1 && !isa.d) || !rounding_ok(funct3)) break;
      d.op = ops[format][(opcode_of(w) >> 2) & 3];
      d.rs3 = static_cast<std::uint8_t>(rs3_of(w));
      d.rm = static_cast<std::uint8_t>(funct3);
      break;
    }
    case 0x53:
      d.op = op_fp(w, isa);
      d.rm = static_cast<std::uint8_t>(funct3);
      break;
    default:
      break;
  }
  return d.op != Op::kIllegal;
}

}  // namespace gyre::riscv
