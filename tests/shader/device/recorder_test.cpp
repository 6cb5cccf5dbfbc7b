// What a recorder makes of Gfx3D calls: records, not pixels.
#include <boost/test/unit_test.hpp>

#include "compiler.h"
#include "error.h"
#include "package_recorder.h"
#include "package_view.h"

namespace {

using namespace gyre;
using namespace gyre::shader;

constexpr Owner kOwner = 1;

struct Fixture {
  device::PackageRecorder recorder;
  Gfx3d gfx;
  Handle context, target, mesh;

  explicit Fixture(const device::RecorderOptions& options = {}, std::uint32_t features = kStrict)
      : recorder(options), gfx([&] {
          Gfx3dOptions o;
          o.features = features;
          o.sink = &recorder;
          return o;
        }()) {
    context = gfx.context_create(kOwner);
    target = gfx.target_create(kOwner, 64, 48);
    gfx.begin(kOwner, context, target);
    const float vertices[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {0, 1, 0, 1}, {9, 9, 9, 9}};
    const std::uint16_t indices[] = {0, 1, 2, 0, 2, 1};
    mesh = gfx.mesh_upload(kOwner, vertices, 4, {16, {{0, 4, 0}}}, indices, 6);
  }

  Handle program(const std::string& fragment,
                 const std::string& vertex = "in vec4 p; out vec2 t; void main() { gl_Position = p; t = p.xy; }") {
    const Handle made = gfx.program_create(kOwner);
    BOOST_REQUIRE_MESSAGE(gfx.program_build(kOwner, made, vertex, fragment) == 0, gfx.program_log(kOwner, made));
    gfx.use_program(kOwner, context, made);
    return made;
  }
  void plain() { program("in vec2 t; uniform vec4 u; out vec4 o; void main() { o = u + t.xyxy; }"); }
};

struct TexUnit : Fixture {
  TexUnit() : Fixture({gpu::Sampling::kTexUnit, true, true, GYRE_TEX_WRAP_REPEAT}) {}
};
struct Compat : Fixture {
  Compat() : Fixture({}, kCompat) {}
};

BOOST_AUTO_TEST_SUITE(package_recorder)

BOOST_FIXTURE_TEST_CASE(a_draw_in_records, Fixture) {
  plain();
  const float u[4] = {0.125f, 0.25f, 0.5f, 1.0f};
  BOOST_REQUIRE(gfx.uniform(kOwner, context, "u", u, 4) == 0);
  gfx.clear(kOwner, context, 1, 0, 0, 1, 1);
  gfx.cull(kOwner, context, 1);
  gfx.viewport(kOwner, context, 8, -6, 32, 24);
  BOOST_REQUIRE(gfx.draw(kOwner, context, mesh) == 0);
  gfx.depth(kOwner, context, 0);
  BOOST_REQUIRE(gfx.draw(kOwner, context, mesh) == 0);
  const std::vector<std::uint8_t> bytes = recorder.package();
  const scene::PackageView view(bytes);
  BOOST_TEST(view.width() == 64u);
  BOOST_TEST(view.header().clear_color == 0xFFFF0000u);
  BOOST_TEST(view.header().clear_depth == 0x00FFFFFFu);
  BOOST_REQUIRE(view.draws().size() == 2u);
  const gyre_pkg_draw& d = view.draws()[0];
  BOOST_TEST(d.num_vertices == 6u);
  BOOST_TEST(d.cull_mode == std::uint32_t{GYRE_CULL_FRONT});
  BOOST_TEST(d.vp_sx == 16.0f);
  BOOST_TEST(d.vp_tx == 24.0f);
  BOOST_TEST(d.vp_sy == -12.0f);
  BOOST_TEST(d.vp_ty == 6.0f);
  BOOST_TEST(d.scissor_x == scene::pack16(40, 8));
  BOOST_TEST(d.scissor_y == scene::pack16(18, 0));
  BOOST_TEST(d.depth_func == std::uint32_t{GYRE_CMP_LESS});
  BOOST_TEST(d.num_varyings == 1u);
  BOOST_TEST(int{d.varying_comps[0]} == 2);
  BOOST_TEST(view.draws()[1].depth_func == std::uint32_t{GYRE_CMP_ALWAYS});
  BOOST_TEST(view.draws()[1].depth_writemask == 0u);
  BOOST_TEST(view.draws()[1].program == d.program);  // compiled once
  float value;
  std::memcpy(&value, bytes.data() + d.uniforms_offset + 512 + 12, sizeof value);
  BOOST_TEST(value == 1.0f);
  std::memcpy(&value, bytes.data() + d.vertices_offset + 5 * GYRE_PKG_ATTRIBUTE_STRIDE, sizeof value);
  BOOST_TEST(value == 1.0f);  // corner 5 is vertex 1
}

BOOST_FIXTURE_TEST_CASE(clear_forgets_what_it_covers, Fixture) {
  plain();
  BOOST_REQUIRE(gfx.draw(kOwner, context, mesh) == 0);
  gfx.clear(kOwner, context, 0, 0, 1, 1, 1);
  const std::vector<std::uint8_t> bytes = recorder.package();
  const scene::PackageView view(bytes);
  BOOST_TEST(view.draws().size() == 0u);
  BOOST_TEST(!view.has_programs());
  BOOST_TEST(view.header().clear_color == 0xFF0000FFu);
}

BOOST_FIXTURE_TEST_CASE(a_bad_index_keeps_the_triangles_before_it, Fixture) {
  plain();
  const float vertices[3][4] = {};
  const std::uint16_t indices[] = {0, 1, 2, 0, 1, 7};
  const Handle bad = gfx.mesh_upload(kOwner, vertices, 3, {16, {{0, 4, 0}}}, indices, 6);
  BOOST_TEST(gfx.draw(kOwner, context, bad) == -1);
  BOOST_TEST(gfx.last_error() == "draw: index 7, the mesh has 3 vertices");
  const std::vector<std::uint8_t> bytes = recorder.package();
  BOOST_TEST(scene::PackageView(bytes).draws().at(0).num_vertices == 3u);
}

BOOST_FIXTURE_TEST_CASE(textures_of_the_texture_unit_have_levels, TexUnit) {
  program("in vec2 t; uniform sampler2D s; out vec4 o; void main() { o = texture(s, t); }");
  const Handle texture = gfx.tex_create(kOwner, 8, 2), odd = gfx.tex_create(kOwner, 6, 2);
  const std::vector<std::uint32_t> texels(16, 0xFF102030);
  BOOST_REQUIRE(gfx.tex_upload(kOwner, texture, texels.data(), 16) == 0);
  BOOST_REQUIRE(gfx.tex_upload(kOwner, odd, texels.data(), 12) == 0);
  gfx.bind_tex(kOwner, context, 0, texture);
  BOOST_REQUIRE(gfx.draw(kOwner, context, mesh) == 0);
  BOOST_REQUIRE(gfx.draw(kOwner, context, mesh) == 0);
  const std::vector<std::uint8_t> bytes = recorder.package();
  const scene::PackageView view(bytes);
  BOOST_REQUIRE(view.textures().size() == 1u);
  BOOST_TEST(view.textures()[0].levels == 4u);
  BOOST_TEST(view.draws()[0].tex_levels == 4u);
  BOOST_TEST(view.draws()[0].tex_filter_min == 3u);
  BOOST_TEST(view.draws()[0].tex_wrap == scene::pack16(GYRE_TEX_WRAP_REPEAT, GYRE_TEX_WRAP_REPEAT));
  gfx.bind_tex(kOwner, context, 0, odd);
  BOOST_TEST(gfx.draw(kOwner, context, mesh) == -1);
  BOOST_TEST(gfx.last_error() == "draw: the texture has 6 x 2 texels; the TEX unit takes sides that are powers of two");
}

BOOST_FIXTURE_TEST_CASE(what_the_machine_does_not_do, Compat) {
  plain();
  BOOST_TEST(gfx.draw(kOwner, context, mesh) == -1);
  BOOST_TEST(gfx.last_error() == "draw: the GPU draws as STRICT does");
  BOOST_CHECK_THROW(recorder.package(), UserError);
}

BOOST_FIXTURE_TEST_CASE(one_target_a_frame, Fixture) {
  plain();
  gfx.clear(kOwner, context, 0, 0, 0, 1, 1);
  gfx.end(kOwner, context);
  gfx.begin(kOwner, context, gfx.target_create(kOwner, 32, 32));
  BOOST_TEST(gfx.draw(kOwner, context, mesh) == -1);
  BOOST_TEST(gfx.last_error() == "draw: a frame has one target");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
