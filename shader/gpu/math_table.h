// Constants of the accurate mathematics in fixed point, most significant word first. Rows for Horner's rule hold the
// highest powers as single words at a scale of their own, then pairs with 62 fraction bits.
#pragma once

#include <cstdint>
#include <vector>

namespace gyre::shader::gpu {

constexpr int kTwoOverPi = 0;  // 64 zero bits, then 256 bits of 2/pi
constexpr int kTrigRow = 10;   // sin, then cos, of a quarter turn times x, in powers of x^2: 4 words at 2^47, 5 pairs
constexpr int kTrigWords = 14;
constexpr int kLogRow = 38;      // 1/(2k+1): 6 words at 2^35, 5 pairs
constexpr int kTwoOverLn2 = 54;  // one pair
constexpr int kExpRow = 56;      // ln(2)^k / k!: 8 words at 2^55, 9 pairs

inline const std::vector<std::uint32_t>& math_table() {
  static const std::vector<std::uint32_t> table = {
      // 2/pi
      0x00000000, 0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
      0xDEBBC561,
      // sin
      0x00000356, 0x00016FAE, 0x007A3D0D, 0x1E3074FE, 0x0002A0F0, 0x690FDCF0, 0x004CB4B3, 0x398AF617, 0x0519AF19,
      0xDD6AB875, 0x295779CC, 0x4B7CA57D, 0x6487ED51, 0x10B4611A,
      // cos
      0x00002419, 0x000DB712, 0x03F3A714, 0xD368F951, 0x000F0FA8, 0x3448DD5D, 0x0155D3C7, 0xE3CBFFA0, 0x103C1F08,
      0x1B5AC3B3, 0x4EF4F326, 0xF9177969, 0x40000000, 0x00000000,
      // atanh
      0x61861862, 0x6BCA1AF3, 0x78787878, 0x88888889, 0x9D89D89E, 0xBA2E8BA3, 0x071C71C7, 0x1C71C71C, 0x09249249,
      0x24924925, 0x0CCCCCCC, 0xCCCCCCCD, 0x15555555, 0x55555555, 0x40000000, 0x00000000,
      // 2/ln 2
      0xB8AA3B29, 0x5C17F0BC,
      // 2^x
      0x00000005, 0x00000071, 0x0000098A, 0x0000C0B1, 0x000E1DEB, 0x00F46564, 0x0F267A8B, 0xDA929E9D, 0x0000058B,
      0x0088E972, 0x00003FF9, 0x7F8B1162, 0x00028612, 0x25F0D8F1, 0x0015D87F, 0xE78A6731, 0x009D955B, 0x7DD273B9,
      0x038D611A, 0xE09417F1, 0x0F5FDEFF, 0xC162C754, 0x2C5C85FD, 0xF473DE6B, 0x40000000, 0x00000000};
  return table;
}

}  // namespace gyre::shader::gpu
