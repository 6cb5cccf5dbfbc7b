// Watertight meshes: every pixel covered exactly once (frontend.md §17, 6), and depth planes that early-Z shares.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "primitive_walk.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

struct Size {
  std::uint32_t width, height, cells;
};
std::ostream& operator<<(std::ostream& out, const Size& s) { return out << s.width << "x" << s.height; }

const Size kSizes[] = {{128, 128, 16}, {256, 256, 24}, {512, 512, 48}, {640, 480, 40}, {1280, 720, 64},
                       {1920, 1080, 96}, {1920, 1920, 136}, {100, 37, 9}};

// A grid over the whole target, inner vertices moved by up to 0.2 cells, random diagonals, w from wlo to whi.
std::vector<gyre_setup_vertex> mesh(const Size& size, std::uint32_t seed, double wlo, double whi) {
  std::mt19937 rng(seed);
  auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * (rng() * 0x1p-32); };
  const std::uint32_t n = size.cells;
  std::vector<gyre_setup_vertex> grid;
  for (std::uint32_t y = 0; y <= n; ++y) {
    for (std::uint32_t x = 0; x <= n; ++x) {
      const bool rim_x = x == 0 || x == n, rim_y = y == 0 || y == n;
      const double px = (x + (rim_x ? 0 : uniform(-.2, .2))) * size.width / n;
      const double py = (y + (rim_y ? 0 : uniform(-.2, .2))) * size.height / n;
      grid.push_back(at_pixel(px, py, uniform(0, 1), uniform(wlo, whi), size.width, size.height));
    }
  }
  std::vector<gyre_setup_vertex> out;
  for (std::uint32_t y = 0; y < n; ++y) {
    for (std::uint32_t x = 0; x < n; ++x) {
      const auto &a = grid[y * (n + 1) + x], &b = grid[y * (n + 1) + x + 1];
      const auto &c = grid[(y + 1) * (n + 1) + x], &d = grid[(y + 1) * (n + 1) + x + 1];
      if (rng() & 1) {
        for (const auto& v : {a, b, c, b, d, c}) out.push_back(v);
      } else {
        for (const auto& v : {a, b, d, d, c, a}) out.push_back(v);
      }
      if (rng() & 1) std::swap(out[out.size() - 1], out[out.size() - 2]);  // either winding
    }
  }
  return out;
}

}  // namespace

BOOST_DATA_TEST_CASE(every_pixel_once, data::make(kSizes) * data::xrange(2), size, perspective) {
  const auto verts = mesh(size, 1234, 1.0, perspective ? 16.0 : 1.0);
  reference::FrontEndState s;
  s.width = size.width;
  s.height = size.height;
  const auto b = reference::run_front_end(s, verts);
  BOOST_TEST(b.prims() == verts.size() / 3);
  std::vector<std::uint8_t> hits(std::size_t{size.width} * size.height);
  for (std::uint32_t p = 0; p < b.prims(); ++p) {
    raster::for_each_quad_in_box(b.prim[p].edges, b.bbox[p], 7, 3, {0, size.width, 0, size.height},
                                 [&](const raster::Quad& q) {
                                   for (unsigned i = 0; i < 4; ++i) {
                                     if (q.mask >> i & 1) {
                                       ++hits[(2u * q.y + (i >> 1)) * size.width + 2u * q.x + (i & 1)];
                                     }
                                   }
                                 });
  }
  std::size_t gaps = 0, doubles = 0;
  for (std::uint8_t h : hits) {
    gaps += h == 0;
    doubles += h > 1;
  }
  BOOST_TEST(gaps == 0u);
  BOOST_TEST(doubles == 0u);
}

// Coverage stays inside the box the binning uses, for slivers with far vertices too.
BOOST_DATA_TEST_CASE(box_holds_the_coverage, data::make({0.0, 4.0, 100.0, 1e4, 1e6}), reach) {
  auto verts = random_triangles(99, 3000, false);
  std::mt19937 rng(7);
  if (reach > 0) {
    for (std::size_t i = 0; i < verts.size(); i += 3) {
      for (int k = 0; k < 2; ++k) verts[i].pos[k] *= static_cast<float>(reach * (rng() * 0x1p-32));
    }
  }
  reference::FrontEndState s;
  s.width = 400;
  s.height = 300;
  const auto b = reference::run_front_end(s, verts);
  std::size_t outside = 0, inside = 0;
  const gyre_bbox everything = {0, 400, 0, 300};
  for (std::uint32_t p = 0; p < b.prims(); ++p) {
    raster::for_each_quad_in_box(b.prim[p].edges, everything, 7, 3, {0, 400, 0, 300}, [&](const raster::Quad& q) {
      for (unsigned i = 0; i < 4; ++i) {
        if ((q.mask >> i & 1) == 0) continue;
        const std::uint32_t x = 2u * q.x + (i & 1), y = 2u * q.y + (i >> 1);
        const gyre_bbox& box = b.bbox[p];
        (x >= box.left && x < box.right && y >= box.top && y < box.bottom ? inside : outside) += 1;
      }
    });
  }
  BOOST_TEST(inside > 50000u);
  BOOST_TEST(outside == 0u);
}
