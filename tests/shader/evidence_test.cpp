// The evidence of the seed (csir.md §17), one case a row, in STRICT and COMPAT.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "csi_binary.h"
#include "linker.h"
#include "matrix.h"
#include "render_support.h"
#include "soft_triangle.h"

namespace {

using namespace gyre::shader;
using namespace gyre::test;
namespace data = boost::unit_test::data;

const std::vector<std::uint32_t> kModes{kStrict, kCompat};
Math math_of(std::uint32_t mode) { return mode == kStrict ? Math::kPrecise : Math::kCompat; }

Shader built(const char* source, Stage stage) {
  const Compiled out = compile(source, stage);
  BOOST_REQUIRE_MESSAGE(out.ok(), out.diagnostics.log());
  return *out.shader;
}
constexpr const char* kVertex = "in vec4 pos; void main() { gl_Position = pos; }";
Program program_of(const char* vertex, const char* fragment) {
  Program program;
  BOOST_REQUIRE_MESSAGE(program.link(built(vertex, Stage::kVertex), built(fragment, Stage::kFragment)), program.log());
  return program;
}

struct Shaded {
  std::array<float, 4> color;
  bool discard;
};
Shaded shade(const Program& program, std::uint32_t mode, const float* varyings, const TextureView* texture = nullptr) {
  Shaded out{};
  BOOST_TEST(soft_fs(program, varyings, nullptr, texture, out.color.data(), &out.discard, math_of(mode)) == 0);
  return out;
}
Shaded shade(const char* fragment, std::uint32_t mode, const char* vertex = kVertex) {
  const float varyings[32] = {};
  return shade(program_of(vertex, fragment), mode, varyings);
}

BOOST_AUTO_TEST_SUITE(evidence)

BOOST_DATA_TEST_CASE(proof_triangle_32x32, data::make(kModes), mode) {
  const Program program = program_of(kVertex, "out vec4 color; void main() { color = vec4(1.0, 0.0, 0.0, 1.0); }");
  float corners[3][32] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    corners[i][0] = kSeed[2 * i];
    corners[i][1] = kSeed[2 * i + 1];
    corners[i][3] = 1;
  }
  std::vector<std::uint32_t> pixels(32 * 32, 0xFF00FF00);
  BOOST_TEST(soft_triangle(program, corners[0], corners[1], corners[2], 4, pixels.data(), 32, 32, nullptr, math_of(mode)) == 0);
  BOOST_TEST(reddish(pixels) > 20);
  BOOST_TEST(reddish(pixels) == 338);
}

BOOST_DATA_TEST_CASE(gfx3d_triangle_32x32, data::make(kModes), mode) {
  Stage3d stage(mode, 32, 32);
  stage.clear(0, 1, 0);
  BOOST_TEST(stage.draw(triangle(kSeed, kRed)) == 0);
  const auto pixels = stage.read();
  BOOST_TEST(reddish(pixels) > 10);
  BOOST_TEST(reddish(pixels) + stage.count(kGreenWord) == 32 * 32);
  // Not one pixel centre lies on an edge by less than the seed's tolerance here.
  BOOST_TEST(reddish(pixels) == 338);
}

BOOST_DATA_TEST_CASE(constant_vertex_shader, data::make(kModes), mode) {
  const Program program = program_of("void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }", "out vec4 c; void main() { c = vec4(1.0); }");
  const float attributes[32] = {};
  float position[4];
  BOOST_TEST(soft_vs(program, attributes, position, nullptr, math_of(mode)) == 0);
  const float expected[4] = {0, 0, 0, 1};
  BOOST_TEST(position == expected, boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(mvp, data::make(kModes), mode) {
  Program program = program_of("in vec4 pos; uniform mat4 mvp; void main() { gl_Position = mvp * pos; }", "out vec4 c; void main() { c = vec4(1.0); }");
  const float matrix[16] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};  // columns
  BOOST_TEST(program.set_uniform(program.uniform_index("mvp"), matrix, 16));
  float attributes[32] = {1, 1, 1, 1}, position[4];
  BOOST_TEST(soft_vs(program, attributes, position, nullptr, math_of(mode)) == 0);
  const float expected[4] = {7, 9, 11, 1};
  for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(position[i] - expected[i]) < 0.1f);
}

BOOST_DATA_TEST_CASE(texture_2x2, data::make(kModes), mode) {
  const std::uint32_t texels[4] = {0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFFFF};
  const TextureView texture{texels, 2, 2};
  const Program program = program_of("in vec4 pos; out vec2 uv; void main() { gl_Position = pos; uv = pos.xy; }",
                                     "in vec2 uv; uniform sampler2D tex; out vec4 c; void main() { c = texture(tex, uv); }");
  BOOST_TEST(program.samplers().at(0).slot == 0);
  const float varyings[32] = {};
  const Shaded out = shade(program, mode, varyings, &texture);
  BOOST_TEST(out.color[0] > 0.9f);
  BOOST_TEST(out.color[1] < 0.1f);
  BOOST_TEST(out.color[3] > 0.9f);
}

BOOST_DATA_TEST_CASE(light, data::make(kModes), mode) {
  const Program program = program_of(
      "in vec4 pos; in vec3 normal; out vec3 n; void main() { gl_Position = pos; n = normal; }",
      "in vec3 n; out vec4 c; void main() { vec3 l = normalize(vec3(0.0, 0.0, 1.0)); float d = max(dot(normalize(n), l), 0.0);"
      " c = vec4(vec3(1.0, 0.1, 0.1) * (0.2 + 0.8 * d), 1.0); }");
  float varyings[32] = {0, 0, 1};
  const Shaded toward = shade(program, mode, varyings);
  BOOST_TEST(toward.color[0] > 0.8f);
  BOOST_TEST(toward.color[1] < 0.3f);
  varyings[2] = -1;
  const Shaded away = shade(program, mode, varyings);
  BOOST_TEST(away.color[0] > 0.05f);
  BOOST_TEST(away.color[0] < 0.4f);
}

BOOST_DATA_TEST_CASE(else_branch, data::make(kModes), mode) {
  const Shaded out = shade("out vec4 c; uniform float a; void main() { if (a > 0.5) c = vec4(1.0, 0.0, 0.0, 1.0); else c = vec4(0.0, 1.0, 0.0, 1.0); }", mode);
  BOOST_TEST(out.color[1] > 0.9f);
  BOOST_TEST(out.color[0] < 0.1f);
}

BOOST_DATA_TEST_CASE(loop_of_four, data::make(kModes), mode) {
  const float sum = shade("out vec4 c; void main() { float s = 0.0; for (int i = 0; i < 4; i++) s = s + 1.0; c = vec4(s); }", mode).color[0];
  BOOST_TEST(sum > 3.9f);
  BOOST_TEST(sum < 4.1f);
}

BOOST_DATA_TEST_CASE(user_function_saturate, data::make(kModes), mode) {
  const Shaded out = shade("out vec4 c; float saturate(float x) { return clamp(x, 0.0, 1.0); } void main() { c = vec4(saturate(-2.0)); }", mode);
  BOOST_TEST(std::abs(out.color[0]) < 0.1f);
}

BOOST_DATA_TEST_CASE(discard_below_half, data::make(kModes), mode) {
  const Program program = program_of("in vec4 pos; out float a; void main() { gl_Position = pos; a = pos.x; }",
                                     "in float a; out vec4 c; void main() { if (a < 0.5) discard; c = vec4(1.0); }");
  float varyings[32] = {0.25f};
  BOOST_TEST(shade(program, mode, varyings).discard);
  varyings[0] = 0.75f;
  BOOST_TEST(!shade(program, mode, varyings).discard);
}

BOOST_DATA_TEST_CASE(sine, data::make(kModes), mode) {
  const float value = shade("out vec4 c; uniform float t; void main() { c = vec4(0.5 + 0.5 * sin(t)); }", mode).color[0];
  BOOST_TEST(value > 0.4f);
  BOOST_TEST(value < 0.6f);
}

BOOST_AUTO_TEST_CASE(refused_with_text) {
  Program program;
  BOOST_TEST(!program.link(built("in vec4 p; out vec3 v; void main() { gl_Position = p; v = p.xyz; }", Stage::kVertex),
                           built("in vec2 v; out vec4 c; void main() { c = vec4(v, 0.0, 1.0); }", Stage::kFragment)));
  BOOST_TEST(program.log().find("type mismatch for varying v") != std::string::npos);
  for (const char* source : {"out vec4 c; void main() { vec2 v = vec2(1.0); c = v.zzzz; }", "#extension GL_x : enable\nout vec4 c; void main() {}"}) {
    const Compiled out = compile(source, Stage::kFragment);
    BOOST_TEST(!out.ok());
    BOOST_TEST(!out.diagnostics.log().empty());
  }
  BOOST_TEST(!compile("void main() {}", static_cast<Stage>(2)).ok());
}

BOOST_DATA_TEST_CASE(cpu_matrices_and_vertex_shader, data::make(kModes), mode) {
  const float eye[3] = {1, 2, 5}, center[3] = {0, 0.5f, 0}, up[3] = {0, 1, 0};
  const Mat4 matrices[] = {mat4_identity(), mat4_translate(1, -2, 3), mat4_rotate_x(0.7f), mat4_rotate_y(-1.1f), mat4_rotate_z(2.5f),
                           mat4_scale(2, 3, 0.5f), mat4_look_at(eye, center, up), mat4_perspective(60, 4.0f / 3, 0.1f, 200), mat4_ortho(-4, 4, -3, 3, 0.1f, 50),
                           mat4_multiply(mat4_perspective(60, 1, 0.1f, 200), mat4_look_at(eye, center, up))};
  Stage3d stage(mode, 4, 4, "in vec4 pos; uniform mat4 m; void main() { gl_Position = m * pos; }", "out vec4 c; void main() { c = vec4(1.0); }");
  for (const Mat4& matrix : matrices) {
    BOOST_TEST(stage.device.uniform_mat4(1, stage.context, "m", matrix) == 0);
    float attributes[32] = {0.3f, -1.2f, 2.1f, 1}, position[4], expected[4];
    BOOST_TEST(soft_vs(*stage.device.program_of(1, stage.program), attributes, position, nullptr, math_of(mode)) == 0);
    mat4_apply(matrix, attributes, expected);
    for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(position[i] - expected[i]) < 0.002f);
  }
}

BOOST_DATA_TEST_CASE(invalid_relink_keeps_the_old_program, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8);
  const std::uint32_t before = stage.device.program_generation(1, stage.program);
  BOOST_TEST(before == 1u);
  BOOST_TEST(stage.device.program_build(1, stage.program, kPlainVertex, "out vec4 c; void main() { c = nope; }") == -1);
  BOOST_TEST(stage.device.program_log(1, stage.program).find("kept previous program") != std::string::npos);
  BOOST_TEST(stage.device.program_build(1, stage.program, kPlainVertex, "in vec4 other; out vec4 c; void main() { c = other; }") == -1);
  BOOST_TEST(stage.device.program_generation(1, stage.program) == before);
  stage.clear();
  BOOST_TEST(stage.draw(triangle(kWhole, kRed)) == 0);
  BOOST_TEST(stage.count(kRedWord) == 64);
}

BOOST_DATA_TEST_CASE(resizes_and_cycles, data::make(kModes), mode) {
  Stage3d stage(mode, 32, 32);
  const Gfx3dCounts base = stage.device.live();
  const std::pair<int, int> sizes[] = {{320, 200}, {640, 480}, {800, 600}, {640, 480}};
  for (const auto& [w, h] : sizes) {
    BOOST_TEST(stage.device.target_resize(1, stage.target, w, h) == 0);
    stage.width = w;
    stage.height = h;
    BOOST_TEST(stage.device.begin(1, stage.context, stage.target) == 0);
    stage.clear(0, 0, 1);
    BOOST_TEST(stage.count(kBlueWord) == w * h);
  }
  for (int i = 0; i < 1000; ++i) {
    const Handle context = stage.device.context_create(2), target = stage.device.target_create(2, 4, 4), texture = stage.device.tex_create(2, 2, 2);
    const float corner[4] = {};
    const Handle mesh = stage.device.mesh_upload(2, corner, 1, {16, {{0, 4, 0}}}, nullptr, 0);
    BOOST_REQUIRE(context != 0 && target != 0 && texture != 0 && mesh != 0);
    BOOST_REQUIRE(stage.device.context_destroy(2, context) == 0 && stage.device.target_destroy(2, target) == 0);
    BOOST_REQUIRE(stage.device.tex_destroy(2, texture) == 0 && stage.device.mesh_destroy(2, mesh) == 0);
    BOOST_REQUIRE(stage.device.target_destroy(2, target) == -1);
  }
  for (int i = 0; i < 1000; ++i) {
    const Handle program = stage.device.program_create(2);
    BOOST_REQUIRE(stage.device.program_build(2, program, kPlainVertex, kPlainFragment) == 0);
    BOOST_REQUIRE(stage.device.program_destroy(2, program) == 0);
  }
  const Gfx3dCounts now = stage.device.live();
  BOOST_TEST(now.contexts == base.contexts);
  BOOST_TEST(now.targets == base.targets);
  BOOST_TEST(now.meshes == base.meshes);
  BOOST_TEST(now.textures == base.textures);
  BOOST_TEST(now.programs == base.programs);
}

BOOST_AUTO_TEST_CASE(csi_of_a_compiled_shader) {
  const Shader shader = built("out vec4 c; void main() { if (c.x < 0.5) discard; c = vec4(1.0, 0.5, 0.25, 1.0); }", Stage::kFragment);
  const auto blob = write_csi_v1(shader);
  BOOST_TEST(blob.size() > 32u);
  Diagnostics diagnostics;
  const auto loaded = read_csi(blob.data(), blob.size(), &diagnostics);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST((*loaded == shader));
  auto bad = blob;
  bad[40] ^= 1;
  BOOST_TEST(!read_csi(bad.data(), bad.size(), &diagnostics).has_value());
}

BOOST_AUTO_TEST_CASE(malformed_sources_make_errors) {
  for (const char* source : {"", "@@@", "/*", "((((", "void main( {", "}}}}", "#", "\xff\xfe", "in", "layout(", "void main() { if (", "1e"})
    for (const Stage stage : {Stage::kVertex, Stage::kFragment}) {
      const Compiled out = compile(source, stage);
      BOOST_TEST(!out.ok(), source);
      BOOST_TEST(!out.diagnostics.log().empty(), source);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
