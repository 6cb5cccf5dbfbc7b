// Texel formats: little-endian texel -> A8R8G8B8 (tex.md §5).
#pragma once

#include <cstdint>

#include "gfx.h"

namespace gyre::tex {

constexpr std::uint32_t rep4(std::uint32_t x) { return x * 17; }
constexpr std::uint32_t rep5(std::uint32_t x) { return x << 3 | x >> 2; }
constexpr std::uint32_t rep6(std::uint32_t x) { return x << 2 | x >> 4; }
constexpr std::uint32_t pack_argb(std::uint32_t a, std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return a << 24 | r << 16 | g << 8 | b;
}

// `t`: the texel's bytes, zero-extended. `format` < GYRE_TEX_FORMATS.
constexpr std::uint32_t decode_texel(unsigned format, std::uint32_t t) {
  switch (format) {
    case GYRE_TEX_FORMAT_R5G6B5:
      return pack_argb(0xFF, rep5(t >> 11 & 31), rep6(t >> 5 & 63), rep5(t & 31));
    case GYRE_TEX_FORMAT_A1R5G5B5:
      return pack_argb((t >> 15 & 1) * 0xFF, rep5(t >> 10 & 31), rep5(t >> 5 & 31), rep5(t & 31));
    case GYRE_TEX_FORMAT_A4R4G4B4:
      return pack_argb(rep4(t >> 12 & 15), rep4(t >> 8 & 15), rep4(t >> 4 & 15), rep4(t & 15));
    case GYRE_TEX_FORMAT_A8L8:
      return (t >> 8) << 24 | (t & 0xFF) * 0x010101u;
    case GYRE_TEX_FORMAT_L8:
      return 0xFF000000u | t * 0x010101u;
    case GYRE_TEX_FORMAT_A8:
      return t << 24 | 0x00FFFFFFu;
    default:
      return t;
  }
}

}  // namespace gyre::tex
