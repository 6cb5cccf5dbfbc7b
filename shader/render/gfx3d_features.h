// STRICT and COMPAT (csir.md §14): one bit for each thing the seed's renderer does differently from what its public
// state promises. Bit set: corrected. Bit clear: as the seed does it.
#pragma once

#include <cstdint>

namespace gyre::shader {

enum Feature : std::uint32_t {
  kDepthFlag = 1u << 0,       // set: the depth flag switches test and write; clear: both always happen
  kCull = 1u << 1,            // set: culling drops clockwise triangles; clear: culling is never consulted
  kViewport = 1u << 2,        // set: the viewport is honoured; clear: always the whole target
  kColorClamp = 1u << 3,      // set: clamp and round; clear: truncate, no clamp, fields run into each other
  kInitialize = 1u << 4,      // set: new targets are 0 and depth 1; clear: they hold `compat_fill`
  kClip = 1u << 5,            // set: near, far and W are clipped; clear: triangles with a small W are left out
  kWindowDepth = 1u << 6,     // set: affine depth in 0..1; clear: perspective-interpolated clip z
  kTopLeft = 1u << 7,         // set: top-left rule; clear: tolerance -0.001, shared edges are drawn twice
};
constexpr std::uint32_t kStrict = 0xFF, kCompat = 0;

}  // namespace gyre::shader
