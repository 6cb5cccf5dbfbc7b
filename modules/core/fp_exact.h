// Scalar single-precision operations with explicit rounding mode and flags, on bit patterns. The slow but complete
// path behind the vector executors: round-to-nearest-away, conversions out of range, NaN bookkeeping.
#pragma once

#include <cstdint>

namespace gyre::core {

// Accrued exception flags of fcsr.
constexpr unsigned kNx = 1, kUf = 2, kOf = 4, kDz = 8, kNv = 16;
// Rounding modes of frm.
constexpr unsigned kRne = 0, kRtz = 1, kRdn = 2, kRup = 3, kRmm = 4, kDynamic = 7;
constexpr std::uint32_t kCanonicalNan = 0x7FC00000u;

enum class FpOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kSqrt, kFma, kFromS32, kFromU32 };

// RISC-V fcvt.w.s / fcvt.wu.s: saturating, NaN converts to the largest value; `flags` is or-ed.
std::uint32_t f32_to_int(std::uint32_t a, unsigned rm, bool is_unsigned, unsigned& flags);

// One operation rounded to nearest, ties to larger magnitude. kFma: a * b + c. kFromS32/kFromU32: a is an integer.
std::uint32_t fp_round_away(FpOp op, std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned& flags);

// fclass result bit.
std::uint32_t f32_class(std::uint32_t a);

[[gnu::always_inline]] constexpr bool is_nan(std::uint32_t a) { return (a & 0x7FFFFFFFu) > 0x7F800000u; }
[[gnu::always_inline]] constexpr bool is_snan(std::uint32_t a) { return is_nan(a) && (a & 0x00400000u) == 0; }
[[gnu::always_inline]] constexpr bool is_inf(std::uint32_t a) { return (a & 0x7FFFFFFFu) == 0x7F800000u; }
[[gnu::always_inline]] constexpr bool is_zero(std::uint32_t a) { return (a & 0x7FFFFFFFu) == 0; }

}  // namespace gyre::core
