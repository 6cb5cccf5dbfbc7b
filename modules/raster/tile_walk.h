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

  void run() { square(0, 0, bin_.bin_log, bin_.origin[0], bin_.origin[1], bin_.origin[2], kAllEdges); }
  std::uint64_t squares() const { return squares_; }

 private:
  void square(std::uint32_t x, std::uint32_t y, unsigned log, std::int32_t e0, std::int32_t e1, std::int32_t e2,
              unsigned edges) {
    ++squares_;
    const std::int32_t e[3] = {e0, e1, e2};
    if (edges != 0) {
      const unsigned level = bin_.bin_log - log;
      for (unsigned k = 0; k < 3; ++k)
        if ((edges >> k & 1) != 0 && wrap_add(e[k], bin_.extent[k] >> level) < 0) return;
      // An edge that holds in the whole square and cannot wrap needs no more tests below it: same result.
      const std::int64_t span = (std::int64_t{1} << log) - 1;
      for (unsigned k = 0; k < 3; ++k) {
        if ((edges & bin_.exact) >> k & 1) {
          const std::int64_t fall = (bin_.a[k] < 0 ? bin_.a[k] : std::int64_t{0}) +
                                    (bin_.b[k] < 0 ? bin_.b[k] : std::int64_t{0});
          if (e[k] + fall * span > bin_.limit[k]) edges &= ~(1u << k);
        }
      }
    }
    if (log <= block_log_) {
      block_(bin_.x + x, bin_.y + y, e, edges, squares_);
      return;
    }
    const unsigned half = log - 1;
    const std::uint32_t step = 1u << half;
    std::int32_t right[3], below[3];
    for (unsigned k = 0; k < 3; ++k) {
      right[k] = wrap_shl(bin_.a[k], half);
      below[k] = wrap_shl(bin_.b[k], half);
    }
    square(x, y, half, e0, e1, e2, edges);
    square(x + step, y, half, wrap_add(e0, right[0]), wrap_add(e1, right[1]), wrap_add(e2, right[2]), edges);
    e0 = wrap_add(e0, below[0]);
    e1 = wrap_add(e1, below[1]);
    e2 = wrap_add(e2, below[2]);
    square(x, y + step, half, e0, e1, e2, edges);
    square(x + step, y + step, half, wrap_add(e0, right[0]), wrap_add(e1, right[1]), wrap_add(e2, right[2]), edges);
  }

  const BinEdges& bin_;
  const unsigned block_log_;
  Block& block_;
  std::uint64_t squares_ = 0;
};

}  // namespace gyre::raster
