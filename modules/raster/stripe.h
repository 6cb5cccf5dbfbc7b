// Which bin headers an engine walks (Rasterizer §6.2, launch.md §4 step 7).
#pragma once

#include <cstdint>

namespace gyre::raster {

// Engine i of n takes headers i, i + n, ...; n need not be a power of two.
struct Stripe {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 0;
};

inline Stripe stripe_of(std::uint32_t engine, std::uint32_t engines, std::uint32_t tile_count) {
  const std::uint64_t count = (std::uint64_t{tile_count} + engines - 1 - engine) / engines;
  return {engine, engines, static_cast<std::uint32_t>(count)};
}

}  // namespace gyre::raster
