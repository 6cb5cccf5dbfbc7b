// Block engine and quad evaluator: the covered quads of one block (Rasterizer §7.4).
#pragma once

#include <cstdint>

#include "coverage.h"

namespace gyre::raster {

// Calls quad(Quad) for every quad of the block with at least one covered pixel, in row order.
// `x`, `y`, `e`, `edges` as the tile walk hands them over; `block_log` >= 1.
template <class Emit>
inline void walk_block(const BinEdges& bin, unsigned block_log, const Scissor& window, std::uint32_t x, std::uint32_t y,
                       const std::int32_t e[3], unsigned edges, Emit&& quad) {
  const std::uint32_t size = 1u << block_log;
  const bool clip = !window.contains_square(x, y, size);
  if (clip && window.misses_square(x, y, size)) return;

  if (edges == 0 && !clip) {
    for (std::uint32_t dy = 0; dy < size; dy += 2)
      for (std::uint32_t dx = 0; dx < size; dx += 2)
        quad(Quad{static_cast<std::uint16_t>((x + dx) >> 1), static_cast<std::uint16_t>((y + dy) >> 1), 15, 0});
    return;
  }

  unsigned tested = 0;
  std::int32_t row[3], a[3], b[3], limit[3];
  for (unsigned k = 0; k < 3; ++k) {
    if ((edges >> k & 1) == 0) continue;
    row[tested] = e[k];
    a[tested] = bin.a[k];
    b[tested] = bin.b[k];
    limit[tested] = bin.limit[k];
    ++tested;
  }
  for (std::uint32_t dy = 0; dy < size; dy += 2) {
    std::int32_t value[3];
    for (unsigned k = 0; k < tested; ++k) value[k] = row[k];
    for (std::uint32_t dx = 0; dx < size; dx += 2) {
      unsigned mask = 15;
      for (unsigned k = 0; k < tested; ++k) {
        mask &= quad_mask(value[k], a[k], b[k], limit[k]);
        value[k] = wrap_add(value[k], wrap_shl(a[k], 1));
      }
      if (clip) mask &= scissor_mask(window, x + dx, y + dy);
      if (mask != 0)
        quad(Quad{static_cast<std::uint16_t>((x + dx) >> 1), static_cast<std::uint16_t>((y + dy) >> 1),
                  static_cast<std::uint8_t>(mask), 0});
    }
    for (unsigned k = 0; k < tested; ++k) row[k] = wrap_add(row[k], wrap_shl(b[k], 1));
  }
}

}  // namespace gyre::raster
