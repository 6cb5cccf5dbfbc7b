// Blending and logic operations on A8R8G8B8 words (om.md §7).
#pragma once

#include <algorithm>
#include <cstdint>

#include "om_state.h"

namespace gyre::om {

constexpr std::uint32_t kAlphaMask = 0xFF000000u;

// Division by 255 of a sum that already holds the rounding 128; t 0..0xFF00.
constexpr std::uint32_t divide_255(std::uint32_t t) { return (t + (t >> 8)) >> 8; }

// The four factors of one selector as a word: red, green, blue factors in [23:0], the alpha factor in [31:24].
constexpr std::uint32_t factor_word(unsigned code, std::uint32_t src, std::uint32_t dst, std::uint32_t constant) {
  constexpr std::uint32_t kAll = 0x01010101u;
  switch (code) {
    case GYRE_FACTOR_ONE:
      return 0xFFFFFFFFu;
    case GYRE_FACTOR_SRC_RGB:
      return src;
    case GYRE_FACTOR_ONE_MINUS_SRC_RGB:
      return ~src;
    case GYRE_FACTOR_DST_RGB:
      return dst;
    case GYRE_FACTOR_ONE_MINUS_DST_RGB:
      return ~dst;
    case GYRE_FACTOR_SRC_A:
      return (src >> 24) * kAll;
    case GYRE_FACTOR_ONE_MINUS_SRC_A:
      return (~src >> 24) * kAll;
    case GYRE_FACTOR_DST_A:
      return (dst >> 24) * kAll;
    case GYRE_FACTOR_ONE_MINUS_DST_A:
      return (~dst >> 24) * kAll;
    case GYRE_FACTOR_CONST_RGB:
      return constant;
    case GYRE_FACTOR_ONE_MINUS_CONST_RGB:
      return ~constant;
    case GYRE_FACTOR_CONST_A:
      return (constant >> 24) * kAll;
    case GYRE_FACTOR_ONE_MINUS_CONST_A:
      return (~constant >> 24) * kAll;
    case GYRE_FACTOR_ALPHA_SAT:
      return std::min(src >> 24, ~dst >> 24) * 0x010101u | kAlphaMask;
    default:
      return 0;
  }
}

// One 8-bit channel; sf, df: its factors. LOGICOP is not a channel matter and gives the source.
constexpr std::uint32_t blend_channel(unsigned mode, std::uint32_t src, std::uint32_t dst, std::uint32_t sf,
                                      std::uint32_t df) {
  switch (mode) {
    case GYRE_BLEND_ADD:
      return divide_255(std::min(src * sf + dst * df + 128, 0xFF00u));
    case GYRE_BLEND_SUB: {
      const std::int32_t t = static_cast<std::int32_t>(src * sf) - static_cast<std::int32_t>(dst * df) + 128;
      return divide_255(static_cast<std::uint32_t>(std::max(t, 0)));
    }
    case GYRE_BLEND_REV_SUB: {
      const std::int32_t t = static_cast<std::int32_t>(dst * df) - static_cast<std::int32_t>(src * sf) + 128;
      return divide_255(static_cast<std::uint32_t>(std::max(t, 0)));
    }
    case GYRE_BLEND_MIN:
      return std::min(src, dst);
    case GYRE_BLEND_MAX:
      return std::max(src, dst);
    default:
      return src;
  }
}

constexpr std::uint32_t logic_op(unsigned code, std::uint32_t s, std::uint32_t d) {
  switch (code) {
    case GYRE_LOGIC_CLEAR:
      return 0;
    case GYRE_LOGIC_AND:
      return s & d;
    case GYRE_LOGIC_AND_REVERSE:
      return s & ~d;
    case GYRE_LOGIC_COPY:
      return s;
    case GYRE_LOGIC_AND_INVERTED:
      return ~s & d;
    case GYRE_LOGIC_NOOP:
      return d;
    case GYRE_LOGIC_XOR:
      return s ^ d;
    case GYRE_LOGIC_OR:
      return s | d;
    case GYRE_LOGIC_NOR:
      return ~(s | d);
    case GYRE_LOGIC_EQUIV:
      return ~(s ^ d);
    case GYRE_LOGIC_INVERT:
      return ~d;
    case GYRE_LOGIC_OR_REVERSE:
      return s | ~d;
    case GYRE_LOGIC_COPY_INVERTED:
      return ~s;
    case GYRE_LOGIC_OR_INVERTED:
      return ~s | d;
    case GYRE_LOGIC_NAND:
      return ~(s & d);
    default:
      return 0xFFFFFFFFu;
  }
}

inline std::uint32_t blend_generic(const Target& t, std::uint32_t src, std::uint32_t dst) {
  const std::uint32_t sf = (factor_word(t.src_rgb, src, dst, t.constant) & ~kAlphaMask) |
                           (factor_word(t.src_a, src, dst, t.constant) & kAlphaMask);
  const std::uint32_t df = (factor_word(t.dst_rgb, src, dst, t.constant) & ~kAlphaMask) |
                           (factor_word(t.dst_a, src, dst, t.constant) & kAlphaMask);
  std::uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    result |= blend_channel(shift == 24 ? t.mode_a : t.mode_rgb, src >> shift & 255, dst >> shift & 255,
                            sf >> shift & 255, df >> shift & 255)
              << shift;
  if (t.mode_rgb == GYRE_BLEND_LOGICOP) result = (result & kAlphaMask) | (logic_op(t.logic_op, src, dst) & ~kAlphaMask);
  if (t.mode_a == GYRE_BLEND_LOGICOP) result = (result & ~kAlphaMask) | (logic_op(t.logic_op, src, dst) & kAlphaMask);
  return result;
}

// SRC_A / ONE_MINUS_SRC_A: the sum is at most 255*255 + 128, so channels do not meet in 16-bit lanes.
inline std::uint32_t blend_src_alpha(std::uint32_t src, std::uint32_t dst) {
  const std::uint32_t a = src >> 24, b = 255 - a;
  constexpr std::uint32_t kLanes = 0x00FF00FFu;
  const std::uint32_t rb = (src & kLanes) * a + (dst & kLanes) * b + 0x00800080u;
  const std::uint32_t ag = (src >> 8 & kLanes) * a + (dst >> 8 & kLanes) * b + 0x00800080u;
  return ((rb + (rb >> 8 & kLanes)) >> 8 & kLanes) | ((ag + (ag >> 8 & kLanes)) & ~kLanes);
}

// Colour before the write mask. `dst` is used only when t.blend_enabled.
inline std::uint32_t blend(const Target& t, std::uint32_t src, std::uint32_t dst) {
  switch (t.kind) {
    case BlendKind::kNone:
      return src;
    case BlendKind::kSrcAlpha:
      return blend_src_alpha(src, dst);
    case BlendKind::kLogic:
      return logic_op(t.logic_op, src, dst);
    default:
      return blend_generic(t, src, dst);
  }
}

}  // namespace gyre::om
