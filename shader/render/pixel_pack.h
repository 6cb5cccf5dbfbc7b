// Colour to pixel word A<<24 | R<<16 | G<<8 | B (csir.md §13, §14 bit 3).
#pragma once

#include <cstdint>

#include "csir.h"
#include "fixed.h"

namespace gyre::shader {

// 0..255: clamped, rounded to nearest, NaN is 0.
inline std::uint32_t packed_clamped(float c) {
  c = c > 0.0f ? c : 0.0f;
  c = c < 1.0f ? c : 1.0f;
  return static_cast<std::uint32_t>(gyre_f32_to_i32_sat(c * 255.0f + 0.5f));
}

// The seed's uint32 of value * 255: truncation to 64 bits, then modulo 2^32; NaN and beyond 64 bits are 0.
inline std::uint32_t packed_raw(float c) {
  const float scaled = c * 255.0f;
  const std::uint32_t bits = float_bits(scaled);
  const int exponent = static_cast<int>(bits >> 23 & 255) - 127;
  if (exponent < 31) return static_cast<std::uint32_t>(gyre_f32_to_i32_sat(scaled));
  if (exponent >= 55) return 0;  // a multiple of 2^32, inf or NaN
  const std::uint64_t magnitude = static_cast<std::uint64_t>((bits & 0x7FFFFF) | 0x800000) << (exponent - 23);
  const auto low = static_cast<std::uint32_t>(magnitude);
  return (bits >> 31) != 0 ? 0u - low : low;
}

inline std::uint32_t pack_pixel(const float* rgba, bool clamp) {
  if (clamp)
    return packed_clamped(rgba[3]) << 24 | packed_clamped(rgba[0]) << 16 | packed_clamped(rgba[1]) << 8 | packed_clamped(rgba[2]);
  return packed_raw(rgba[3]) << 24 | packed_raw(rgba[0]) << 16 | packed_raw(rgba[1]) << 8 | packed_raw(rgba[2]);
}

}  // namespace gyre::shader
