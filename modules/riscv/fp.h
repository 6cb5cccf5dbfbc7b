// Floating point of the F and D extensions on bit patterns: every rounding mode, exact flags, subnormals, canonical
// NaN. Integer arithmetic only, so results do not depend on the machine the simulator runs on.
//
// Operations are templates on the format, Single or Double; both are instantiated in fp.cpp. Values are unboxed
// (a Single is a std::uint32_t). `flags` is or-ed with the accrued exception flags of fcsr; `rm` is 0..4.
#pragma once

#include <cstdint>

namespace gyre::riscv::fp {

constexpr unsigned kNx = 1, kUf = 2, kOf = 4, kDz = 8, kNv = 16;                  // fflags
constexpr unsigned kRne = 0, kRtz = 1, kRdn = 2, kRup = 3, kRmm = 4, kDynamic = 7;  // frm

struct Single {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23, kExponentMax = 127;
};
struct Double {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52, kExponentMax = 1023;
};

template <class F>
constexpr typename F::Bits kSign = typename F::Bits{1} << (8 * sizeof(typename F::Bits) - 1);
template <class F>
constexpr typename F::Bits kFractionMask = (typename F::Bits{1} << F::kFraction) - 1;
template <class F>
constexpr typename F::Bits kInfinity = ~kSign<F> & ~kFractionMask<F>;
template <class F>
constexpr typename F::Bits kQuietBit = typename F::Bits{1} << (F::kFraction - 1);
template <class F>
constexpr typename F::Bits kCanonicalNan = kInfinity<F> | kQuietBit<F>;

template <class F>
constexpr bool is_nan(typename F::Bits a) { return (a & ~kSign<F>) > kInfinity<F>; }
template <class F>
constexpr bool is_signaling(typename F::Bits a) { return is_nan<F>(a) && (a & kQuietBit<F>) == 0; }
template <class F>
constexpr bool is_infinite(typename F::Bits a) { return (a & ~kSign<F>) == kInfinity<F>; }
template <class F>
constexpr bool is_zero(typename F::Bits a) { return (a & ~kSign<F>) == 0; }

template <class F>
typename F::Bits add(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags);
template <class F>
typename F::Bits sub(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags);
template <class F>
typename F::Bits mul(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags);
template <class F>
typename F::Bits div(typename F::Bits a, typename F::Bits b, unsigned rm, unsigned& flags);
template <class F>
typename F::Bits sqrt(typename F::Bits a, unsigned rm, unsigned& flags);
// a * b + c with one rounding. The other three fused operations are this one with signs of a and c turned.
template <class F>
typename F::Bits fma(typename F::Bits a, typename F::Bits b, typename F::Bits c, unsigned rm, unsigned& flags);

// IEEE 754-2019 minimumNumber and maximumNumber; -0 is less than +0.
template <class F>
typename F::Bits min(typename F::Bits a, typename F::Bits b, unsigned& flags);
template <class F>
typename F::Bits max(typename F::Bits a, typename F::Bits b, unsigned& flags);
// eq is quiet, lt and le signal on any NaN.
template <class F>
bool eq(typename F::Bits a, typename F::Bits b, unsigned& flags);
template <class F>
bool lt(typename F::Bits a, typename F::Bits b, unsigned& flags);
template <class F>
bool le(typename F::Bits a, typename F::Bits b, unsigned& flags);
// The bit of fclass.
template <class F>
unsigned classify(typename F::Bits a);

// To an integer of `bits` 32 or 64, saturating, NaN to the largest value; the result is sign-extended from `bits`.
template <class F>
std::uint64_t to_int(typename F::Bits a, unsigned bits, bool is_unsigned, unsigned rm, unsigned& flags);
// From a 64-bit integer (extend a 32-bit one first).
template <class F>
typename F::Bits from_int(std::uint64_t value, bool is_unsigned, unsigned rm, unsigned& flags);

std::uint32_t narrow(std::uint64_t a, unsigned rm, unsigned& flags);  // fcvt.s.d
std::uint64_t widen(std::uint32_t a, unsigned& flags);                // fcvt.d.s

}  // namespace gyre::riscv::fp
