// Address generation: coordinates of one lane at one level -> tap offsets, weights, border flags (tex.md §6).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tex_state.h"

namespace gyre::tex {

constexpr unsigned kFracBits = 23;  // fraction bits of u and v
constexpr std::uint32_t kOne = 1u << kFracBits;
constexpr std::uint32_t kHalf = kOne >> 1;
constexpr std::uint32_t kFracMask = kOne - 1;
constexpr unsigned kMaxLevel = GYRE_TEX_LEVELS - 1;

// Tap 0 = (x0, y0), 1 = (x1, y0), 2 = (x0, y1), 3 = (x1, y1). A point sample uses tap 0 only.
struct LevelTaps {
  std::uint32_t offset[4];  // bytes from the start of the level
  std::uint32_t alpha;      // u weight of the high taps, 0..255
  std::uint32_t beta;       // v weight
  std::uint32_t border;     // bit t: tap t takes the border colour
};

// 23-bit unsigned coordinate after the wrap mode.
inline std::uint32_t wrap_coordinate(std::uint32_t c, unsigned mode) {
  switch (mode) {
    case GYRE_TEX_WRAP_REPEAT:
      return c & kFracMask;
    case GYRE_TEX_WRAP_MIRROR:
      return ((c & kOne) != 0 ? ~c : c) & kFracMask;
    default:
      return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(c), 0, std::int32_t{kFracMask}));
  }
}

// Outside [0, 1); tested before the wrap, meaningful on an axis in BORDER mode only.
inline std::uint32_t outside(std::uint32_t c) { return (c >> kFracBits) != 0; }

// `level` 0..15. Levels past 1x1 keep 1x1 geometry.
template <bool kBilinear>
inline LevelTaps level_taps(const TexBank& bank, std::uint32_t u, std::uint32_t v, unsigned level) {
  const unsigned log_w = bank.log_width > level ? bank.log_width - level : 0;
  const unsigned log_h = bank.log_height > level ? bank.log_height - level : 0;
  const unsigned stride = bank.log_stride;
  const unsigned pitch = log_w + stride;
  const std::uint32_t du = kBilinear ? kHalf >> log_w : 0;
  const std::uint32_t dv = kBilinear ? kHalf >> log_h : 0;
  const std::uint32_t u_lo = u - du, v_lo = v - dv;
  const std::uint32_t sx = wrap_coordinate(u_lo, bank.wrap_u) >> (15 - log_w);
  const std::uint32_t sy = wrap_coordinate(v_lo, bank.wrap_v) >> (15 - log_h);
  const std::uint32_t x0 = (sx >> 8) << stride, y0 = (sy >> 8) << pitch;

  LevelTaps taps;
  taps.offset[0] = x0 + y0;
  taps.border = 0;
  if constexpr (!kBilinear) {
    taps.alpha = taps.beta = 0;
    if (bank.wrap_u == GYRE_TEX_WRAP_BORDER) taps.border |= outside(u_lo);
    if (bank.wrap_v == GYRE_TEX_WRAP_BORDER) taps.border |= outside(v_lo);
    return taps;
  }
  const std::uint32_t u_hi = u + du, v_hi = v + dv;
  const std::uint32_t x1 = (wrap_coordinate(u_hi, bank.wrap_u) >> (kFracBits - log_w)) << stride;
  const std::uint32_t y1 = (wrap_coordinate(v_hi, bank.wrap_v) >> (kFracBits - log_h)) << pitch;
  taps.offset[1] = x1 + y0;
  taps.offset[2] = x0 + y1;
  taps.offset[3] = x1 + y1;
  // MIRROR and BORDER take the weight before the wrap: a mirrored coordinate runs backwards while its low and high taps
  // stay, and one clamped at 0 has lost the weight of the tap that is still inside. REPEAT and CLAMP see no difference.
  taps.alpha = (bank.wrap_u == GYRE_TEX_WRAP_CLAMP ? sx : u_lo >> (15 - log_w)) & 255;
  taps.beta = (bank.wrap_v == GYRE_TEX_WRAP_CLAMP ? sy : v_lo >> (15 - log_h)) & 255;
  if (bank.wrap_u == GYRE_TEX_WRAP_BORDER) taps.border |= outside(u_lo) * 0b0101u | outside(u_hi) * 0b1010u;
  if (bank.wrap_v == GYRE_TEX_WRAP_BORDER) taps.border |= outside(v_lo) * 0b0011u | outside(v_hi) * 0b1100u;
  return taps;
}

}  // namespace gyre::tex
