// The source language: what every form computes (csir.md §11).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "language_support.h"

namespace {

using gyre::test::compiled;
using gyre::test::shade;
using gyre::test::Vec4;
using namespace gyre::shader;

struct Case {
  const char* body;
  Vec4 expected;
  const char* globals = "";
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.body; }
};

// a = (1, -2, 3, -4), b = (5, 6, -7, 8)
const Case kCases[] = {
    {"color = a;", {1, -2, 3, -4}},
    {"color = a + b * 2.0;", {11, 10, -11, 12}},
    {"color = (a + b) * 2.0;", {12, 8, -8, 8}},
    {"color = a - b - a;", {-5, -6, 7, -8}},
    {"color = 2.0 / a;", {2, -1, 2.0f / 3, -0.5f}},
    {"color = b / 2.0;", {2.5f, 3, -3.5f, 4}},
    {"color = -a;", {-1, 2, -3, 4}},
    {"color = vec4(a.x);", {1, 1, 1, 1}},
    {"color = vec4(1);", {1, 1, 1, 1}},
    {"color = vec4(a.xy, b.zw);", {1, -2, -7, 8}},
    {"color = vec4(a.xyz, 9.0);", {1, -2, 3, 9}},
    {"color = vec4(9.0, a.yzw);", {9, -2, 3, -4}},
    {"color = vec4(1.0, a.y, 2.0, b.x);", {1, -2, 2, 5}},
    {"color = vec4(vec3(b), a);", {5, 6, -7, 1}},
    {"color = vec4(vec2(b), vec2(a));", {5, 6, 1, -2}},
    {"color = a.wzyx;", {-4, 3, -2, 1}},
    {"color = a.rgba + b.abgr;", {9, -9, 9, 1}},
    {"color = a.stpq.xxyy;", {1, 1, -2, -2}},
    {"color = vec4(a[0], b[1], a[3], a.zw[0]);", {1, 6, -4, 3}},
    {"vec4 v = a; v = v.wxyz; color = v;", {-4, 1, -2, 3}},
    {"vec2 v = a.xy; v = vec2(v.y, v.x); color = vec4(v, v);", {-2, 1, -2, 1}},
    {"float s = a.x, t = s + 1.0; color = vec4(s, t, 0.0, 0.0);", {1, 2, 0, 0}},
    {"const float k = 2.0 * 3.0; color = vec4(k, k + 1.0, 0.0, 0.0);", {6, 7, 0, 0}},
    {"color = vec4(k, n, 0.0, 0.0);", {6, 3, 0, 0}, "const float k = 2.0 * 3.0; const int n = 7 / 2;"},
    // integers
    {"color = vec4(7 / 2, -7 / 2, 7 % 3, -7 % 3);", {3, -3, 1, -1}},
    {"int i = int(b.x), j = 2; color = vec4(i / j, i * j, i - j, -i / j);", {2, 10, 3, -2}},
    {"int i = int(2.9), j = int(-2.9); color = vec4(i, j, int(a.y), 0);", {2, -2, -2, 0}},
    {"int i = int(a.x * 49.0); color = vec4(49 / i, i / i, 0, 0);", {1, 1, 0, 0}},
    {"ivec2 v = ivec2(a.zw * 0.5); color = vec4(v, ivec2(5, 7) / ivec2(2));", {1, -2, 2, 3}},
    {"ivec3 v = ivec3(b.xyz); v = v / 2; color = vec4(v, 0);", {2, 3, -3, 0}},
    // bools
    {"bool p = a.x < b.x; color = vec4(p, !p, p && a.y > 0.0, p || a.y > 0.0);", {1, 0, 0, 1}},
    {"color = vec4(a.x == 1.0, a.x != 1.0, a.x >= 1.0, a.x <= 0.5);", {1, 0, 1, 0}},
    {"color = vec4(true && false, true || false, !true, 1 < 2);", {0, 1, 0, 1}},
    {"bool p = bool(a.x), q = bool(b.x - 5.0); color = vec4(float(p), q, int(p), p == q);", {1, 0, 1, 0}},
    // control flow
    {"if (a.x > 0.0) color = a; else color = b;", {1, -2, 3, -4}},
    {"if (a.x < 0.0) color = a; else color = b;", {5, 6, -7, 8}},
    {"color = b; if (a.x < 0.0) { color = a; }", {5, 6, -7, 8}},
    {"if (a.x < 0.0) color = a; else if (a.y < 0.0) color = b; else color = vec4(0.0);", {5, 6, -7, 8}},
    {"if (true) color = a; else color = b;", {1, -2, 3, -4}},
    {"float s = 0.0; for (int i = 0; i < 4; i++) s = s + a[i]; color = vec4(s);", {-2, -2, -2, -2}},
    {"float s = 0.0; for (int i = 3; i >= 0; i -= 2) s = s + float(i); color = vec4(s);", {4, 4, 4, 4}},
    {"float s = 0.0; for (int i = 1; i != 8; i = i * 2) { s = s + float(i); } color = vec4(s);", {7, 7, 7, 7}},
    {"float s = 0.0; for (int i = 0; i < 2; ++i) for (int j = 0; j < 3; ++j) if (i == j) s = s + 1.0; color = vec4(s);", {2, 2, 2, 2}},
    {"float s = 0.0; for (int i = 8; i < 4; --i) s = 1.0; color = vec4(s);", {0, 0, 0, 0}},
    {"float x = 1.0; { float x = 2.0; } color = vec4(x);", {1, 1, 1, 1}},
    // A value known before a branch is not known behind it.
    {"float x = 1.0; if (a.x > 0.0) x = 2.0; color = vec4(x, x * 2.0, 0.0, 0.0);", {2, 4, 0, 0}},
    {"float x = 1.0; if (a.x < 0.0) { x = 2.0; } else { x = x + 4.0; } color = vec4(x);", {5, 5, 5, 5}},
    // functions
    {"color = f(a) + f(b);", {17, 13, -3, 13}, "vec4 f(vec4 v) { vec4 w = v * 2.0; return w + 0.5 * (w.x - 1.0) * 1.0; }"},
    {"color = vec4(saturate(-2.0), saturate(a.x * 0.5), saturate(b.x), 0.0);", {0, 0.5f, 1, 0}, "float saturate(float x) { return clamp(x, 0.0, 1.0); }"},
    {"float x = 3.0; color = vec4(g(x), x, 0.0, 0.0);", {16, 3, 0, 0}, "float g(float x) { x = x + 1.0; return x * x; }"},
    {"color = vec4(h(a.x), h(b.x), two(), 0.0);", {-1, 1, 2, 0}, "float two() { return 2.0; } float h(float x) { float r = -1.0; if (x > two()) r = 1.0; return r; }"},
    {"color = vec4(later(1.0));", {2, 2, 2, 2}, "float later(float x) { return later2(x) + 1.0; } float later2(float x) { return x; }"},
    // built-ins
    {"color = vec4(dot(a, b), dot(a.xyz, b.xyz), dot(a.xy, b.xy), 0.0);", {-60, -28, -7, 0}},
    {"color = vec4(cross(a.xyz, b.xyz), 0.0);", {-4, 22, 16, 0}},
    {"color = vec4(length(vec2(3.0, 4.0)), length(a.zw), length(vec3(a.x, 2.0, 2.0)), 0.0);", {5, 5, 3, 0}},
    {"color = vec4(normalize(vec2(3.0, 4.0) * a.x), normalize(a.zw));", {0.6f, 0.8f, 0.6f, -0.8f}},
    {"color = abs(a);", {1, 2, 3, 4}},
    {"color = min(a, b);", {1, -2, -7, -4}},
    {"color = max(a, 0.0);", {1, 0, 3, 0}},
    {"color = clamp(b, -1.0, 5.5);", {5, 5.5f, -1, 5.5f}},
    {"color = mix(a, b, 0.5);", {3, 2, -2, 2}},
    {"color = mix(a, b, vec4(0.0, 1.0, 0.5, 0.25));", {1, 6, -2, -1}},
    {"color = vec4(pow(b.x, 2.0), pow(vec2(2.0, 3.0), vec2(3.0, 2.0)), 0.0);", {25, 8, 9, 0}},
    {"color = vec4(reflect(vec3(1.0, -1.0, 0.0), vec3(0.0, 1.0, 0.0)), 0.0);", {1, 1, 0, 0}},
    {"color = vec4(.5 + .5 * sin(0.0), cos(0.0), sin(a.xy - a.xy));", {0.5f, 1, 0, 0}},
    {"int i = max(int(a.x), 3); color = vec4(min(i, 2), abs(-i), i, 0);", {2, 3, 3, 0}},
    // matrices, column-major
    {"mat4 m = mat4(1.0); color = m * a;", {1, -2, 3, -4}},
    {"mat4 m = mat4(a, b, a, b); color = m * vec4(1.0, 0.0, 0.0, 1.0);", {6, 4, -4, 4}},
    {"mat4 m = mat4(a, b, a, b); color = m[1];", {5, 6, -7, 8}},
    {"mat4 m = mat4(a, b, a, b); color = vec4(m[1][2], m[0].xy, m[3].w);", {-7, 1, -2, 8}},
    {"mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0); color = vec4(m * vec3(a.x, 0.0, 0.0), 0.0);", {1, 2, 3, 0}},
    {"mat3 m = mat3(a.x, 2.0, 3.0, vec2(b), 6.0, a.xyz); color = vec4(m[1], m[2][1]);", {5, 6, 6, -2}},
    {"mat3 m = mat3(mat4(a, b, a, b)); color = vec4(m[1], 1.0);", {5, 6, -7, 1}},
    {"mat4 m = mat4(mat3(2.0)); color = m * a;", {2, -4, 6, -4}},
    {"mat4 m = mat4(2.0) * mat4(a.x) * mat4(3.0); color = m * a;", {6, -12, 18, -24}},
    {"mat4 m = mat4(2.0); m = m * m; color = m * a;", {4, -8, 12, -16}},
    {"color = twice(mat4(1.0)) * a;", {2, -4, 6, -8}, "mat4 twice(mat4 m) { return m * mat4(2.0); }"},
};

BOOST_AUTO_TEST_SUITE(language)

BOOST_DATA_TEST_CASE(values, boost::unit_test::data::make(kCases), one) {
  const auto ran = shade(one.body, {1, -2, 3, -4}, {5, 6, -7, 8}, one.globals);
  for (std::size_t k = 0; k < 4; ++k) BOOST_TEST(std::abs(ran.color[k] - one.expected[k]) < 1e-5f, "lane " << k << ": " << ran.color[k] << ", not " << one.expected[k]);
}

BOOST_AUTO_TEST_CASE(slots) {
  const auto slot = [](const Shader& shader, const std::string& name) {
    for (const InterfaceEntry& entry : shader.interface)
      if (entry.name == name) return entry.slot;
    return -1;
  };
  const Shader vertex = compiled(
      "in vec4 p; layout(location = 0) in vec3 n; in vec2 t; uniform mat3 m; uniform float f; layout(location = 1) uniform mat4 k;"
      "out vec4 c; layout(location = 0) smooth out vec2 d; smooth out float e; void main() { gl_Position = p; }",
      Stage::kVertex);
  BOOST_TEST(slot(vertex, "n") == 0);
  BOOST_TEST(slot(vertex, "p") == 1);
  BOOST_TEST(slot(vertex, "t") == 2);
  BOOST_TEST(slot(vertex, "k") == 1);
  BOOST_TEST(slot(vertex, "m") == 5);
  BOOST_TEST(slot(vertex, "f") == 0);
  BOOST_TEST(slot(vertex, "d") == 0);
  BOOST_TEST(slot(vertex, "c") == 1);
  BOOST_TEST(slot(vertex, "e") == 2);
}

BOOST_AUTO_TEST_CASE(fragment_coordinate_discard_and_sampler) {
  const Shader shader = compiled(
      "uniform sampler2D first, second; in vec2 uv; layout(location = 0) out vec4 c;\n"
      "void main() { if (gl_FragCoord.x < 2.0) discard; c = texture(second, uv) + gl_FragCoord; }", Stage::kFragment);
  const std::uint32_t texel = 0xFF0000FF;
  const TextureView texture{&texel, 1, 1};
  float varyings[32] = {}, fragcoord[4] = {1.5f, 2, 3, 4};
  ExecInputs in;
  in.varyings = varyings;
  in.fragcoord = fragcoord;
  in.texture = &texture;
  Vec4 color;
  bool discard = false;
  ExecOutputs out;
  out.color = color.data();
  out.discard = &discard;
  exec_ir(shader, in, out);
  BOOST_TEST(discard);
  fragcoord[0] = 2.5f;
  exec_ir(shader, in, out);
  BOOST_TEST(!discard);
  const Vec4 expected = {2.5f, 2, 4, 5};
  BOOST_TEST(color == expected, boost::test_tools::per_element());
  bool samples_second = false;
  for (const Instruction& ins : shader.code) samples_second |= ins.op == static_cast<int>(Op::kSample) && ins.aux == 1;
  BOOST_TEST(samples_second);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
