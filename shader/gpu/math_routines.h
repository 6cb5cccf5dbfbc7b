// sin, cos, pow and rsq without a branch, over any "machine" (builder.h makes device code, host_machine.h computes):
// the seed's series (csir.md §6, COMPAT), bit for bit, and accurate ones.
//
// The accurate ones do not use doubles, which the cores do not have, but 64-bit fixed point made of 32-bit words. Their
// error before the one rounding at the end is below 2^-48 of the result, as is that of the interpreter's doubles; so
// the two agree bit for bit unless the exact value lies that close to the middle between two floats, and then differ by
// one unit in the last place.
#pragma once

#include <cstdint>

#include "builder.h"
#include "math_table.h"

namespace gyre::shader::gpu {

template <class M>
class MathRoutines {
 public:
  using Int = typename M::Int;
  using Real = typename M::Real;

  explicit MathRoutines(M* machine) : m(*machine) {}

  // ==== the seed's ====
  Real compat_sin(Real x) {
    const Int turn = m.li(0x40C90FDB), minus_turn = m.li(0xC0C90FDB);  // 6.2831853
    const Real half = m.real(3.14159265f), minus_half = m.real(-3.14159265f);
    // x - 0 is x, whatever x is.
    for (int guard = 0; guard < 16; ++guard) x = m.fsub(x, m.from_bits(m.if_nonzero(turn, m.flt(half, x))));
    for (int guard = 0; guard < 16; ++guard) x = m.fsub(x, m.from_bits(m.if_nonzero(minus_turn, m.flt(x, minus_half))));
    const Real square = m.fmul(x, x);
    Real term = x, sum = x;
    for (int i = 1; i <= 6; ++i) {
      term = m.fdiv(m.fmul(m.fneg(term), square), m.real(static_cast<float>((2 * i) * (2 * i + 1))));
      sum = m.fadd(sum, term);
    }
    return sum;
  }
  Real compat_cos(Real x) { return compat_sin(m.fadd(x, m.real(1.5707963f))); }

  Real compat_pow(Real a, Real b) {
    const Real zero = m.real(0.0f), one = m.real(1.0f);
    const Int n = m.truncate(b), negative = m.flt(a, zero);
    Int whole = m.and_(m.fle(zero, b), m.flt(b, m.real(16.0f)));
    whole = m.and_(whole, m.feq(b, m.to_real(n)));
    const Int sign = m.slli(negative, 31), magnitude = m.xor_(m.bits(a), sign), one_bits = m.bits(one);
    Real product = one;
    for (int i = 0; i < 15; ++i) {
      const Int done = m.slti(n, i + 1);
      product = m.fmul(product, m.from_bits(select(m, done, one_bits, magnitude)));
    }
    const Int odd_sign = m.and_(sign, m.slli(n, 31));
    const Int power = m.xor_(m.bits(product), odd_sign);
    const Int general = m.if_zero(m.bits(compat_exp(m.fmul(b, compat_log(a)))), negative);
    return m.from_bits(m.if_zero(select(m, whole, power, general), m.feq(a, zero)));
  }

  Real compat_rsq(Real x) {
    const Real root = m.fdiv(m.real(1.0f), compat_pow(x, m.real(0.5f)));
    return m.from_bits(m.if_nonzero(m.bits(root), m.flt(m.real(0.0f), x)));
  }

  // ==== accurate ====
  Real precise_sin(Real x) { return trig(x, false); }
  Real precise_cos(Real x) { return trig(x, true); }

  Real precise_pow(Real a, Real b) {
    const Int a_bits = m.bits(a), b_bits = m.bits(b);
    const Int low31 = m.li(0x7FFFFFFF), infinity = m.li(0x7F800000);
    const Int base = m.and_(a_bits, low31), size = m.and_(b_bits, low31);
    const Int a_negative = m.srli(a_bits, 31), b_negative = m.srli(b_bits, 31);
    const Int one = m.li(0x3F800000);

    const Int magnitude = general_power(base, b_bits, size, b_negative);
    // A base of 1, or a base or an exponent at the end of the range: 1, or infinity, or 0.
    const Int base_infinite = is_zero(m.sub(base, infinity)), size_infinite = is_zero(m.sub(size, infinity));
    const Int base_is_one = is_zero(m.sub(base, one));
    const Int extreme = m.or_(m.or_(is_zero(base), base_infinite), m.or_(size_infinite, base_is_one));
    const Int grows = is_zero(m.xor_(m.sltu(one, base), m.xori(b_negative, 1)));
    const Int at_end = select(m, base_is_one, one, m.if_nonzero(infinity, grows));
    Int result = select(m, extreme, at_end, magnitude);

    // Whole exponents: all from 2^24 on.
    const Int huge = m.xori(m.sltu(size, m.li(0x4B800000)), 1);
    const Real size_real = m.from_bits(size);
    const Int truncated = m.truncate(size_real);
    const Int whole = m.or_(huge, m.feq(m.to_real(truncated), size_real));
    const Int odd = m.if_zero(m.and_(m.andi(truncated, 1), whole), huge);
    result = m.or_(result, m.slli(m.and_(a_negative, odd), 31));

    const Int no_root =
        m.and_(m.and_(a_negative, m.flt(m.real(0.0f), m.from_bits(base))), m.if_zero(m.xori(whole, 1), base_infinite));
    const Int a_nan = m.sltu(infinity, base), b_nan = m.sltu(infinity, size);
    const Int nan = m.or_(m.or_(a_nan, b_nan), no_root);
    result = select(m, nan, m.li(0x7FC00000), result);
    const Int trivial = m.or_(is_zero(size), is_zero(m.sub(a_bits, one)));
    return m.from_bits(select(m, trivial, one, result));
  }

 private:
  struct Wide {  // 64 bits
    Int hi, lo;
  };

  Int is_zero(Int x) { return m.sltiu(x, 1); }

  // Upper 64 bits of the product, up to 2 units too small.
  Wide mul_high(Wide a, Wide b) {
    const Int first = m.mulhu(a.hi, b.lo), second = m.mulhu(a.lo, b.hi);
    const Int low = m.add(m.mul(a.hi, b.hi), first), lower = m.add(low, second);
    return {m.add(m.mulhu(a.hi, b.hi), m.add(m.sltu(low, first), m.sltu(lower, second))), lower};
  }
  Wide plus(Wide a, Wide b) {
    const Int low = m.add(a.lo, b.lo);
    return {m.add(m.add(a.hi, b.hi), m.sltu(low, a.lo)), low};
  }
  Wide minus(Wide a, Wide b) { return {m.sub(m.sub(a.hi, b.hi), m.sltu(a.lo, b.lo)), m.sub(a.lo, b.lo)}; }
  Wide pair(Int address, int words) { return {m.word(address, words), m.word(address, words + 1)}; }

  // Upper word of (hi, lo) shifted left by n, 0..31.
  Int funnel_left(Int hi, Int lo, Int n) { return m.or_(m.sll(hi, n), m.srl(m.srli(lo, 1), m.xori(n, 31))); }
  // By n, 0..31.
  Wide shift_right(Wide a, Int n) {
    return {m.srl(a.hi, n), m.or_(m.srl(a.lo, n), m.sll(m.slli(a.hi, 1), m.xori(n, 31)))};
  }
  // floor(log2(x)), x > 0
  Int log2_floor(Int x) { return m.addi(m.srli(m.bits(m.to_real_unsigned_toward_zero(x)), 23), -127); }

  // The sum over k of coefficient_k * x^k, alternating or not, at a row of the table: the highest `singles` powers as
  // words at 2^scale, then `pairs` with 62 fraction bits. x has 64 fraction bits.
  Wide horner(Int row, Wide x, int singles, int scale, int pairs, bool alternating) {
    Int small = m.word(row, 0);
    for (int k = 1; k < singles; ++k) {
      const Int product = m.mulhu(x.hi, small);
      small = alternating ? m.sub(m.word(row, k), product) : m.add(m.word(row, k), product);
    }
    const int up = 62 - scale;
    Wide sum{m.srli(small, 32 - up), m.slli(small, up)};
    for (int k = 0; k < pairs; ++k) {
      const Wide product = mul_high(x, sum), coefficient = pair(row, singles + 2 * k);
      sum = alternating ? minus(coefficient, product) : plus(coefficient, product);
    }
    return sum;
  }

  // Float bits of mantissa * 2^exponent / 2^31, mantissa in [2^31, 2^32) with what was lost ORed into bit 0; nearest
  // even. `exponent` from -126 on (`field` = exponent + 126): the result is normal; or with field 0 a mantissa shifted
  // right.
  Int round_to_float(Int mantissa, Int field) {
    const Int kept = m.srli(mantissa, 8), lost = m.slli(mantissa, 24);
    const Int limit = m.sub(m.li(0x80000000), m.andi(kept, 1));
    return m.add(m.add(m.slli(field, 23), kept), m.sltu(limit, lost));
  }
  Int sticky(Int word) { return m.sltu(m.li(0), word); }

  // ---- sin and cos: |x| in quarter turns by as much of 2/pi as matters, then a polynomial on half a quarter
  Real trig(Real x, bool cosine) {
    const Int x_bits = m.bits(x), size = m.and_(x_bits, m.li(0x7FFFFFFF));
    const Int exponent = m.srli(size, 23);
    const Int mantissa = m.or_(m.and_(size, m.li(0x007FFFFF)), m.li(0x00800000));
    // 128 bits of 2/pi from the one that still counts modulo 4 on; small exponents are answered below.
    const Int small = m.slti(exponent, 115);
    const Int offset = m.if_zero(m.addi(exponent, -88), small), shift = m.andi(offset, 31);
    const Int address = m.table(kTwoOverPi, m.srli(offset, 5));
    Int words[5];
    for (int i = 0; i < 5; ++i) words[i] = m.word(address, i);
    Int window[4];
    for (int i = 0; i < 4; ++i) window[i] = funnel_left(words[i], words[i + 1], shift);
    // Modulo 2^128; the top two bits count quarters, 94 bits of fraction are kept.
    const Int carry0 = m.mulhu(mantissa, window[3]);
    const Int y1 = m.add(m.mul(mantissa, window[2]), carry0);
    const Int carry1 = m.add(m.mulhu(mantissa, window[2]), m.sltu(y1, carry0));
    const Int y2 = m.add(m.mul(mantissa, window[1]), carry1);
    const Int carry2 = m.add(m.mulhu(mantissa, window[1]), m.sltu(y2, carry1));
    const Int y3 = m.add(m.mul(mantissa, window[0]), carry2);
    // To the nearest quarter.
    const Int shifted = m.add(y3, m.li(0x20000000));
    const Int quadrant = cosine ? m.addi(m.srli(shifted, 30), 1) : m.srli(shifted, 30);
    const Int rest = m.sub(m.and_(shifted, m.li(0x3FFFFFFF)), m.li(0x20000000));
    const Int negative = m.srai(rest, 31);
    const Int r2 = m.xor_(rest, negative), r1 = m.xor_(y2, negative), r0 = m.xor_(y1, negative);

    const Wide r{m.or_(m.slli(r2, 2), m.srli(r1, 30)), m.or_(m.slli(r1, 2), m.srli(r0, 30))};
    const Int odd = m.andi(quadrant, 1);
    const Int row = m.table(kTrigRow, m.sub(m.slli(odd, 4), m.slli(odd, 1)));
    const Wide series = horner(row, mul_high(r, r), 4, 47, 5, true);

    // sin: times r, of which 64 leading bits are taken.
    const Int top = log2_floor(r2), up = m.sub(m.li(31), top);
    const Wide product =
        mul_high({funnel_left(r2, r1, up), funnel_left(r1, r0, up)}, series);  // 61 fraction bits, in [1.4, 3.2)
    const Wide v{select(m, odd, series.hi, product.hi), select(m, odd, series.lo, product.lo)};
    const Int power = select(m, odd, m.li(0xFFFFFFFF), m.addi(top, -30));
    const Int whole = m.srli(v.hi, 30), left = m.sub(m.li(2), whole);
    const Int mantissa32 = m.or_(funnel_left(v.hi, v.lo, left), sticky(m.sll(v.lo, left)));
    const Int value = round_to_float(mantissa32, m.addi(m.add(whole, power), 126));

    Int sign = m.xor_(m.slli(m.srli(quadrant, 1), 31), m.if_zero(m.slli(m.srli(negative, 31), 31), odd));
    if (!cosine) sign = m.xor_(sign, m.sub(x_bits, size));
    Int result = m.xor_(value, sign);
    // As the interpreter has it, sin(-0) is +0.
    result = select(m, small, cosine ? m.li(0x3F800000) : m.if_nonzero(x_bits, size), result);
    return m.from_bits(select(m, m.slti(exponent, 255), result, m.li(0x7FC00000)));
  }

  // ---- base^b as float bits, base positive, finite, not 0; b finite. Other operands give anything.
  Int general_power(Int base, Int b_bits, Int size, Int b_negative) {
    const Log log = log2_of(base);
    // y = b * log2(base), as y / 2^62 * 2^scale
    const Int b_mantissa = m.slli(m.or_(m.and_(b_bits, m.li(0x007FFFFF)), m.li(0x00800000)), 8);
    const Int middle = m.mulhu(log.mantissa.lo, b_mantissa);
    const Int low = m.add(m.mul(log.mantissa.hi, b_mantissa), middle);
    const Wide y{m.add(m.mulhu(log.mantissa.hi, b_mantissa), m.sltu(low, middle)), low};
    const Int scale = m.add(log.exponent, m.addi(m.srli(size, 23), -127));
    // 52 fraction bits; from 256 on it is 256, which overflows and underflows alike.
    const Int right = m.sub(m.li(10), scale);
    const Int beyond = m.slti(right, 0), far = m.xori(m.slti(right, 64), 1);
    const Int by_word = m.xori(m.slti(right, 32), 1);
    Wide fixed = shift_right({m.if_zero(y.hi, by_word), select(m, by_word, y.hi, y.lo)}, m.andi(right, 31));
    const Int limit = m.li(0x10000000);
    const Int over = m.or_(beyond, m.if_zero(m.xori(m.sltu(fixed.hi, limit), 1), far));
    fixed.hi = select(m, over, limit, m.if_zero(fixed.hi, far));
    fixed.lo = m.if_zero(fixed.lo, m.or_(over, far));
    // The sign; then whole and fraction, which is not negative.
    const Int negative = m.xor_(log.negative, b_negative), mask = m.sub(m.li(0), negative);
    const Int low_signed = m.add(m.xor_(fixed.lo, mask), negative);
    const Int high_signed = m.add(m.xor_(fixed.hi, mask), m.sltu(low_signed, negative));
    return exp2_bits(m.srai(high_signed, 20),
                     {m.or_(m.slli(high_signed, 12), m.srli(low_signed, 20)), m.slli(low_signed, 12)});
  }

  // |log2(base)| = mantissa / 2^63 * 2^exponent
  struct Log {
    Wide mantissa;
    Int exponent, negative;
  };

  Log log2_of(Int base) {
    // Subnormal bases are scaled by 2^24.
    const Int tiny = m.sltu(base, m.li(0x00800000));
    const Int bits = m.bits(
        m.fmul(m.from_bits(base), m.from_bits(m.add(m.li(0x3F800000), m.sub(m.slli(tiny, 28), m.slli(tiny, 26))))));
    const Int steps = m.srai(m.sub(bits, m.li(0x3F3504F3)), 23);  // the mantissa in [sqrt(1/2), sqrt(2))
    const Int part = m.sub(bits, m.slli(steps, 23));
    const Int whole = m.sub(steps, m.sub(m.slli(tiny, 5), m.slli(tiny, 3)));
    const Int above = m.addi(m.srli(part, 23), -126);
    const Int fixed = m.sll(m.or_(m.and_(part, m.li(0x007FFFFF)), m.li(0x00800000)), above);  // 24 fraction bits
    const Int one = m.li(0x01000000), difference = m.sub(fixed, one), below = m.srli(difference, 31);
    const Int numerator = m.add(m.xor_(difference, m.sub(m.li(0), below)), below), denominator = m.add(fixed, one);
    const Int up = m.andi(m.sub(m.li(23), log2_floor(numerator)), 31);
    const Wide s = quotient(m.sll(numerator, up), denominator);  // (m-1)/(m+1) * 2^up, 64 fraction bits

    const Wide square = shift_right(shift_right(mul_high(s, s), up), up);
    const Int row = m.table(kLogRow, m.li(0));
    const Wide series = horner(row, square, 6, 35, 5, false);
    const Wide scaled = mul_high(pair(m.table(kTwoOverLn2, m.li(0)), 0), series);  // 60 fraction bits
    const Wide fraction = mul_high(s, scaled);                                     // |log2(m)| * 2^up, 60 fraction bits

    // With 88 fraction bits, to be added to the exponent.
    const Int left = m.sub(m.li(28), up), mask_bit = m.xor_(m.srli(whole, 31), below), opposite = mask_bit,
              mask = m.sub(m.li(0), opposite);
    const Int f2 = m.srl(m.srli(fraction.hi, 1), m.xori(left, 31)), f1 = funnel_left(fraction.hi, fraction.lo, left),
              f0 = m.sll(fraction.lo, left);
    const Int whole_negative = m.srli(whole, 31), whole_mask = m.srai(whole, 31);
    const Int whole_size = m.sub(m.xor_(whole, whole_mask), whole_mask);
    const Int l0 = m.add(m.xor_(f0, mask), opposite), c0 = m.sltu(l0, opposite);
    const Int l1 = m.add(m.xor_(f1, mask), c0), c1 = m.sltu(l1, c0);
    const Int l2 = m.add(m.slli(whole_size, 24), m.add(m.xor_(f2, mask), c1));
    const Int top = log2_floor(l2), shift = m.andi(m.sub(m.li(31), top), 31);

    const Int near_one = is_zero(whole);
    Log out;
    out.mantissa = {select(m, near_one, fraction.hi, funnel_left(l2, l1, shift)),
                    select(m, near_one, fraction.lo, funnel_left(l1, l0, shift))};
    out.exponent = select(m, near_one, m.sub(m.li(3), up), m.addi(top, -24));
    out.negative = select(m, near_one, below, whole_negative);
    return out;
  }

  // numerator / denominator with 64 fraction bits, 6 at a time; numerator < denominator < 2^26.
  Wide quotient(Int numerator, Int denominator) {
    Int digits[11];
    for (Int& digit : digits) {
      numerator = m.slli(numerator, 6);
      digit = m.divu(numerator, denominator);
      numerator = m.remu(numerator, denominator);
    }
    Int hi = digits[0], lo = digits[5];
    for (int k = 1; k < 5; ++k) hi = m.or_(m.slli(hi, 6), digits[k]);
    hi = m.or_(m.slli(hi, 2), m.srli(lo, 4));
    for (int k = 6; k < 10; ++k) lo = m.or_(m.slli(lo, 6), digits[k]);
    return {hi, m.or_(m.slli(lo, 4), m.srli(digits[10], 2))};
  }

  // 2^(whole + fraction / 2^64) as float bits; the whole part from -257 to 256.
  Int exp2_bits(Int whole, Wide fraction) {
    const Wide v = horner(m.table(kExpRow, m.li(0)), fraction, 8, 55, 9, false);  // 62 fraction bits, in [1, 2)
    Int mantissa = m.or_(m.or_(m.slli(v.hi, 1), m.srli(v.lo, 31)), sticky(m.slli(v.lo, 1)));
    // Below 2^-126 the mantissa loses bits to the right.
    const Int field = m.addi(whole, 126), subnormal = m.srli(field, 31);
    const Int wanted = m.if_nonzero(m.sub(m.li(0), field), subnormal);
    const Int right = select(m, m.slti(wanted, 31), wanted, m.li(31));
    const Int kept = m.srl(mantissa, right);
    mantissa = m.or_(kept, sticky(m.xor_(m.sll(kept, right), mantissa)));
    const Int bits = round_to_float(mantissa, m.if_zero(field, subnormal));
    return select(m, m.slti(whole, 128), bits, m.li(0x7F800000));
  }

  // ---- the seed's exp and log
  Real compat_exp(Real x) {
    const Real ten = m.real(10.0f), minus_ten = m.real(-10.0f), one = m.real(1.0f);
    x = select_real(m, m.flt(ten, x), ten, x);
    x = select_real(m, m.flt(x, minus_ten), minus_ten, x);
    Real sum = one, term = one;
    for (int i = 1; i <= 16; ++i) {
      term = m.fmul(term, m.fdiv(x, m.real(static_cast<float>(i))));
      sum = m.fadd(sum, term);
    }
    return sum;
  }
  Real compat_log(Real a) {
    const Real zero = m.real(0.0f), one = m.real(1.0f), two = m.real(2.0f);
    const Int not_positive = m.fle(a, zero), one_bits = m.li(0x3F800000);
    Int exponent = m.li(0);
    for (int guard = 0; guard < 32; ++guard) {
      const Int halve = m.flt(two, a);
      a = m.fmul(a, m.from_bits(m.sub(one_bits, m.slli(halve, 23))));
      exponent = m.add(exponent, halve);
    }
    for (int guard = 0; guard < 32; ++guard) {
      const Int twice = m.flt(a, one);
      a = m.fmul(a, m.from_bits(m.add(one_bits, m.slli(twice, 23))));
      exponent = m.sub(exponent, twice);
    }
    const Real u = m.fsub(a, one);
    Real power = u, sum = zero;
    for (int i = 1; i <= 20; ++i) {
      const Real term = m.fdiv(power, m.real(static_cast<float>(i)));
      sum = i % 2 == 1 ? m.fadd(sum, term) : m.fsub(sum, term);
      power = m.fmul(power, u);
    }
    const Real result = m.fadd(sum, m.fmul(m.to_real(exponent), m.real(0.693147f)));
    return m.from_bits(m.if_zero(m.bits(result), not_positive));
  }

  M& m;
};

}  // namespace gyre::shader::gpu
