// Early-Z: drops pixels that are strictly behind committed depth (Rasterizer §7.5, graphics stack §5.1, om.md §13).
#pragma once

#include <cstdint>

#include "coverage.h"
#include "depth_plane.h"

namespace gyre::raster {

// The reflexive relaxation of the depth function. Equality never culls: the word read may be the pixel's own write.
// Functions without an order (EQUAL, ALWAYS, ...) never cull.
inline bool strictly_behind(std::uint32_t depth_func, std::uint32_t candidate, std::uint32_t stored) {
  switch (depth_func) {
    case GYRE_CMP_LESS:
    case GYRE_CMP_LEQUAL:
      return candidate > stored;
    case GYRE_CMP_GREATER:
    case GYRE_CMP_GEQUAL:
      return candidate < stored;
    default:
      return false;
  }
}

inline bool can_cull(std::uint32_t depth_func) {
  return depth_func == GYRE_CMP_LESS || depth_func == GYRE_CMP_LEQUAL || depth_func == GYRE_CMP_GREATER ||
         depth_func == GYRE_CMP_GEQUAL;
}

// Narrows the mask of a quad. read(x, y) returns the depth-stencil word of a pixel; it is called for covered pixels
// only, in sub-pixel order.
template <class Read>
inline unsigned early_z_mask(const Quad& quad, const gyre_plane& plane, std::uint32_t depth_func, Read&& read) {
  unsigned mask = quad.mask;
  for (unsigned s = 0; s < 4; ++s) {
    if ((quad.mask >> s & 1) == 0) continue;
    const std::uint32_t x = 2u * quad.x + (s & 1), y = 2u * quad.y + (s >> 1);
    if (strictly_behind(depth_func, depth_at(plane, x, y), read(x, y) & kDepthMask)) mask &= ~(1u << s);
  }
  return mask;
}

}  // namespace gyre::raster
