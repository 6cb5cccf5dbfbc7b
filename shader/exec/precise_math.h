// The corrected helpers (csir.md §6 `precise_math`, STRICT): computed in double without contraction and without tables,
// so the same on every machine and in every vector width; far inside 4 ulp of the exact value.
// The inline parts have no branches: loops over lanes that call them can be vectorised and give the same bits.
#pragma once

#include <cstdint>
#include <cstring>

namespace gyre::shader {

// The series reduce |x| up to here with a three-part pi/2; above, and for inf and NaN, precise_trig_far() is right.
constexpr float kTrigLimit = 1048576.0f;  // 2^20
float precise_sin_far(float x);
float precise_cos_far(float x);

namespace math_detail {

inline std::int64_t bits_of(double x) {
  std::int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline double from_bits(std::int64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Adding this rounds to an integer, to nearest even, which then stands in the low bits.
constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52

// sin(x + quarter * pi/2), |x| <= kTrigLimit
inline float trig(float value, std::int64_t quarter) {
  const double x = value;
  const double shifted = x * 0.63661977236758134308 + kRound;
  const double turns = shifted - kRound;
  const std::int64_t quadrant = bits_of(shifted) + quarter;
  const double r = (x - turns * 1.57079632673412561417e+00) - turns * 6.07710050650619224932e-11;
  const double z = r * r;
  const double s =
      r + r * z * (-1.66666666666666324348e-01 +
                   z * (8.33333333332248946124e-03 +
                        z * (-1.98412698298579493134e-04 +
                             z * (2.75573137070700676789e-06 +
                                  z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double c =
      1.0 - 0.5 * z +
      z * z * (4.16666666666666019037e-02 +
               z * (-1.38888888888741095749e-03 +
                    z * (2.48015872894767294178e-05 +
                         z * (-2.75573143513906633035e-07 +
                              z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double even = (quadrant & 1) != 0 ? c : s;
  // An odd half turn changes the sign.
  return static_cast<float>(from_bits(bits_of(even) ^ (quadrant & 2) << 62));
}

// log2 of a positive finite normal number
inline double log2(double a) {
  const std::int64_t bits = bits_of(a);
  const std::int64_t from_root = bits - 0x3FE6A09E667F3BCD;  // sqrt(1/2)
  // The exponent as a double, through the low bits of kRound; arithmetic shift spelled without one.
  const std::int64_t exponent = ((from_root + (std::int64_t{1024} << 52)) >> 52) - 1024;
  const double e = from_bits(exponent + bits_of(kRound)) - kRound;
  const double m = from_bits(bits - exponent * (std::int64_t{1} << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double series = 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  series = series * z + 1.0;
  return e + 2.8853900817779268147 * s * series;  // 2 / ln 2
}

// 2^y, y in -1000..1000
inline double exp2(double y) {
  const double shifted = y + kRound;
  const double f = (y - (shifted - kRound)) * 0.69314718055994530942;
  double series = 1.0 / 39916800;
  series = series * f + 1.0 / 3628800;
  series = series * f + 1.0 / 362880;
  series = series * f + 1.0 / 40320;
  series = series * f + 1.0 / 5040;
  series = series * f + 1.0 / 720;
  series = series * f + 1.0 / 120;
  series = series * f + 1.0 / 24;
  series = series * f + 1.0 / 6;
  series = series * f + 0.5;
  series = series * f + 1.0;
  series = series * f + 1.0;
  return from_bits(bits_of(series) + (bits_of(shifted) - bits_of(kRound)) * (std::int64_t{1} << 52));
}

}  // namespace math_detail

// |x| <= kTrigLimit
inline float precise_sin_near(float x) { return math_detail::trig(x, 0); }
inline float precise_cos_near(float x) { return math_detail::trig(x, 1); }
inline bool trig_is_near(float x) { return x <= kTrigLimit && x >= -kTrigLimit; }

inline float precise_sin(float x) { return trig_is_near(x) ? precise_sin_near(x) : precise_sin_far(x); }
inline float precise_cos(float x) { return trig_is_near(x) ? precise_cos_near(x) : precise_cos_far(x); }

// The pow of C (IEEE special cases): pow(x, 0) = 1, negative base with a fractional exponent = NaN.
float precise_pow(float a, float b);

// 1 / sqrt(x); 0 when x is not positive
inline float precise_rsq(float x) {
  const float root = __builtin_sqrtf(x > 0.0f ? x : 1.0f);
  return x > 0.0f ? 1.0f / root : 0.0f;
}

}  // namespace gyre::shader
