// Edge functions of one primitive over one bin (Rasterizer §7.1, §7.4; launch.md §5.4 "Arithmetic").
#pragma once

#include <cstdint>

#include "gfx.h"

namespace gyre::raster {

// All edge and plane values are 32-bit two's complement and wrap.
inline std::int32_t wrap_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t wrap_mul(std::int32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * b);
}
inline std::int32_t wrap_shl(std::int32_t a, unsigned shift) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << shift);
}

// {A, B, C} at integer pixel (x, y): A·x + B·y + C modulo 2^32. Serves edges and the depth plane alike.
inline std::int32_t evaluate(std::int32_t a, std::int32_t b, std::int32_t c, std::uint32_t x, std::uint32_t y) {
  return wrap_add(wrap_add(wrap_mul(a, x), wrap_mul(b, y)), c);
}

// Covered quad: 2x2 pixels at (2x, 2y). Mask bit s: pixel (2x + (s & 1), 2y + (s >> 1)) is covered (Rasterizer §2.4).
struct Quad {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  std::uint8_t mask = 0;
  std::uint16_t pid = 0;

  bool operator==(const Quad& other) const {
    return x == other.x && y == other.y && mask == other.mask && pid == other.pid;
  }
};

// Destination window in pixels: inside when min <= p < max.
struct Scissor {
  std::uint32_t x_min = 0, x_max = 32768, y_min = 0, y_max = 32768;

  // From the SCISSOR_X / SCISSOR_Y registers: {max[31:16], min[15:0]}.
  static Scissor from_registers(std::uint32_t x, std::uint32_t y) { return {x & 0xFFFF, x >> 16, y & 0xFFFF, y >> 16}; }
  bool contains(std::uint32_t x, std::uint32_t y) const { return x >= x_min && x < x_max && y >= y_min && y < y_max; }
  // Square [x, x+size) x [y, y+size).
  bool contains_square(std::uint32_t x, std::uint32_t y, std::uint32_t size) const {
    return x >= x_min && x + size <= x_max && y >= y_min && y + size <= y_max;
  }
  bool misses_square(std::uint32_t x, std::uint32_t y, std::uint32_t size) const {
    return x >= x_max || x + size <= x_min || y >= y_max || y + size <= y_min;
  }
};

constexpr unsigned kAllEdges = 7;  // bit k: edge k still has to be tested

// The primitive as the walkers see it: coordinates local to the bin, the value at the bin origin in place of C.
struct BinEdges {
  std::int32_t a[3];
  std::int32_t b[3];
  std::int32_t origin[3];  // E_k at the bin origin
  std::int32_t extent[3];  // largest positive swing of E_k across the bin (Rasterizer §7.1)
  std::int32_t limit[3];   // covered when E_k > limit: -1 for a top-left edge, else 0 (fill rule, §7.4)
  std::int64_t fall[3];    // change of E_k towards its lowest corner, per pixel of the square's edge; <= 0
  unsigned exact;          // bit k: the extent did not wrap, so no value wraps in a square that passes the overlap test
  std::uint32_t x, y;      // bin origin in pixels
  unsigned bin_log;
};

// `x`, `y`: bin origin in pixels; `bin_log`: log2 of the bin edge, 1..15.
BinEdges at_bin(const gyre_edge edges[3], std::uint32_t x, std::uint32_t y, unsigned bin_log);

inline bool top_left(std::int32_t a, std::int32_t b) { return a > 0 || (a == 0 && b > 0); }

// Coverage of a quad by one edge whose value at the quad's origin is `e`.
inline unsigned quad_mask(std::int32_t e, std::int32_t a, std::int32_t b, std::int32_t limit) {
  const std::int32_t right = wrap_add(e, a), below = wrap_add(e, b), both = wrap_add(right, b);
  return static_cast<unsigned>(e > limit) | static_cast<unsigned>(right > limit) << 1 |
         static_cast<unsigned>(below > limit) << 2 | static_cast<unsigned>(both > limit) << 3;
}

// Pixels of the quad at pixel (x, y) that lie in the window.
inline unsigned scissor_mask(const Scissor& window, std::uint32_t x, std::uint32_t y) {
  const unsigned columns =
      (x >= window.x_min && x < window.x_max ? 5u : 0u) | (x + 1 >= window.x_min && x + 1 < window.x_max ? 10u : 0u);
  const unsigned rows =
      (y >= window.y_min && y < window.y_max ? 3u : 0u) | (y + 1 >= window.y_min && y + 1 < window.y_max ? 12u : 0u);
  return columns & rows;
}

}  // namespace gyre::raster
