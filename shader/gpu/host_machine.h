// The operations of Builder, computed at once on the host: what the device code of MathRoutines gives, for tests.
#pragma once

#include <cmath>

#include "fixed.h"
#include "math_table.h"
#include "precise_math.h"

namespace gyre::shader::gpu {

class HostMachine {
 public:
  using Int = std::uint32_t;
  using Real = float;

  Int li(std::uint32_t value) { return value; }
  Int add(Int a, Int b) { return a + b; }
  Int sub(Int a, Int b) { return a - b; }
  Int and_(Int a, Int b) { return a & b; }
  Int or_(Int a, Int b) { return a | b; }
  Int xor_(Int a, Int b) { return a ^ b; }
  Int sll(Int a, Int n) { return a << (n & 31); }
  Int srl(Int a, Int n) { return a >> (n & 31); }
  Int mul(Int a, Int b) { return a * b; }
  Int mulhu(Int a, Int b) { return static_cast<Int>(std::uint64_t{a} * b >> 32); }
  Int divu(Int a, Int b) { return b == 0 ? ~0u : a / b; }
  Int remu(Int a, Int b) { return b == 0 ? a : a % b; }
  Int slt(Int a, Int b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? 1 : 0; }
  Int sltu(Int a, Int b) { return a < b ? 1 : 0; }
  Int slli(Int a, int n) { return a << n; }
  Int srli(Int a, int n) { return a >> n; }
  Int srai(Int a, int n) { return a >> n | ((a >> 31) != 0 && n != 0 ? ~0u << (32 - n) : 0); }
  Int addi(Int a, int imm) { return a + static_cast<Int>(imm); }
  Int andi(Int a, int imm) { return a & static_cast<Int>(imm); }
  Int xori(Int a, int imm) { return a ^ static_cast<Int>(imm); }
  Int slti(Int a, int imm) { return static_cast<std::int32_t>(a) < imm ? 1 : 0; }
  Int sltiu(Int a, int imm) { return a < static_cast<Int>(imm) ? 1 : 0; }
  Int if_nonzero(Int value, Int condition) { return condition != 0 ? value : 0; }
  Int if_zero(Int value, Int condition) { return condition == 0 ? value : 0; }
  Int table(int first, Int index) { return static_cast<Int>(first) + index; }
  Int word(Int address, int words) { return math_table().at(address + static_cast<Int>(words)); }

  Real real(float value) { return value; }
  Real fadd(Real a, Real b) { return a + b; }
  Real fsub(Real a, Real b) { return a - b; }
  Real fmul(Real a, Real b) { return a * b; }
  Real fdiv(Real a, Real b) { return a / b; }
  Real fsqrt(Real a) { return __builtin_sqrtf(a); }
  Real fneg(Real a) { return from_bits(bits(a) ^ 0x80000000u); }
  Int flt(Real a, Real b) { return a < b ? 1 : 0; }
  Int fle(Real a, Real b) { return a <= b ? 1 : 0; }
  Int feq(Real a, Real b) { return a == b ? 1 : 0; }
  Int bits(Real a) {
    Int out;
    std::memcpy(&out, &a, sizeof out);
    return out;
  }
  Real from_bits(Int a) {
    Real out;
    std::memcpy(&out, &a, sizeof out);
    return out;
  }
  Real to_real(Int a) { return static_cast<float>(static_cast<std::int32_t>(a)); }
  Real to_real_unsigned_toward_zero(Int a) {
    const int bits_lost = a >> 24 == 0 ? 0 : 8 - __builtin_clz(a);
    return static_cast<float>(a >> bits_lost << bits_lost);
  }
  Int truncate(Real a) { return static_cast<Int>(gyre_f32_to_i32_sat(a)); }
};

}  // namespace gyre::shader::gpu
