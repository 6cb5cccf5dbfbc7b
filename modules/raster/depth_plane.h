// The depth candidate of a pixel, as early-Z and the fragment shader compute it (frontend.md §8).
#pragma once

#include <cstdint>

#include "coverage.h"

namespace gyre::raster {

constexpr std::uint32_t kDepthMask = 0xFFFFFF;

inline std::uint32_t saturate_depth(std::int32_t z) {
  return z < 0 ? 0 : z > static_cast<std::int32_t>(kDepthMask) ? kDepthMask : static_cast<std::uint32_t>(z);
}

// 24-bit depth of integer pixel (x, y).
inline std::uint32_t depth_at(const gyre_plane& plane, std::uint32_t x, std::uint32_t y) {
  return saturate_depth(evaluate(plane.x, plane.y, plane.z, x, y));
}

}  // namespace gyre::raster
