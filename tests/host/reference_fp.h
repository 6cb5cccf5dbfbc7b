// The F and D part of the reference: the C library and the processor in the rounding mode of the instruction. Plain
// and slow. Rounding to nearest with ties away from zero (4) is not among the processor's modes: leave it out.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gyre::test {

class FpReference {
 public:
  std::uint64_t f[32] = {};
  unsigned flags = 0, frm = 0;

  // OP-FP and the fused ones, `w`, with the integer registers; false: illegal.
  bool execute(std::uint32_t w, std::uint64_t* x) {
    const unsigned format = w >> 25 & 3;
    if (format > 1) return false;
    return format == 0 ? (w & 0x7F) == 0x53 ? operate<float>(w, x) : fused<float>(w)
                       : (w & 0x7F) == 0x53 ? operate<double>(w, x) : fused<double>(w);
  }
  void load(unsigned rd, std::uint64_t bits, unsigned bytes) { f[rd] = bytes == 4 ? bits | kBox : bits; }

 private:
  static constexpr std::uint64_t kBox = 0xFFFFFFFF00000000u;
  static constexpr unsigned kNx = 1, kDz = 8, kNv = 16;

  template <class T>
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  template <class T>
  static T make(Bits<T> bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  template <class T>
  static Bits<T> raw(T value) {
    Bits<T> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  template <class T>
  static constexpr Bits<T> quiet_nan() { return sizeof(T) == 4 ? 0x7FC00000u : static_cast<Bits<T>>(0x7FF8000000000000u); }
  template <class T>
  Bits<T> bits_of(unsigned r) const {
    if (sizeof(T) == 4 && f[r] < kBox) return quiet_nan<T>();
    return static_cast<Bits<T>>(f[r]);
  }
  template <class T>
  void put(unsigned rd, Bits<T> bits) { f[rd] = sizeof(T) == 4 ? bits | kBox : bits; }
  template <class T>
  static bool signaling(Bits<T> bits) {
    return std::isnan(make<T>(bits)) && (bits & (Bits<T>{1} << (sizeof(T) == 4 ? 22 : 51))) == 0;
  }
  bool mode(std::uint32_t w, unsigned& rm) const {
    rm = w >> 12 & 7;
    if (rm == 7) rm = frm;
    return rm < 5;
  }
  static int native(unsigned rm) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    return modes[rm];
  }
  // In that rounding mode, noting what it raises; a NaN becomes the canonical one.
  template <class T, class Operation>
  Bits<T> rounded(unsigned rm, Operation operation) {
    std::fesetround(native(rm));
    std::feclearexcept(FE_ALL_EXCEPT);
    volatile T result = operation();
    const int raised = std::fetestexcept(FE_ALL_EXCEPT);
    std::fesetround(FE_TONEAREST);
    flags |= ((raised & FE_INEXACT) != 0 ? 1 : 0) | ((raised & FE_UNDERFLOW) != 0 ? 2 : 0) |
             ((raised & FE_OVERFLOW) != 0 ? 4 : 0) | ((raised & FE_DIVBYZERO) != 0 ? 8 : 0) |
             ((raised & FE_INVALID) != 0 ? 16 : 0);
    const T value = result;
    return std::isnan(value) ? quiet_nan<T>() : raw<T>(value);
  }

  template <class T>
  bool fused(std::uint32_t w) {
    unsigned rm;
    if (!mode(w, rm)) return false;
    const auto a = bits_of<T>(w >> 15 & 31), b = bits_of<T>(w >> 20 & 31), c = bits_of<T>(w >> 27);
    const unsigned kind = w >> 2 & 3;  // madd msub nmsub nmadd
    volatile T x = make<T>(a), y = make<T>(b), z = make<T>(c);
    if (kind >= 2) x = -x;
    if (kind == 1 || kind == 3) z = -z;
    const T px = x, py = y;
    if ((std::isinf(px) && py == 0) || (px == 0 && std::isinf(py))) flags |= kNv;
    put<T>(w >> 7 & 31, rounded<T>(rm, [&] { return std::fma(x, y, z); }));
    return true;
  }

  template <class T>
  bool operate(std::uint32_t w, std::uint64_t* x) {
    const unsigned rd = w >> 7 & 31, f3 = w >> 12 & 7, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31, group = w >> 27;
    const auto a = bits_of<T>(rs1), b = bits_of<T>(rs2);
    const T va = make<T>(a), vb = make<T>(b);
    volatile T p = va, q = vb;
    constexpr auto sign = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
    const bool quiet_compare_invalid = signaling<T>(a) || signaling<T>(b);
    unsigned rm = 0;
    switch (group) {
      case 0x04:
        if (f3 > 2) return false;
        put<T>(rd, (a & ~sign) | ((f3 == 0 ? b : f3 == 1 ? ~b : a ^ b) & sign));
        return true;
      case 0x05: {
        if (f3 > 1) return false;
        if (quiet_compare_invalid) flags |= kNv;
        const bool first = va < vb || (va == vb && std::signbit(va));  // a is the smaller one
        Bits<T> result = first == (f3 == 0) ? a : b;
        if (std::isnan(va)) result = std::isnan(vb) ? quiet_nan<T>() : b;
        else if (std::isnan(vb)) result = a;
        put<T>(rd, result);
        return true;
      }
      case 0x14:
        if (f3 > 2) return false;
        if (f3 == 2 ? quiet_compare_invalid : std::isnan(va) || std::isnan(vb)) flags |= kNv;
        x[rd] = f3 == 2 ? va == vb : f3 == 1 ? std::isless(va, vb) : std::islessequal(va, vb);
        return true;
      case 0x1C:
        if (rs2 != 0 || f3 > 1) return false;
        x[rd] = f3 == 1 ? classify<T>(a)
                : sizeof(T) == 8 ? f[rs1] : static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(f[rs1])));
        return true;
      case 0x1E:
        if (rs2 != 0 || f3 != 0) return false;
        put<T>(rd, static_cast<Bits<T>>(x[rs1]));
        return true;
      default: break;
    }
    if ((w >> 12 & 7) == 5 || (w >> 12 & 7) == 6) return false;
    const bool known = mode(w, rm);
    switch (group) {
      case 0x00: if (known) put<T>(rd, rounded<T>(rm, [&] { return p + q; })); return known;
      case 0x01: if (known) put<T>(rd, rounded<T>(rm, [&] { return p - q; })); return known;
      case 0x02: if (known) put<T>(rd, rounded<T>(rm, [&] { return p * q; })); return known;
      case 0x03: if (known) put<T>(rd, rounded<T>(rm, [&] { return p / q; })); return known;
      case 0x0B:
        if (!known || rs2 != 0) return false;
        put<T>(rd, rounded<T>(rm, [&] { return std::sqrt(p); }));
        return true;
      case 0x08:
        if (!known || rs2 != (sizeof(T) == 4 ? 1 : 0)) return false;
        if constexpr (sizeof(T) == 4) {
          volatile double wide = make<double>(f[rs1]);
          put<float>(rd, rounded<float>(rm, [&] { return static_cast<float>(wide); }));
        } else {
          volatile float thin = make<float>(bits_of<float>(rs1));
          put<double>(rd, rounded<double>(rm, [&] { return static_cast<double>(thin); }));
        }
        return true;
      case 0x18:
        if (!known || rs2 > 3) return false;
        x[rd] = integer(va, rs2 >= 2 ? 64 : 32, (rs2 & 1) != 0, rm);
        return true;
      case 0x1A: {
        if (!known || rs2 > 3) return false;
        const std::uint64_t i = x[rs1];
        // Exact in 64 bits of significand, then rounded once.
        volatile long double exact = rs2 == 0   ? static_cast<long double>(static_cast<std::int32_t>(i))
                                     : rs2 == 1 ? static_cast<long double>(static_cast<std::uint32_t>(i))
                                     : rs2 == 2 ? static_cast<long double>(static_cast<std::int64_t>(i))
                                                : static_cast<long double>(i);
        put<T>(rd, rounded<T>(rm, [&] { return static_cast<T>(exact); }));
        return true;
      }
      default: return false;
    }
  }

  template <class T>
  std::uint64_t integer(T value, unsigned bits, bool is_unsigned, unsigned rm) {
    const long double v = value;
    const long double r = std::isnan(v) ? v : rm == 1 ? truncl(v) : rm == 2 ? floorl(v) : rm == 3 ? ceill(v) : nearbyintl(v);
    const long double end = ldexpl(1, static_cast<int>(is_unsigned ? bits : bits - 1));
    const std::uint64_t largest = is_unsigned ? ~0ull : (1ull << (bits - 1)) - 1;
    const std::uint64_t smallest = is_unsigned ? 0 : ~0ull << (bits - 1);
    if (std::isnan(r) || r >= end || r < (is_unsigned ? 0 : -end)) {
      flags |= kNv;
      return !std::isnan(r) && r < 0 ? smallest : largest;
    }
    if (r != v) flags |= kNx;
    const std::uint64_t result = is_unsigned ? static_cast<std::uint64_t>(r) : static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
    return bits == 64 ? result : static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(result)));
  }

  template <class T>
  static std::uint64_t classify(Bits<T> bits) {
    const T value = make<T>(bits);
    const bool negative = std::signbit(value);
    switch (std::fpclassify(value)) {
      case FP_NAN: return signaling<T>(bits) ? 1u << 8 : 1u << 9;
      case FP_INFINITE: return negative ? 1u : 1u << 7;
      case FP_ZERO: return negative ? 1u << 3 : 1u << 4;
      case FP_SUBNORMAL: return negative ? 1u << 2 : 1u << 5;
      default: return negative ? 1u << 1 : 1u << 6;
    }
  }
};

}  // namespace gyre::test
