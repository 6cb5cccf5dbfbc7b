// The two interpolations of the sampler, on four 8-bit channels at once (tex.md §7).
#pragma once

#include <cstdint>

namespace gyre::tex {

// A8R8G8B8 spread over four 16-bit lanes, so that one multiplication serves all channels: every product sum of
// both formulas stays below 65536.
constexpr std::uint64_t kLaneMask = 0x00FF00FF00FF00FFull;

constexpr std::uint64_t spread(std::uint32_t argb) {
  const std::uint64_t halves = (std::uint64_t{argb} << 16 | argb) & 0x0000FFFF0000FFFFull;
  return (halves << 8 | halves) & kLaneMask;
}
constexpr std::uint32_t gather(std::uint64_t lanes) {
  const std::uint64_t halves = (lanes >> 8 | lanes) & 0x0000FFFF0000FFFFull;
  return static_cast<std::uint32_t>(halves >> 16 | halves);
}

// L: p = a*(255-f) + b*f + 128; (p + (p >> 8)) >> 8. Exact ends: f = 0 gives a, f = 255 gives b. `f` 0..255.
constexpr std::uint64_t tap_lerp(std::uint64_t a, std::uint64_t b, std::uint32_t f) {
  const std::uint64_t p = a * (255 - f) + b * f + 0x0080008000800080ull;
  return (p + (p >> 8 & kLaneMask)) >> 8 & kLaneMask;
}

// M: (c0*(256-g) + c1*g) >> 8, truncating; never reaches c1. `g` 0..255.
constexpr std::uint64_t level_lerp(std::uint64_t c0, std::uint64_t c1, std::uint32_t g) {
  return (c0 * (256 - g) + c1 * g) >> 8 & kLaneMask;
}

}  // namespace gyre::tex
