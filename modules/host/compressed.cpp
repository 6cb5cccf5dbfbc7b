// RVC: every compressed instruction as the 32-bit instruction it stands for, so that each operation is decoded and
// executed in one place only.
#include "insn.h"

namespace gyre::host {
namespace {

using Word = std::uint32_t;

// Bits [high:low] of c, moved so that bit `low` lands at `to`.
constexpr Word take(Word c, unsigned high, unsigned low, unsigned to) {
  return ((c >> low) & ((1u << (high - low + 1)) - 1)) << to;
}
constexpr Word sign_extend(Word value, unsigned bits) {
  const Word sign = 1u << (bits - 1);
  return (value ^ sign) - sign;
}

constexpr Word i_type(Word opcode, Word funct3, Word rd, Word rs1, Word imm) {
  return (imm << 20) | (rs1 << 15) | (funct3 << 12) | (rd << 7) | opcode;
}
constexpr Word s_type(Word funct3, Word rs1, Word rs2, Word imm) {
  return (take(imm, 11, 5, 25)) | (rs2 << 20) | (rs1 << 15) | (funct3 << 12) | take(imm, 4, 0, 7) | 0x23;
}
constexpr Word r_type(Word opcode, Word funct7, Word funct3, Word rd, Word rs1, Word rs2) {
  return (funct7 << 25) | (rs2 << 20) | (rs1 << 15) | (funct3 << 12) | (rd << 7) | opcode;
}
constexpr Word b_type(Word funct3, Word rs1, Word imm) {
  return take(imm, 12, 12, 31) | take(imm, 10, 5, 25) | (rs1 << 15) | (funct3 << 12) | take(imm, 4, 1, 8) |
         take(imm, 11, 11, 7) | 0x63;
}
constexpr Word jal(Word rd, Word imm) {
  return take(imm, 20, 20, 31) | take(imm, 10, 1, 21) | take(imm, 11, 11, 20) | take(imm, 19, 12, 12) | (rd << 7) |
         0x6F;
}

Word quadrant0(Word c) {
  const Word rd = 8 + take(c, 4, 2, 0), rs1 = 8 + take(c, 9, 7, 0);
  const Word word_offset = take(c, 12, 10, 3) | take(c, 6, 6, 2) | take(c, 5, 5, 6);
  const Word double_offset = take(c, 12, 10, 3) | take(c, 6, 5, 6);
  switch (c >> 13) {
    case 0: {
      const Word imm = take(c, 12, 11, 4) | take(c, 10, 7, 6) | take(c, 6, 6, 2) | take(c, 5, 5, 3);
      return imm == 0 ? 0 : i_type(0x13, 0, rd, 2, imm);
    }
    case 2: return i_type(0x03, 2, rd, rs1, word_offset);
    case 3: return i_type(0x03, 3, rd, rs1, double_offset);
    case 6: return s_type(2, rs1, rd, word_offset);
    case 7: return s_type(3, rs1, rd, double_offset);
    default: return 0;
  }
}

Word misc_alu(Word c) {
  const Word rd = 8 + take(c, 9, 7, 0), rs2 = 8 + take(c, 4, 2, 0);
  const Word shift = take(c, 12, 12, 5) | take(c, 6, 2, 0);
  switch (take(c, 11, 10, 0)) {
    case 0: return i_type(0x13, 5, rd, rd, shift);
    case 1: return i_type(0x13, 5, rd, rd, shift | 0x400);
    case 2: return i_type(0x13, 7, rd, rd, sign_extend(shift, 6) & 0xFFF);
    default: break;
  }
  switch (take(c, 12, 12, 2) | take(c, 6, 5, 0)) {
    case 0: return r_type(0x33, 0x20, 0, rd, rd, rs2);
    case 1: return r_type(0x33, 0, 4, rd, rd, rs2);
    case 2: return r_type(0x33, 0, 6, rd, rd, rs2);
    case 3: return r_type(0x33, 0, 7, rd, rd, rs2);
    case 4: return r_type(0x3B, 0x20, 0, rd, rd, rs2);
    case 5: return r_type(0x3B, 0, 0, rd, rd, rs2);
    default: return 0;
  }
}

Word quadrant1(Word c) {
  const Word rd = take(c, 11, 7, 0), rs1 = 8 + take(c, 9, 7, 0);
  const Word imm = sign_extend(take(c, 12, 12, 5) | take(c, 6, 2, 0), 6);
  switch (c >> 13) {
    case 0: return i_type(0x13, 0, rd, rd, imm & 0xFFF);
    case 1: return rd == 0 ? 0 : i_type(0x1B, 0, rd, rd, imm & 0xFFF);
    case 2: return i_type(0x13, 0, rd, 0, imm & 0xFFF);
    case 3: {
      if (imm == 0) return 0;
      if (rd != 2) return (imm << 12) | (rd << 7) | 0x37;
      const Word frame = sign_extend(take(c, 12, 12, 9) | take(c, 6, 6, 4) | take(c, 5, 5, 6) | take(c, 4, 3, 7) |
                                         take(c, 2, 2, 5), 10);
      return i_type(0x13, 0, 2, 2, frame & 0xFFF);
    }
    case 4: return misc_alu(c);
    case 5: {
      const Word offset = take(c, 12, 12, 11) | take(c, 11, 11, 4) | take(c, 10, 9, 8) | take(c, 8, 8, 10) |
                          take(c, 7, 7, 6) | take(c, 6, 6, 7) | take(c, 5, 3, 1) | take(c, 2, 2, 5);
      return jal(0, sign_extend(offset, 12));
    }
    default: {
      const Word offset = take(c, 12, 12, 8) | take(c, 11, 10, 3) | take(c, 6, 5, 6) | take(c, 4, 3, 1) |
                          take(c, 2, 2, 5);
      return b_type((c >> 13) & 1, rs1, sign_extend(offset, 9));
    }
  }
}

Word quadrant2(Word c) {
  const Word rd = take(c, 11, 7, 0), rs2 = take(c, 6, 2, 0);
  const bool high = (c & 0x1000) != 0;
  switch (c >> 13) {
    case 0: return i_type(0x13, 1, rd, rd, take(c, 12, 12, 5) | rs2);
    case 2: return rd == 0 ? 0 : i_type(0x03, 2, rd, 2, take(c, 12, 12, 5) | take(c, 6, 4, 2) | take(c, 3, 2, 6));
    case 3: return rd == 0 ? 0 : i_type(0x03, 3, rd, 2, take(c, 12, 12, 5) | take(c, 6, 5, 3) | take(c, 4, 2, 6));
    case 4:
      if (rs2 != 0) return r_type(0x33, 0, 0, rd, high ? rd : 0, rs2);
      if (rd != 0) return i_type(0x67, 0, high ? 1 : 0, rd, 0);
      return high ? 0x00100073 : 0;
    case 6: return s_type(2, 2, rs2, take(c, 12, 9, 2) | take(c, 8, 7, 6));
    case 7: return s_type(3, 2, rs2, take(c, 12, 10, 3) | take(c, 9, 7, 6));
    default: return 0;
  }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t c) {
  switch (c & 3) {
    case 0: return quadrant0(c);
    case 1: return quadrant1(c);
    case 2: return quadrant2(c);
    default: return 0;
  }
}

}  // namespace gyre::host
