// Gfx3D as an interface: handles, owners, tables, layouts, indices, uniforms; and the C interface.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_gfx3d.h"
#include "render_support.h"

namespace {

using namespace gyre::shader;
using namespace gyre::test;

BOOST_AUTO_TEST_SUITE(gfx3d)

BOOST_AUTO_TEST_CASE(handles_and_owners) {
  Gfx3d device;
  const Handle a = device.target_create(1, 4, 4);
  BOOST_TEST((a & 0xFFFF) == 1u);
  BOOST_TEST(a >> 16 == 1u);
  std::uint32_t words[16];
  BOOST_TEST(device.target_read(1, a, words, 16) == 0);
  BOOST_TEST(device.target_read(1, a, words, 15) == -1);
  BOOST_TEST(device.target_read(1, a, nullptr, 16) == -1);
  BOOST_TEST(device.target_read(2, a, words, 16) == -1);
  BOOST_TEST(device.target_destroy(2, a) == -1);
  BOOST_TEST(device.target_read(1, 0, words, 16) == -1);
  BOOST_TEST(device.target_read(1, a + 1, words, 16) == -1);
  BOOST_TEST(device.target_destroy(1, a) == 0);
  const Handle b = device.target_create(1, 4, 4);
  BOOST_TEST(b != a);  // same slot, next generation
  BOOST_TEST((b & 0xFFFF) == 1u);
  BOOST_TEST(device.target_read(1, a, words, 16) == -1);
  device.target_create(2, 4, 4);
  device.program_create(2);
  device.destroy_owner(2);
  BOOST_TEST(device.live().targets == 1);
  BOOST_TEST(device.live().programs == 0);
}

BOOST_AUTO_TEST_CASE(tables_are_limited) {
  Gfx3d device;
  const float corner[4] = {};
  const auto fill = [](int limit, auto make) {
    for (int i = 0; i < limit; ++i) BOOST_TEST(make() != 0u);
    BOOST_TEST(make() == 0u);
  };
  fill(8, [&] { return device.context_create(1); });
  fill(8, [&] { return device.target_create(1, 1, 1); });
  fill(48, [&] { return device.mesh_upload(1, corner, 1, {16, {{0, 4, 0}}}, nullptr, 0); });
  fill(24, [&] { return device.tex_create(1, 1, 1); });
  fill(16, [&] { return device.program_create(1); });
  BOOST_TEST(!device.last_error().empty());
}

BOOST_AUTO_TEST_CASE(backends) {
  Gfx3d device;
  const Handle automatic = device.context_create(1, Backend::kAuto), software = device.context_create(1, Backend::kSoftware);
  BOOST_TEST(device.backend_of(1, automatic) == 1);
  BOOST_TEST(device.backend_of(1, software) == 1);
  BOOST_TEST(device.context_create(1, Backend::kVirgl) == 0u);
  BOOST_TEST(device.last_error().find("not available") != std::string::npos);
  BOOST_TEST(device.context_create(1, Backend::kMock) == 0u);
}

BOOST_AUTO_TEST_CASE(textures) {
  Gfx3d device;
  for (const auto& [w, h] : {std::pair{0, 1}, {1, 0}, {1025, 1}, {1, 1025}, {-1, 1}}) BOOST_TEST(device.tex_create(1, w, h) == 0u);
  BOOST_TEST(device.tex_create(1, 1024, 1024) != 0u);
  const Handle t = device.tex_create(1, 2, 1);
  const std::uint32_t texels[3] = {};
  BOOST_TEST(device.tex_upload(1, t, texels, 2) == 0);
  BOOST_TEST(device.tex_upload(1, t, texels, 1) == -1);
  BOOST_TEST(device.tex_upload(1, t, texels, 3) == -1);
}

// Alpha is forced to FF by upload; the unit has no meaning; no texture is black without alpha.
BOOST_AUTO_TEST_CASE(texture_in_a_draw) {
  Stage3d stage(kStrict, 4, 4, kPlainVertex, "in vec4 c; uniform sampler2D s; out vec4 color; void main() { color = texture(s, c.xy); }");
  stage.clear();
  stage.draw(triangle(kWhole, {0, 0, 0, 1}, 0.5f));
  BOOST_TEST(stage.count(0) == 16);
  const Handle texture = stage.device.tex_create(1, 1, 1);
  const std::uint32_t texel = 0x00123456;
  stage.device.tex_upload(1, texture, &texel, 1);
  BOOST_TEST(stage.device.bind_tex(1, stage.context, 7, texture) == 0);
  stage.draw(triangle(kWhole, {0, 0, 0, 1}, 0.25f));
  BOOST_TEST(stage.count(0xFF123456) == 16);
  BOOST_TEST(stage.device.bind_tex(1, stage.context, 0, 999) == -1);
}

BOOST_AUTO_TEST_CASE(layouts) {
  Stage3d stage(kStrict, 8, 8);
  auto& device = stage.device;
  const std::vector<float> bytes(64, 0.0f);
  const auto upload = [&](const VertexLayout& layout, int count = 2) { return device.mesh_upload(1, bytes.data(), count, layout, nullptr, 0); };
  BOOST_TEST(upload({32, {{0, 4, 0}}}) != 0u);
  BOOST_TEST(upload({3, {{0, 1, 0}}}) == 0u);
  BOOST_TEST(upload({32, {}}) == 0u);
  BOOST_TEST(upload({32, std::vector<VertexElement>(9, {0, 1, 0})}) == 0u);
  BOOST_TEST(upload({32, {{0, 5, 0}}}) == 0u);
  BOOST_TEST(upload({32, {{0, 0, 0}}}) == 0u);
  BOOST_TEST(upload({32, {{0, 4, 17}}}) == 0u);
  BOOST_TEST(upload({32, {{0, 4, 2000000000}}}) == 0u);
  BOOST_TEST(upload({32, {{9, 4, 0}, {-1, 4, 0}, {0, 4, -8}}}) != 0u);  // ignored when fetched
  BOOST_TEST(upload({32, {{0, 4, 0}}}, 0) == 0u);
  // Attributes the program needs: location and components.
  const auto draws = [&](const VertexLayout& layout) { return device.draw(1, stage.context, device.mesh_upload(1, bytes.data(), 3, layout, nullptr, 0)); };
  BOOST_TEST(draws({16, {{0, 4, 0}, {1, 4, 0}}}) == 0);
  BOOST_TEST(draws({16, {{0, 4, 0}}}) == -1);
  BOOST_TEST(device.last_error().find("tint") != std::string::npos);
  BOOST_TEST(draws({16, {{0, 4, 0}, {1, 3, 0}}}) == -1);
  BOOST_TEST(draws({16, {{0, 4, 0}, {1, 4, -4}}}) == -1);
}

BOOST_AUTO_TEST_CASE(indices) {
  Stage3d stage(kStrict, 8, 8);
  stage.clear();
  auto corners = triangle(kWhole, kRed);
  BOOST_TEST(stage.draw(corners, {0, 1, 2}) == 0);
  BOOST_TEST(stage.count(kRedWord) == 64);
  stage.clear();
  BOOST_TEST(stage.draw(corners, {0, 1, 2, 0}) == 0);  // left over
  BOOST_TEST(stage.count(kRedWord) == 64);
  stage.clear();
  BOOST_TEST(stage.draw(corners, {0, 1, 2, 0, 3, 1}) == -1);  // bad index: what is before it stays
  BOOST_TEST(stage.count(kRedWord) == 64);
  stage.clear();
  BOOST_TEST(stage.draw(corners, {0, 65535, 2, 0, 1, 2}) == -1);
  BOOST_TEST(stage.count(kRedWord) == 0);
  BOOST_TEST(stage.draw(corners, {0, 1}) == -1);
  corners.pop_back();
  BOOST_TEST(stage.draw(corners) == -1);
}

BOOST_AUTO_TEST_CASE(built_mesh) {
  Stage3d stage(kStrict, 8, 8,
                "layout(location = 0) in vec4 p; layout(location = 1) in vec4 n; layout(location = 2) in vec2 t; out vec4 c; void main() { gl_Position = p; c = vec4(n.x, n.w, t); }",
                kPlainFragment);
  stage.clear();
  const Handle mesh = stage.device.mesh_build(1);
  const float normal[3] = {1, 0, 0}, uv[2] = {0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const float position[3] = {kWhole[2 * i], kWhole[2 * i + 1], 0};
    BOOST_TEST(stage.device.mesh_vert(1, mesh, position, normal, uv) == 0);
  }
  BOOST_TEST(stage.device.draw(1, stage.context, mesh) == -1);  // not finished
  BOOST_TEST(stage.device.mesh_finish(1, mesh) == 0);
  BOOST_TEST(stage.device.mesh_finish(1, mesh) == -1);
  BOOST_TEST(stage.device.draw(1, stage.context, mesh) == 0);
  BOOST_TEST(stage.count(kRedWord) == 64);
  const Handle large = stage.device.mesh_build(1);
  for (int i = 0; i < 8192; ++i) BOOST_REQUIRE(stage.device.mesh_vert(1, large, normal, normal, uv) == 0);
  BOOST_TEST(stage.device.mesh_vert(1, large, normal, normal, uv) == -1);
}

BOOST_AUTO_TEST_CASE(calls_out_of_order) {
  Gfx3d device;
  const Handle context = device.context_create(1), target = device.target_create(1, 4, 4);
  BOOST_TEST(device.clear(1, context, 0, 0, 0, 1, 1) == -1);
  BOOST_TEST(device.draw(1, context, 1) == -1);
  BOOST_TEST(device.end(1, context) == -1);
  BOOST_TEST(device.begin(1, context, 77) == -1);
  BOOST_TEST(device.begin(1, context, target) == 0);
  BOOST_TEST(device.uniform(1, context, "x", nullptr, 0) == -1);
  BOOST_TEST(device.target_destroy(1, target) == 0);
  BOOST_TEST(device.clear(1, context, 0, 0, 0, 1, 1) == -1);
  BOOST_TEST(device.use_program(1, context, 5) == -1);
  const Handle empty = device.program_create(1);
  BOOST_TEST(device.use_program(1, context, empty) == 0);
  BOOST_TEST(device.uniform(1, context, "x", nullptr, 0) == -1);
  BOOST_TEST(device.program_build(1, 99, "", "") == -1);
}

BOOST_AUTO_TEST_CASE(camera_model_and_uniforms_by_name) {
  Stage3d stage(kStrict, 16, 16,
                "layout(location = 0) in vec4 pos; layout(location = 1) in vec4 tint; uniform mat4 view, projection, model; uniform mat3 normalMatrix; out vec4 c;"
                "void main() { gl_Position = projection * view * model * pos; c = vec4(normalMatrix * tint.xyz, 1.0); }",
                "in vec4 c; uniform float gain; out vec4 color; void main() { color = c * gain; }");
  auto& device = stage.device;
  const float one = 1;
  BOOST_TEST(device.uniform(1, stage.context, "gain", &one, 1) == 0);
  BOOST_TEST(device.uniform(1, stage.context, "gain", &one, 2) == -1);
  BOOST_TEST(device.uniform(1, stage.context, "nothing", &one, 1) == -1);
  const float eye[3] = {0, 0, 3}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  BOOST_TEST(device.camera(1, stage.context, mat4_look_at(eye, center, up), mat4_perspective(60, 1, 0.1f, 200)) == 0);
  BOOST_TEST(device.model(1, stage.context, mat4_scale(2, 2, 2)) == 0);
  stage.clear();
  stage.draw(triangle(kSeed, {0, 1, 0, 1}));
  BOOST_TEST(stage.pixel(8, 8) == 0xFF008000);  // the normal matrix of a scale by 2 halves
  BOOST_TEST(device.model(1, stage.context, mat4_translate(50, 0, 0)) == 0);
  stage.clear();
  stage.draw(triangle(kSeed, {0, 1, 0, 1}));
  BOOST_TEST(stage.count(0xFF000000) == 256);
}

BOOST_AUTO_TEST_CASE(c_interface) {
  gyre_gfx3d* const device = gyre_gfx3d_create(GYRE_GFX3D_STRICT, 0, 1);
  BOOST_REQUIRE(device != nullptr);
  const gyre_handle context = gyre_gfx3d_context_create(device, 1, GYRE_GFX3D_AUTO), target = gyre_gfx3d_target_create(device, 1, 32, 32);
  const gyre_handle program = gyre_gfx3d_program_create(device, 1);
  BOOST_TEST(gyre_gfx3d_program_build(device, 1, program, "in vec4 p; void main() { gl_Position = q; }", "x") == -1);
  BOOST_TEST(std::string(gyre_gfx3d_program_log(device, 1, program)).find("q is not declared") != std::string::npos);
  BOOST_TEST(gyre_gfx3d_program_build(device, 1, program, "in vec4 p; uniform mat4 m; void main() { gl_Position = m * p; }",
                                      "out vec4 c; void main() { c = vec4(1.0, 0.0, 0.0, 1.0); }") == 0);
  float corners[12] = {-0.8f, -0.8f, 0, 1, 0.8f, -0.8f, 0, 1, 0, 0.8f, 0, 1};
  const gyre_gfx3d_element element = {0, 4, 0};
  const gyre_handle mesh = gyre_gfx3d_mesh_upload(device, 1, corners, 3, 16, &element, 1, nullptr, 0);
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  BOOST_TEST(gyre_gfx3d_use_program(device, 1, context, program) == 0);
  BOOST_TEST(gyre_gfx3d_begin(device, 1, context, target) == 0);
  BOOST_TEST(gyre_gfx3d_clear(device, 1, context, 0, 1, 0, 1, 1) == 0);
  BOOST_TEST(gyre_gfx3d_uniform_mat4(device, 1, context, "m", identity) == 0);
  BOOST_TEST(gyre_gfx3d_draw(device, 1, context, mesh) == 0);
  BOOST_TEST(gyre_gfx3d_end(device, 1, context) == 0);
  std::vector<std::uint32_t> words(32 * 32);
  BOOST_TEST(gyre_gfx3d_target_read(device, 1, target, words.data(), words.size()) == 0);
  BOOST_TEST(reddish(words) == 338);
  BOOST_TEST(gyre_gfx3d_draw(device, 2, context, mesh) == -1);
  BOOST_TEST(std::string(gyre_gfx3d_error(device)).size() > 0u);
  // Null pointers are errors with a text; a null device has one too.
  BOOST_TEST(gyre_gfx3d_begin(nullptr, 1, context, target) == -1);
  BOOST_TEST(std::string(gyre_gfx3d_error(nullptr)).size() > 0u);
  BOOST_TEST(gyre_gfx3d_program_build(device, 1, program, nullptr, "x") == -1);
  BOOST_TEST(std::string(gyre_gfx3d_error(device)).find("null") != std::string::npos);
  BOOST_TEST(gyre_gfx3d_camera(device, 1, context, identity, nullptr) == -1);
  BOOST_TEST(gyre_gfx3d_mesh_vert(device, 1, mesh, nullptr, nullptr, nullptr) == -1);
  BOOST_TEST(gyre_gfx3d_target_read(device, 1, target, nullptr, words.size()) == -1);
  BOOST_TEST(gyre_gfx3d_mesh_upload(device, 1, nullptr, 3, 16, &element, 1, nullptr, 0) == 0u);
  BOOST_TEST(gyre_gfx3d_mesh_upload(device, 1, corners, 3, 16, nullptr, 1, nullptr, 0) == 0u);
  BOOST_TEST(gyre_gfx3d_uniform(device, 1, context, nullptr, identity, 16) == -1);
  BOOST_TEST(gyre_gfx3d_uniform(device, 1, context, "m", nullptr, 16) == -1);
  BOOST_TEST(std::string(gyre_gfx3d_program_log(nullptr, 1, program)).empty());
  std::vector<float> depths(32 * 32);
  BOOST_TEST(gyre_gfx3d_target_read_depth(device, 1, target, depths.data(), depths.size()) == 0);
  BOOST_TEST(depths[0] == 1.0f);
  BOOST_TEST(depths[16 * 32 + 16] == 0.5f);
  float view[16];
  const float eye[3] = {0, 0, 5}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  gyre_gfx3d_look_at(view, eye, center, up);
  BOOST_TEST(view[11] == -5.0f);
  gyre_gfx3d_destroy(device);
  gyre_gfx3d_destroy(nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
