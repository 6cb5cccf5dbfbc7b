// Linker (csir.md §12): varyings by name, uniforms of both stages, failures that keep the old program.
#include <boost/test/unit_test.hpp>

#include "csir_text.h"
#include "linker.h"

namespace {

using namespace gyre::shader;

Shader shader_of(const std::string& text) {
  Diagnostics diagnostics("test", text);
  const auto shader = read_text(text, &diagnostics);
  BOOST_REQUIRE_MESSAGE(shader, diagnostics.log());
  return *shader;
}
Shader vertex(const std::string& interface, const std::string& code = "store_pos %0\n") {
  return shader_of("csir 1 vertex\ntemps 8\n" + interface + code);
}
Shader fragment(const std::string& interface, const std::string& code = "store_color %0\n") {
  return shader_of("csir 1 fragment\ntemps 8\n" + interface + code);
}
bool says(const Program& program, const char* text) { return program.log().find(text) != std::string::npos; }

BOOST_AUTO_TEST_SUITE(linker)

BOOST_AUTO_TEST_CASE(varyings_are_remapped_by_name) {
  Program program;
  BOOST_REQUIRE(program.link(vertex("vary a vec2 0\nvary b vec3 1\nvary c vec4 5\n"),
                             fragment("vary c vec4 0\nvary a vec2 1\nvary b vec3 7\n")));
  const std::int16_t expected[] = {5, 0, -1, -1, -1, -1, -1, 1};
  BOOST_TEST(program.varying_map() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(failures_say_why) {
  Program program;
  BOOST_TEST(!program.link(vertex(""), fragment("vary a vec2 0\n")));
  BOOST_TEST(says(program, "missing varying a"));
  BOOST_TEST(!program.link(vertex("vary a vec3 0\n"), fragment("vary a vec2 0\n")));
  BOOST_TEST(says(program, "type mismatch for varying a"));
  BOOST_TEST(!program.link(vertex("uniform u vec3 0\n"), fragment("uniform u vec4 0\n")));
  BOOST_TEST(says(program, "type mismatch for uniform u"));
  BOOST_TEST(!program.link(vertex("", ""), fragment("")));
  BOOST_TEST(says(program, "gl_Position"));
  BOOST_TEST(!program.link(vertex(""), fragment("", "")));
  BOOST_TEST(says(program, "no output"));
  BOOST_TEST(!program.link(fragment(""), vertex("")));
  BOOST_TEST(!program.linked());
  BOOST_TEST(program.generation() == 0u);
  BOOST_TEST(!says(program, "kept previous program"));
}

BOOST_AUTO_TEST_CASE(failed_relink_keeps_program_map_uniforms_and_generation) {
  Program program;
  const Shader good_vertex = vertex("vary a vec2 0\nvary b vec2 1\nuniform u float 3\n");
  BOOST_REQUIRE(program.link(good_vertex, fragment("vary b vec2 0\n")));
  BOOST_TEST(program.generation() == 1u);
  const float two = 2;
  BOOST_TEST(program.set_uniform(program.uniform_index("u"), &two, 1));
  BOOST_TEST(!program.link(good_vertex, fragment("vary nothing vec2 0\n")));
  BOOST_TEST(says(program, "kept previous program"));
  BOOST_TEST(program.linked());
  BOOST_TEST(program.generation() == 1u);
  BOOST_TEST(program.varying_map()[0] == 1);
  BOOST_TEST((program.vertex() == good_vertex));
  BOOST_TEST(program.words(Stage::kVertex)[12] == 2.0f);
  BOOST_TEST(program.link(good_vertex, fragment("")));
  BOOST_TEST(program.generation() == 2u);
  BOOST_TEST(program.words(Stage::kVertex)[12] == 0.0f);
}

BOOST_AUTO_TEST_CASE(uniforms_reach_both_stages) {
  Program program;
  BOOST_REQUIRE(program.link(vertex("uniform m mat3 2\nuniform v vec3 0\n"), fragment("uniform w float 4\nuniform m mat3 0\n")));
  BOOST_TEST(program.uniforms().size() == 3u);
  const float m[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  BOOST_TEST(program.set_uniform(program.uniform_index("m"), m, 9));
  const float columns[12] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0};
  for (int i = 0; i < 12; ++i) {
    BOOST_TEST(program.words(Stage::kVertex)[8 + i] == columns[i]);
    BOOST_TEST(program.words(Stage::kFragment)[i] == columns[i]);
  }
  BOOST_TEST(program.words(Stage::kVertex)[0] == 0.0f);
  BOOST_TEST(!program.set_uniform(program.uniform_index("m"), m, 16));
  BOOST_TEST(!program.set_uniform(-1, m, 1));
  BOOST_TEST(!program.set_uniform(3, m, 1));
  BOOST_TEST(program.uniform_index("nothing") == -1);
}

BOOST_AUTO_TEST_CASE(more_than_32_uniforms) {
  std::string first, second;
  for (int i = 0; i < 20; ++i) {
    first += "uniform a" + std::to_string(i) + " float " + std::to_string(i) + "\n";
    second += "uniform b" + std::to_string(i) + " float " + std::to_string(i) + "\n";
  }
  Program program;
  BOOST_TEST(!program.link(vertex(first), fragment(second)));
  BOOST_TEST(says(program, "40 uniforms"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
