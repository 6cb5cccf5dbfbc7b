// The seed's own helpers (csir.md §6), operation by operation: their inaccuracies are part of COMPAT. float32, round to
// nearest, no contraction, no libm.
#pragma once

#include "fixed.h"

namespace gyre::shader {

inline float compat_sin(float x) {
  for (int guard = 0; x > 3.14159265f && guard < 16; ++guard) x -= 6.2831853f;
  for (int guard = 0; x < -3.14159265f && guard < 16; ++guard) x += 6.2831853f;
  const float square = x * x;
  float term = x, sum = x;
  for (int i = 1; i <= 6; ++i) {
    term = -term * square / static_cast<float>((2 * i) * (2 * i + 1));
    sum += term;
  }
  return sum;
}

inline float compat_cos(float x) { return compat_sin(x + 1.5707963f); }

inline float compat_exp(float x) {
  if (x > 10.0f) x = 10.0f;
  if (x < -10.0f) x = -10.0f;
  float sum = 1.0f, term = 1.0f;
  for (int i = 1; i <= 16; ++i) {
    term *= x / static_cast<float>(i);
    sum += term;
  }
  return sum;
}

inline float compat_log(float a) {
  if (a <= 0.0f) return 0.0f;
  int exponent = 0;
  for (int guard = 0; a > 2.0f && guard < 32; ++guard, ++exponent) a *= 0.5f;
  for (int guard = 0; a < 1.0f && guard < 32; ++guard, --exponent) a *= 2.0f;
  const float u = a - 1.0f;
  float power = u, sum = 0.0f;
  for (int i = 1; i <= 20; ++i) {
    const float term = power / static_cast<float>(i);
    if (i % 2 == 1) sum += term;
    else sum -= term;
    power *= u;
  }
  return sum + static_cast<float>(exponent) * 0.693147f;
}

inline float compat_pow(float a, float b) {
  if (a == 0.0f) return 0.0f;
  if (b >= 0.0f && b < 16.0f && b == static_cast<float>(gyre_f32_to_i32_sat(b))) {
    const int n = gyre_f32_to_i32_sat(b);
    const float magnitude = a < 0.0f ? -a : a;
    float result = 1.0f;
    for (int i = 0; i < n; ++i) result *= magnitude;
    return a < 0.0f && n % 2 == 1 ? -result : result;
  }
  if (a < 0.0f) return 0.0f;
  return compat_exp(b * compat_log(a));
}

inline float compat_rsq(float x) { return x > 0.0f ? 1.0f / compat_pow(x, 0.5f) : 0.0f; }

}  // namespace gyre::shader
