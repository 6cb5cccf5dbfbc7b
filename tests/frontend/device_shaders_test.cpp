// Every fragment shader on a simulated core exports what the shared arithmetic gives: helper lanes export nothing, their
// coordinates still feed the derivatives. The texture unit of the bench returns a hash of its operands.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "device_image.h"
#include "fragment_math.h"
#include "primitive_walk.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

constexpr std::uint32_t kWidth = 96, kHeight = 64, kXBits = 7, kYBits = 6;

struct Case {
  const char* name;
  std::uint32_t shader, rule, lod;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"frag_color_trunc", GYRE_SHADER_COLOR, GYRE_COLOR_TRUNCATE, 0},
    {"frag_color_round", GYRE_SHADER_COLOR, GYRE_COLOR_ROUND, 0},
    {"frag_flat_trunc", GYRE_SHADER_FLAT, GYRE_COLOR_TRUNCATE, 0},
    {"frag_flat_round", GYRE_SHADER_FLAT, GYRE_COLOR_ROUND, 0},
    {"frag_texture_trunc_fixed", GYRE_SHADER_TEXTURE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_texture_trunc_fine", GYRE_SHADER_TEXTURE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_texture_round_fixed", GYRE_SHADER_TEXTURE, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_texture_round_fine", GYRE_SHADER_TEXTURE, GYRE_COLOR_ROUND, GYRE_LOD_FINE},
    {"frag_modulate_trunc_fixed", GYRE_SHADER_MODULATE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_modulate_trunc_fine", GYRE_SHADER_MODULATE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_modulate_round_fixed", GYRE_SHADER_MODULATE, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_modulate_round_fine", GYRE_SHADER_MODULATE, GYRE_COLOR_ROUND, GYRE_LOD_FINE}};

struct Arguments {
  gyre_tex_desc desc[2] = {};
  float uniform[8] = {.1f, .5f, .9f, .3f, 0, 0, 0, 0};
};

std::uint32_t expected_color(const Case& c, const Arguments& a, const gyre_prim& p, std::uint32_t x, std::uint32_t y) {
  const float scale = gyre_color_scale(c.rule);
  const float* f = a.uniform;
  if (c.shader == GYRE_SHADER_FLAT) return gyre_pack_color(c.rule, f[0] * scale, f[1] * scale, f[2] * scale, f[3] * scale);
  auto attribute = [&](int plane, std::uint32_t px, std::uint32_t py, float s) {
    const gyre_weights w = gyre_fragment_weights(p.edges, px, py);
    return gyre_attribute(&p.planes[plane], &w, gyre_fragment_w(&p.planes[GYRE_PLANE_RHW], &w) * s);
  };
  std::uint32_t texel = 0;
  if (c.shader != GYRE_SHADER_COLOR) {
    auto u = [&](std::uint32_t px, std::uint32_t py) { return attribute(GYRE_PLANE_U, px, py, 1); };
    auto v = [&](std::uint32_t px, std::uint32_t py) { return attribute(GYRE_PLANE_V, px, py, 1); };
    const float lambda = c.lod == GYRE_LOD_FIXED ? a.uniform[4]
                                                 : gyre_lambda(a.desc[0].logdim, u(x, y), v(x, y), u(x ^ 1, y),
                                                               v(x ^ 1, y), u(x, y ^ 1), v(x, y ^ 1));
    const unsigned stage = lambda > 0 ? 1 : 0;
    const std::uint32_t lod = stage == 0 ? 0 : gyre_lod_operand(lambda, a.desc[1].filter, a.desc[1].levels);
    texel = TestTexture::texel(stage, static_cast<u32>(gyre_tex_coordinate(u(x, y))),
                               static_cast<u32>(gyre_tex_coordinate(v(x, y))), lod);
    if (c.shader == GYRE_SHADER_TEXTURE) return texel;
  }
  const bool modulate = c.shader == GYRE_SHADER_MODULATE;
  const float s = modulate ? gyre_modulate_scale(c.rule) : scale;
  float rgba[4];
  for (int k = 0; k < 4; ++k) rgba[k] = attribute(k, x, y, s);
  return modulate ? gyre_pack_modulated(c.rule, texel, rgba[0], rgba[1], rgba[2], rgba[3])
                  : gyre_pack_color(c.rule, rgba[0], rgba[1], rgba[2], rgba[3]);
}

std::string run_shader(const std::string& image, const Case& c, unsigned lanes, float lod_value, std::uint32_t filter) {
  reference::FrontEndState s;
  s.width = kWidth;
  s.height = kHeight;
  const auto b = reference::run_front_end(s, random_triangles(lanes, 40, false));
  RigConfig config;
  config.threads = lanes;
  DeviceBench bench(config, image);
  Arguments a;
  a.uniform[4] = lod_value;
  for (gyre_tex_desc& d : a.desc) {
    d.logdim = 4 << 16 | 5;
    d.levels = 5;
  }
  a.desc[1].filter = filter;
  const std::uint32_t uniform = bench.upload(a.uniform, sizeof a.uniform);
  const std::uint64_t table[8] = {uniform};
  std::uint64_t slots[GYRE_FRAG_SLOTS] = {};
  slots[GYRE_FRAG_SLOT_PRIM] = bench.upload(b.prim.data(), b.prim.size() * sizeof(gyre_prim));
  slots[GYRE_FRAG_SLOT_TEX] = bench.upload(a.desc, sizeof a.desc);
  slots[GYRE_FRAG_SLOT_CONST] = bench.upload(table, sizeof table);
  slots[GYRE_FRAG_SLOT_APERTURE] = 3 << 16 | kYBits << 8 | kXBits;
  const std::uint32_t param = bench.upload(slots, sizeof slots);

  std::vector<std::pair<u32, u32>> want;
  std::vector<kernel::QuadStamp> wave;
  std::size_t waves = 0;
  for (std::uint32_t pid = 0; pid < b.prims() && waves < 120; ++pid) {
    const gyre_prim& prim = b.prim[pid];
    raster::for_each_quad_in_box(prim.edges, b.bbox[pid], 7, 3, {0, kWidth, 0, kHeight}, [&](const raster::Quad& q) {
      if (waves >= 120) return;
      wave.push_back({q.x, q.y, q.mask, static_cast<std::uint16_t>(pid)});
      for (unsigned i = 0; i < 4; ++i) {
        if ((q.mask >> i & 1) == 0) continue;
        const std::uint32_t x = 2u * q.x + (i & 1), y = 2u * q.y + (i >> 1);
        const std::uint32_t record = prim.facing << (kXBits + kYBits) | y << kXBits | x;
        const std::uint32_t address = GYRE_DEV_APERTURE_BASE + 8 * record;
        want.push_back({address, expected_color(c, a, prim, x, y)});
        want.push_back({address + 4, gyre_fragment_depth(&prim.depth, x, y)});
      }
      if (wave.size() == lanes / 4) {
        bench.fragments(wave, bench.image.at(c.name), param);
        wave.clear();
        ++waves;
      }
    });
  }
  if (!wave.empty()) bench.fragments(wave, bench.image.at(c.name), param);
  bench.batch();
  bench.run_to_idle();
  GYRE_CHECK(!bench.ctx.faults.valid());
  std::vector<std::pair<u32, u32>> got;
  for (const Export& e : bench.memory.exports) got.push_back({e.address, e.value});
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  GYRE_CHECK(want.size() > 200);
  GYRE_CHECK_EQUAL(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    GYRE_CHECK_EQUAL(got[i].first, want[i].first);
    GYRE_CHECK_EQUAL(got[i].second, want[i].second);
  }
  return {};
}

}  // namespace

BOOST_DATA_TEST_CASE(shaders_equal_the_arithmetic, data::make(kCases) * data::make({4u, 8u, 32u}), shader, lanes) {
  for (const char* image : {"device", "device_O1", "device_O3"}) {
    run_forked([&] { return run_shader(image, shader, lanes, 1.75f, GYRE_TEX_FILTER_MIP_LINEAR); });
  }
}

BOOST_DATA_TEST_CASE(given_levels, data::make({-1.0f, 0.0f, 0.2f, 2.6f, 40.0f}) * data::make({1u, 3u}), lod, filter) {
  run_forked([&] { return run_shader("device", kCases[6], 8, lod, filter); });
}
