// Compiling and running little shaders.
#pragma once

#include <boost/test/unit_test.hpp>

#include "compiler.h"
#include "csir_text.h"
#include "exec_support.h"

namespace gyre::test {

inline shader::Shader compiled(const std::string& source, shader::Stage stage) {
  const shader::Compiled out = shader::compile(source, stage, "test.glsl");
  BOOST_REQUIRE_MESSAGE(out.ok(), out.diagnostics.log() << source);
  return *out.shader;
}

inline std::string fragment_source(const std::string& body, const std::string& globals = "") {
  return "#version 330\n" + globals + "\nuniform vec4 a;\nuniform vec4 b;\nout vec4 color;\nvoid main() {\n" + body +
         "\n}\n";
}

// Runs the fragment shader `body` with the uniforms a and b.
inline Ran shade(const std::string& body, Vec4 a = {}, Vec4 b = {}, const std::string& globals = "",
                 shader::Math math = shader::Math::kPrecise) {
  const shader::Shader program = compiled(fragment_source(body, globals), shader::Stage::kFragment);
  float uniforms[128] = {};
  for (const shader::InterfaceEntry& entry : program.interface)
    for (std::size_t k = 0; k < 4; ++k)
      if (entry.name == "a" || entry.name == "b")
        uniforms[4 * static_cast<std::size_t>(entry.slot) + k] = entry.name == "a" ? a[k] : b[k];
  const Ran ran = execute(program, uniforms, math);
  BOOST_TEST(ran.code == 0);
  return ran;
}

inline std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}
inline bool good(const std::string& source, shader::Stage stage = shader::Stage::kFragment) {
  const shader::Compiled out = shader::compile(source, stage);
  BOOST_TEST_MESSAGE(out.diagnostics.log());
  return out.ok();
}
inline std::string message(const std::string& source, shader::Stage stage = shader::Stage::kFragment) {
  return shader::compile(source, stage).diagnostics.log();
}
inline bool says(const std::string& log, const char* text) { return log.find(text) != std::string::npos; }

}  // namespace gyre::test
