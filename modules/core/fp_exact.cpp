#include "fp_exact.h"

#include <xmmintrin.h>

#include <cstring>

namespace gyre::core {
namespace {

double widen(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
std::uint64_t double_bits(double d) {
  std::uint64_t u;
  std::memcpy(&u, &d, 8);
  return u;
}
double from_bits(std::uint64_t u) {
  double d;
  std::memcpy(&d, &u, 8);
  return d;
}

constexpr unsigned kMxcsrTowardZero = 0x1F80 | 0x6000;
constexpr unsigned kMxcsrInexact = 0x20;

// The operation in double precision, rounded to odd: 53 bits and a sticky bit are enough for any rounding to 24.
// volatile keeps the compiler from moving the arithmetic across the mode changes.
double odd_rounded(FpOp op, double x, double y, double z) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(kMxcsrTowardZero);
  volatile double a = x, b = y, c = z, r = 0;
  switch (op) {
    case FpOp::kAdd:
      r = a + b;
      break;
    case FpOp::kSub:
      r = a - b;
      break;
    case FpOp::kMul:
      r = a * b;
      break;  // exact: 48 bits
    case FpOp::kDiv:
      r = a / b;
      break;
    case FpOp::kSqrt:
      r = __builtin_sqrt(a);
      break;
    case FpOp::kFma: {
      volatile double product = a * b;  // exact
      r = product + c;
      break;
    }
    default:
      r = a;
      break;
  }
  const bool inexact = (_mm_getcsr() & kMxcsrInexact) != 0;
  _mm_setcsr(saved);
  std::uint64_t bits = double_bits(r);
  if (inexact) bits |= 1;
  return from_bits(bits);
}

// Double (finite, odd-rounded) to single, nearest with ties away from zero. Tininess is detected after rounding.
std::uint32_t narrow_away(double value, unsigned& flags) {
  const std::uint64_t bits = double_bits(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 31;
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  if ((bits << 1) == 0) return sign;
  const std::uint64_t fraction = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  auto round_at = [&](int shift, bool& inexact) -> std::uint64_t {
    if (shift > 60) {
      inexact = true;
      return 0;
    }
    inexact = (fraction & ((std::uint64_t{1} << shift) - 1)) != 0;
    return (fraction + (std::uint64_t{1} << (shift - 1))) >> shift;
  };
  bool inexact = false;
  if (exponent >= -126) {
    std::uint64_t m = round_at(29, inexact);
    int e = exponent;
    if (m >> 24 != 0) {
      m >>= 1;
      ++e;
    }
    if (e > 127) {
      flags |= kOf | kNx;
      return sign | 0x7F800000u;
    }
    if (inexact) flags |= kNx;
    return sign | static_cast<std::uint32_t>(e + 127) << 23 | (static_cast<std::uint32_t>(m) & 0x7FFFFF);
  }
  const std::uint64_t m = round_at(29 + (-126 - exponent), inexact);
  if (inexact) {
    flags |= kNx;
    // Tiny unless rounding with unbounded exponent reaches the smallest normal number.
    bool ignored;
    const bool reaches = exponent == -127 && (round_at(29, ignored) >> 24) != 0;
    if (!reaches) flags |= kUf;
  }
  return sign | static_cast<std::uint32_t>(m);
}

}  // namespace

std::uint32_t f32_to_int(std::uint32_t a, unsigned rm, bool is_unsigned, unsigned& flags) {
  const bool negative = (a >> 31) != 0;
  const std::uint32_t low = is_unsigned ? 0 : 0x80000000u;
  const std::uint32_t high = is_unsigned ? 0xFFFFFFFFu : 0x7FFFFFFFu;
  const int exponent = static_cast<int>((a >> 23) & 0xFF) - 127;
  if (is_nan(a) || exponent > 31) {
    flags |= kNv;
    return is_nan(a) || !negative ? high : low;
  }
  const std::uint64_t mantissa = ((a >> 23) & 0xFF) == 0 ? (a & 0x7FFFFF) : (a & 0x7FFFFF) | 0x800000;
  std::uint64_t magnitude = 0;
  bool half = false, rest = false;  // the first bit below the point, and anything below that
  if (exponent >= 23) {
    magnitude = mantissa << (exponent - 23);
  } else if (exponent >= -1) {
    const unsigned shift = static_cast<unsigned>(23 - exponent);
    magnitude = mantissa >> shift;
    half = ((mantissa >> (shift - 1)) & 1) != 0;
    rest = (mantissa & ((std::uint64_t{1} << (shift - 1)) - 1)) != 0;
  } else {
    rest = mantissa != 0;
  }
  bool up = false;
  switch (rm) {
    case kRne:
      up = half && (rest || (magnitude & 1) != 0);
      break;
    case kRdn:
      up = negative && (half || rest);
      break;
    case kRup:
      up = !negative && (half || rest);
      break;
    case kRmm:
      up = half;
      break;
    default:
      break;
  }
  magnitude += up;
  const std::uint64_t limit = is_unsigned ? (negative ? 0 : 0xFFFFFFFFull) : negative ? 0x80000000ull : 0x7FFFFFFFull;
  if (magnitude > limit) {
    flags |= kNv;
    return negative ? low : high;
  }
  if (half || rest) flags |= kNx;
  const std::uint32_t result = static_cast<std::uint32_t>(magnitude);
  return negative ? 0u - result : result;
}

std::uint32_t fp_round_away(FpOp op, std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned& flags) {
  if (op == FpOp::kFromS32) return narrow_away(static_cast<double>(static_cast<std::int32_t>(a)), flags);
  if (op == FpOp::kFromU32) return narrow_away(static_cast<double>(a), flags);
  const bool two = op != FpOp::kSqrt, three = op == FpOp::kFma;
  if (op == FpOp::kSub) {
    if (!is_nan(b)) b ^= 0x80000000u;
    op = FpOp::kAdd;
  }
  const std::uint32_t sign_ab = (a ^ b) & 0x80000000u;
  const bool bad_product = (op == FpOp::kMul || three) && ((is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b)));
  if (is_nan(a) || (two && is_nan(b)) || (three && is_nan(c)) || bad_product) {
    if (is_snan(a) || (two && is_snan(b)) || (three && is_snan(c)) || bad_product) flags |= kNv;
    return kCanonicalNan;
  }
  auto invalid = [&flags] {
    flags |= kNv;
    return kCanonicalNan;
  };
  switch (op) {
    case FpOp::kAdd:
      if (is_inf(a)) return is_inf(b) && a != b ? invalid() : a;
      if (is_inf(b)) return b;
      break;
    case FpOp::kMul:
      if (is_inf(a) || is_inf(b)) return sign_ab | 0x7F800000u;
      break;
    case FpOp::kDiv:
      if (is_inf(a)) return is_inf(b) ? invalid() : sign_ab | 0x7F800000u;
      if (is_inf(b)) return sign_ab;
      if (is_zero(b)) {
        if (is_zero(a)) return invalid();
        flags |= kDz;
        return sign_ab | 0x7F800000u;
      }
      break;
    case FpOp::kSqrt:
      if (is_zero(a)) return a;
      if ((a >> 31) != 0) return invalid();
      if (is_inf(a)) return a;
      break;
    case FpOp::kFma:
      if (is_inf(a) || is_inf(b)) {
        const std::uint32_t product = sign_ab | 0x7F800000u;
        return is_inf(c) && c != product ? invalid() : product;
      }
      if (is_inf(c)) return c;
      break;
    default:
      break;
  }
  return narrow_away(odd_rounded(op, widen(a), widen(b), widen(c)), flags);
}

std::uint32_t f32_class(std::uint32_t a) {
  const bool negative = (a >> 31) != 0;
  if (is_nan(a)) return is_snan(a) ? 1u << 8 : 1u << 9;
  if (is_inf(a)) return negative ? 1u << 0 : 1u << 7;
  if (is_zero(a)) return negative ? 1u << 3 : 1u << 4;
  if ((a & 0x7F800000u) == 0) return negative ? 1u << 2 : 1u << 5;
  return negative ? 1u << 1 : 1u << 6;
}

}  // namespace gyre::core
