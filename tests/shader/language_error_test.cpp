// The source language: what is refused, where, and with which words; every capacity at its limit and one beyond (§2, §11).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "language_support.h"

namespace {

using namespace gyre::shader;
using gyre::test::fragment_source;
using gyre::test::good;
using gyre::test::message;
using gyre::test::repeated;
using gyre::test::says;

struct Mistake {
  const char* body;  // stands in line 6 of the source
  int column;
  const char* message;
  friend std::ostream& operator<<(std::ostream& out, const Mistake& m) { return out << m.body; }
};
const Mistake kMistakes[] = {
    {"color = a.xyq;", 11, "invalid swizzle"},
    {"color = vec4(a.xy.z);", 19, "invalid swizzle .z of a vec2"},
    {"color = a.xg;", 11, "invalid swizzle"},
    {"color = a.xyzwx;", 11, "invalid swizzle"},
    {"color = a.x.x;", 13, "invalid swizzle: a float"},
    {"color = missing;", 9, "missing is not declared"},
    {"missing = a;", 1, "missing is not declared"},
    {"a = color;", 1, "cannot be assigned"},
    {"color.x = 1.0;", 9, "only a plain name"},
    {"color += a;", 7, "operator += is not supported"},
    {"color = a.x;", 1, "a float stands where a vec4 is needed"},
    {"int i = 1.5;", 5, "a float stands where a int is needed"},
    {"color = a * b.xyz;", 11, "operator * of vec4 and vec3"},
    {"color = a + true;", 11, "operator + of vec4 and bool"},
    {"bool p = a < b;", 12, "only scalars"},
    {"bool p = !a.x;", 10, "! of a float"},
    {"bool p = a.x && true;", 14, "bools are needed"},
    {"bool p = true < false;", 15, "comparison <"},
    {"float x = a.x % 2;", 15, "integer constants only"},
    {"int i = 5 % 0;", 11, "division by zero"},
    {"float x = a.x / 0.0;", 15, "division by zero"},
    {"int x = 1 / (2 - 2);", 11, "division by zero"},
    {"mat4 m = mat4(1.0) * 2.0;", 20, "operator * of mat4 and float"},
    {"mat4 m = mat4(1.0) + mat4(1.0);", 20, "operator + of mat4"},
    {"color = a * mat4(1.0);", 11, "operator * of vec4 and mat4"},
    {"mat3 m = mat4(1.0);", 6, "a mat4 stands where a mat3"},
    {"color = mat4(1.0)[4];", 19, "index of a mat4 is 0 to 3"},
    {"color = vec4(a[4]);", 16, "index of a vec4"},
    {"color = vec4(a[int(a.x)]);", 16, "constant int"},
    {"color = vec4(1.0, 2.0);", 9, "too few"},
    {"color = vec4(a, 1.0);", 9, "too many"},
    {"color = vec4();", 9, "needs arguments"},
    {"color = vec4;", 13, "needs arguments"},
    {"color = nothing(1.0);", 9, "nothing is no function"},
    {"color = a(1.0);", 9, "a is no function"},
    {"color = vec4(dot(a, b.xyz));", 14, "beside vectors"},
    {"color = vec4(dot(a));", 14, "takes 2 arguments"},
    {"color = vec4(cross(a, b));", 14, "two vec3"},
    {"color = vec4(length(a.x));", 14, "takes vectors"},
    {"color = texture(a, b.xy);", 17, "uniform sampler2D"},
    {"color = texture(a.xy);", 9, "takes a sampler2D"},
    {"if (a.x) color = a;", 7, "not a bool"},
    {"for (int i = 0; i < 9; i++) color = a;", 1, "more than 8 iterations"},
    {"for (int i = 0; true; i++) color = a;", 1, "more than 8 iterations"},
    {"for (int i = 0; a.x < 1.0; i++) color = a;", 21, "compares i with a constant"},
    {"for (int i = int(a.x); i < 2; i++) color = a;", 10, "begins with a constant int"},
    {"for (int i = 0; i < 2; j++) color = a;", 24, "the step changes i"},
    {"for (int i = 0; i < 2; i++) i = 3;", 29, "loop variable i cannot be assigned"},
    {"for (float i = 0.0; i < 2.0; i++) color = a;", 6, "int name = constant"},
    {"for (int i; i < 2; i++) color = a;", 1, "initial value"},
    {"while (true) color = a;", 1, "while is not supported"},
    {"return; color = a;", 1, "last statement"},
    {"if (a.x > 0.0) return;", 16, "last statement"},
    {"return a;", 1, "returns nothing"},
    {"float x = 1.0; float x = 2.0;", 22, "declared twice"},
    {"float gl_x = 1.0;", 7, "gl_"},
    {"const float x = a.x;", 13, "must be known"},
    {"const float x;", 13, "needs a value"},
    {"float x[2];", 8, "arrays"},
    {"uint x = 1;", 1, "uint is not supported"},
    {"sampler2D s;", 1, "no type of a local"},
    {"void v;", 1, "no type of a local"},
    {"color = a", 1, "expected"},
    {"color = (a;", 11, "expected \")\""},
    {"color = a ? b : a;", 11, "operator ? is not supported"},
    {"color = a @ b;", 11, "not part of the language"},
    {"float x = 0x10;", 11, "not a number"},
    {"float x = 1e99;", 11, "does not fit"},
    {"int x = 99999999999;", 9, "does not fit"},
    {"float x = 1.0u;", 11, "not a number"},
    {"#extension GL_foo : enable", 1, "#extension is not supported"},
    {"color = a; #version 330", 12, "start of a line"},
    {"/* no end", 1, "comment without end"},
    {"color = gl_Position;", 9, "not declared"},
    {"color = main();", 9, "recursion"},
};

BOOST_AUTO_TEST_SUITE(language_errors)

BOOST_DATA_TEST_CASE(in_a_body, boost::unit_test::data::make(kMistakes), mistake) {
  const std::string source = fragment_source(mistake.body);
  const Compiled out = compile(source, Stage::kFragment, "test.frag");
  BOOST_TEST(!out.ok());
  BOOST_REQUIRE(!out.diagnostics.errors().empty());
  const Diagnostic& first = out.diagnostics.errors()[0];
  BOOST_TEST_MESSAGE(out.diagnostics.log());
  BOOST_TEST(first.message.find(mistake.message) != std::string::npos, first.message);
  if (first.message.find("expected \";\"") == std::string::npos) {
    BOOST_TEST(first.place.line == 7);
    BOOST_TEST(first.place.column == mistake.column);
    const std::string line = mistake.body;
    BOOST_TEST(out.diagnostics.log().find(line + "\n" + std::string(mistake.column - 1, ' ') + "^\n") != std::string::npos);
    BOOST_TEST(out.diagnostics.log().find("test.frag:7:" + std::to_string(mistake.column) + ": error: ") == 0u);
  }
}

struct Whole {
  const char* source;
  Stage stage;
  const char* message;
  friend std::ostream& operator<<(std::ostream& out, const Whole& w) { return out << w.source; }
};
const Whole kWholes[] = {
    {"", Stage::kVertex, "empty"},
    {"@@@", Stage::kVertex, "not part of the language"},
    {"/*", Stage::kVertex, "comment without end"},
    {"((((", Stage::kVertex, "expected a type"},
    {"{{{{", Stage::kVertex, "expected a type"},
    {"}", Stage::kVertex, "expected a type"},
    {"void", Stage::kVertex, "void is no type"},
    {"float main", Stage::kVertex, "needs in, out"},
    {"void main(", Stage::kVertex, "expected a type"},
    {"void main() {", Stage::kVertex, "expected \"}\""},
    {"void main() {}", Stage::kVertex, "does not write gl_Position"},
    {"float x;", Stage::kVertex, "needs in, out, uniform or const"},
    {"in vec4 p;", Stage::kVertex, "no function main"},
    {"int main() { return 1; }", Stage::kVertex, "main is void main()"},
    {"attribute vec4 p; void main() {}", Stage::kVertex, "attribute is not supported"},
    {"varying vec4 p; void main() {}", Stage::kVertex, "varying is not supported"},
    {"precision highp float; void main() {}", Stage::kFragment, "precision is not supported"},
    {"flat in vec4 p; void main() {}", Stage::kFragment, "flat is not supported"},
    {"noperspective in vec4 p;", Stage::kFragment, "noperspective is not supported"},
    {"invariant gl_Position;", Stage::kVertex, "invariant is not supported"},
    {"#version 100\nvoid main() {}", Stage::kVertex, "110 to 330"},
    {"#version 400\nvoid main() {}", Stage::kVertex, "110 to 330"},
    {"#version 330 es\nvoid main() {}", Stage::kVertex, "core"},
    {"#define X 1\nvoid main() {}", Stage::kVertex, "#define is not supported"},
    {"#extension GL_x : enable\nvoid main() {}", Stage::kVertex, "#extension is not supported"},
    {"in in vec4 p; void main() {}", Stage::kVertex, "second qualifier"},
    {"in sampler2D s; void main() {}", Stage::kFragment, "sampler2D is a uniform"},
    {"in mat4 m; void main() {}", Stage::kVertex, "can only be a uniform"},
    {"in int i; void main() {}", Stage::kFragment, "cannot be interpolated"},
    {"out vec3 c; void main() {}", Stage::kFragment, "is a vec4"},
    {"out vec4 c; out vec4 d; void main() {}", Stage::kFragment, "one output"},
    {"layout(location = 1) out vec4 c; void main() {}", Stage::kFragment, "location 0 only"},
    {"layout(binding = 1) uniform vec4 c;", Stage::kFragment, "location = n"},
    {"layout(location = 0) in vec4 p; layout(location = 0) in vec4 q;", Stage::kVertex, "location 0 is taken"},
    {"layout(location = 0) uniform mat4 p; layout(location = 3) uniform vec4 q;", Stage::kVertex, "location 3 is taken"},
    {"layout(location = 8) in vec4 p;", Stage::kVertex, "there are 8"},
    {"layout(location = 29) uniform mat4 p;", Stage::kVertex, "there are 32"},
    {"uniform float f = 1.0;", Stage::kVertex, "no initial value"},
    {"in vec4 p; void main() { discard; gl_Position = p; }", Stage::kVertex, "for fragment shaders"},
    {"void f() {} void main() { gl_Position = f(); }", Stage::kVertex, "void function f cannot be called"},
    {"float f() {} void main() { gl_Position = vec4(f()); }", Stage::kVertex, "must return a value"},
    {"float f() { return; } void main() { gl_Position = vec4(f()); }", Stage::kVertex, "must return a value"},
    {"float f(float x) { return x; } void main() { gl_Position = vec4(f()); }", Stage::kVertex, "takes 1 arguments"},
    {"float f(float x) { return x; } void main() { gl_Position = vec4(f(vec2(1.0))); }", Stage::kVertex, "a vec2 stands where a float"},
    {"float f(float x) { return g(x); } float g(float x) { return f(x); } void main() { gl_Position = vec4(f(1.0)); }", Stage::kVertex, "recursion"},
    {"float f(out float x) { return x; } void main() {}", Stage::kVertex, "inputs only"},
    {"float f(sampler2D s) { return 1.0; } void main() {}", Stage::kVertex, "no type of a parameter"},
    {"float dot(float s) { return 1.0; } void main() {}", Stage::kVertex, "built-in"},
    {"float f() { return wrong; } void main() { gl_Position = vec4(0.0); }", Stage::kVertex, "wrong is not declared"},
    {"in vec4 n234567890123456789012345678901234567890; void main() { gl_Position = vec4(0.0); }", Stage::kVertex, "39 characters"},
};

BOOST_DATA_TEST_CASE(whole_sources, boost::unit_test::data::make(kWholes), whole) {
  const Compiled out = compile(whole.source, whole.stage, "x");
  BOOST_TEST(!out.ok());
  BOOST_TEST(!out.diagnostics.log().empty());
  BOOST_TEST(out.diagnostics.log().find(whole.message) != std::string::npos, out.diagnostics.log());
}

BOOST_AUTO_TEST_CASE(geometry_stage) {
  for (const int stage : {2, 3}) {
    const Compiled out = compile("void main() {}", static_cast<Stage>(stage));
    BOOST_TEST(!out.ok());
    BOOST_TEST(out.diagnostics.log().find("not supported") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(several_errors_in_one_go) {
  const Compiled out = compile(fragment_source("color = a.q9;\nfloat x = nope;\ncolor = vec4(x);\ncolor = b.xy;"), Stage::kFragment);
  BOOST_TEST(out.diagnostics.errors().size() == 3u);
  const Compiled many = compile(fragment_source(std::string(20, ';') + [] {
                                  std::string lines;
                                  for (int i = 0; i < 20; ++i) lines += "color = nope" + std::to_string(i) + ";\n";
                                  return lines;
                                }()),
                                Stage::kFragment);
  BOOST_TEST(many.diagnostics.errors().size() == 8u);
  BOOST_TEST(many.diagnostics.log().size() < 1536u);
  // A mistake in inlined or unrolled code is said once.
  const Compiled once = compile(fragment_source("for (int i = 0; i < 4; i++) color = f(1.0);", "vec4 f(float x) { return nope; }"), Stage::kFragment);
  BOOST_TEST(once.diagnostics.errors().size() == 1u);
}

BOOST_AUTO_TEST_CASE(source_bytes) {
  const std::string base = fragment_source("color = a;");
  BOOST_TEST(good(base + std::string(4095 - base.size(), ' ')));
  BOOST_TEST(says(message(base + std::string(4096 - base.size(), ' ')), "4095"));
}

BOOST_AUTO_TEST_CASE(tokens_and_nodes) {
  // Each ";" is one token and no node.
  const std::string base = fragment_source("");
  const int own = 18;  // uniform vec4 a ; x2, out vec4 color ;, void main ( ) { }
  BOOST_TEST(good(fragment_source(std::string(static_cast<std::size_t>(768 - own), ';'))));
  BOOST_TEST(says(message(fragment_source(std::string(static_cast<std::size_t>(768 - own + 1), ';'))), "768 tokens"));
  // "x;" is a statement and a name; root, three lists and globals, function, block are 9 nodes, declaration 3.
  std::string names = "float x = 1.0;";
  BOOST_TEST(good(fragment_source(names + repeated("x;", 248))));
  BOOST_TEST(says(message(fragment_source(names + repeated("-x;", 180))), "512 syntax nodes"));
}

BOOST_AUTO_TEST_CASE(symbols_and_calls) {
  const auto names = [](int n) {
    std::string body;
    for (int i = 0; i < n; ++i) body += "float v" + std::to_string(i) + ";";
    return fragment_source(body);
  };
  BOOST_TEST(good(names(59)));  // a, b, color, gl_FragCoord, main
  BOOST_TEST(says(message(names(60)), "64 names"));
  const auto calls = [](int n) {
    std::string functions = "float f0(float x) { return x; }";
    for (int i = 1; i < n; ++i) functions += "float f" + std::to_string(i) + "(float x) { return f" + std::to_string(i - 1) + "(x); }";
    return fragment_source("color = vec4(f" + std::to_string(n - 1) + "(a.x));", functions);
  };
  BOOST_TEST(good(calls(8)));
  BOOST_TEST(says(message(calls(9)), "8 deep"));
}

BOOST_AUTO_TEST_CASE(instructions_immediates_temporaries) {
  BOOST_TEST(says(message(fragment_source("for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {" + repeated("color = color * a + b;", 4) + "}")), "384 instructions"));
  std::string constants = "float x = 0.0;";
  for (int i = 0; i < 100; ++i) constants += "x=x+" + std::to_string(i) + ".5;";
  BOOST_TEST(good(fragment_source(constants)));
  std::string more = "vec4 x = a;";
  for (int i = 0; i < 45; ++i) more += "x=x*vec4(" + std::to_string(i) + ".1," + std::to_string(i) + ".2," + std::to_string(i) + ".3,9.0);";
  BOOST_TEST(says(message(fragment_source(more)), "160 immediates"));
  std::string matrices;
  for (int i = 0; i < 24; ++i) matrices += "mat4 m" + std::to_string(i) + " = mat4(1.0);";
  BOOST_TEST(says(message(fragment_source(matrices)), "96 temporaries"));
}

BOOST_AUTO_TEST_CASE(interface_slots) {
  const auto many = [](const char* what, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += std::string(what) + std::to_string(i) + ";";
    return out;
  };
  const std::string main_of_vertex = "void main() { gl_Position = vec4(1.0); }", main_of_fragment = "out vec4 c; void main() { c = vec4(1.0); }";
  BOOST_TEST(good(many("in vec2 v", 8) + main_of_vertex, Stage::kVertex));
  BOOST_TEST(says(message(many("in vec2 v", 9) + main_of_vertex, Stage::kVertex), "no attribute slot"));
  BOOST_TEST(good(many("out vec2 v", 8) + main_of_vertex, Stage::kVertex));
  BOOST_TEST(says(message(many("out vec2 v", 9) + main_of_vertex, Stage::kVertex), "no varying slot"));
  BOOST_TEST(good(many("uniform mat4 v", 8) + main_of_fragment));
  BOOST_TEST(says(message(many("uniform mat4 v", 8) + "uniform float x;" + main_of_fragment), "no uniform slot"));
  BOOST_TEST(good(many("uniform sampler2D v", 4) + main_of_fragment));
  BOOST_TEST(says(message(many("uniform sampler2D v", 5) + main_of_fragment), "no sampler slot"));
}

// Arbitrary bytes and damaged sources: errors or a shader, nothing else.
BOOST_AUTO_TEST_CASE(any_bytes) {
  std::mt19937 random(8);
  const std::string good_source = fragment_source(
      "float s = 0.0; for (int i = 0; i < 4; i++) { if (a[i] > f(b.x)) s = s + a[i]; else s = s - 1.0; }\n color = vec4(s, a.xy, normalize(b.xyz).x);",
      "float f(float x) { return clamp(x, 0.0, 1.0); }");
  BOOST_REQUIRE(good(good_source));
  unsigned refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bad = good_source;
    for (int i = 0, n = 1 + random() % 3; i < n; ++i) {
      const std::size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0: bad[at] = static_cast<char>(random()); break;
        case 1: bad.erase(at, random() % 9); break;
        case 2: bad.insert(at, good_source.substr(random() % good_source.size(), random() % 16)); break;
        default: bad[at] = "(){};.,=+-*/<>!&|0129aixf"[random() % 25]; break;
      }
      if (bad.empty()) bad = " ";
    }
    refused += !compile(bad, random() % 2 ? Stage::kVertex : Stage::kFragment).ok();
  }
  BOOST_TEST(refused > 1000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
