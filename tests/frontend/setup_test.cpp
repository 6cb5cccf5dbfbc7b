// Setup of single triangles: the vectors of frontend.md §15, cull, facing, boxes, limits.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include "primitive_walk.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

reference::FrontEndState state128(std::uint32_t bits) {
  reference::FrontEndState s;
  s.width = s.height = 128;
  s.subpixel_bits = bits;
  return s;
}

void check_edges(const gyre_prim& prim, const std::uint32_t (&want)[9]) {
  for (int k = 0; k < 3; ++k) {
    BOOST_TEST(static_cast<std::uint32_t>(prim.edges[k].a) == want[3 * k]);
    BOOST_TEST(static_cast<std::uint32_t>(prim.edges[k].b) == want[3 * k + 1]);
    BOOST_TEST(static_cast<std::uint32_t>(prim.edges[k].c) == want[3 * k + 2]);
  }
}

void check_plane(const gyre_plane& p, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  BOOST_TEST(static_cast<std::uint32_t>(p.x) == x);
  BOOST_TEST(static_cast<std::uint32_t>(p.y) == y);
  BOOST_TEST(static_cast<std::uint32_t>(p.z) == z);
}

std::uint32_t coverage(const gyre_prim& prim, const gyre_bbox& box) {
  std::uint32_t pixels = 0;
  raster::for_each_quad_in_box(prim.edges, box, 7, 3, {0, 128, 0, 128},
                               [&](const raster::Quad& q) { pixels += __builtin_popcount(q.mask); });
  return pixels;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rounds_to_nearest_even_like_the_device) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::pair<float, std::int32_t> cases[] = {
      {0.5f, 0}, {1.5f, 2}, {2.5f, 2}, {-0.5f, 0}, {-1.5f, -2}, {-2.5f, -2}, {0.49999997f, 0}, {8388607.5f, 8388608},
      {-8388607.5f, -8388608}, {8388609.0f, 8388609}, {4194304.5f, 4194304}, {4194305.5f, 4194306},
      {2147483520.0f, 2147483520}, {2147483648.0f, INT32_MAX}, {-2147483648.0f, INT32_MIN}, {-3e9f, INT32_MIN},
      {inf, INT32_MAX}, {-inf, INT32_MIN}, {std::nanf(""), INT32_MAX}, {-std::nanf(""), INT32_MAX}, {1e-40f, 0}};
  for (const auto& [f, want] : cases) BOOST_TEST(gyre_f32_to_i32_rne(f) == want, f);
}

BOOST_AUTO_TEST_CASE(subpixel_rule) {
  BOOST_TEST(reference::subpixel_bits_for(128, 128) == 7u);
  BOOST_TEST(reference::subpixel_bits_for(256, 256) == 6u);
  BOOST_TEST(reference::subpixel_bits_for(640, 480) == 5u);
  BOOST_TEST(reference::subpixel_bits_for(1280, 720) == 4u);
  BOOST_TEST(reference::subpixel_bits_for(1920, 1080) == 4u);
  BOOST_TEST(reference::subpixel_bits_for(32768, 32768) == 4u);
  BOOST_TEST(reference::subpixel_bits_for(1, 1) == 7u);
  for (std::uint32_t bin_log : {4u, 5u, 6u, 7u}) BOOST_TEST(reference::subpixel_bits_for(640, 480, bin_log) == 5u);
}

BOOST_AUTO_TEST_CASE(vector_1) {
  gyre_setup_vertex v[3] = {at_pixel(32, 32, .5, 1, 128, 128), at_pixel(96, 32, .5, 1, 128, 128),
                            at_pixel(64, 96, .5, 1, 128, 128)};
  v[0].color[0] = 1;
  v[1].color[0] = 5;
  v[2].color[0] = -2;
  const Triangle t = set_up(state128(4), v);
  BOOST_REQUIRE(t.count == 1);
  check_edges(t.prim[0], {0xFFC00000, 0xFFE00000, 0x1BD00000, 0x00400000, 0xFFE00000, 0xFC100000, 0x00000000,
                          0x00400000, 0xF8200000});
  check_plane(t.prim[0].depth, 0, 0, 0x00800000);
  check_plane(t.prim[0].planes[GYRE_PLANE_R], 0x03000000, 0x07000000, 0xFE000000);
  check_plane(t.prim[0].planes[GYRE_PLANE_RHW], 0, 0, 0x01000000);
  BOOST_TEST(t.prim[0].rhw_scale == 1.0f);
  BOOST_TEST(t.prim[0].facing == 0u);
  BOOST_TEST(coverage(t.prim[0], t.box[0]) == 2048u);
}

BOOST_AUTO_TEST_CASE(vector_2) {
  gyre_setup_vertex v[3] = {at_pixel(10, 10, 0, 1, 128, 128), at_pixel(90, 20, 0, 4, 128, 128),
                            at_pixel(30, 80, 0, 2, 128, 128)};
  const float depth[3] = {.2f, .6f, .4f};  // given as such: the other convention keeps them exact
  for (int k = 0; k < 3; ++k) v[k].pos[2] = depth[k] * v[k].pos[3];
  v[0].color[0] = 1;
  v[1].color[0] = 5;
  v[2].color[0] = -2;
  reference::FrontEndState state = state128(4);
  state.vp_sx = state.vp_tx = state.vp_sy = state.vp_ty = 64;
  state.vp_halfz = 1;
  const Triangle t = set_up(state, v);
  BOOST_REQUIRE(t.count == 1);
  check_edges(t.prim[0], {0xFFC40000, 0xFFC40000, 0x198C0000, 0x00460000, 0xFFEC0000, 0xFE250000, 0xFFF60000,
                          0x00500000, 0xFD670000});
  check_plane(t.prim[0].depth, 0x00013B8B, 0x00006117, 0x0023E32D);
  check_plane(t.prim[0].planes[GYRE_PLANE_R], 0x02000000, 0x02400000, 0xFF000000);
  check_plane(t.prim[0].planes[GYRE_PLANE_RHW], 0x00800000, 0xFFC00000, 0x00800000);
  BOOST_TEST(coverage(t.prim[0], t.box[0]) == 2670u);
}

BOOST_AUTO_TEST_CASE(vector_3) {
  const gyre_setup_vertex v[3] = {at_pixel(32.13, 32.77, .5, 1, 128, 128), at_pixel(96.4, 31.9, .5, 1, 128, 128),
                                  at_pixel(64.3, 96.6, .5, 1, 128, 128)};
  const Triangle t = set_up(state128(0), v);
  BOOST_REQUIRE(t.count == 1);
  BOOST_TEST(t.config.s == 7u);
  check_edges(t.prim[0], {0xFFBF4C00, 0xFFDFE600, 0x1C2CDE14, 0x003FD400, 0xFFDFD600, 0xFC2AFB54, 0x0000E000,
                          0x00404400, 0xF7CA3FA8});
}

// Cull mode x winding x y flip: which are drawn, and as what.
BOOST_DATA_TEST_CASE(cull_winding_flip, data::xrange(3) * data::xrange(2) * data::xrange(2), cull, counter, flip) {
  gyre_setup_vertex v[3] = {vertex(-.5f, -.5f, 0, 1), vertex(.5f, -.5f, 0, 1), vertex(0, .5f, 0, 1)};
  if (counter) std::swap(v[1], v[2]);
  reference::FrontEndState s = state128(0);
  s.cull_mode = static_cast<std::uint32_t>(cull);
  s.vp_sx = s.vp_tx = s.vp_ty = 64;
  s.vp_sy = flip ? -64.0f : 64.0f;
  const Triangle t = set_up(s, v);
  const bool back = (counter != 0) != (flip != 0);
  const bool drawn = cull == 0 || (cull == GYRE_CULL_BACK && !back) || (cull == GYRE_CULL_FRONT && back);
  BOOST_TEST(t.count == (drawn ? 1u : 0u));
  if (!drawn) return;
  BOOST_TEST(t.prim[0].facing == (back ? 1u : 0u));
  // the interior is positive whatever the winding: the middle of the triangle is covered
  for (const gyre_edge& e : t.prim[0].edges) BOOST_TEST(raster::evaluate(e.a, e.b, e.c, 64, 64) > 0);
}

BOOST_AUTO_TEST_CASE(dropped) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  auto count = [](gyre_setup_vertex a, gyre_setup_vertex b, gyre_setup_vertex c) {
    const gyre_setup_vertex v[3] = {a, b, c};
    return set_up(state128(0), v).count;
  };
  const gyre_setup_vertex a = vertex(-.5f, -.5f, 0, 1), b = vertex(.5f, -.5f, 0, 1), c = vertex(0, .5f, 0, 1);
  BOOST_TEST(count(a, b, c) == 1u);
  BOOST_TEST(count(a, b, b) == 0u);
  BOOST_TEST(count(a, a, a) == 0u);
  BOOST_TEST(count(vertex(-.5f, 0, 0, 1), vertex(0, 0, 0, 1), vertex(.5f, 0, 0, 1)) == 0u);
  BOOST_TEST(count(vertex(2, 0, 0, 1), vertex(3, 0, 0, 1), vertex(2, 1, 0, 1)) == 0u);
  BOOST_TEST(count(vertex(-2, 0, 0, 1), vertex(-3, 0, 0, 1), vertex(-2, 1, 0, 1)) == 0u);
  BOOST_TEST(count(vertex(0, 2, 0, 1), vertex(1, 3, 0, 1), vertex(0, 3, 0, 1)) == 0u);
  BOOST_TEST(count(vertex(0, -2, 0, 1), vertex(1, -3, 0, 1), vertex(0, -3, 0, 1)) == 0u);
  BOOST_TEST(count(a, b, vertex(0, 0, 0, 0)) == 0u);
  BOOST_TEST(count(a, b, vertex(0, 0, 1, 1e-7f)) == 0u);
  BOOST_TEST(count(a, b, vertex(nan, 0, 0, 1)) == 0u);
  BOOST_TEST(count(a, b, vertex(0, nan, 0, 1)) == 0u);
  BOOST_TEST(count(a, b, vertex(0, 0, nan, 1)) == 0u);
  BOOST_TEST(count(a, b, vertex(0, 0, 0, nan)) == 0u);
  BOOST_TEST(count(vertex(nan, 0, 0, 1), b, c) == 0u);
  BOOST_TEST(count(a, b, vertex(0, inf, 0, 1)) == 1u);  // clamped, still a triangle
}

// Boxes end exactly at multiples of the bin size.
BOOST_AUTO_TEST_CASE(boxes) {
  reference::FrontEndState s;
  s.width = 512;
  s.height = 256;
  const gyre_setup_vertex v[3] = {at_pixel(128, 0, 0, 1, 512, 256), at_pixel(256, 0, 0, 1, 512, 256),
                                  at_pixel(128, 128, 0, 1, 512, 256)};
  const Triangle t = set_up(s, v);
  BOOST_REQUIRE(t.count == 1);
  BOOST_TEST(t.box[0].left == 128u);
  BOOST_TEST(t.box[0].right == 256u);
  BOOST_TEST(t.box[0].top == 0u);
  BOOST_TEST(t.box[0].bottom == 128u);
  const gyre_bin_range r = gyre_bins(&t.box[0], 7);
  BOOST_TEST(r.left == 1u);
  BOOST_TEST(r.right == 1u);
  BOOST_TEST(r.top == 0u);
  BOOST_TEST(r.bottom == 0u);
  const gyre_setup_vertex large[3] = {vertex(-9, -9, 0, 1), vertex(9, -9, 0, 1), vertex(0, 9, 0, 1)};
  const Triangle u = set_up(s, large);
  BOOST_REQUIRE(u.count == 1);
  BOOST_TEST(u.box[0].left == 0u);
  BOOST_TEST(u.box[0].right == 512u);
  BOOST_TEST(u.box[0].top == 0u);
  BOOST_TEST(u.box[0].bottom == 256u);
}

// Whatever the size of a triangle, nothing the walker meets overflows, and the sum of the edges is constant.
BOOST_DATA_TEST_CASE(range_of_edges, data::xrange(4, 9), bits) {
  std::mt19937 rng(static_cast<std::uint32_t>(bits));
  for (int i = 0; i < 2000; ++i) {
    gyre_setup_vertex v[3];
    const float size = std::ldexp(1.0f, static_cast<int>(rng() % 24));
    for (auto& p : v) {
      p = vertex((static_cast<float>(rng()) * 0x1p-31f - 1) * size, (static_cast<float>(rng()) * 0x1p-31f - 1) * size, 0,
                 1);
    }
    const Triangle t = set_up(state128(static_cast<std::uint32_t>(bits)), v);
    if (t.count == 0) continue;
    for (const gyre_edge& e : t.prim[0].edges) {
      const double reach = std::fabs(double(e.a)) * 128 + std::fabs(double(e.b)) * 128 + std::fabs(double(e.c));
      BOOST_TEST(reach < 32767.0 * 65536.0);
    }
  }
}

// The stored edges against an independent computation in long double / 128-bit integers.
BOOST_DATA_TEST_CASE(edges_against_wide_integers, data::xrange(4, 9), bits) {
  const std::uint32_t s = static_cast<std::uint32_t>(bits);
  std::mt19937 rng(77 + s);
  reference::FrontEndState state = state128(s);
  state.width = 300;
  state.height = 200;
  for (int i = 0; i < 3000; ++i) {
    gyre_setup_vertex v[3];
    const float size = std::ldexp(1.0f, static_cast<int>(rng() % 14));
    for (auto& p : v) {
      p = vertex((static_cast<float>(rng()) * 0x1p-31f - 1) * size, (static_cast<float>(rng()) * 0x1p-31f - 1) * size, 0,
                 1);
    }
    const Triangle t = set_up(state, v);
    __int128 X[3], Y[3];
    for (int k = 0; k < 3; ++k) {
      X[k] = std::llrint(std::nearbyint(std::ldexp(v[k].pos[0] * 150.0f + 150.0f, bits)));
      Y[k] = std::llrint(std::nearbyint(std::ldexp(v[k].pos[1] * 100.0f + 100.0f, bits)));
    }
    __int128 A[3], B[3], C[3], det = 0;
    for (int k = 0; k < 3; ++k) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      A[k] = Y[p] - Y[q];
      B[k] = X[q] - X[p];
      C[k] = X[p] * Y[q] - X[q] * Y[p];
      det += C[k];
    }
    if (t.count == 0) continue;
    BOOST_TEST(t.prim[0].facing == (det < 0 ? 1u : 0u));
    if (det < 0) {
      for (int k = 0; k < 3; ++k) A[k] = -A[k], B[k] = -B[k], C[k] = -C[k];
    }
    auto magnitude = [](__int128 x) { return x < 0 ? -x : x; };
    int n = 0;
    for (int k = 0; k < 3; ++k) {
      C[k] += (A[k] + B[k]) * (1 << (s - 1));
      const __int128 reach = (magnitude(A[k]) * 384 + magnitude(B[k]) * 256) * (1 << s) + magnitude(C[k]);
      while (reach >= (static_cast<__int128>(32767) << (2 * s + static_cast<std::uint32_t>(n)))) ++n;
    }
    auto shifted = [&](__int128 x, int up) {
      const __int128 m = up >= 0 ? magnitude(x) << up : magnitude(x) >> -up;
      return static_cast<std::int32_t>(x < 0 ? -m : m);
    };
    for (int k = 0; k < 3; ++k) {
      BOOST_TEST(t.prim[0].edges[k].a == shifted(A[k], 16 - bits - n));
      BOOST_TEST(t.prim[0].edges[k].b == shifted(B[k], 16 - bits - n));
      BOOST_TEST(t.prim[0].edges[k].c == shifted(C[k], 16 - 2 * bits - n));
    }
  }
}

// The stored words do not depend on a bin size up to 128 pixels.
BOOST_AUTO_TEST_CASE(bin_size_does_not_matter) {
  const auto verts = random_triangles(5, 500, false);
  reference::FrontEndState s;
  s.width = 333;
  s.height = 222;
  s.bin_log = 7;
  const auto a = reference::run_front_end(s, verts);
  for (std::uint32_t bin_log : {4u, 5u, 6u}) {
    s.bin_log = bin_log;
    const auto b = reference::run_front_end(s, verts);
    BOOST_REQUIRE(a.prim.size() == b.prim.size());
    BOOST_TEST(std::memcmp(a.prim.data(), b.prim.data(), a.prim.size() * sizeof(gyre_prim)) == 0);
  }
}

BOOST_AUTO_TEST_CASE(flat_words_are_the_provoking_vertex) {
  gyre_setup_vertex v[3] = {vertex(-1, -1, -2, 1), vertex(1, -1, 0, 1), vertex(0, 1, 0, 1)};  // vertex 0 is clipped
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 2; ++i) v[k].texcoord[i] = static_cast<float>(100 * k + i);
    for (int i = 0; i < 4; ++i) v[k].color[i] = static_cast<float>(100 * k + 2 + i);
    for (int i = 0; i < 6; ++i) v[k].varying2[i] = static_cast<float>(100 * k + 6 + i);
  }
  const Triangle t = set_up(state128(0), v);
  BOOST_REQUIRE(t.count == 2);
  for (int sub = 0; sub < 2; ++sub) {
    for (int i = 0; i < 12; ++i) BOOST_TEST(t.flat[sub][i] == simt_f32_bits(static_cast<float>(i)));
  }
}
