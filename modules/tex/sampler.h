// One texture sample, from coordinates to colour; shared by the unit and the CPU reference (tex.md §7, §8).
#pragma once

#include <cstdint>

#include "address.h"
#include "filter.h"
#include "texel.h"

namespace gyre::tex {

// `fetch(address, bytes)` returns the little-endian texel of 1, 2 or 4 bytes at a byte address, zero-extended. It is
// called once a tap, in tap order, level by level; border taps are fetched too and their data dropped.
template <bool kBilinear, class Fetch>
inline std::uint64_t sample_level(const TexBank& bank, std::uint32_t u, std::uint32_t v, unsigned level, Fetch& fetch) {
  const LevelTaps taps = level_taps<kBilinear>(bank, u, v, level);
  const std::uint64_t start = bank.base + bank.mip_offset[level];
  const unsigned bytes = 1u << bank.log_stride;
  constexpr unsigned kTaps = kBilinear ? 4 : 1;
  std::uint64_t lanes[kTaps];
  for (unsigned t = 0; t < kTaps; ++t) {
    const std::uint32_t texel = decode_texel(bank.format, fetch(start + taps.offset[t], bytes));
    lanes[t] = spread((taps.border >> t & 1) != 0 ? bank.border : texel);
  }
  // A point sample takes the same path with both weights 0, which changes nothing.
  if constexpr (!kBilinear)
    return lanes[0];
  else {
    const std::uint64_t top = tap_lerp(lanes[0], lanes[1], taps.alpha);
    const std::uint64_t bottom = tap_lerp(lanes[2], lanes[3], taps.alpha);
    return tap_lerp(top, bottom, taps.beta);
  }
}

// `lod`: level in [3:0], or with mip-linear the lower level in [11:8] and the weight of the next in [7:0].
template <bool kBilinear, bool kMipLinear, class Fetch>
inline std::uint32_t sample_as(const TexBank& bank, std::uint32_t u, std::uint32_t v, std::uint32_t lod, Fetch& fetch) {
  if constexpr (!kMipLinear) {
    return gather(sample_level<kBilinear>(bank, u, v, lod & 15, fetch));
  } else {
    const unsigned l0 = lod >> 8 & 15, l1 = std::min(l0 + 1, kMaxLevel);
    const std::uint64_t c0 = sample_level<kBilinear>(bank, u, v, l0, fetch);
    const std::uint64_t c1 = sample_level<kBilinear>(bank, u, v, l1, fetch);
    return gather(level_lerp(c0, c1, lod & 255));
  }
}

// u, v: signed fixed point with 23 fraction bits. Returns A8R8G8B8.
template <class Fetch>
inline std::uint32_t sample(const TexBank& bank, std::uint32_t u, std::uint32_t v, std::uint32_t lod, Fetch&& fetch) {
  if (bank.bilinear)
    return bank.mip_linear ? sample_as<true, true>(bank, u, v, lod, fetch)
                           : sample_as<true, false>(bank, u, v, lod, fetch);
  return bank.mip_linear ? sample_as<false, true>(bank, u, v, lod, fetch)
                         : sample_as<false, false>(bank, u, v, lod, fetch);
}

}  // namespace gyre::tex
