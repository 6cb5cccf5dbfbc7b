// Tile engine: 4-ary descent from bin size to block size (Rasterizer §7.3).
#pragma once

#include <cstdint>

#include "coverage.h"

namespace gyre::raster {

// Calls block(x, y, e, edges, squares) for every block the primitive may touch, depth first, children in row order.
//   x, y    block origin in pixels of the target
//   e[3]    edge values at the block origin
//   edges   bit k: edge k has to be tested in the block; a clear bit says the whole block is inside of it
//   squares tested so far, this one included: the cycle of the walk the block leaves in
// Squares the hardware tests are counted whatever shortcut the model takes, so cycles do not depend on it.
template <class Block>
class TileWalk {
 public:
  TileWalk(const BinEdges& bin, unsigned block_log, Block& block) : bin_(bin), block_log_(block_log), block_(block) {}

  void run() { visit(0, 0, bin_.bin_log, bin_.origin[0], bin_.origin[1], bin_.origin[2], kAllEdges); }
  std::uint64_t squares() const { return squares_; }

 private:
  // The overlap test of one square; what survives is split or handed on. Edges already known to hold cannot reject,
  // so testing them again is harmless and keeps this free of branches.
  void visit(std::uint32_t x, std::uint32_t y, unsigned log, std::int32_t e0, std::int32_t e1, std::int32_t e2,
             unsigned edges) {
    ++squares_;
    const unsigned level = bin_.bin_log - log;
    const std::int32_t outside = wrap_add(e0, bin_.extent[0] >> level) | wrap_add(e1, bin_.extent[1] >> level) |
                                 wrap_add(e2, bin_.extent[2] >> level);
    if (outside >= 0) survivor(x, y, log, e0, e1, e2, edges);
  }

  void survivor(std::uint32_t x, std::uint32_t y, unsigned log, std::int32_t e0, std::int32_t e1, std::int32_t e2,
                unsigned edges) {
    const std::int32_t e[3] = {e0, e1, e2};
    // An edge that holds in the whole square and cannot wrap needs no more tests below it: same result.
    const std::int64_t span = (std::int64_t{1} << log) - 1;
    for (unsigned k = 0; k < 3; ++k)
      if (((edges & bin_.exact) >> k & 1) != 0 && e[k] + bin_.fall[k] * span > bin_.limit[k]) edges &= ~(1u << k);
    if (log <= block_log_) {
      block_(bin_.x + x, bin_.y + y, e, edges, squares_);
      return;
    }
    const unsigned half = log - 1;
    const std::uint32_t step = 1u << half;
    const std::int32_t r0 = wrap_shl(bin_.a[0], half), r1 = wrap_shl(bin_.a[1], half), r2 = wrap_shl(bin_.a[2], half);
    visit(x, y, half, e0, e1, e2, edges);
    visit(x + step, y, half, wrap_add(e0, r0), wrap_add(e1, r1), wrap_add(e2, r2), edges);
    e0 = wrap_add(e0, wrap_shl(bin_.b[0], half));
    e1 = wrap_add(e1, wrap_shl(bin_.b[1], half));
    e2 = wrap_add(e2, wrap_shl(bin_.b[2], half));
    visit(x, y + step, half, e0, e1, e2, edges);
    visit(x + step, y + step, half, wrap_add(e0, r0), wrap_add(e1, r1), wrap_add(e2, r2), edges);
  }

  const BinEdges& bin_;
  const unsigned block_log_;
  Block& block_;
  std::uint64_t squares_ = 0;
};

}  // namespace gyre::raster
