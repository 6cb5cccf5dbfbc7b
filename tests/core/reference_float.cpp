// Floats of the reference warp: the C library's arithmetic under fesetround, flags from fetestexcept. Built with
// -frounding-math; volatile keeps every operation between the mode change and the look at the flags.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "assembler.h"
#include "reference_warp.h"

namespace gyre::test::reference {
namespace {

constexpr unsigned kNv = 16;

template <class F>
struct Format;
template <>
struct Format<float> {
  using Bits = u32;
  static constexpr Bits kNan = 0x7FC00000;
  static constexpr unsigned kFraction = 23;
};
template <>
struct Format<double> {
  using Bits = u64;
  static constexpr Bits kNan = 0x7FF8000000000000;
  static constexpr unsigned kFraction = 52;
};
template <class F>
using BitsOf = typename Format<F>::Bits;

template <class F>
F value_of(BitsOf<F> bits) {
  F f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}
template <class F>
BitsOf<F> bits_of(F f) {
  BitsOf<F> bits;
  std::memcpy(&bits, &f, sizeof f);
  return std::isnan(f) ? Format<F>::kNan : bits;
}
template <class F>
bool signaling(BitsOf<F> bits) {
  return std::isnan(value_of<F>(bits)) && (bits >> (Format<F>::kFraction - 1) & 1) == 0;
}

template <class F>
BitsOf<F> get(const Warp& w, unsigned lane, u32 r) {
  const u64 v = w.lanes[lane].f[r];
  if constexpr (sizeof(F) == 8) return v;
  return w.xlen == 32 || v >> 32 == 0xFFFFFFFF ? static_cast<u32>(v) : Format<float>::kNan;
}
template <class F>
void put(Warp& w, unsigned lane, u32 rd, BitsOf<F> bits) {
  w.lanes[lane].f[rd] = sizeof(F) == 8 ? u64{bits} : 0xFFFFFFFF00000000u | bits;
}

// Runs f under rounding mode rm and returns the fcsr flags it raised. Restores round-to-nearest.
template <class Function>
unsigned rounded(u32 rm, Function f) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[rm & 3]);
  std::feclearexcept(FE_ALL_EXCEPT);
  f();
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TONEAREST);
  return ((raised & FE_INVALID) != 0) << 4 | ((raised & FE_DIVBYZERO) != 0) << 3 | ((raised & FE_OVERFLOW) != 0) << 2 |
         ((raised & FE_UNDERFLOW) != 0) << 1 | ((raised & FE_INEXACT) != 0);
}

u32 format_field(bool is_double) { return is_double ? 1 : 0; }

template <class F>
void add_arithmetic(std::vector<Kind>& kinds) {
  constexpr bool kDouble = sizeof(F) == 8;
  for (u32 op = 0; op < 5; ++op) {  // add, sub, mul, div, sqrt
    const u32 funct7 = (op == 4 ? 0x2C : op << 2) | format_field(kDouble);
    kinds.push_back({"farith",
                     [=](const Instruction& i) {
                       return enc::r(0x53, i.rounding_field(i.rm & 3), funct7, i.rd, i.rs1, op == 4 ? 0 : i.rs2);
                     },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       volatile F a = value_of<F>(get<F>(w, l, i.rs1)), b = value_of<F>(get<F>(w, l, i.rs2)), r = 0;
                       w.flags |= rounded(i.rm, [&] {
                         r = op == 0 ? a + b : op == 1 ? a - b : op == 2 ? a * b : op == 3 ? a / b : std::sqrt(a);
                       });
                       put<F>(w, l, i.rd, bits_of<F>(r));
                     },
                     nullptr});
  }
  for (u32 op = 0; op < 4; ++op)  // madd, msub, nmsub, nmadd
    kinds.push_back({"fmadd",
                     [=](const Instruction& i) {
                       return enc::r4(0x43 + 4 * op, i.rounding_field(i.rm & 3), format_field(kDouble), i.rd, i.rs1,
                                      i.rs2, i.rs3);
                     },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       const auto x = get<F>(w, l, i.rs1), y = get<F>(w, l, i.rs2), z = get<F>(w, l, i.rs3);
                       volatile F a = value_of<F>(x), b = value_of<F>(y), c = value_of<F>(z), r = 0;
                       if (op >= 2) a = -a;
                       if (op == 1 || op == 3) c = -c;
                       unsigned flags = rounded(i.rm, [&] { r = std::fma(a, b, c); });
                       if (std::isnan(a) || std::isnan(b) || std::isnan(c)) {  // libraries differ in 0 * inf + NaN
                         const bool product = (std::isinf(a) && b == 0) || (a == 0 && std::isinf(b));
                         flags = product || signaling<F>(x) || signaling<F>(y) || signaling<F>(z) ? kNv : 0;
                       }
                       w.flags |= flags;
                       put<F>(w, l, i.rd, bits_of<F>(r));
                     },
                     nullptr});
}

template <class F>
void add_plain(std::vector<Kind>& kinds) {
  using Bits = BitsOf<F>;
  constexpr bool kDouble = sizeof(F) == 8;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(F) - 1);
  for (u32 op = 0; op < 3; ++op)
    kinds.push_back(
        {"fsgnj",
         [=](const Instruction& i) { return enc::r(0x53, op, 0x10 | format_field(kDouble), i.rd, i.rs1, i.rs2); },
         [=](Warp& w, unsigned l, const Instruction& i) {
           const Bits a = get<F>(w, l, i.rs1), b = get<F>(w, l, i.rs2);
           const Bits sign = op == 0 ? b : op == 1 ? ~b : a ^ b;
           put<F>(w, l, i.rd, (a & ~kSign) | (sign & kSign));
         },
         nullptr});
  for (u32 op = 0; op < 2; ++op)
    kinds.push_back(
        {"fminmax",
         [=](const Instruction& i) { return enc::r(0x53, op, 0x14 | format_field(kDouble), i.rd, i.rs1, i.rs2); },
         [=](Warp& w, unsigned l, const Instruction& i) {
           const Bits x = get<F>(w, l, i.rs1), y = get<F>(w, l, i.rs2);
           const F a = value_of<F>(x), b = value_of<F>(y);
           if (signaling<F>(x) || signaling<F>(y)) w.flags |= kNv;
           const bool first = a < b || (a == b && std::signbit(a));
           Bits r = op == 0 ? (first ? x : y) : (first ? y : x);
           if (std::isnan(b))
             r = std::isnan(a) ? Format<F>::kNan : x;
           else if (std::isnan(a))
             r = y;
           put<F>(w, l, i.rd, r);
         },
         nullptr});
  for (u32 op = 0; op < 3; ++op)  // le, lt, eq
    kinds.push_back(
        {"fcompare",
         [=](const Instruction& i) { return enc::r(0x53, op, 0x50 | format_field(kDouble), i.rd, i.rs1, i.rs2); },
         [=](Warp& w, unsigned l, const Instruction& i) {
           const Bits x = get<F>(w, l, i.rs1), y = get<F>(w, l, i.rs2);
           const F a = value_of<F>(x), b = value_of<F>(y);
           const bool nan = std::isnan(a) || std::isnan(b);
           if (op == 2 ? signaling<F>(x) || signaling<F>(y) : nan) w.flags |= kNv;
           w.write(l, i.rd, !nan && (op == 0 ? a <= b : op == 1 ? a < b : a == b));
         },
         nullptr});
  kinds.push_back({"fclass",
                   [=](const Instruction& i) { return enc::r(0x53, 1, 0x70 | format_field(kDouble), i.rd, i.rs1, 0); },
                   [=](Warp& w, unsigned l, const Instruction& i) {
                     const Bits x = get<F>(w, l, i.rs1);
                     const F a = value_of<F>(x);
                     const bool minus = std::signbit(a);
                     unsigned bit = 0;
                     switch (std::fpclassify(a)) {
                       case FP_NAN:
                         bit = signaling<F>(x) ? 8 : 9;
                         break;
                       case FP_INFINITE:
                         bit = minus ? 0 : 7;
                         break;
                       case FP_ZERO:
                         bit = minus ? 3 : 4;
                         break;
                       case FP_SUBNORMAL:
                         bit = minus ? 2 : 5;
                         break;
                       default:
                         bit = minus ? 1 : 6;
                         break;
                     }
                     w.write(l, i.rd, 1u << bit);
                   },
                   nullptr});
}

// To integers: round in the format itself, then look whether the result fits.
template <class F>
u64 to_integer(F a, bool is_unsigned, unsigned bits, u32 rm, unsigned& flags) {
  volatile F from = a, whole = 0;
  unsigned raised = 0;
  if (rm == 4)
    whole = std::round(a);
  else
    raised = rounded(rm, [&] { whole = std::rint(from); });
  (void)raised;
  const F top = std::ldexp(F{1}, static_cast<int>(is_unsigned ? bits : bits - 1));
  const F low = is_unsigned ? F{0} : -top;
  const u64 largest = is_unsigned ? (bits == 64 ? ~u64{0} : 0xFFFFFFFF) : (u64{1} << (bits - 1)) - 1;
  const u64 smallest = is_unsigned ? 0 : ~largest;
  u64 result;
  if (std::isnan(a) || whole >= top || whole < low) {
    flags |= kNv;
    result = std::isnan(a) || a > 0 ? largest : smallest;
  } else {
    if (whole != a) flags |= 1;
    result = is_unsigned ? static_cast<u64>(whole) : static_cast<u64>(static_cast<s64>(whole));
  }
  return bits == 32 ? static_cast<u64>(s64{static_cast<s32>(result)}) : result;
}

template <class F>
void add_conversions(std::vector<Kind>& kinds, unsigned xlen) {
  constexpr bool kDouble = sizeof(F) == 8;
  for (u32 which = 0; which < (xlen == 64 ? 4u : 2u); ++which) {  // w, wu, l, lu
    const bool is_unsigned = which % 2 != 0;
    const unsigned bits = which < 2 ? 32 : 64;
    kinds.push_back(
        {"fcvt.int",
         [=](const Instruction& i) {
           return enc::r(0x53, i.rounding_field(i.rm % 5), 0x60 | format_field(kDouble), i.rd, i.rs1, which);
         },
         [=](Warp& w, unsigned l, const Instruction& i) {
           w.write(l, i.rd, to_integer<F>(value_of<F>(get<F>(w, l, i.rs1)), is_unsigned, bits, i.rm % 5, w.flags));
         },
         nullptr});
    kinds.push_back(
        {"fcvt.float",
         [=](const Instruction& i) {
           return enc::r(0x53, i.rounding_field(i.rm & 3), 0x68 | format_field(kDouble), i.rd, i.rs1, which);
         },
         [=](Warp& w, unsigned l, const Instruction& i) {
           const u64 x = w.lanes[l].x[i.rs1];
           // 64 bits of fraction hold every integer, so that only the last conversion rounds.
           volatile long double exact =
               is_unsigned ? static_cast<long double>(bits == 32 ? u64{static_cast<u32>(x)} : x)
                           : static_cast<long double>(bits == 32 ? s64{static_cast<s32>(x)} : static_cast<s64>(x));
           volatile F r = 0;
           w.flags |= rounded(i.rm, [&] { r = static_cast<F>(exact); });
           put<F>(w, l, i.rd, bits_of<F>(r));
         },
         nullptr});
  }
}

}  // namespace

std::vector<Kind> float_kinds(unsigned xlen) {
  std::vector<Kind> kinds;
  add_arithmetic<float>(kinds);
  add_plain<float>(kinds);
  add_conversions<float>(kinds, xlen);
  kinds.push_back({"fmv.x.w", [](const Instruction& i) { return enc::r(0x53, 0, 0x70, i.rd, i.rs1, 0); },
                   [](Warp& w, unsigned l, const Instruction& i) {
                     w.write(l, i.rd, static_cast<u64>(s64{static_cast<s32>(w.lanes[l].f[i.rs1])}));
                   },
                   nullptr});
  kinds.push_back(
      {"fmv.w.x", [](const Instruction& i) { return enc::r(0x53, 0, 0x78, i.rd, i.rs1, 0); },
       [](Warp& w, unsigned l, const Instruction& i) { put<float>(w, l, i.rd, static_cast<u32>(w.lanes[l].x[i.rs1])); },
       nullptr});
  if (xlen == 32) return kinds;
  add_arithmetic<double>(kinds);
  add_plain<double>(kinds);
  add_conversions<double>(kinds, xlen);
  kinds.push_back({"fmv.x.d", [](const Instruction& i) { return enc::r(0x53, 0, 0x71, i.rd, i.rs1, 0); },
                   [](Warp& w, unsigned l, const Instruction& i) { w.write(l, i.rd, w.lanes[l].f[i.rs1]); }, nullptr});
  kinds.push_back({"fmv.d.x", [](const Instruction& i) { return enc::r(0x53, 0, 0x79, i.rd, i.rs1, 0); },
                   [](Warp& w, unsigned l, const Instruction& i) { w.lanes[l].f[i.rd] = w.lanes[l].x[i.rs1]; },
                   nullptr});
  kinds.push_back({"fcvt.s.d",
                   [](const Instruction& i) { return enc::r(0x53, i.rounding_field(i.rm & 3), 0x20, i.rd, i.rs1, 1); },
                   [](Warp& w, unsigned l, const Instruction& i) {
                     volatile double a = value_of<double>(get<double>(w, l, i.rs1));
                     volatile float r = 0;
                     w.flags |= rounded(i.rm, [&] { r = static_cast<float>(a); });
                     put<float>(w, l, i.rd, bits_of<float>(r));
                   },
                   nullptr});
  kinds.push_back({"fcvt.d.s", [](const Instruction& i) { return enc::r(0x53, 0, 0x21, i.rd, i.rs1, 0); },
                   [](Warp& w, unsigned l, const Instruction& i) {
                     volatile float a = value_of<float>(get<float>(w, l, i.rs1));
                     volatile double r = 0;
                     w.flags |= rounded(0, [&] { r = static_cast<double>(a); });
                     put<double>(w, l, i.rd, bits_of<double>(r));
                   },
                   nullptr});
  return kinds;
}

}  // namespace gyre::test::reference
