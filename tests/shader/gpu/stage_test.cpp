// Compiled shaders as stages of a draw, on a core of the test bench: the vertex stage writes what soft_vs gives, the
// fragment stage exports what the interpreter makes of the interpolated varyings, for covered lanes that were not
// discarded, and nothing else.
#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "fragment_math.h"
#include "language_support.h"
#include "pixel_pack.h"
#include "primitive_walk.h"
#include "scenes.h"
#include "simt_runner.h"
#include "soft_stage.h"
#include "stage_entry.h"

using namespace gyre;
using namespace gyre::test;
using namespace gyre::shader;
namespace data = boost::unit_test::data;

namespace {

constexpr u32 kWidth = 96, kHeight = 64, kXBits = 7, kYBits = 6;

struct Case {
  const char* name;
  const char* vertex;
  const char* fragment;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"colour", "in vec4 p; out vec2 t; out vec4 c; void main() { gl_Position = p; t = p.xy; c = p * 0.5; }",
     "in vec2 t; in vec4 c; out vec4 o; void main() { o = c * 1.2 - 0.1; }"},
    {"permuted varyings",
     "in vec4 p; out vec3 n; out vec4 c; out float k; void main() { gl_Position = p; n = p.xyz; c = p * 0.5; k = p.w; "
     "}",
     "in float k; in vec3 n; out vec4 o; void main() { o = vec4(n * k, abs(k)); }"},
    {"coordinates", "in vec4 p; void main() { gl_Position = p; }",
     "out vec4 o; void main() { o = vec4(gl_FragCoord.x / 96.0, gl_FragCoord.y / 64.0, gl_FragCoord.z, gl_FragCoord.w "
     "* 0.1); }"},
    {"branches and discard", "in vec4 p; out vec2 t; out vec4 c; void main() { gl_Position = p; t = p.xy; c = p; }",
     "in vec2 t; in vec4 c; uniform vec4 u; out vec4 o; void main() { o = u; if (c.x > 0.5) { if (t.x > t.y) discard; "
     "o = vec4(sin(c.y * 9.0), "
     "cos(c.z), pow(c.w, 2.5), 1.0); } else { o = vec4(c.y, o.yzw); } }"},
    {"sampler in software", "in vec4 p; out vec2 t; void main() { gl_Position = p; t = p.xy; }",
     "in vec2 t; uniform sampler2D s; out vec4 o; void main() { o = texture(s, t); if (t.x > 0.5) o = o * texture(s, "
     "t.yx); }"},
};

Program linked(const char* vertex, const char* fragment) {
  Program program;
  if (!program.link(compiled(vertex, Stage::kVertex), compiled(fragment, Stage::kFragment)))
    throw std::runtime_error(program.log());
  const int u = program.uniform_index("u");
  const float values[4] = {0.25f, 0.5f, 0.75f, 1.0f};
  if (u >= 0) program.set_uniform(u, values, 4);
  return program;
}

gpu::VaryingPlan plan_of(const Program& program) {
  gpu::VaryingPlan plan;
  std::string error;
  if (!gpu::plan_varyings(program, &plan, &error)) throw std::runtime_error(error);
  return plan;
}

constexpr int kPlanes[GYRE_LANES] = {
    GYRE_PLANE_U, GYRE_PLANE_V, GYRE_PLANE_R, GYRE_PLANE_G, GYRE_PLANE_B, GYRE_PLANE_A, 7, 8, 9, 10, 11, 12};

// What the fragment shader sees at a pixel, in vertex slots.
struct Seen {
  float varyings[32] = {}, fragcoord[4];
};
Seen seen_at(const gyre_prim& prim, const gpu::VaryingPlan& plan, u32 x, u32 y) {
  Seen out;
  const gyre_weights w = gyre_fragment_weights(prim.edges, x, y);
  const float iw = gyre_fragment_w(&prim.planes[GYRE_PLANE_RHW], &w);
  int lane = 0;
  for (const gpu::CarriedVarying& v : plan.varyings)
    for (int k = 0; k < v.lanes; ++k)
      out.varyings[4 * v.vertex_slot + k] = gyre_attribute(&prim.planes[kPlanes[lane++]], &w, iw);
  out.fragcoord[0] = static_cast<float>(x) + 0.5f;
  out.fragcoord[1] = static_cast<float>(y) + 0.5f;
  out.fragcoord[2] = static_cast<float>(gyre_fragment_depth(&prim.depth, x, y)) / 16777215.0f;
  out.fragcoord[3] = prim.rhw_scale * 16777216.0f * iw;
  return out;
}

using Words = std::vector<std::pair<u32, u32>>;

// Draws 40 random triangles; `expect(prim, quad x, quad y, sub-pixel, &colour)` is false where nothing is exported.
template <class Expect>
std::string fragments(const Program& program, const gpu::VaryingPlan& plan, unsigned lanes, gpu::Sampling sampling,
                      std::uint32_t filter, const TextureView& texture, Expect expect) {
  reference::FrontEndState state;
  state.width = kWidth;
  state.height = kHeight;
  const auto b = reference::run_front_end(state, random_triangles(lanes, 40, false));
  RigConfig config;
  config.threads = lanes;
  Rig rig(config);
  const gpu::Image image = gpu::link_image(kImage, {gpu::fragment_kernel("fs", program, plan, true, sampling)});
  for (const auto& [at, words] :
       {std::pair(image.base, image.start), std::pair(image.kernels_address, image.kernels),
        std::pair(image.routines_address, image.routines), std::pair(image.table_address, image.table)})
    rig.memory.load(at, words);
  u32 next = kInputsAt;
  auto upload = [&](const void* from, std::size_t bytes) {
    const u32 at = next;
    std::memcpy(rig.memory.at(at, bytes), from, bytes);
    next = (next + static_cast<u32>(bytes) + 63) & ~63u;
    return at;
  };
  gyre_tex_desc desc[2] = {};
  for (gyre_tex_desc& d : desc) d.logdim = 4 << 16 | 5, d.levels = 5, d.filter = filter;
  const gyre_soft_texture soft = {upload(texture.texels, static_cast<std::size_t>(4 * texture.width * texture.height)),
                                  static_cast<u32>(texture.width), static_cast<u32>(texture.height), 0};
  const std::uint64_t table[GYRE_CONSTS] = {upload(program.words(Stage::kFragment), 512), upload(&soft, sizeof soft)};
  std::uint64_t slots[GYRE_FRAG_SLOTS] = {};
  slots[GYRE_FRAG_SLOT_PRIM] = upload(b.prim.data(), b.prim.size() * sizeof(gyre_prim));
  slots[GYRE_FRAG_SLOT_TEX] = upload(desc, sizeof desc);
  slots[GYRE_FRAG_SLOT_CONST] = upload(table, sizeof table);
  slots[GYRE_FRAG_SLOT_APERTURE] = 3 << 16 | kYBits << 8 | kXBits;
  const u32 param = upload(slots, sizeof slots);

  Words want;
  std::vector<kernel::QuadStamp> wave;
  std::size_t waves = 0;
  for (u32 pid = 0; pid < b.prims() && waves < 100; ++pid) {
    const gyre_prim& prim = b.prim[pid];
    raster::for_each_quad_in_box(prim.edges, b.bbox[pid], 7, 3, {0, kWidth, 0, kHeight}, [&](const raster::Quad& q) {
      if (waves >= 100) return;
      wave.push_back({q.x, q.y, q.mask, static_cast<std::uint16_t>(pid)});
      for (unsigned s = 0; s < 4; ++s) {
        u32 colour;
        if ((q.mask >> s & 1) == 0 || !expect(prim, q.x, q.y, s, &colour)) continue;
        const u32 x = 2u * q.x + (s & 1), y = 2u * q.y + (s >> 1);
        const u32 address = GYRE_DEV_APERTURE_BASE + 8 * (prim.facing << (kXBits + kYBits) | y << kXBits | x);
        want.push_back({address, colour});
        want.push_back({address + 4, gyre_fragment_depth(&prim.depth, x, y)});
      }
      if (wave.size() < lanes / 4) return;
      rig.fragments(wave, image.kernels_address, param);
      wave.clear();
      ++waves;
    });
  }
  if (!wave.empty()) rig.fragments(wave, image.kernels_address, param);
  rig.run_to_idle();
  GYRE_CHECK(!rig.ctx.faults.valid());
  GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{0});
  Words got;
  for (const Export& e : rig.memory.exports) got.push_back({e.address, e.value});
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  GYRE_CHECK(want.size() > 200);
  GYRE_CHECK_EQUAL(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i])
      throw std::runtime_error(
          fmt::format("{:#x}: {:#x} not {:#x} ({:#x})", got[i].first, got[i].second, want[i].second, want[i].first));
  return {};
}

std::vector<std::uint32_t> texels() {
  std::mt19937 random(3);
  std::vector<std::uint32_t> out(13 * 7);
  for (auto& t : out) t = static_cast<std::uint32_t>(random());
  return out;
}

std::string fragment_case(const Case& c, unsigned lanes) {
  const Program program = linked(c.vertex, c.fragment);
  const gpu::VaryingPlan plan = plan_of(program);
  const std::vector<std::uint32_t> words = texels();
  const TextureView texture{words.data(), 13, 7};
  return fragments(program, plan, lanes, gpu::Sampling::kSoftware, 0, texture,
                   [&](const gyre_prim& prim, u32 qx, u32 qy, unsigned s, u32* colour) {
                     const Seen seen = seen_at(prim, plan, 2 * qx + (s & 1), 2 * qy + (s >> 1));
                     float rgba[4];
                     bool gone;
                     GYRE_CHECK_EQUAL(
                         soft_fs(program, seen.varyings, seen.fragcoord, &texture, rgba, &gone, Math::kPrecise), 0);
                     *colour = pack_pixel(rgba, true);
                     return !gone;
                   });
}

// Level of tex.md §12 for coordinates of the quad's first three pixels, by its words: 64-bit shifts, log2 by counting.
u32 level_by_the_rule(const gyre_prim& prim, const gpu::VaryingPlan& plan, u32 qx, u32 qy, bool linear) {
  std::int32_t u[3], v[3];
  for (u32 i = 0; i < 3; ++i) {
    const Seen seen = seen_at(prim, plan, 2 * qx + (i & 1), 2 * qy + (i >> 1));
    u[i] = gyre_tex_coordinate(seen.varyings[0]);
    v[i] = gyre_tex_coordinate(seen.varyings[1]);
  }
  auto step = [](std::int32_t a, std::int32_t b, unsigned log) {
    return std::uint64_t{static_cast<u32>(std::llabs(std::int64_t{a} - b))} << log;
  };
  const std::uint64_t rho =
      std::max({step(u[1], u[0], 5), step(v[1], v[0], 4), step(u[2], u[0], 5), step(v[2], v[0], 4)});
  if (rho == 0) return 0;
  const int m = 63 - __builtin_clzll(rho);
  const std::uint64_t below = m >= 8 ? rho >> (m - 8) & 255 : rho << (8 - m) & 255;
  const int level = std::clamp((m - 23) * 256 + static_cast<int>(below), 0, 4 * 256);
  return static_cast<u32>(linear ? level : level >> 8);
}

std::string texture_unit_case(unsigned lanes, std::uint32_t filter) {
  const Program program = linked("in vec4 p; out vec2 t; void main() { gl_Position = p; t = p.xy; }",
                                 "in vec2 t; uniform sampler2D s; out vec4 o; void main() { o = texture(s, t); }");
  const gpu::VaryingPlan plan = plan_of(program);
  const std::vector<std::uint32_t> words = texels();
  std::uint64_t levels = 0;
  const std::string out =
      fragments(program, plan, lanes, gpu::Sampling::kTexUnit, filter, {words.data(), 13, 7},
                [&](const gyre_prim& prim, u32 qx, u32 qy, unsigned s, u32* colour) {
                  const Seen seen = seen_at(prim, plan, 2 * qx + (s & 1), 2 * qy + (s >> 1));
                  const u32 lod = level_by_the_rule(prim, plan, qx, qy, (filter & GYRE_TEX_FILTER_MIP_LINEAR) != 0);
                  levels |= std::uint64_t{1} << (lod > 4 ? lod >> 8 : lod);
                  *colour = TestTexture::texel(1, static_cast<u32>(gyre_tex_coordinate(seen.varyings[0])),
                                               static_cast<u32>(gyre_tex_coordinate(seen.varyings[1])), lod);
                  return true;
                });
  GYRE_CHECK(__builtin_popcountll(levels) > 2);
  return out;
}

std::string vertex_case(const Case& c, unsigned threads, bool precise) {
  const Program program = linked(c.vertex, c.fragment);
  const gpu::VaryingPlan plan = plan_of(program);
  const gpu::Image image = gpu::link_image(kImage, {gpu::vertex_kernel("vs", program, plan, precise)});
  SimtRunner core(threads);
  core.load(image);
  const u32 count = 3 * threads + 1, stride = static_cast<u32>(plan.record_bytes());
  std::mt19937 random(threads);
  std::vector<float> attributes(32 * count);
  for (float& a : attributes) a = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 500.0f;
  core.put(kInputsAt, attributes.data(), attributes.size());
  core.put(kUniformsAt, program.words(Stage::kVertex), 128);
  const std::uint64_t table[GYRE_CONSTS] = {kUniformsAt};
  core.put(kTexelsAt, table, GYRE_CONSTS);
  const gyre_vs_arg arg = {kInputsAt, kResultsAt, kTexelsAt, count, 128, stride, 0};
  core.put(kArgs, &arg, 1);
  const u32 guard = kResultsAt + count * stride;
  core.memory().put(guard, 0xDEADBEEF);
  core.launch(kImage, image.kernels_address, kArgs, count);
  GYRE_CHECK_EQUAL(core.memory().word(guard), 0xDEADBEEFu);
  for (u32 n = 0; n < count; ++n) {
    float position[4], varyings[32] = {};
    GYRE_CHECK_EQUAL(
        soft_vs(program, &attributes[32 * n], position, varyings, precise ? Math::kPrecise : Math::kCompat), 0);
    auto check = [&](u32 offset, float value) {
      const u32 got = core.memory().word(kResultsAt + n * stride + offset);
      if (got != float_bits(value))
        throw std::runtime_error(fmt::format("vertex {}, byte {}: {:#x} not {:#x}", n, offset, got, float_bits(value)));
    };
    for (u32 k = 0; k < 4; ++k) check(4 * k, position[k]);
    u32 offset = 16;
    for (const gpu::CarriedVarying& v : plan.varyings) {
      for (int k = 0; k < v.lanes; ++k) check(offset + 4 * static_cast<u32>(k), varyings[4 * v.vertex_slot + k]);
      offset += 16;
    }
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_stages)

BOOST_DATA_TEST_CASE(vertex_stage_writes_what_the_interpreter_gives, data::make(kCases) * data::make({1u, 4u, 32u}),
                     shader, threads) {
  run_forked([&] { return vertex_case(shader, threads, threads != 4); });
}

BOOST_DATA_TEST_CASE(fragment_stage_exports_what_the_interpreter_gives, data::make(kCases) * data::make({4u, 8u, 32u}),
                     shader, lanes) {
  run_forked([&] { return fragment_case(shader, lanes); });
}

BOOST_DATA_TEST_CASE(levels_of_the_texture_unit_follow_the_rule, data::make({4u, 8u, 32u}) * data::make({1u, 3u}),
                     lanes, filter) {
  run_forked([&] { return texture_unit_case(lanes, filter); });
}

BOOST_AUTO_TEST_CASE(more_varyings_than_the_front_end_carries) {
  const Program program = linked(
      "in vec4 p; out vec4 a; out vec4 b; out vec4 c; out float d; void main() { gl_Position = p; a = p; b = p; c = p; "
      "d = p.x; }",
      "in vec4 a; in vec4 b; in vec4 c; in float d; out vec4 o; void main() { o = a + b + c + d; }");
  gpu::VaryingPlan plan;
  std::string error;
  BOOST_TEST(!gpu::plan_varyings(program, &plan, &error));
  BOOST_TEST(error.find("13 varying components") != std::string::npos, error);
}

BOOST_AUTO_TEST_SUITE_END()
