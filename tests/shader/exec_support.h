// Running a few instructions on the interpreter.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

#include "csir_text.h"
#include "interpreter.h"

namespace gyre::test {

using Vec4 = std::array<float, 4>;

inline shader::Shader csir(const std::string& text) {
  shader::Diagnostics diagnostics("test", text);
  const auto found = shader::read_text(text, &diagnostics);
  BOOST_REQUIRE_MESSAGE(found, diagnostics.log());
  return *found;
}

struct Ran {
  int code = 0;
  Vec4 color{};
  bool discard = false;
};

inline Ran execute(const shader::Shader& program, const float* uniforms, shader::Math math) {
  shader::ExecInputs in;
  in.uniforms = uniforms;
  in.math = math;
  Ran ran;
  shader::ExecOutputs out;
  out.color = ran.color.data();
  out.discard = &ran.discard;
  ran.code = shader::exec_ir(program, in, out);
  return ran;
}

// A fragment shader of 8 temporaries; %0 and %1 are the uniforms a and b, %7 is the colour.
inline Ran run(const std::string& body, Vec4 a = {}, Vec4 b = {}, shader::Math math = shader::Math::kPrecise,
               const std::string& immediates = "1 2 3 4") {
  const shader::Shader program =
      csir("csir 1 fragment\ntemps 8\nimm " + immediates + "\n%0 = load_uni 0 count 2\n" + body + "\nstore_color %7\n");
  float uniforms[128] = {};
  for (std::size_t k = 0; k < 4; ++k) {
    uniforms[k] = a[k];
    uniforms[4 + k] = b[k];
  }
  return execute(program, uniforms, math);
}

// Distance in units in the last place of `exact` rounded to float.
inline double ulps(float value, double exact) {
  const float rounded = static_cast<float>(exact);
  if (value == rounded) return 0;
  const float up = __builtin_nextafterf(rounded, 3.4e38f);
  return std::abs(static_cast<double>(value) - exact) / (static_cast<double>(up) - static_cast<double>(rounded));
}

}  // namespace gyre::test
