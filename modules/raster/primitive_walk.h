// The whole coverage walk of one primitive as one call: for the CPU reference renderer and for tests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "block_walk.h"
#include "coverage.h"
#include "tile_walk.h"

namespace gyre::raster {

// Calls quad(const Quad&) for every quad of the bin at pixel origin (x, y) that the primitive covers; exactly the
// stamps a RASTER engine makes of that (bin, primitive) reference before early-Z, in the same order.
// 1 <= block_log <= bin_log. Quad::pid is left 0. Returns the number of squares the tile engine tests.
template <class Emit>
inline std::uint64_t for_each_quad(const gyre_edge edges[3], std::uint32_t x, std::uint32_t y, unsigned bin_log,
                                   unsigned block_log, const Scissor& window, Emit&& quad) {
  const BinEdges bin = at_bin(edges, x, y, bin_log);
  auto block = [&](std::uint32_t bx, std::uint32_t by, const std::int32_t* e, unsigned tested, std::uint64_t) {
    walk_block(bin, block_log, window, bx, by, e, tested, quad);
  };
  TileWalk<decltype(block)> walk(bin, block_log, block);
  walk.run();
  return walk.squares();
}

// The same over every bin the box touches (box in pixels, right and bottom exclusive), bins in row order: a
// whole-target walk that needs no tile buffer. The box only selects bins; coverage inside them is not clipped to it.
template <class Emit>
inline void for_each_quad_in_box(const gyre_edge edges[3], const gyre_bbox& box, unsigned bin_log, unsigned block_log,
                                 const Scissor& window, Emit&& quad) {
  if (box.right <= box.left || box.bottom <= box.top) return;
  const std::uint32_t bin = 1u << bin_log;
  const std::uint32_t right = std::min(box.right, window.x_max), bottom = std::min(box.bottom, window.y_max);
  const std::uint32_t left = std::max(box.left, window.x_min), top = std::max(box.top, window.y_min);
  for (std::uint32_t y = top & ~(bin - 1); y < bottom; y += bin)
    for (std::uint32_t x = left & ~(bin - 1); x < right; x += bin)
      for_each_quad(edges, x, y, bin_log, block_log, window, quad);
}

}  // namespace gyre::raster
