// Fragment arithmetic: the interpolation contract, depth, colour packing, level of detail (frontend.md §13, §15, §17).
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "depth_plane.h"
#include "fragment_math.h"
#include "primitive_walk.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

std::uint32_t edge_at(const gyre_edge& e, std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint32_t>(raster::evaluate(e.a, e.b, e.c, x, y));
}

std::int32_t weight_of(const gyre_weight& w) { return static_cast<std::int32_t>(w.low >> 8) + (w.high << 24); }

reference::FrontEndState target(std::uint32_t width, std::uint32_t height, std::uint32_t bits = 0) {
  reference::FrontEndState s;
  s.width = width;
  s.height = height;
  s.subpixel_bits = bits;
  return s;
}

template <class Visit>
void covered_pixels(const gyre_prim& prim, const gyre_bbox& box, std::uint32_t width, std::uint32_t height,
                    Visit visit) {
  raster::for_each_quad_in_box(prim.edges, box, 7, 3, {0, width, 0, height}, [&](const raster::Quad& q) {
    for (unsigned i = 0; i < 4; ++i) {
      if (q.mask >> i & 1) visit(2u * q.x + (i & 1), 2u * q.y + (i >> 1));
    }
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(vector_1) {
  gyre_setup_vertex v[3] = {at_pixel(32, 32, .5, 1, 128, 128), at_pixel(96, 32, .5, 1, 128, 128),
                            at_pixel(64, 96, .5, 1, 128, 128)};
  v[0].color[0] = 1;
  v[1].color[0] = 5;
  v[2].color[0] = -2;
  const Triangle t = set_up(target(128, 128, 4), v);
  BOOST_REQUIRE(t.count == 1);
  const gyre_prim& p = t.prim[0];
  BOOST_TEST(edge_at(p.edges[0], 64, 50) == 0x05900000u);
  BOOST_TEST(edge_at(p.edges[1], 64, 50) == 0x05D00000u);
  BOOST_TEST(edge_at(p.edges[2], 64, 50) == 0x04A00000u);
  const gyre_weights w = gyre_fragment_weights(p.edges, 64, 50);
  BOOST_TEST(weight_of(w.w0) == 0x00590000);
  BOOST_TEST(weight_of(w.w1) == 0x005D0000);
  const float a = gyre_attribute(&p.planes[GYRE_PLANE_R], &w, gyre_fragment_w(&p.planes[GYRE_PLANE_RHW], &w));
  BOOST_TEST(std::fabs(a - 1.585938f) < 1e-6f);
  BOOST_TEST(gyre_fragment_depth(&p.depth, 64, 50) == 0x800000u);
}

BOOST_AUTO_TEST_CASE(vector_2) {
  gyre_setup_vertex v[3] = {at_pixel(10, 10, 0, 1, 128, 128), at_pixel(90, 20, 0, 4, 128, 128),
                            at_pixel(30, 80, 0, 2, 128, 128)};
  const float depth[3] = {.2f, .6f, .4f}, red[3] = {1, 5, -2};
  for (int k = 0; k < 3; ++k) {
    v[k].pos[2] = depth[k] * v[k].pos[3];
    v[k].color[0] = red[k];
  }
  reference::FrontEndState state = target(128, 128, 4);
  state.vp_sx = state.vp_tx = state.vp_sy = state.vp_ty = 64;
  state.vp_halfz = 1;
  const Triangle t = set_up(state, v);
  BOOST_REQUIRE(t.count == 1);
  const gyre_prim& p = t.prim[0];
  BOOST_TEST(edge_at(p.edges[0], 40, 30) == 0x09240000u);
  BOOST_TEST(edge_at(p.edges[1], 40, 30) == 0x06BD0000u);
  BOOST_TEST(edge_at(p.edges[2], 40, 30) == 0x05370000u);
  const gyre_weights w = gyre_fragment_weights(p.edges, 40, 30);
  BOOST_TEST(weight_of(w.w0) == 0x006EEEEF);
  BOOST_TEST(weight_of(w.w1) == 0x0051C71C);
  BOOST_TEST(gyre_interpolate(&p.planes[GYRE_PLANE_R], &w) == 0x0095DDDD);
  BOOST_TEST(gyre_interpolate(&p.planes[GYRE_PLANE_RHW], &w) == 0x00A305B0);
  const float iw = gyre_fragment_w(&p.planes[GYRE_PLANE_RHW], &w);
  BOOST_TEST(std::fabs(gyre_attribute(&p.planes[GYRE_PLANE_R], &w, iw) - 0.919302f) < 1e-6f);
  BOOST_TEST(gyre_fragment_depth(&p.depth, 40, 30) == 0x609197u);
}

// The three-instruction product equals the 64-bit one of the contract, everywhere.
BOOST_AUTO_TEST_CASE(interpolation_equals_the_contract) {
  std::mt19937 rng(1);
  const std::int32_t corners[] = {0, 1, -1, 1 << 24, (1 << 24) - 1, -(1 << 24), INT32_MAX, INT32_MIN, 0x00800000};
  auto number = [&] {
    const std::uint32_t r = rng();
    return r % 4 == 0 ? corners[(r >> 8) % 9] : static_cast<std::int32_t>(rng()) >> (r >> 4) % 32;
  };
  for (int i = 0; i < 200000; ++i) {
    const gyre_plane p = {number(), number(), number()};
    const std::int32_t d0 = number(), d1 = number();
    const gyre_weights w = {gyre_split_weight(d0), gyre_split_weight(d1)};
    const std::uint32_t want =
        static_cast<std::uint32_t>(static_cast<std::int64_t>(p.y) * d1 >> 24) +
        (static_cast<std::uint32_t>(static_cast<std::int64_t>(p.x) * d0 >> 24) + static_cast<std::uint32_t>(p.z));
    BOOST_REQUIRE_EQUAL(static_cast<std::uint32_t>(gyre_interpolate(&p, &w)), want);
  }
}

// Perspective correctness against double precision, for w ratios up to 64: error at most 2^-10 of the largest value.
BOOST_DATA_TEST_CASE(perspective, data::xrange(40), seed) {
  std::mt19937 rng(static_cast<std::uint32_t>(seed));
  auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * (rng() * 0x1p-32); };
  const double base = std::exp(uniform(std::log(0.01), std::log(15.0)));
  gyre_setup_vertex v[3];
  for (auto& p : v) {
    p = at_pixel(uniform(0, 256), uniform(0, 256), uniform(0, 1), base * std::exp2(uniform(0, 6)), 256, 256);
    for (float& c : p.color) c = static_cast<float>(uniform(-1, 1));
    for (float& c : p.texcoord) c = static_cast<float>(uniform(-8, 8));
  }
  const Triangle t = set_up(target(256, 256), v);
  if (t.count == 0) return;
  const gyre_prim& prim = t.prim[0];
  // the positions the machine sees are snapped; only where w has a range that matters the planes know where they were
  const auto [near, far] = std::minmax({v[0].pos[3], v[1].pos[3], v[2].pos[3]});
  const double scale = far / near > GYRE_SETUP_STEEP ? 0x1p40 : std::ldexp(1.0, static_cast<int>(t.config.s));
  double x[3], y[3];
  for (int k = 0; k < 3; ++k) {
    x[k] = std::nearbyint((double{v[k].pos[0]} / v[k].pos[3] * 128 + 128) * scale) / scale;
    y[k] = std::nearbyint((double{v[k].pos[1]} / v[k].pos[3] * 128 + 128) * scale) / scale;
  }
  const double det = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (std::fabs(det) < 64) return;
  double worst = 0;
  covered_pixels(prim, t.box[0], 256, 256, [&](std::uint32_t px, std::uint32_t py) {
    const double sx = px + .5, sy = py + .5;
    double b[3];
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      b[k] = ((x[i] - sx) * (y[j] - sy) - (x[j] - sx) * (y[i] - sy)) / det / v[k].pos[3];
    }
    const double q = b[0] + b[1] + b[2];
    const gyre_weights w = gyre_fragment_weights(prim.edges, px, py);
    const float iw = gyre_fragment_w(&prim.planes[GYRE_PLANE_RHW], &w);
    for (int c = 0; c < 4; ++c) {
      const double want = (b[0] * v[0].color[c] + b[1] * v[1].color[c] + b[2] * v[2].color[c]) / q;
      worst = std::max(worst, std::fabs(gyre_attribute(&prim.planes[c], &w, iw) - want));
    }
    for (int c = 0; c < 2; ++c) {
      const double want = (b[0] * v[0].texcoord[c] + b[1] * v[1].texcoord[c] + b[2] * v[2].texcoord[c]) / q;
      worst = std::max(worst, std::fabs(gyre_attribute(&prim.planes[GYRE_PLANE_U + c], &w, iw) - want) / 8);
    }
    // 1/w comes back through rhw_scale
    const double rhw = 1 / (iw * 16777216.0) / prim.rhw_scale;
    worst = std::max(worst, std::fabs(rhw / q - 1) / 4);
  });
  BOOST_TEST(worst <= 0x1p-10);
}

// Textured ground from behind the eye to the horizon, w from 0.1 to 60: a hundredth of a pixel in the place of a far
// vertex would be a texel there. The texture coordinate is known in every pixel: the row gives w.
BOOST_DATA_TEST_CASE(ground, data::xrange(40), seed) {
  std::mt19937 rng(static_cast<std::uint32_t>(seed));
  auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * (rng() * 0x1p-32); };
  const double height = uniform(0.3, 3), half = uniform(5, 20), away = uniform(30, 60);
  const std::uint32_t size = 64u << seed % 3;
  auto corner = [&](double side, double w) {
    gyre_setup_vertex p = vertex(static_cast<float>(side * half), static_cast<float>(height),
                                 static_cast<float>(w - 0.1), static_cast<float>(w));
    p.texcoord[0] = static_cast<float>(side * 4);
    p.texcoord[1] = static_cast<float>(w / 2);
    return p;
  };
  const gyre_setup_vertex quad[6] = {corner(-1, -5), corner(1, -5),   corner(1, away),
                                     corner(-1, -5), corner(1, away), corner(-1, away)};
  reference::FrontEndState state = target(size, size);
  state.vp_sx = state.vp_tx = state.vp_sy = state.vp_ty = size / 2.f;
  state.vp_halfz = 1;
  double worst = 0;
  std::size_t pixels = 0;
  for (int half_quad = 0; half_quad < 2; ++half_quad) {
    const Triangle t = set_up(state, quad + 3 * half_quad);
    BOOST_REQUIRE(t.count >= 1);
    for (std::uint32_t sub = 0; sub < t.count; ++sub) {
      const gyre_prim& prim = t.prim[sub];
      covered_pixels(prim, t.box[sub], size, size, [&](std::uint32_t px, std::uint32_t py) {
        const double w = height / ((py + .5) / size * 2 - 1), u = ((px + .5) / size * 2 - 1) * w / half * 4;
        const gyre_weights weights = gyre_fragment_weights(prim.edges, px, py);
        const float iw = gyre_fragment_w(&prim.planes[GYRE_PLANE_RHW], &weights);
        worst = std::max(worst, std::fabs(gyre_attribute(&prim.planes[GYRE_PLANE_V], &weights, iw) - w / 2));
        worst = std::max(worst, std::fabs(gyre_attribute(&prim.planes[GYRE_PLANE_U], &weights, iw) - u));
        ++pixels;
      });
    }
  }
  BOOST_TEST(pixels > size * size / 4);
  BOOST_TEST(worst <= 0.008);  // a quarter of a texel of 32; without the correction tens of texels
}

// w from 0.01 to 1000, texture coordinates up to 1000: the range fold keeps the planes from saturating.
BOOST_DATA_TEST_CASE(range_fold, data::xrange(200), seed) {
  std::mt19937 rng(static_cast<std::uint32_t>(seed));
  auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * (rng() * 0x1p-32); };
  gyre_setup_vertex v[3];
  const double w = std::exp(uniform(std::log(0.01), std::log(1000.0)));
  for (auto& p : v) {
    p = at_pixel(uniform(0, 128), uniform(0, 128), .5, w * uniform(1, 2), 128, 128);
    for (float& c : p.texcoord) c = static_cast<float>(uniform(-1000, 1000));
  }
  const Triangle t = set_up(target(128, 128), v);
  if (t.count == 0) return;
  const gyre_prim& prim = t.prim[0];
  for (int lane : {GYRE_PLANE_U, GYRE_PLANE_V}) {
    const gyre_plane& p = prim.planes[lane];
    for (std::int32_t word : {p.x, p.y, p.z}) BOOST_TEST(std::abs(std::int64_t{word}) <= std::int64_t{64} << 24);
  }
  // rhw_scale times the true 1/w is the stored rhw of vertex 2
  BOOST_TEST(std::fabs(prim.planes[GYRE_PLANE_RHW].z / 16777216.0 * v[2].pos[3] / prim.rhw_scale - 1) < 1e-4);
  const gyre_weights at2 = {gyre_split_weight(0), gyre_split_weight(0)};
  const float iw = gyre_fragment_w(&prim.planes[GYRE_PLANE_RHW], &at2);
  BOOST_TEST(std::fabs(gyre_attribute(&prim.planes[GYRE_PLANE_U], &at2, iw) - v[2].texcoord[0]) < 0.01);
}

BOOST_AUTO_TEST_CASE(zero_rhw_counts_as_epsilon) {
  const gyre_weights w = {gyre_split_weight(0), gyre_split_weight(0)};
  const gyre_plane rhw = {0, 0, 0}, a = {0, 0, 1 << 20};
  const float want = (static_cast<float>(1 << 20) / 16777216.0f) * (1.0f / 1e-8f);
  BOOST_TEST(gyre_attribute(&a, &w, gyre_fragment_w(&rhw, &w)) == want);
}

// Early-Z and shader compute the same depth on every pixel of every triangle.
BOOST_AUTO_TEST_CASE(depth_equals_early_z) {
  const auto verts = random_triangles(17, 1500, false);
  const auto b = reference::run_front_end(target(320, 240), verts);
  std::size_t pixels = 0, different = 0;
  for (std::uint32_t p = 0; p < b.prims(); ++p) {
    covered_pixels(b.prim[p], b.bbox[p], 320, 240, [&](std::uint32_t x, std::uint32_t y) {
      ++pixels;
      different += gyre_fragment_depth(&b.prim[p].depth, x, y) != raster::depth_at(b.prim[p].depth, x, y);
    });
  }
  BOOST_TEST(pixels > 100000u);
  BOOST_TEST(different == 0u);
  for (const std::int32_t z : {-1, INT32_MIN, 0, 1, 0xFFFFFF, 0x1000000, INT32_MAX}) {
    const gyre_plane plane = {0, 0, z};
    BOOST_TEST(gyre_fragment_depth(&plane, 3, 5) == raster::depth_at(plane, 3, 5));
  }
}

BOOST_AUTO_TEST_CASE(colour_truncate) {
  auto byte = [](float c) {
    return gyre_pack_color(GYRE_COLOR_TRUNCATE, 0, 0, c * gyre_color_scale(GYRE_COLOR_TRUNCATE), 0) & 255;
  };
  BOOST_TEST(byte(0) == 0u);
  BOOST_TEST(byte(1) == 255u);
  BOOST_TEST(byte(.5f) == 127u);
  std::mt19937 rng(9);
  for (int i = 0; i < 20000; ++i) {
    const float c = static_cast<float>(rng() >> 8) * 0x1p-24f * 3 - 1;  // no clamp: wraps outside [0, 1]
    const std::uint32_t q = static_cast<std::uint32_t>(static_cast<std::int32_t>(c * 16777216.0f));
    BOOST_REQUIRE_EQUAL(byte(c), (q * 255u) >> 24);
  }
  BOOST_TEST(gyre_pack_color(GYRE_COLOR_TRUNCATE, 16777216.0f, 8388608.0f, 4194304.0f, 16777216.0f) == 0xFFFF7F3Fu);
}

BOOST_AUTO_TEST_CASE(colour_round) {
  auto byte = [](float c) { return gyre_pack_color(GYRE_COLOR_ROUND, 0, c * 255.0f, 0, 0) >> 8 & 255; };
  for (int k = 0; k < 256; ++k) BOOST_TEST(byte(static_cast<float>(k) / 255.0f) == static_cast<unsigned>(k));
  BOOST_TEST(byte(-1) == 0u);
  BOOST_TEST(byte(7) == 255u);
  BOOST_TEST(byte(.5f) == 128u);
  BOOST_TEST(byte(std::nanf("")) == 0u);
  BOOST_TEST(gyre_pack_color(GYRE_COLOR_ROUND, 1, 2, 3, 4) == 0x04010203u);
}

BOOST_DATA_TEST_CASE(colour_modulated, data::make({GYRE_COLOR_TRUNCATE, GYRE_COLOR_ROUND}), rule) {
  std::mt19937 rng(10);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t texel = rng();
    float c[4], s[4];
    for (int k = 0; k < 4; ++k) {
      c[k] = static_cast<float>(rng() >> 8) * 0x1p-24f;
      s[k] = c[k] * gyre_modulate_scale(static_cast<std::uint32_t>(rule));
    }
    const std::uint32_t got = gyre_pack_modulated(static_cast<std::uint32_t>(rule), texel, s[0], s[1], s[2], s[3]);
    const int shift[4] = {16, 8, 0, 24};
    for (int k = 0; k < 4; ++k) {
      const double exact = double(c[k]) * (texel >> shift[k] & 255);
      const double want = rule == GYRE_COLOR_TRUNCATE ? std::floor(exact) : std::nearbyint(exact);
      BOOST_REQUIRE_LE(std::fabs((got >> shift[k] & 255) - want),
                       std::fabs(exact - std::nearbyint(exact)) < .499 ? 0 : 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(log2_is_accurate) {
  double worst = 0;
  for (std::uint32_t bits = 0x00800000; bits < 0x7F800000; bits += 4999) {
    const float x = simt_bits_f32(bits);
    worst = std::max(
        worst, std::fabs(gyre_half_log2(x) - 0.5 * std::log2(double(x))) - std::fabs(gyre_half_log2(x)) * 0x1p-23);
  }
  BOOST_TEST(worst < 2e-6);
  for (int e = -20; e <= 20; ++e) BOOST_TEST(gyre_half_log2(std::ldexp(1.0f, 2 * e)) == static_cast<float>(e));
  BOOST_TEST(gyre_half_log2(0) < -60);
  BOOST_TEST(gyre_half_log2(INFINITY) > 60);
}

BOOST_AUTO_TEST_CASE(lambda_of_the_longer_derivative) {
  const std::uint32_t logdim = 5 << 16 | 6;  // 64 x 32
  // one texel a step in x, two texels (in v) a step in y
  BOOST_TEST(gyre_lambda(logdim, .5f, .5f, .5f + 1 / 64.0f, .5f, .5f, .5f - 2 / 32.0f) == 1.0f);
  BOOST_TEST(std::fabs(gyre_lambda(logdim, 0, 0, 3 / 64.0f, 4 / 32.0f, 0, 0) - std::log2(5.0f)) < 1e-5f);
  BOOST_TEST(gyre_lambda(logdim, .5f, .5f, .5f, .5f, .5f, .5f) < -60);
}

BOOST_AUTO_TEST_CASE(lod_operands) {
  const std::uint32_t nearest = GYRE_TEX_FILTER_BILINEAR;
  const std::uint32_t linear = GYRE_TEX_FILTER_BILINEAR | GYRE_TEX_FILTER_MIP_LINEAR;
  BOOST_TEST(gyre_lod_operand(.25f, nearest, 5) == 0u);
  BOOST_TEST(gyre_lod_operand(.75f, nearest, 5) == 1u);
  BOOST_TEST(gyre_lod_operand(.5f, nearest, 5) == 1u);
  BOOST_TEST(gyre_lod_operand(3.49f, nearest, 5) == 3u);
  BOOST_TEST(gyre_lod_operand(64, nearest, 5) == 4u);
  BOOST_TEST(gyre_lod_operand(64, nearest, 1) == 0u);
  BOOST_TEST(gyre_lod_operand(.25f, linear, 5) == 0x40u);
  BOOST_TEST(gyre_lod_operand(1.5f, linear, 5) == 0x180u);
  BOOST_TEST(gyre_lod_operand(1.999f, linear, 5) == 0x200u);
  BOOST_TEST(gyre_lod_operand(64, linear, 5) == 0x400u);
  BOOST_TEST(gyre_lod_operand(64, linear, 16) == 0xF00u);
  BOOST_TEST(gyre_lod_operand(.7f, linear, 1) == 0u);
}

BOOST_AUTO_TEST_CASE(texture_coordinates) {
  BOOST_TEST(gyre_tex_coordinate(.5f) == 0x400000);
  BOOST_TEST(gyre_tex_coordinate(-.25f) == -0x200000);
  BOOST_TEST(gyre_tex_coordinate(1e9f) == INT32_MAX);
  BOOST_TEST(gyre_tex_coordinate(-1e9f) == INT32_MIN);
}
