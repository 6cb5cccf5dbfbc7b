// Draw-list JSON: every key of the format reaches the register it stands for.
#include <boost/test/unit_test.hpp>

#include "drawlist_reader.h"
#include "image.h"
#include "package_view.h"
#include "png_image.h"
#include "scene.h"
#include "support.h"

namespace {

using namespace gyre::scene;

constexpr const char* kThree =
    "\"vertices\":[{\"pos\":[0,0,0,1]},{\"pos\":[1,0,0,1],\"color\":[0,0.5,1,0.25]},{\"pos\":[0,1,0,1],\"uv\":[2,-3]}]";

struct Loaded {
  std::vector<std::uint8_t> bytes;
  PackageView view;
  explicit Loaded(const std::string& json, std::uint32_t width = 0, std::uint32_t height = 0,
                  const std::string& name = "t.json")
      : bytes(read_drawlist(json, name, width, height)), view(bytes) {}
};

std::string scene_of(const std::string& draw, const std::string& head = "") {
  return "{\"width\":64,\"height\":32," + head + "\"draws\":[{" + draw + "}]}";
}
gyre_pkg_draw draw_of(const std::string& keys) {
  return Loaded(scene_of(std::string(kThree) + "," + keys)).view.draws().at(0);
}

BOOST_AUTO_TEST_SUITE(drawlist)

BOOST_AUTO_TEST_CASE(defaults) {
  const Loaded scene(scene_of(kThree));
  BOOST_TEST(scene.view.width() == 64u);
  BOOST_TEST(!scene.view.bottom_up());
  BOOST_TEST(scene.view.header().clear_color == 0u);
  BOOST_TEST(scene.view.header().clear_depth == 0x00FFFFFFu);
  const gyre_pkg_draw& draw = scene.view.draws().at(0);
  BOOST_TEST(draw.shader == GYRE_SHADER_COLOR);
  BOOST_TEST(draw.color_rule == GYRE_COLOR_ROUND);
  BOOST_TEST(draw.vp_halfz == 1u);
  BOOST_TEST(draw.vp_sx == 32.0f);
  BOOST_TEST(draw.vp_sy == 16.0f);
  BOOST_TEST(draw.vp_ty == 16.0f);
  BOOST_TEST(draw.cull_mode == GYRE_CULL_NONE);
  BOOST_TEST(draw.depth_func == GYRE_CMP_ALWAYS);
  BOOST_TEST(draw.blend_func == 0x00000101u);
  BOOST_TEST(draw.earlyz_safe == 0u);
  const PackageVertex* v = scene.view.vertices(0);
  BOOST_TEST(v[0].color[3] == 1.0f);
  BOOST_TEST(v[1].color[1] == 0.5f);
  BOOST_TEST(v[2].texcoord[1] == -3.0f);
}

BOOST_AUTO_TEST_CASE(clear) {
  const Loaded scene(scene_of(kThree, "\"clear\":{\"color\":[1,0.5,0,0.2],\"depth\":0.25,\"stencil\":128},"));
  BOOST_TEST(scene.view.header().clear_color == 0x33FF8000u);
  BOOST_TEST(scene.view.header().clear_depth == 0x80400000u);
}

BOOST_AUTO_TEST_CASE(depth) {
  const auto draw = draw_of("\"depth\":{\"func\":\"gequal\",\"write\":false}");
  BOOST_TEST(draw.depth_func == GYRE_CMP_GEQUAL);
  BOOST_TEST(draw.depth_writemask == 0u);
  BOOST_TEST(draw.earlyz_safe == 1u);
  BOOST_TEST(draw_of("\"depth\":{}").depth_func == GYRE_CMP_LESS);
  BOOST_TEST(draw_of("\"depth\":{}").depth_writemask == 1u);
  const auto off = draw_of("\"depth\":{\"test\":false,\"write\":true,\"func\":\"less\"}");
  BOOST_TEST(off.depth_func == GYRE_CMP_ALWAYS);
  BOOST_TEST(off.depth_writemask == 0u);
}

BOOST_AUTO_TEST_CASE(culling_follows_the_front_face) {
  BOOST_TEST(draw_of("\"cull\":\"back\",\"frontFace\":\"cw\"").cull_mode == GYRE_CULL_BACK);
  BOOST_TEST(draw_of("\"cull\":\"front\",\"frontFace\":\"cw\"").cull_mode == GYRE_CULL_FRONT);
  BOOST_TEST(draw_of("\"cull\":\"back\"").cull_mode == GYRE_CULL_FRONT);
  BOOST_TEST(draw_of("\"cull\":\"front\",\"frontFace\":\"ccw\"").cull_mode == GYRE_CULL_BACK);
}

BOOST_AUTO_TEST_CASE(stencil_follows_the_front_face) {
  const std::string faces =
      "\"stencil\":{\"front\":{\"func\":\"less\",\"ref\":1,\"compareMask\":2,\"writeMask\":3,\"fail\":\"zero\","
      "\"zfail\":\"incr_clamp\",\"zpass\":\"decr_wrap\"},\"back\":{\"func\":\"never\"}}";
  const auto cw = draw_of(faces + ",\"frontFace\":\"cw\"");
  BOOST_TEST(cw.stencil_func == pack16(GYRE_CMP_NEVER, GYRE_CMP_LESS));
  BOOST_TEST(cw.stencil_ref == 1u);
  BOOST_TEST(cw.stencil_mask == 0x00FF0002u);
  BOOST_TEST(cw.stencil_writemask == 0x00FF0003u);
  BOOST_TEST(cw.stencil_fail == GYRE_STENCIL_ZERO);
  BOOST_TEST(cw.stencil_zfail == GYRE_STENCIL_INCR);
  BOOST_TEST(cw.stencil_zpass == GYRE_STENCIL_DECR_WRAP);
  const auto ccw = draw_of(faces);
  BOOST_TEST(ccw.stencil_func == pack16(GYRE_CMP_LESS, GYRE_CMP_NEVER));
  BOOST_TEST(ccw.stencil_ref == 0x00010000u);
}

BOOST_AUTO_TEST_CASE(blend) {
  const auto draw = draw_of(
      "\"blend\":{\"srcRGB\":\"src_alpha\",\"dstRGB\":\"one_minus_const_color\",\"opRGB\":\"revsub\",\"srcA\":\"zero\","
      "\"dstA\":\"src_alpha_saturate\",\"opA\":\"max\",\"constant\":[0,0.2,1,1]}");
  BOOST_TEST(draw.blend_mode == pack16(GYRE_BLEND_MAX, GYRE_BLEND_REV_SUB));
  BOOST_TEST(draw.blend_func == 0x0E0B0006u);
  BOOST_TEST(draw.blend_const == 0xFF0033FFu);
  const auto logic = draw_of("\"logicOp\":\"nand\",\"blend\":{\"srcRGB\":\"zero\"}");
  BOOST_TEST(logic.logic_op == GYRE_LOGIC_NAND);
  BOOST_TEST(logic.blend_mode == pack16(GYRE_BLEND_LOGICOP, GYRE_BLEND_LOGICOP));
  BOOST_TEST(draw_of("\"colorMask\":\"ra\"").color_writemask == 12u);
  BOOST_TEST(draw_of("\"colorMask\":\"\"").color_writemask == 0u);
  BOOST_TEST(draw_of("\"colorMask\":\"bg\"").color_writemask == 3u);
}

BOOST_AUTO_TEST_CASE(topologies) {
  const auto corners = [](const std::string& keys) {
    std::string json = "\"vertices\":[";
    for (int i = 0; i < 6; ++i) json += (i ? ",{\"pos\":[" : "{\"pos\":[") + std::to_string(i) + ",0,0,1]}";
    const Loaded scene(scene_of(json + "]," + keys));
    std::string out;
    if (scene.view.draws().empty()) return out;
    for (std::uint32_t i = 0; i < scene.view.draws()[0].num_vertices; ++i)
      out += std::to_string(static_cast<int>(scene.view.vertices(0)[i].position[0]));
    return out;
  };
  BOOST_TEST(corners("\"topology\":\"triangles\"") == "012345");
  BOOST_TEST(corners("\"topology\":\"triangles\",\"indices\":[5,4,3,2]") == "543");
  BOOST_TEST(corners("\"topology\":\"strip\",\"indices\":[0,1,2,3,4]") == "012132234");
  BOOST_TEST(corners("\"topology\":\"fan\",\"indices\":[0,1,2,3]") == "120230");
  BOOST_TEST(corners("\"indices\":[]") == "");
}

BOOST_AUTO_TEST_CASE(scissor) {
  const auto draw = draw_of("\"scissor\":[3,5,9,7]");
  BOOST_TEST(draw.scissor_x == pack16(12, 3));
  BOOST_TEST(draw.scissor_y == pack16(12, 5));
  const auto outside = draw_of("\"scissor\":[60,40,4000,7]");
  BOOST_TEST(outside.scissor_x == pack16(64, 60));
  BOOST_TEST(outside.scissor_y == pack16(32, 32));
  const Loaded twice(scene_of(std::string(kThree) + ",\"scissor\":[3,5,9,7]"), 128, 16);
  BOOST_TEST(twice.view.draws()[0].scissor_x == pack16(24, 6));
  BOOST_TEST(twice.view.draws()[0].scissor_y == pack16(6, 3));
}

BOOST_AUTO_TEST_CASE(textures) {
  const std::string two = "\"width\":2,\"height\":1,\"data\":\"AQIDBAUGBwg=\"";
  const auto with = [&](const std::string& keys) {
    return scene_of(std::string(kThree) + ",\"mode\":\"texture\",\"texture\":{" + two + keys + "}");
  };
  const Loaded plain(with(""));
  BOOST_TEST(plain.view.textures().at(0).logdim == 1u);
  BOOST_TEST(plain.view.texture_data(0)[0] == 3);  // blue first
  BOOST_TEST(plain.view.texture_data(0)[7] == 8);
  BOOST_TEST(plain.view.draws()[0].tex_levels == 1u);
  BOOST_TEST(plain.view.draws()[0].lod_rule == GYRE_LOD_FINE);
  BOOST_TEST(plain.view.draws()[0].tex_wrap == 0x00010001u);
  const Loaded all(
      with(",\"filter\":\"linear\",\"mag\":\"nearest\",\"mip\":\"linear\",\"wrapU\":\"mirror\",\"wrapV\":"
           "\"border\",\"borderColor\":[1,0,0,1],\"lod\":1.5"));
  const gyre_pkg_draw& draw = all.view.draws()[0];
  BOOST_TEST(draw.tex_filter == 0u);
  BOOST_TEST(draw.tex_filter_min == 3u);
  BOOST_TEST(draw.tex_wrap == 0x00030002u);
  BOOST_TEST(draw.tex_border == 0xFFFF0000u);
  BOOST_TEST(draw.lod_rule == GYRE_LOD_FIXED);
  BOOST_TEST(draw.lod_value == 1.5f);
  BOOST_TEST(draw.tex_levels == 2u);
  const std::uint8_t* second = all.view.texture_data(0) + all.view.textures()[0].mip_offset[1];
  BOOST_TEST(second[2] == 3);  // red (1 + 5 + 1 + 5 + 2) >> 2
  const Loaded given(with(",\"mip\":\"nearest\",\"mips\":[\"CQgHBg==\"]"));
  BOOST_TEST(given.view.texture_data(0)[given.view.textures()[0].mip_offset[1] + 2] == 9);
  BOOST_TEST(given.view.draws()[0].tex_filter_min == 0u);
  // Without a mode that samples it, a texture is checked and left out.
  const Loaded unused(scene_of(std::string(kThree) + ",\"texture\":{" + two + "}"));
  BOOST_TEST(unused.view.textures().empty());
}

BOOST_AUTO_TEST_CASE(png_texture_beside_the_file) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "gyre_drawlist_png";
  fs::create_directories(folder);
  write_png((folder / "t.png").string(), Image{1, 2, {1, 2, 3, 255, 4, 5, 6, 255}});
  const std::string json = scene_of(std::string(kThree) + ",\"mode\":\"modulate\",\"texture\":{\"png\":\"t.png\"}");
  const Loaded scene(json, 0, 0, (folder / "case.json").string());
  BOOST_TEST(scene.view.textures().at(0).logdim == 0x00010000u);
  BOOST_TEST(scene.view.texture_data(0)[6] == 4);
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(our_own_scenes) {
  const auto files = gyre::test::files_in(gyre::test::source_dir() / "scenes", ".json");
  for (const auto& file : files) {
    BOOST_TEST_CONTEXT(file) {
      const auto bytes = load(file.string());
      BOOST_TEST(!PackageView(bytes).draws().empty());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
