// Screen-space triangles for the raster tests: the EXACT setup of frontend.md §6.2, written for clarity.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gfx.h"

namespace gyre::test {

struct Point {
  std::int64_t x, y;  // 2^s sub-pixels
};

struct Triangle {
  gyre_edge edges[3];
  gyre_bbox box;  // clamped to the target; right and bottom exclusive
};

inline std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

// False: degenerate or outside of the target.
inline bool exact_setup(const Point (&p)[3], unsigned s, int width, int height, Triangle& out) {
  std::int64_t a[3], b[3], c[3], det = 0;
  for (int k = 0; k < 3; ++k) {
    const Point& i = p[(k + 1) % 3];
    const Point& j = p[(k + 2) % 3];
    a[k] = i.y - j.y;
    b[k] = j.x - i.x;
    c[k] = i.x * j.y - j.x * i.y;
    det += c[k];
  }
  if (det == 0) return false;
  const std::int64_t wp = round_up(width, 128), hp = round_up(height, 128);
  for (int k = 0; k < 3; ++k) {
    if (det < 0) a[k] = -a[k], b[k] = -b[k], c[k] = -c[k];
    c[k] += (a[k] + b[k]) * (std::int64_t{1} << s) / 2;
  }
  unsigned n = 0;
  for (int k = 0; k < 3; ++k)
    while ((std::int64_t{1} << s) * (std::abs(a[k]) * wp + std::abs(b[k]) * hp) + std::abs(c[k]) >= std::int64_t{32767}
                                                                                                        << (2 * s + n))
      ++n;
  auto scale = [](std::int64_t value, int shift) {
    return static_cast<std::int32_t>(shift >= 0 ? value * (std::int64_t{1} << shift)
                                                : value / (std::int64_t{1} << -shift));
  };
  for (int k = 0; k < 3; ++k)
    out.edges[k] = {scale(a[k], 16 - static_cast<int>(s + n)), scale(b[k], 16 - static_cast<int>(s + n)),
                    scale(c[k], 16 - static_cast<int>(2 * s + n))};
  auto bound = [&](std::int64_t value, std::int64_t top, bool up) {
    const std::int64_t unit = std::int64_t{1} << s;
    if (up) value += unit - 1;
    value >>= s;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, top));
  };
  out.box = {bound(std::min({p[0].x, p[1].x, p[2].x}), width, false),
             bound(std::max({p[0].x, p[1].x, p[2].x}), width, true),
             bound(std::min({p[0].y, p[1].y, p[2].y}), height, false),
             bound(std::max({p[0].y, p[1].y, p[2].y}), height, true)};
  return out.box.right > out.box.left && out.box.bottom > out.box.top;
}

// What the fill rule says about one pixel, straight from its definition (Rasterizer §7.4).
inline bool covers(const gyre_edge (&edges)[3], std::int64_t x, std::int64_t y) {
  for (const gyre_edge& edge : edges) {
    const std::int64_t e = edge.a * x + edge.b * y + edge.c;
    if (e < 0 || (e == 0 && !(edge.a > 0 || (edge.a == 0 && edge.b > 0)))) return false;
  }
  return true;
}

inline Triangle random_triangle(std::mt19937& random, unsigned s, int width, int height) {
  Triangle triangle;
  const int margin = 1 << s << 4;
  const bool small = random() % 2 != 0;
  for (;;) {
    Point p[3];
    const std::int64_t cx = static_cast<std::int64_t>(random() % (static_cast<unsigned>(width) << s));
    const std::int64_t cy = static_cast<std::int64_t>(random() % (static_cast<unsigned>(height) << s));
    for (Point& q : p) {
      const unsigned spread = small ? 12u << s : 0;
      q.x = small ? cx + random() % spread : static_cast<std::int64_t>(random() % ((width << s) + 2 * margin)) - margin;
      q.y =
          small ? cy + random() % spread : static_cast<std::int64_t>(random() % ((height << s) + 2 * margin)) - margin;
      if (random() % 4 == 0) q.x &= ~((std::int64_t{1} << s) - 1), q.y |= (std::int64_t{1} << s) / 2;  // hit centres
    }
    if (exact_setup(p, s, width, height, triangle)) return triangle;
  }
}

}  // namespace gyre::test
