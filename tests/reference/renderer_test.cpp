// The reference renderer on small packages whose pictures are known, and its independence of how the work is cut up.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include "draw_state.h"
#include "error.h"
#include "pixel_ops.h"
#include "primitive_walk.h"
#include "quad_shader.h"
#include "renderer.h"

using namespace gyre;
using reference::Frame;
using scene::PackageBuilder;
using scene::PackageVertex;
namespace data = boost::unit_test::data;

namespace {

constexpr std::uint32_t kRed = 0xFFFF0000, kGreen = 0xFF00FF00, kBlue = 0xFF0000FF, kBlack = 0xFF000000;

PackageVertex corner(float x, float y, float z = 0, float u = 0, float v = 0, std::uint32_t argb = 0xFFFFFFFF) {
  PackageVertex p{{x, y, z, 1}, {u, v, 0, 0}, {}};
  for (int k = 0; k < 4; ++k) p.color[k] = static_cast<float>(argb >> (k == 3 ? 24 : 16 - 8 * k) & 255) / 255.0f;
  return p;
}

// Two triangles over [x0, x1] x [y0, y1] in clip space; texture coordinates 0..1 over it.
std::vector<PackageVertex> rectangle(float x0, float y0, float x1, float y1, float z, std::uint32_t argb,
                                     float repeat = 1) {
  const PackageVertex a = corner(x0, y0, z, 0, 0, argb), b = corner(x1, y0, z, repeat, 0, argb);
  const PackageVertex c = corner(x0, y1, z, 0, repeat, argb), d = corner(x1, y1, z, repeat, repeat, argb);
  return {a, b, d, a, d, c};
}

gyre_pkg_draw rounded(std::uint32_t width, std::uint32_t height) {
  gyre_pkg_draw d = scene::plain_draw(width, height);
  d.color_rule = GYRE_COLOR_ROUND;
  return d;
}

Frame render(const PackageBuilder& builder, const reference::Options& options = {}) {
  const auto bytes = builder.build();
  return reference::render(scene::PackageView(bytes), options);
}

std::uint32_t pixel(const Frame& f, std::uint32_t x, std::uint32_t y) { return f.color[y * f.width + x]; }

std::vector<std::uint8_t> argb_bytes(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t w : words) {
    for (int k = 0; k < 32; k += 8) bytes.push_back(static_cast<std::uint8_t>(w >> k));
  }
  return bytes;
}

// Random overlapping translucent triangles, a few of them behind the eye.
PackageBuilder random_scene(std::uint32_t seed, std::uint32_t width, std::uint32_t height, bool textured) {
  std::mt19937 rng(seed);
  auto uniform = [&](float lo, float hi) { return lo + (hi - lo) * static_cast<float>(rng() >> 8) * 0x1p-24f; };
  PackageBuilder builder(width, height);
  builder.set_clear(0xFF203040, 0xFFFFFF, 0);
  std::vector<std::uint8_t> levels[4];
  for (int l = 0; l < 4; ++l) {
    for (int i = 0; i < 64 >> 2 * l << 2; ++i) levels[l].push_back(static_cast<std::uint8_t>(rng()));
  }
  const std::uint32_t texture =
      builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, 3, 3, {levels[0], levels[1], levels[2], levels[3]});
  for (int draw = 0; draw < 4; ++draw) {
    std::vector<PackageVertex> v;
    for (int i = 0; i < 3 * 40; ++i) {
      const float w = uniform(.3f, 4);
      PackageVertex p{{uniform(-1.3f, 1.3f) * w, uniform(-1.3f, 1.3f) * w, uniform(-1.2f, 1) * w, w},
                      {uniform(-3, 3), uniform(-3, 3), 0, 0},
                      {uniform(0, 1), uniform(0, 1), uniform(0, 1), uniform(0, 1)}};
      v.push_back(p);
    }
    gyre_pkg_draw d = rounded(width, height);
    d.shader = textured ? (draw & 1 ? GYRE_SHADER_MODULATE : GYRE_SHADER_TEXTURE) : GYRE_SHADER_COLOR;
    d.color_rule = draw & 2 ? GYRE_COLOR_TRUNCATE : GYRE_COLOR_ROUND;
    if (textured) {
      d.texture = texture;
      d.lod_rule = GYRE_LOD_FINE;
      d.tex_levels = 4;
      d.tex_filter = 1;
      d.tex_filter_min = static_cast<std::uint32_t>(draw);
      d.tex_wrap = scene::pack16(GYRE_TEX_WRAP_MIRROR, GYRE_TEX_WRAP_REPEAT);
    }
    d.blend_func = scene::pack_blend_func(GYRE_FACTOR_SRC_A, GYRE_FACTOR_ONE_MINUS_SRC_A, GYRE_FACTOR_SRC_A,
                                          GYRE_FACTOR_ONE_MINUS_SRC_A);
    if (draw & 1) {
      d.depth_func = GYRE_CMP_LEQUAL;
      d.depth_writemask = 1;
    }
    builder.add_draw(d, v);
  }
  return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(clears) {
  PackageBuilder builder(5, 3);
  builder.set_clear(0x12345678, 0xABCDEF, 0x5A);
  const Frame f = render(builder);
  BOOST_REQUIRE(f.color.size() == 15u);
  for (std::uint32_t c : f.color) BOOST_TEST(c == 0x12345678u);
  for (std::uint32_t d : f.depth_stencil) BOOST_TEST(d == 0x5AABCDEFu);
}

BOOST_AUTO_TEST_CASE(fills_exactly_once) {
  for (std::uint32_t width : {1u, 2u, 7u, 64u, 129u, 300u}) {
    PackageBuilder builder(width, 9);
    builder.set_clear(kBlack, 0xFFFFFF, 0);
    builder.add_draw(rounded(width, 9), rectangle(-1, -1, 1, 1, 0, kRed));
    const Frame f = render(builder);
    for (std::uint32_t c : f.color) BOOST_TEST(c == kRed);
    BOOST_TEST(f.stats.fragments == width * 9u);
    BOOST_TEST(f.stats.triangles == 2u);
  }
}

BOOST_AUTO_TEST_CASE(colour_rules_differ_in_rounding) {
  for (const std::uint32_t rule : {GYRE_COLOR_TRUNCATE, GYRE_COLOR_ROUND}) {
    for (const std::uint32_t shader : {GYRE_SHADER_COLOR, GYRE_SHADER_FLAT}) {
      PackageBuilder builder(4, 4);
      gyre_pkg_draw d = rounded(4, 4);
      d.color_rule = rule;
      d.shader = shader;
      auto v = rectangle(-1, -1, 1, 1, 0, 0xFFFFFFFF);
      const float half[4] = {.5f, .25f, 1, 1};
      for (auto& p : v) std::copy(half, half + 4, p.color);
      std::copy(half, half + 4, d.flat_color);
      builder.add_draw(d, v);
      BOOST_TEST(pixel(render(builder), 1, 1) == (rule == GYRE_COLOR_TRUNCATE ? 0xFF7F3FFFu : 0xFF8040FFu));
    }
  }
}

BOOST_AUTO_TEST_CASE(scissor_depth_and_order) {
  PackageBuilder builder(16, 16);
  builder.set_clear(kBlack, 0xFFFFFF, 0);
  gyre_pkg_draw d = rounded(16, 16);
  d.depth_func = GYRE_CMP_LESS;
  d.depth_writemask = 1;
  d.scissor_x = scene::pack16(8, 4);
  builder.add_draw(d, rectangle(-1, -1, 1, 1, 0, kRed));  // z 0.5
  d.scissor_x = scene::pack16(16, 0);
  builder.add_draw(d, rectangle(-1, -1, 1, 1, .5f, kGreen));
  d.scissor_y = scene::pack16(16, 15);
  builder.add_draw(d, rectangle(-1, -1, 1, 1, -.5f, kBlue));
  const Frame f = render(builder);
  for (std::uint32_t y = 0; y < 16; ++y) {
    for (std::uint32_t x = 0; x < 16; ++x) {
      const std::uint32_t want = y == 15 ? kBlue : x >= 4 && x < 8 ? kRed : kGreen;
      BOOST_TEST(pixel(f, x, y) == want);
      const std::uint32_t depth = y == 15 ? 0x400000u : x >= 4 && x < 8 ? 0x800000u : 0xC00000u;
      BOOST_TEST(f.depth_stencil[y * 16 + x] == depth);
    }
  }
}

BOOST_AUTO_TEST_CASE(two_sided_stencil) {
  PackageBuilder builder(8, 8);
  builder.set_clear(kBlack, 0xFFFFFF, 0);
  gyre_pkg_draw d = rounded(8, 8);
  d.stencil_ref = scene::pack16(7, 3);
  d.stencil_mask = d.stencil_writemask = scene::pack16(255, 255);
  d.stencil_zpass = scene::pack16(GYRE_STENCIL_REPLACE, GYRE_STENCIL_REPLACE);
  builder.add_draw(d, rectangle(-1, -1, 0, 1, 0, kRed));
  auto back = rectangle(0, -1, 1, 1, 0, kGreen);
  for (std::size_t i = 0; i < back.size(); i += 3) std::swap(back[i], back[i + 1]);
  builder.add_draw(d, back);
  const Frame f = render(builder);
  const bool left_is_front = f.depth_stencil[0] >> 24 == 3;
  BOOST_TEST(left_is_front);
  BOOST_TEST(f.depth_stencil[7] >> 24 == 7u);
}

BOOST_AUTO_TEST_CASE(texture_point_and_modulate) {
  PackageBuilder builder(8, 8);
  const std::vector<std::uint32_t> texels = {kRed, kGreen, kBlue, 0xFFFFFFFF};
  const std::uint32_t t = builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, 1, 1, {argb_bytes(texels)});
  gyre_pkg_draw d = rounded(8, 8);
  d.shader = GYRE_SHADER_TEXTURE;
  d.texture = t;
  builder.add_draw(d, rectangle(-1, -1, 1, 1, 0, 0xFFFFFFFF));
  Frame f = render(builder);
  for (std::uint32_t y = 0; y < 8; ++y) {
    for (std::uint32_t x = 0; x < 8; ++x) BOOST_TEST(pixel(f, x, y) == texels[(y / 4) * 2 + x / 4]);
  }
  d.shader = GYRE_SHADER_MODULATE;
  builder.add_draw(d, rectangle(-1, -1, 1, 1, 0, 0x80804020));
  f = render(builder);
  BOOST_TEST(pixel(f, 7, 7) == 0x80804020u);
  BOOST_TEST(pixel(f, 0, 0) == 0x80800000u);
  BOOST_TEST(f.stats.texels == 128u);
}

// lambda <= 0 samples stage 0, above it stage 1; the nearest level rounds, and the chain is limited by tex_levels.
BOOST_DATA_TEST_CASE(levels, data::make({-1.0f, 0.0f, 0.25f, 0.5f, 1.0f, 1.6f, 2.0f, 9.0f}), lambda) {
  for (std::uint32_t rule : {GYRE_LOD_FIXED, GYRE_LOD_FINE}) {
    for (std::uint32_t tex_levels : {1u, 2u, 4u}) {
      PackageBuilder builder(16, 16);
      std::vector<std::vector<std::uint8_t>> chain;
      for (std::uint32_t l = 0; l < 4; ++l) {
        chain.push_back(argb_bytes(std::vector<std::uint32_t>(64u >> 2 * l, 0xFF000000u + l)));
      }
      gyre_pkg_draw d = rounded(16, 16);
      d.shader = GYRE_SHADER_TEXTURE;
      d.texture = builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, 3, 3, chain);
      d.tex_levels = tex_levels;
      d.tex_wrap = scene::pack16(GYRE_TEX_WRAP_REPEAT, GYRE_TEX_WRAP_REPEAT);
      d.lod_rule = rule;
      d.lod_value = lambda;
      // 2^lambda texels of 8 a pixel, 16 pixels
      builder.add_draw(d, rectangle(-1, -1, 1, 1, 0, 0xFFFFFFFF, std::exp2(lambda) * 2));
      const std::uint32_t level =
          lambda <= 0 ? 0 : std::min(static_cast<std::uint32_t>(lambda + .5f), tex_levels - 1);
      const Frame f = render(builder);
      // a computed lambda of exactly one half may land on either side
      if (rule == GYRE_LOD_FINE && lambda == .5f) continue;
      BOOST_TEST(pixel(f, 5, 6) == 0xFF000000u + level);
    }
  }
}

BOOST_DATA_TEST_CASE(bin_and_block_size_do_not_matter, data::xrange(4), seed) {
  const PackageBuilder builder = random_scene(static_cast<std::uint32_t>(seed), 150, 131, seed & 1);
  const Frame want = render(builder);
  BOOST_TEST(want.stats.fragments > 20000u);
  for (std::uint32_t bin : {1u, 4u, 5u, 6u, 7u}) {
    for (std::uint32_t block : {1u, 2u, 3u, 4u}) {
      if (block > bin) continue;
      const Frame got = render(builder, {0, bin, block});
      BOOST_TEST(bool(got.color == want.color));
      BOOST_TEST(bool(got.depth_stencil == want.depth_stencil));
    }
  }
}

// The way of the machine: tile buffer, bins in any order, one bin after the other. Same frame.
BOOST_DATA_TEST_CASE(bins_in_any_order, data::xrange(4), seed) {
  const PackageBuilder builder = random_scene(100 + static_cast<std::uint32_t>(seed), 200, 170, false);
  const auto bytes = builder.build();
  const scene::PackageView package(bytes);
  const Frame want = reference::render(package);
  Frame got;
  got.color.assign(200 * 170, package.header().clear_color);
  got.depth_stencil.assign(200 * 170, package.header().clear_depth);
  std::mt19937 rng(static_cast<std::uint32_t>(seed));
  for (std::size_t i = 0; i < package.draws().size(); ++i) {
    const gyre_pkg_draw& draw = package.draws()[i];
    reference::DrawState state = reference::make_draw_state(package, i);
    state.front_end.bin_log = 5 + static_cast<std::uint32_t>(seed) % 3;
    const auto verts = reference::expand(package.vertices(i), draw.num_vertices, GYRE_PKG_VSTRIDE, {2, 4}, {8, 2});
    const auto b = reference::run_front_end(state.front_end, verts, {8, 2});
    std::vector<std::uint32_t> order(b.num_bins);
    for (std::uint32_t k = 0; k < b.num_bins; ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), rng);
    const auto window = raster::Scissor::from_registers(draw.scissor_x, draw.scissor_y);
    for (std::uint32_t bin : order) {
      const gyre_bin_header h = b.header(bin);
      for (std::uint32_t k = 0; k < h.pids_count; ++k) {
        const gyre_prim& prim = b.prim[b.pids(bin)[k]];
        raster::for_each_quad(
            prim.edges, (h.bin_xy & 0xFFFF) << state.front_end.bin_log, (h.bin_xy >> 16) << state.front_end.bin_log,
            state.front_end.bin_log, 3, window, [&](const raster::Quad& quad) {
              std::uint32_t color[4];
              if (draw.color_rule == GYRE_COLOR_ROUND) {
                reference::QuadShader<GYRE_SHADER_COLOR, GYRE_COLOR_ROUND, 0>(state).shade(prim, quad, color);
              } else {
                reference::QuadShader<GYRE_SHADER_COLOR, GYRE_COLOR_TRUNCATE, 0>(state).shade(prim, quad, color);
              }
              for (unsigned s = 0; s < 4; ++s) {
                if ((quad.mask >> s & 1) == 0) continue;
                const std::uint32_t x = 2u * quad.x + (s & 1), y = 2u * quad.y + (s >> 1);
                const om::Fragment fragment = {0, prim.facing, gyre_fragment_depth(&prim.depth, x, y), color[s]};
                om::apply_fragment(state.om, fragment, &got.depth_stencil[y * 200 + x], &got.color[y * 200 + x]);
              }
            });
      }
    }
  }
  BOOST_TEST(bool(got.color == want.color));
  BOOST_TEST(bool(got.depth_stencil == want.depth_stencil));
}

BOOST_AUTO_TEST_CASE(subpixel_bits_move_edges_only_a_little) {
  const PackageBuilder builder = random_scene(55, 128, 128, false);
  const Frame a = render(builder, {7, 7, 3}), b = render(builder), c = render(builder, {4, 7, 3});
  BOOST_TEST(bool(a.color == b.color));  // the rule gives 7 bits here
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.color.size(); ++i) different += a.color[i] != c.color[i];
  BOOST_TEST(different > 0u);
}

BOOST_AUTO_TEST_CASE(options_are_checked) {
  const PackageBuilder builder(4, 4);
  BOOST_CHECK_THROW(render(builder, {3, 7, 3}), UserError);
  BOOST_CHECK_THROW(render(builder, {9, 7, 3}), UserError);
  BOOST_CHECK_THROW(render(builder, {0, 0, 1}), UserError);
  BOOST_CHECK_THROW(render(builder, {0, 16, 1}), UserError);
  BOOST_CHECK_THROW(render(builder, {0, 4, 5}), UserError);
}

BOOST_AUTO_TEST_CASE(aperture_bits) {
  BOOST_TEST(reference::aperture_bits(1) == 0u);
  BOOST_TEST(reference::aperture_bits(2) == 1u);
  BOOST_TEST(reference::aperture_bits(128) == 7u);
  BOOST_TEST(reference::aperture_bits(129) == 8u);
  BOOST_TEST(reference::aperture_bits(1920) == 11u);
}
