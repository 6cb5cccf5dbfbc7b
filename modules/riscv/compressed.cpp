#include "decode.h"

namespace gyre::riscv {
namespace {

std::uint32_t bits(unsigned h, unsigned high, unsigned low) { return (h >> low) & ((1u << (high - low + 1)) - 1); }

std::uint32_t i_type(unsigned opcode, unsigned funct3, unsigned rd, unsigned rs1, std::uint32_t imm) {
  return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t s_type(unsigned opcode, unsigned funct3, unsigned rs1, unsigned rs2, std::uint32_t imm) {
  return ((imm >> 5) & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | opcode;
}
std::uint32_t r_type(unsigned opcode, unsigned funct3, unsigned funct7, unsigned rd, unsigned rs1, unsigned rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t b_type(unsigned funct3, unsigned rs1, std::uint32_t imm) {
  return ((imm >> 12) & 1) << 31 | ((imm >> 5) & 0x3F) << 25 | rs1 << 15 | funct3 << 12 | ((imm >> 1) & 15) << 8 |
         ((imm >> 11) & 1) << 7 | 0x63;
}
std::uint32_t j_type(unsigned rd, std::uint32_t imm) {
  return ((imm >> 20) & 1) << 31 | ((imm >> 1) & 0x3FF) << 21 | ((imm >> 11) & 1) << 20 | ((imm >> 12) & 0xFF) << 12 |
         rd << 7 | 0x6F;
}
std::uint32_t sign(std::uint32_t value, unsigned width) {
  const std::uint32_t top = 1u << (width - 1);
  return (value ^ top) - top;
}

std::uint32_t imm6(unsigned h) { return sign(bits(h, 12, 12) << 5 | bits(h, 6, 2), 6); }
std::uint32_t word_offset(unsigned h) { return bits(h, 12, 10) << 3 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 6; }
std::uint32_t double_offset(unsigned h) { return bits(h, 12, 10) << 3 | bits(h, 6, 5) << 6; }

std::uint32_t quadrant0(unsigned h, unsigned xlen, bool f, bool d) {
  const unsigned rs1 = bits(h, 9, 7) + 8, rd = bits(h, 4, 2) + 8;
  const bool rv64 = xlen == 64;
  switch (h >> 13) {
    case 0: {
      const std::uint32_t imm = bits(h, 12, 11) << 4 | bits(h, 10, 7) << 6 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 3;
      return imm == 0 ? 0 : i_type(0x13, 0, rd, 2, imm);
    }
    case 1:
      return d ? i_type(0x07, 3, rd, rs1, double_offset(h)) : 0;
    case 2:
      return i_type(0x03, 2, rd, rs1, word_offset(h));
    case 3:
      return rv64 ? i_type(0x03, 3, rd, rs1, double_offset(h)) : f ? i_type(0x07, 2, rd, rs1, word_offset(h)) : 0;
    case 5:
      return d ? s_type(0x27, 3, rs1, rd, double_offset(h)) : 0;
    case 6:
      return s_type(0x23, 2, rs1, rd, word_offset(h));
    case 7:
      return rv64 ? s_type(0x23, 3, rs1, rd, double_offset(h)) : f ? s_type(0x27, 2, rs1, rd, word_offset(h)) : 0;
    default:
      return 0;
  }
}

std::uint32_t arithmetic1(unsigned h, bool rv64) {
  const unsigned rd = bits(h, 9, 7) + 8, rs2 = bits(h, 4, 2) + 8;
  const std::uint32_t shift = bits(h, 12, 12) << 5 | bits(h, 6, 2);
  switch (bits(h, 11, 10)) {
    case 0:
      return !rv64 && shift > 31 ? 0 : i_type(0x13, 5, rd, rd, shift);
    case 1:
      return !rv64 && shift > 31 ? 0 : i_type(0x13, 5, rd, rd, 0x400 | shift);
    case 2:
      return i_type(0x13, 7, rd, rd, imm6(h));
    default:
      break;
  }
  const unsigned select = bits(h, 6, 5);
  if (bits(h, 12, 12) == 0) {
    static constexpr unsigned funct3[4] = {0, 4, 6, 7};
    return r_type(0x33, funct3[select], select == 0 ? 0x20 : 0, rd, rd, rs2);
  }
  if (!rv64 || select > 1) return 0;
  return r_type(0x3B, 0, select == 0 ? 0x20 : 0, rd, rd, rs2);
}

std::uint32_t quadrant1(unsigned h, unsigned xlen) {
  const bool rv64 = xlen == 64;
  const unsigned rd = bits(h, 11, 7), short_rs1 = bits(h, 9, 7) + 8;
  const std::uint32_t jump =
      sign(bits(h, 12, 12) << 11 | bits(h, 11, 11) << 4 | bits(h, 10, 9) << 8 | bits(h, 8, 8) << 10 |
               bits(h, 7, 7) << 6 | bits(h, 6, 6) << 7 | bits(h, 5, 3) << 1 | bits(h, 2, 2) << 5,
           12);
  const std::uint32_t branch = sign(
      bits(h, 12, 12) << 8 | bits(h, 11, 10) << 3 | bits(h, 6, 5) << 6 | bits(h, 4, 3) << 1 | bits(h, 2, 2) << 5, 9);
  switch (h >> 13) {
    case 0:
      return i_type(0x13, 0, rd, rd, imm6(h));
    case 1:
      return rv64 ? (rd == 0 ? 0 : i_type(0x1B, 0, rd, rd, imm6(h))) : j_type(1, jump);
    case 2:
      return i_type(0x13, 0, rd, 0, imm6(h));
    case 3: {
      if (rd == 2) {
        const std::uint32_t imm = sign(
            bits(h, 12, 12) << 9 | bits(h, 6, 6) << 4 | bits(h, 5, 5) << 6 | bits(h, 4, 3) << 7 | bits(h, 2, 2) << 5,
            10);
        return imm == 0 ? 0 : i_type(0x13, 0, 2, 2, imm);
      }
      const std::uint32_t imm = imm6(h);
      return imm == 0 ? 0 : ((imm << 12) | rd << 7 | 0x37);
    }
    case 4:
      return arithmetic1(h, rv64);
    case 5:
      return j_type(0, jump);
    case 6:
      return b_type(0, short_rs1, branch);
    default:
      return b_type(1, short_rs1, branch);
  }
}

std::uint32_t quadrant2(unsigned h, unsigned xlen, bool f, bool d) {
  const bool rv64 = xlen == 64;
  const unsigned rd = bits(h, 11, 7), rs2 = bits(h, 6, 2);
  const std::uint32_t word_load = bits(h, 12, 12) << 5 | bits(h, 6, 4) << 2 | bits(h, 3, 2) << 6;
  const std::uint32_t double_load = bits(h, 12, 12) << 5 | bits(h, 6, 5) << 3 | bits(h, 4, 2) << 6;
  const std::uint32_t word_store = bits(h, 12, 9) << 2 | bits(h, 8, 7) << 6;
  const std::uint32_t double_store = bits(h, 12, 10) << 3 | bits(h, 9, 7) << 6;
  switch (h >> 13) {
    case 0: {
      const std::uint32_t shift = bits(h, 12, 12) << 5 | rs2;
      return !rv64 && shift > 31 ? 0 : i_type(0x13, 1, rd, rd, shift);
    }
    case 1:
      return d ? i_type(0x07, 3, rd, 2, double_load) : 0;
    case 2:
      return rd == 0 ? 0 : i_type(0x03, 2, rd, 2, word_load);
    case 3:
      if (rv64) return rd == 0 ? 0 : i_type(0x03, 3, rd, 2, double_load);
      return f ? i_type(0x07, 2, rd, 2, word_load) : 0;
    case 4:
      if (bits(h, 12, 12) == 0) {
        if (rs2 != 0) return r_type(0x33, 0, 0, rd, 0, rs2);
        return rd == 0 ? 0 : i_type(0x67, 0, 0, rd, 0);
      }
      if (rs2 != 0) return r_type(0x33, 0, 0, rd, rd, rs2);
      return rd == 0 ? 0x00100073 : i_type(0x67, 0, 1, rd, 0);
    case 5:
      return d ? s_type(0x27, 3, 2, rs2, double_store) : 0;
    case 6:
      return s_type(0x23, 2, 2, rs2, word_store);
    default:
      return rv64 ? s_type(0x23, 3, 2, rs2, double_store) : f ? s_type(0x27, 2, 2, rs2, word_store) : 0;
  }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t half, unsigned xlen, bool f, bool d) {
  switch (half & 3) {
    case 0:
      return quadrant0(half, xlen, f, d);
    case 1:
      return quadrant1(half, xlen);
    case 2:
      return quadrant2(half, xlen, f, d);
    default:
      return 0;
  }
}

}  // namespace gyre::riscv
