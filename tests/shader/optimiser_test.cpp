// Optimiser (csir.md §10): removes what nobody uses, keeps what somebody does, changes no result.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "language_support.h"
#include "optimiser.h"
#include "random_shader.h"

namespace {

using namespace gyre::shader;
using gyre::test::csir;

int nops(const Shader& shader) {
  int count = 0;
  for (const Instruction& ins : shader.code) count += ins.op == 0;
  return count;
}
Shader optimised(const std::string& text) {
  Shader shader = csir(text);
  optimise(&shader);
  return shader;
}

BOOST_AUTO_TEST_SUITE(optimiser)

BOOST_AUTO_TEST_CASE(unused_chains_vanish) {
  const Shader shader = optimised("csir 1 fragment\ntemps 6\nimm 1\n%0 = const.1 @0\n%1 = add.1 %0 %0\n%2 = rcp.1 %1\n%3 = sin.1 %2\n%4 = const.1 @0\nstore_color %4\n");
  BOOST_TEST(nops(shader) == 4);
  BOOST_TEST(shader.code.size() == 6u);  // not compacted
}

BOOST_AUTO_TEST_CASE(impure_instructions_stay) {
  BOOST_TEST(nops(optimised("csir 1 fragment\ntemps 9\nsampler s sampler2D 0\n%0 = load_uni 0 count 4\n%4 = sample2d 0 %0\n%5 = load_fragcoord\n%6 = load_var 0\n%0 = mulmm4 %0 %0\nif %0\nendif\n")) == 0);
}

BOOST_AUTO_TEST_CASE(partial_writes_and_matrix_columns_are_uses) {
  BOOST_TEST(nops(optimised("csir 1 fragment\ntemps 2\nimm 1 2 3 4\n%0 = const.4 @0\n%1 = const.1 @0\n%0.y = lane %1.x\n")) == 0);
  // Columns written by MOV and read by MULMV and MULMM only through their spans.
  for (const char* use : {"%8 = mulmv4 %0 %0", "%4 = mulmm4 %0 %0"}) {
    const Shader shader = optimised(std::string("csir 1 fragment\ntemps 12\n%8 = load_fragcoord\n%0 = mov.4 %8\n%1 = mov.4 %8\n%2 = mov.4 %8\n%3 = mov.4 %8\n") + use + "\nstore_color %8\n");
    BOOST_TEST(nops(shader) == 0);
  }
  const Shader three = optimised("csir 1 fragment\ntemps 12\n%8 = load_fragcoord\n%0 = mov.3 %8\n%1 = mov.3 %8\n%2 = mov.3 %8\n%3 = mov.3 %8\n%8 = mulmv3 %0 %8\nstore_color %8\n");
  BOOST_TEST(nops(three) == 1);  // the fourth column of a mat3 is nothing
}

// Whatever it removes, results stay: random programs, bit by bit.
BOOST_AUTO_TEST_CASE(random_programs_keep_their_results) {
  std::mt19937 random(21);
  int removed = 0;
  for (int round = 0; round < 2000; ++round) {
    gyre::test::RandomShader make(random, Stage::kFragment);
    const Shader before = make.make(50);
    Shader after = before;
    optimise(&after);
    removed += nops(after) - nops(before);
    float varyings[32], uniforms[128], fragcoord[4];
    for (float& v : varyings) v = make.value();
    for (float& v : uniforms) v = make.value();
    for (float& v : fragcoord) v = make.value();
    const std::uint32_t texels[4] = {0xFF102030, 0x80FFFFFF, 0, 0x12345678};
    const TextureView texture{texels, 2, 2};
    ExecInputs in;
    in.varyings = varyings;
    in.uniforms = uniforms;
    in.fragcoord = fragcoord;
    in.texture = &texture;
    float color[2][4];
    bool discard[2];
    for (int i = 0; i < 2; ++i) {
      ExecOutputs out;
      out.color = color[i];
      out.discard = &discard[i];
      BOOST_TEST(exec_ir(i ? after : before, in, out) == 0);
    }
    BOOST_REQUIRE(discard[0] == discard[1]);
    BOOST_REQUIRE(std::memcmp(color[0], color[1], sizeof color[0]) == 0);
  }
  BOOST_TEST(removed > 1000);
}

BOOST_AUTO_TEST_CASE(compiled_matrix_constructors_survive) {
  const auto ran = gyre::test::shade("mat3 m = mat3(a.xyz, b.xyz, a.zyx); mat3 n = m; color = vec4(n * vec3(0.0, 1.0, 1.0), 1.0);", {1, 2, 3, 4}, {5, 6, 7, 8});
  const gyre::test::Vec4 expected = {8, 8, 8, 1};
  BOOST_TEST(ran.color == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
