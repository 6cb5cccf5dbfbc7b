// Traces: every field reaches the register it stands for (cgltrace.md §7).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "cgltrace_reader.h"
#include "cgltrace_texture.h"
#include "package_view.h"
#include "scene.h"
#include "support.h"
#include "trace_text.h"

namespace {

using namespace gyre::scene;
using gyre::test::TraceText;

// Keeps the bytes of a view alive.
struct Loaded {
  std::vector<std::uint8_t> bytes;
  PackageView view;
  explicit Loaded(const TraceText& text) : bytes(read_cgltrace(text.str(), "t.cgltrace", 100, 50)), view(bytes) {}
};

gyre_pkg_draw draw_of(const std::map<std::string, std::string>& states) {
  TraceText text;
  text.states = states;
  return Loaded(text).view.draws().at(0);
}

// 2x1 texels of R5G6B5: 0xF800, 0x07E0.
constexpr const char* kTexture =
    "<format>4</format><width>2</width><height>1</height><size>4</size><pixels>\nAPjg\nBw==\n</pixels>";

BOOST_AUTO_TEST_SUITE(cgltrace)

BOOST_AUTO_TEST_CASE(plain) {
  const Loaded scene{TraceText{}};
  const PackageView& view = scene.view;
  BOOST_TEST(view.bottom_up());
  BOOST_TEST(view.header().clear_color == 0xFF000000u);
  BOOST_TEST(view.header().clear_depth == 0xFFFFFFFFu);
  const gyre_pkg_draw& draw = view.draws().at(0);
  BOOST_TEST(draw.shader == GYRE_SHADER_COLOR);
  BOOST_TEST(draw.color_rule == GYRE_COLOR_TRUNCATE);
  BOOST_TEST(draw.vp_sx == 50.0f);
  BOOST_TEST(draw.vp_ty == 25.0f);
  BOOST_TEST(draw.vp_sy == 25.0f);
  BOOST_TEST(draw.vp_halfz == 0u);
  BOOST_TEST(draw.cull_mode == GYRE_CULL_NONE);
  BOOST_TEST(draw.scissor_x == 100u << 16);
  BOOST_TEST(draw.color_writemask == 15u);
  BOOST_TEST(draw.depth_func == GYRE_CMP_ALWAYS);
  BOOST_TEST(draw.depth_writemask == 0u);
  BOOST_TEST(draw.blend_func == 0x00000101u);
  BOOST_TEST(draw.texture == GYRE_PKG_NONE);
  BOOST_TEST(draw.tex_levels == 1u);
  BOOST_TEST(draw.lod_rule == GYRE_LOD_FIXED);
  const PackageVertex* vertices = view.vertices(0);
  BOOST_TEST(vertices[0].position[0] == 0.5f);
  BOOST_TEST(vertices[1].position[0] == -0.5f);
  BOOST_TEST(vertices[2].color[1] == 0.5f);
  BOOST_TEST(vertices[2].texcoord[1] == 3.0f);
}

BOOST_AUTO_TEST_CASE(depth) {
  constexpr std::uint32_t kCodes[] = {1, 2, 4, 3, 6, 7, 5, 0};
  for (std::uint32_t f = 0; f < 8; ++f) {
    const auto draw = draw_of({{"depth_test", "1"}, {"depth_func", std::to_string(f)}});
    BOOST_TEST(draw.depth_func == kCodes[f]);
    BOOST_TEST(draw.depth_writemask == 1u);
  }
  BOOST_TEST(draw_of({{"depth_test", "1"}, {"depth_writemask", "0"}}).depth_writemask == 0u);
  BOOST_TEST(draw_of({{"depth_test", "1"}}).earlyz_safe == 1u);
}

BOOST_AUTO_TEST_CASE(stencil) {
  const auto draw = draw_of({{"stencil_test", "1"},
                             {"stencil_func", "4"},
                             {"stencil_zpass", "1"},
                             {"stencil_zfail", "3"},
                             {"stencil_fail", "5"},
                             {"stencil_ref", "18"},
                             {"stencil_mask", "52"},
                             {"stencil_writemask", "86"}});
  BOOST_TEST(draw.stencil_func == 0x00060006u);
  BOOST_TEST(draw.stencil_zpass == 0x00020002u);
  BOOST_TEST(draw.stencil_zfail == 0x00040004u);
  BOOST_TEST(draw.stencil_fail == 0x00050005u);
  BOOST_TEST(draw.stencil_ref == 0x00120012u);
  BOOST_TEST(draw.stencil_mask == 0x00340034u);
  BOOST_TEST(draw.stencil_writemask == 0x00560056u);
  const auto off = draw_of({{"stencil_zpass", "1"}});
  BOOST_TEST(off.stencil_zpass == 0u);
}

BOOST_AUTO_TEST_CASE(blend_and_mask) {
  constexpr std::uint32_t kCodes[] = {0, 1, 2, 3, 6, 7, 8, 9, 4, 5, 14};
  for (std::uint32_t f = 0; f < 11; ++f) {
    const auto draw = draw_of({{"blend_enabled", "1"}, {"blend_src", std::to_string(f)}, {"blend_dst", "1"}});
    BOOST_TEST(draw.blend_func == (0x01010000u | kCodes[f] << 8 | kCodes[f]));
  }
  BOOST_TEST(draw_of({{"color_writemask", "4294967290"}}).color_writemask == 10u);
}

BOOST_AUTO_TEST_CASE(shaders_and_sampling) {
  const auto shader = [](const char* color, const char* texture, const char* mode) {
    TraceText text;
    text.texture = kTexture;
    text.states = {{"color_enabled", color}, {"texture_enabled", texture}, {"texture_envmode", mode}};
    return Loaded(text).view.draws().at(0).shader;
  };
  BOOST_TEST(shader("1", "0", "3") == GYRE_SHADER_COLOR);
  BOOST_TEST(shader("0", "0", "3") == GYRE_SHADER_FLAT);
  BOOST_TEST(shader("1", "1", "3") == GYRE_SHADER_MODULATE);
  BOOST_TEST(shader("0", "1", "3") == GYRE_SHADER_TEXTURE);
  for (const char* mode : {"0", "1", "2", "4"}) BOOST_TEST(shader("1", "1", mode) == GYRE_SHADER_TEXTURE);

  TraceText text;
  text.texture = kTexture;
  text.states = {{"texture_enabled", "1"}, {"texture_magfilter", "1"}, {"texture_addressU", "1"}};
  const Loaded point(text);
  BOOST_TEST(point.view.draws()[0].tex_filter == 0u);
  BOOST_TEST(point.view.draws()[0].tex_wrap == 0u);
  BOOST_TEST(point.view.draws()[0].texture == 0u);
  BOOST_TEST(point.view.textures().at(0).format == GYRE_TEX_FORMAT_R5G6B5);
  BOOST_TEST(point.view.textures()[0].logdim == 1u);
  BOOST_TEST(point.view.texture_data(0)[1] == 0xF8);
  BOOST_TEST(point.view.texture_data(0)[2] == 0xE0);
  text.states = {{"texture_enabled", "1"}, {"texture_magfilter", "0"}};
  const Loaded linear(text);
  BOOST_TEST(linear.view.draws()[0].tex_filter == 1u);
  BOOST_TEST(linear.view.draws()[0].tex_wrap == 0x00010001u);
}

BOOST_AUTO_TEST_CASE(depth_range) {
  TraceText text;
  text.viewport_near = "2.5e-01";
  text.viewport_far = "0.75";
  BOOST_TEST(Loaded(text).view.draws()[0].vp_minz == 0.25f);
  BOOST_TEST(Loaded(text).view.draws()[0].vp_maxz == 0.75f);
  text.viewport_near = text.viewport_far = "0";
  BOOST_TEST(Loaded(text).view.draws()[0].vp_maxz > 0.0f);
}

BOOST_AUTO_TEST_CASE(formats_the_unit_lacks_are_converted) {
  const auto converted = [](std::uint32_t format, std::vector<std::uint8_t> pixels) {
    BOOST_TEST(to_unit_format(format, pixels) == GYRE_TEX_FORMAT_A8R8G8B8);
    return std::uint32_t{pixels[3]} << 24 | pixels[2] << 16 | pixels[1] << 8 | pixels[0];
  };
  BOOST_TEST(converted(7, {1, 2, 3}) == 0xFF030201u);      // R8G8B8
  BOOST_TEST(converted(11, {1, 2, 3}) == 0xFF010203u);     // B8G8R8
  BOOST_TEST(converted(9, {1, 2, 3, 4}) == 0x04010203u);   // A8B8G8R8
  BOOST_TEST(converted(12, {0xBC, 0x9A}) == 0xCC99AABBu);  // R4G4B4A4 0x9ABC
  BOOST_TEST(converted(10, {0x69, 0x24}) == 0xFF218CA5u);  // R5G5B5A1 0x2469
  std::vector<std::uint8_t> same{0x34, 0x12};
  for (std::uint32_t format : {3u, 4u, 6u, 8u}) to_unit_format(format, same);
  BOOST_TEST(same[0] == 0x34);
}

BOOST_AUTO_TEST_CASE(recorded_traces) {
  unsigned skips = 0;
  const auto files = gyre::test::files_in(gyre::test::shared_dir() / "scenes/cgltrace", ".cgltrace");
  if (files.empty()) gyre::test::skipped("no recorded traces beside the repository", skips);
  // Draws and triangles of cgltrace.md §6.
  const std::map<std::string, std::pair<unsigned, unsigned>> facts{
      {"box", {2, 4}},     {"carnival", {1, 2}}, {"evilskull", {7, 600}}, {"mouse", {10, 3635}}, {"polybump", {3, 276}},
      {"scene", {1, 717}}, {"triangle", {1, 1}}, {"tekkaman", {2, 757}},  {"vase", {6, 1643}}};
  for (const auto& file : files) {
    BOOST_TEST_CONTEXT(file) {
      const auto start = std::chrono::steady_clock::now();
      const auto bytes = load(file.string());
      const PackageView view(bytes);
      BOOST_TEST_MESSAGE(file << ": "
                              << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      BOOST_TEST(view.width() == kTraceSide);
      const auto fact = facts.find(file.stem().string());
      if (fact == facts.end()) continue;
      unsigned triangles = 0;
      for (const auto& draw : view.draws()) triangles += draw.num_vertices / 3;
      BOOST_TEST(view.draws().size() == fact->second.first);
      BOOST_TEST(triangles == fact->second.second);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
