#include "precise_math.h"

#include <cmath>
#include <limits>

namespace gyre::shader {

float precise_sin_far(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
float precise_cos_far(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }

float precise_pow(float a, float b) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (b == 0.0f || a == 1.0f) return 1.0f;
  if (a != a || b != b) return a + b;
  const float size = std::fabs(b);
  const bool integer = size >= 16777216.0f || size == std::nearbyint(size);
  const bool odd = integer && size < 16777216.0f && std::fmod(size, 2.0f) == 1.0f;
  if (a < 0.0f && a > -kInfinity && !integer) return std::numeric_limits<float>::quiet_NaN();
  const float base = std::fabs(a);
  float magnitude;
  if (base == 0.0f || base == kInfinity || size == kInfinity) {
    if (base == 1.0f) magnitude = 1.0f;
    else magnitude = (base > 1.0f) == (b > 0.0f) ? kInfinity : 0.0f;
  } else {
    double y = static_cast<double>(b) * math_detail::log2(base);
    if (y > 500.0) y = 500.0;
    if (y < -500.0) y = -500.0;
    magnitude = static_cast<float>(math_detail::exp2(y));
  }
  return std::signbit(a) && odd ? -magnitude : magnitude;
}

}  // namespace gyre::shader
