// Every operation of exec_ir, control flow, sampler and absent sources (csir.md §3, §5, §7, §8).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "exec_support.h"

namespace {

using namespace gyre::shader;
using gyre::test::csir;
using gyre::test::run;
using gyre::test::Vec4;

constexpr Vec4 kA = {1, -2, 3, -4}, kB = {5, 6, -7, 8};

struct Case {
  const char* body;
  Vec4 expected;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.body; }
};
const Case kCases[] = {
    {"%7 = const.3 @1", {2, 3, 4, 0}},
    {"%7 = mov.4 %0\n%7 = const.1 @0", {1, 0, 0, 0}},
    {"%7 = mov.2 %0", {1, -2, 0, 0}},
    {"%7 = mov.4 %1\n%7 = mov.2 %0", {1, -2, -7, 8}},
    {"%7 = swz.3 %0 wzy", {-4, 3, -2, 0}},
    {"%7 = mov.4 %0\n%7 = swz.4 %7 wzyx", {-4, 3, -2, 1}},  // dst = a
    {"%7 = mov.4 %0\n%7 = swz.1 %7 y", {-2, 0, 0, 0}},
    {"%7 = mov.4 %0\n%7.z = lane %1.w", {1, -2, 8, -4}},
    {"%7.x = lane %0.w\n%7.w = lane %7.x", {-4, 0, 0, -4}},
    {"%7 = add.4 %0 %1", {6, 4, -4, 4}},
    {"%7 = add.1 %0 %1", {6, 0, 0, 0}},
    {"%7 = sub.4 %0 %1", {-4, -8, 10, -12}},
    {"%7 = mul.3 %0 %1", {5, -12, -21, 0}},
    {"%7 = max.4 %0 %1", {5, 6, 3, 8}},
    {"%7 = min.4 %0 %1", {1, -2, -7, -4}},
    {"%7 = abs.4 %0", {1, 2, 3, 4}},
    {"%7 = dot3 %0 %1", {-28, 0, 0, 0}},
    {"%7 = dot4 %0 %1", {-60, 0, 0, 0}},
    {"%7 = rcp.4 %0", {1, -0.5f, 1.0f / 3, -0.25f}},
    {"%7 = cmp.lt %0 %1", {1, 0, 0, 0}},
    {"%7 = cmp.gt %0 %1", {0, 0, 0, 0}},
    {"%7 = cmp.le %0 %0", {1, 0, 0, 0}},
    {"%7 = cmp.ge %0 %1", {0, 0, 0, 0}},
    {"%7 = cmp.eq %0 %0", {1, 0, 0, 0}},
    {"%7 = cmp.ne %0 %0", {0, 0, 0, 0}},
    // Columns (1,2,3,4) (0,1,0,0) (0,0,1,0) (0,0,0,1) times A.
    {"%2 = const.4 @0\n%3.y = lane %2.x\n%4.z = lane %2.x\n%5.w = lane %2.x\n%7 = mulmv4 %2 %0", {1, 0, 6, 0}},
    {"%2 = const.4 @0\n%3.y = lane %2.x\n%4.z = lane %2.x\n%7 = mov.4 %1\n%7 = mulmv3 %2 %0", {1, 0, 6, 0}},
    // The square of that matrix, written over itself; its first column. Lane w of a 3x3 product is not touched.
    {"%2 = const.4 @0\n%3.y = lane %2.x\n%4.z = lane %2.x\n%5.w = lane %2.x\n%2 = mulmm4 %2 %2\n%7 = mov.4 %2", {1, 4, 6, 8}},
    {"%2 = const.4 @0\n%3.y = lane %2.x\n%4.z = lane %2.x\n%2 = mulmm3 %2 %2\n%7 = mov.4 %2", {1, 4, 6, 4}},
    {"%7 = sample2d 0 %0", {0, 0, 0, 0}},      // no texture
    {"%7 = mov.4 %0\n%7 = load_fragcoord", kA},  // absent: as it was
    {"%7 = mov.4 %0\n%7 = load_var 0", kA},
    {"if %7\n%7 = mov.4 %1\nelse\n%7 = mov.4 %0\nendif", kA},
    {"if %0\n%7 = mov.4 %1\nelse\n%7 = mov.4 %0\nendif", kB},
    {"if %7\nif %0\n%7 = mov.4 %1\nelse\n%7 = mov.4 %0\nendif\nendif", {0, 0, 0, 0}},  // dead parent
    {"if %7\ndiscard\nstore_color %0\nendif\n%7 = mov.4 %1", kB},
    {"store_color %0\n%7 = mov.4 %1", kB},
};

void same(const Vec4& found, const Vec4& expected) { BOOST_TEST(found == expected, boost::test_tools::per_element()); }

BOOST_AUTO_TEST_SUITE(interpreter)

BOOST_DATA_TEST_CASE(operations, boost::unit_test::data::make(kCases), one) {
  const auto ran = run(one.body, kA, kB);
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(!ran.discard);
  same(ran.color, one.expected);
}

BOOST_AUTO_TEST_CASE(max_min_abs_of_nan_and_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  same(run("%7 = max.2 %0 %1", {nan, 1}, {2, 2}).color, {2, 2, 0, 0});  // a > b ? a : b
  BOOST_TEST(std::isnan(run("%7 = max.1 %0 %1", {2}, {nan}).color[0]));
  BOOST_TEST(std::signbit(run("%7 = abs.1 %0", {-0.0f}).color[0]));      // a < 0 ? -a : a
  BOOST_TEST(std::isnan(run("%7 = abs.1 %0", {nan}).color[0]));
  same(run("if %0\n%7 = mov.1 %1\nendif", {nan}, {3}).color, {3, 0, 0, 0});  // anything but zero is true
  same(run("if %0\n%7 = mov.1 %1\nendif", {-0.0f}, {3}).color, {0, 0, 0, 0});
}

BOOST_AUTO_TEST_CASE(discard_ends_the_run) {
  const auto ran = run("store_color %1\nif %0\ndiscard\nendif\n%7 = mov.4 %0", kA, kB);
  BOOST_TEST(ran.discard);
  same(ran.color, kB);
}

BOOST_AUTO_TEST_CASE(nothing_survives_between_runs) {
  run("%7 = const.4 @0\n%5 = mov.4 %0", kA, kB);
  same(run("%7 = mov.4 %5", kA, kB).color, {0, 0, 0, 0});
}

// 32 nested IF, each level false in turn: everything below is dead, everything above runs.
BOOST_AUTO_TEST_CASE(deep_nesting_with_dead_parents) {
  for (int dead = 0; dead <= 32; ++dead) {
    std::string body = "%3 = const.1 @0\n%4 = const.1 @0\n";
    for (int level = 0; level < 32; ++level) body += (level == dead ? "if %2\n" : "if %3\n") + std::string("%7 = add.1 %7 %4\n");
    for (int level = 31; level >= 0; --level) body += "else\n%7.y = lane %3.x\nendif\n";
    const auto ran = run(body, {}, {});
    BOOST_TEST(ran.code == 0);
    BOOST_TEST(ran.color[0] == static_cast<float>(dead));
    BOOST_TEST(ran.color[1] == (dead < 32 ? 1.0f : 0.0f));
  }
}

// What the verifier excludes ends with -1 at run time too.
BOOST_AUTO_TEST_CASE(malformed_control_flow) {
  const auto code_of = [](std::initializer_list<Op> ops) {
    Shader shader;
    shader.stage = Stage::kFragment;
    shader.temps = 1;
    for (const Op op : ops) {
      Instruction ins;
      ins.op = static_cast<std::uint8_t>(op);
      ins.a = 0;
      shader.code.push_back(ins);
    }
    return exec_ir(shader, {}, {});
  };
  BOOST_TEST(code_of({Op::kElse}) == -1);
  BOOST_TEST(code_of({Op::kEndIf}) == -1);
  BOOST_TEST(code_of({Op::kIf, Op::kEndIf, Op::kEndIf}) == -1);
  BOOST_TEST(code_of({Op::kIf, Op::kElse, Op::kEndIf}) == 0);
  Shader deep;
  deep.stage = Stage::kFragment;
  deep.temps = 1;
  Instruction open;
  open.op = static_cast<std::uint8_t>(Op::kIf);
  open.a = 0;
  deep.code.assign(32, open);
  BOOST_TEST(exec_ir(deep, {}, {}) == 0);
  deep.code.push_back(open);
  BOOST_TEST(exec_ir(deep, {}, {}) == -1);
}

BOOST_AUTO_TEST_CASE(position_default_varyings_and_attributes) {
  const Shader nothing = csir("csir 1 vertex\ntemps 1\n");
  float position[4] = {9, 9, 9, 9}, varyings[32];
  for (float& v : varyings) v = 5;
  ExecOutputs out;
  out.position = position;
  out.varyings = varyings;
  BOOST_TEST(exec_ir(nothing, {}, out) == 0);
  same({position[0], position[1], position[2], position[3]}, {0, 0, 0, 1});
  const Shader copy = csir("csir 1 vertex\ntemps 2\nattr a vec4 0\nattr b vec4 3\n%0 = load_attr 3\n%1 = load_attr 0\nstore_var 6 %0\nstore_pos %1\n");
  float attributes[32];
  for (int i = 0; i < 32; ++i) attributes[i] = static_cast<float>(i);
  ExecInputs in;
  in.attributes = attributes;
  BOOST_TEST(exec_ir(copy, in, out) == 0);
  same({position[0], position[1], position[2], position[3]}, {0, 1, 2, 3});
  for (int i = 0; i < 32; ++i) BOOST_TEST(varyings[i] == (i / 4 == 6 ? static_cast<float>(12 + i % 4) : 5.0f));
}

BOOST_AUTO_TEST_CASE(varying_map) {
  const Shader shader = csir("csir 1 fragment\ntemps 2\n%0 = load_var 1\n%1 = load_var 2\n%0.y = lane %1.x\nstore_color %0\n");
  float varyings[32];
  for (int i = 0; i < 32; ++i) varyings[i] = static_cast<float>(i / 4);
  const std::int16_t map[8] = {-1, 7, -1, 0, 0, 0, 0, 0};
  ExecInputs in;
  in.varyings = varyings;
  in.varying_map = map;
  Vec4 color;
  ExecOutputs out;
  out.color = color.data();
  exec_ir(shader, in, out);
  BOOST_TEST(color[0] == 7.0f);  // mapped
  BOOST_TEST(color[1] == 2.0f);  // -1: its own slot
}

// u, v -> texel; a 4x2 texture whose blue is the index of the texel.
BOOST_AUTO_TEST_CASE(sampler) {
  std::uint32_t texels[8];
  for (std::uint32_t i = 0; i < 8; ++i) texels[i] = 0xFF804000u | i;
  const TextureView texture{texels, 4, 2};
  const Shader shader = csir("csir 1 fragment\ntemps 1\n%0 = load_uni 0 count 1\n%0 = sample2d 0 %0\nstore_color %0\n");
  const auto at = [&](float u, float v, const TextureView& view) {
    float uniforms[128] = {u, v};
    ExecInputs in;
    in.uniforms = uniforms;
    in.texture = &view;
    Vec4 color;
    ExecOutputs out;
    out.color = color.data();
    exec_ir(shader, in, out);
    return color;
  };
  const auto index = [&](float u, float v) { return at(u, v, texture)[2] * 255; };
  same(at(0, 0, texture), {128 / 255.0f, 64 / 255.0f, 0, 1});
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  // Borders between texels are at u = 1/6, 1/2, 5/6 of the (w - 1) scale.
  const std::pair<float, int> across[] = {{0, 0}, {0.16f, 0}, {0.17f, 1}, {0.49f, 1}, {0.5f, 2}, {0.83f, 2}, {0.84f, 3}, {1, 3},
                                          {-0.5f, 0}, {1.5f, 3}, {1e30f, 3}, {-inf, 0}, {inf, 3}, {nan, 0}};
  for (const auto& [u, texel] : across) {
    BOOST_TEST(index(u, 0) == static_cast<float>(texel), u);
    BOOST_TEST(index(u, 1) == static_cast<float>(texel + 4), u);
  }
  BOOST_TEST(index(0, 0.49f) == 0.0f);
  BOOST_TEST(index(0, 0.5f) == 4.0f);
  BOOST_TEST(index(0, nan) == 0.0f);
  const TextureView one{texels, 1, 1};
  for (const float u : {-1.0f, 0.0f, 0.3f, 1.0f, 7.0f}) BOOST_TEST(at(u, 1 - u, one)[2] == 0.0f);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
