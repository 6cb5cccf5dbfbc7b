// A finite number is taken apart into sign and significand * 2^exponent with a 128-bit significand; every operation
// computes one exact to its last bit, or with the lost bits or-ed into the lowest ("jam"), and rounds once, in pack().
#include "fp.h"

#include <initializer_list>

namespace gyre::riscv::fp {
namespace {

using Wide = unsigned __int128;

struct Parts {
  bool negative;
  int exponent;
  Wide significand;
};

int top_bit(Wide value) {  // value != 0
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(static_cast<std::uint64_t>(value));
}

Wide shift_right_jam(Wide value, int count) {
  if (count <= 0) return value;
  if (count > 127) return value != 0;
  return value >> count | ((value & ((Wide{1} << count) - 1)) != 0);
}

// A finite number; a subnormal one is normalised, zero has significand 0.
template <class F>
Parts unpack(typename F::Bits a) {
  Parts parts{(a & kSign<F>) != 0, 0, a & kFractionMask<F>};
  const auto biased = static_cast<int>((a & ~kSign<F>) >> F::kFraction);
  if (biased != 0) parts.significand |= Wide{1} << F::kFraction;
  parts.exponent = (biased == 0 ? 1 : biased) - F::kExponentMax - F::kFraction;
  if (biased == 0 && parts.significand != 0) {
    const int shift = F::kFraction - top_bit(parts.significand);
    parts.significand <<= shift;
    parts.exponent -= shift;
  }
  return parts;
}

// value / 2^shift to an integer.
Wide round_at(Wide value, int shift, bool negative, unsigned rm, bool& inexact) {
  if (shift <= 0) {
    inexact = false;
    return value << -shift;
  }
  Wide kept = 0;
  int against_half = -1;  // the rest compared with half a unit: -1, 0, 1
  if (shift <= 127) {
    kept = value >> shift;
    const Wide rest = value & ((Wide{1} << shift) - 1), half = Wide{1} << (shift - 1);
    inexact = rest != 0;
    against_half = rest < half ? -1 : rest > half;
  } else {
    inexact = value != 0;
    if (shift == 128 && value >> 127 != 0) against_half = value << 1 != 0;
  }
  if (!inexact) return kept;
  bool up = false;
  switch (rm) {
    case kRne: up = against_half > 0 || (against_half == 0 && (kept & 1) != 0); break;
    case kRdn: up = negative; break;
    case kRup: up = !negative; break;
    case kRmm: up = against_half >= 0; break;
    default: break;
  }
  return kept + up;
}

template <class F>
typename F::Bits pack(const Parts& value, unsigned rm, unsigned& flags) {
  using Bits = typename F::Bits;
  const Bits sign = value.negative ? kSign<F> : 0;
  if (value.significand == 0) return sign;
  constexpr int kMinimum = 1 - F::kExponentMax;
  const int top = top_bit(value.significand);
  int exponent = value.exponent + top;
  const int normal_shift = top - F::kFraction;
  const bool small = exponent < kMinimum;
  bool inexact = false;
  const Wide rounded = round_at(value.significand, small ? normal_shift + (kMinimum - exponent) : normal_shift,
                                value.negative, rm, inexact);
  if (inexact) flags |= kNx;
  if (small) {
    if (inexact) {
      // Tininess after rounding: not tiny if rounding with an unbounded exponent reaches the smallest normal number.
      bool ignored = false;
      const bool reaches = exponent == kMinimum - 1 && round_at(value.significand, normal_shift, value.negative, rm,
                                                                ignored) >> (F::kFraction + 1) != 0;
      if (!reaches) flags |= kUf;
    }
    return sign | static_cast<Bits>(rounded);  // a carry makes it the smallest normal number
  }
  Bits fraction = static_cast<Bits>(rounded);
  if (rounded >> (F::kFraction + 1) != 0) {
    fraction = 0;
    ++exponent;
  }
  if (exponent > F::kExponentMax) {
    flags |= kOf | kNx;
    const bool to_infinity = rm == kRne || rm == kRmm || (rm == kRdn && value.negative) || (rm == kRup && !value.negative);
    return sign | (to_infinity ? kInfinity<F> : kInfinity<F> - 1);
  }
  return sign | static_cast<Bits>(exponent + F::kExponentMax) << F::kFraction | (fraction & kFractionMask<F>);
}

template <class F>
typename F::Bits invalid(unsigned& flags) {
  flags |= kNv;
  return kCanonicalNan<F>;
}

// Result of an operation with a NaN among its operands.
template <class F>
typename F::Bits propagate(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kNv;
  return kCanonicalNan<F>;
}

// Sum of two finite numbers whose significands have at most 107 bits.
template <class F>
typename F::Bits add_parts(Parts a, Parts b, unsigned rm, unsigned& flags) {
  if (a.significand == 0 && b.significand == 0) {
    const bool negative = a.negative == b.negative ? a.negative : rm == kRdn;
    return negative ? kSign<F> : 0;
  }
  if (a.significand == 0) return pack<F>(b, rm, flags);
  if (b.significand == 0) return pack<F>(a, rm, flags);
  // Both with their top bit at 125: the one of less weight can be jammed far below where rounding happens.
  for (Parts* part : {&a, &b}) {
    const int shift = 125 - top_bit(part->significand);
    part->significand <<= shift;
    part->exponent -= shift;
  }
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    const Parts other = a;
    a = b;
    b = other;
  }
  const Wide small = shift_right_jam(b.significand, a.exponent - b.exponent);
  Parts sum = a;
  sum.significand = a.negative == b.negative ? a.significand + small : a.significand - small;
  if (sum.significand == 0) sum.negative = rm == kRdn;
  return pack<F>(sum, rm, flags);
}

template <class F>
bool below(typename F::Bits a, typename F::Bits b) {  // a < b, no NaN, -0 < +0
  const bool negative_a = (a & kSign<F>) != 0, negative_b = (b & kSign<F>) != 0;
  if (negative_a != negative_b) return negative_a;
  return negative_a ? b < a : a < b;
}

}  // namespace

template <class F>
typename F::Bits add(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate<F>(a, b, flags);
  if (is_infinite<F>(a)) return is_infinite<F>(b) && a != b ? invalid<F>(flags) : a;
  if (is_infinite<F>(b)) return b;
  return add_parts<F>(unpack<F>(a), unpack<F>(b), rm, flags);
}

template <class F>
typename F::Bits sub(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags) {
  return add<F>(a, b ^ kSign<F>, rm, flags);  // the sign of a NaN does not matter
}

template <class F>
typename F::Bits mul(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags) {
  const auto sign = (a ^ b) & kSign<F>;
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate<F>(a, b, flags);
  if (is_infinite<F>(a) || is_infinite<F>(b))
    return is_zero<F>(a) || is_zero<F>(b) ? invalid<F>(flags) : sign | kInfinity<F>;
  const Parts x = unpack<F>(a), y = unpack<F>(b);
  return pack<F>({sign != 0, x.exponent + y.exponent, x.significand * y.significand}, rm, flags);
}

template <class F>
typename F::Bits div(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags) {
  const auto sign = (a ^ b) & kSign<F>;
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate<F>(a, b, flags);
  if (is_infinite<F>(a)) return is_infinite<F>(b) ? invalid<F>(flags) : sign | kInfinity<F>;
  if (is_infinite<F>(b)) return sign;
  if (is_zero<F>(b)) {
    if (is_zero<F>(a)) return invalid<F>(flags);
    flags |= kDz;
    return sign | kInfinity<F>;
  }
  const Parts x = unpack<F>(a), y = unpack<F>(b);
  constexpr int kShift = 70;  // a quotient of 70 bits, the remainder jammed
  const Wide numerator = x.significand << kShift;
  const Wide quotient = numerator / y.significand;
  return pack<F>({sign != 0, x.exponent - y.exponent - kShift, quotient | (quotient * y.significand != numerator)}, rm,
                 flags);
}

template <class F>
typename F::Bits sqrt(typename F::Bits a, unsigned rm, unsigned& flags) {
  if (is_nan<F>(a)) return propagate<F>(a, a, flags);
  if (is_zero<F>(a)) return a;
  if ((a & kSign<F>) != 0) return invalid<F>(flags);
  if (is_infinite<F>(a)) return a;
  Parts x = unpack<F>(a);
  int shift = 124 - top_bit(x.significand);
  if (((x.exponent - shift) & 1) != 0) ++shift;
  Wide rest = x.significand << shift, root = 0;
  for (Wide bit = Wide{1} << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return pack<F>({false, (x.exponent - shift) / 2, root | (rest != 0)}, rm, flags);
}

template <class F>
typename F::Bits fma(typename F::Bits a, typename F::Bits b, typename F::Bits c, unsigned rm, unsigned& flags) {
  const auto sign = (a ^ b) & kSign<F>;
  const bool bad = (is_infinite<F>(a) && is_zero<F>(b)) || (is_zero<F>(a) && is_infinite<F>(b));
  if (bad || is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c)) {
    if (bad || is_signaling<F>(c)) flags |= kNv;
    return propagate<F>(a, b, flags);
  }
  if (is_infinite<F>(a) || is_infinite<F>(b)) {
    const auto product = sign | kInfinity<F>;
    return is_infinite<F>(c) && c != product ? invalid<F>(flags) : product;
  }
  if (is_infinite<F>(c)) return c;
  const Parts x = unpack<F>(a), y = unpack<F>(b);
  return add_parts<F>({sign != 0, x.exponent + y.exponent, x.significand * y.significand}, unpack<F>(c), rm, flags);
}

template <class F>
typename F::Bits min(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kNv;
  if (is_nan<F>(a)) return is_nan<F>(b) ? kCanonicalNan<F> : b;
  return is_nan<F>(b) || below<F>(a, b) ? a : b;
}

template <class F>
typename F::Bits max(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kNv;
  if (is_nan<F>(a)) return is_nan<F>(b) ? kCanonicalNan<F> : b;
  return is_nan<F>(b) || below<F>(b, a) ? a : b;
}

template <class F>
bool eq(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kNv;
  if (is_nan<F>(a) || is_nan<F>(b)) return false;
  return a == b || (is_zero<F>(a) && is_zero<F>(b));
}

template <class F>
bool lt(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    flags |= kNv;
    return false;
  }
  return below<F>(a, b) && !(is_zero<F>(a) && is_zero<F>(b));
}

template <class F>
bool le(typename F::Bits a, typename F::Bits b, unsigned& flags) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    flags |= kNv;
    return false;
  }
  return !below<F>(b, a) || (is_zero<F>(a) && is_zero<F>(b));
}

template <class F>
unsigned classify(typename F::Bits a) {
  const bool negative = (a & kSign<F>) != 0;
  if (is_nan<F>(a)) return is_signaling<F>(a) ? 1u << 8 : 1u << 9;
  if (is_infinite<F>(a)) return negative ? 1u << 0 : 1u << 7;
  if (is_zero<F>(a)) return negative ? 1u << 3 : 1u << 4;
  if ((a & kInfinity<F>) == 0) return negative ? 1u << 2 : 1u << 5;
  return negative ? 1u << 1 : 1u << 6;
}

template <class F>
std::uint64_t to_int(typename F::Bits a, unsigned bits, bool is_unsigned, unsigned rm, unsigned& flags) {
  const bool negative = (a & kSign<F>) != 0 && !is_nan<F>(a);
  const auto extend = [bits](std::uint64_t value) {
    return bits == 64 ? value : static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
  };
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : 0xFFFFFFFFu, top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t limit = is_unsigned ? (negative ? 0 : all) : negative ? top : top - 1;  // of the magnitude
  const std::uint64_t saturated = extend(negative ? (is_unsigned ? 0 : top) : limit);
  if (is_nan<F>(a) || is_infinite<F>(a)) {
    flags |= kNv;
    return saturated;
  }
  const Parts x = unpack<F>(a);
  if (x.exponent > 64) {
    flags |= kNv;
    return saturated;
  }
  bool inexact = false;
  const Wide magnitude = x.significand == 0 ? 0 : round_at(x.significand, -x.exponent, negative, rm, inexact);
  if (magnitude > limit) {
    flags |= kNv;
    return saturated;
  }
  if (inexact) flags |= kNx;
  const auto value = static_cast<std::uint64_t>(magnitude);
  return extend(negative ? 0 - value : value);
}

template <class F>
typename F::Bits from_int(std::uint64_t value, bool is_unsigned, unsigned rm, unsigned& flags) {
  const bool negative = !is_unsigned && value >> 63 != 0;
  return pack<F>({negative, 0, negative ? 0 - value : value}, rm, flags);
}

std::uint32_t narrow(std::uint64_t a, unsigned rm, unsigned& flags) {
  if (is_nan<Double>(a)) {
    propagate<Double>(a, a, flags);
    return kCanonicalNan<Single>;
  }
  if (is_infinite<Double>(a)) return static_cast<std::uint32_t>(a >> 32 & kSign<Single>) | kInfinity<Single>;
  return pack<Single>(unpack<Double>(a), rm, flags);
}

std::uint64_t widen(std::uint32_t a, unsigned& flags) {
  if (is_nan<Single>(a)) {
    propagate<Single>(a, a, flags);
    return kCanonicalNan<Double>;
  }
  if (is_infinite<Single>(a)) return std::uint64_t{a & kSign<Single>} << 32 | kInfinity<Double>;
  return pack<Double>(unpack<Single>(a), kRne, flags);
}

#define INSTANTIATE(F)                                                                     \
  template F::Bits add<F>(F::Bits, F::Bits, unsigned, unsigned&);                          \
  template F::Bits sub<F>(F::Bits, F::Bits, unsigned, unsigned&);                          \
  template F::Bits mul<F>(F::Bits, F::Bits, unsigned, unsigned&);                          \
  template F::Bits div<F>(F::Bits, F::Bits, unsigned, unsigned&);                          \
  template F::Bits sqrt<F>(F::Bits, unsigned, unsigned&);                                  \
  template F::Bits fma<F>(F::Bits, F::Bits, F::Bits, unsigned, unsigned&);                 \
  template F::Bits min<F>(F::Bits, F::Bits, unsigned&);                                    \
  template F::Bits max<F>(F::Bits, F::Bits, unsigned&);                                    \
  template bool eq<F>(F::Bits, F::Bits, unsigned&);                                        \
  template bool lt<F>(F::Bits, F::Bits, unsigned&);                                        \
  template bool le<F>(F::Bits, F::Bits, unsigned&);                                        \
  template unsigned classify<F>(F::Bits);                                                  \
  template std::uint64_t to_int<F>(F::Bits, unsigned, bool, unsigned, unsigned&);          \
  template F::Bits from_int<F>(std::uint64_t, bool, unsigned, unsigned&);
INSTANTIATE(Single)
INSTANTIATE(Double)
#undef INSTANTIATE

}  // namespace gyre::riscv::fp
