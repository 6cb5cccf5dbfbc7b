// The compiler: source text of one shader -> verified CSIR (csir.md §11).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

struct Compiled {
  std::optional<Shader> shader;  // canonical and verified; nothing after an error
  Diagnostics diagnostics;

  bool ok() const { return shader.has_value(); }
};

// `name` stands in front of every message. Any bytes may be given; stages other than vertex and fragment are an error.
Compiled compile(std::string_view source, Stage stage, const std::string& name = "shader");

// A fragment or vertex shader by the end of its file name (.vert, .frag); false: neither.
bool stage_from_file_name(const std::string& name, Stage* stage);

}  // namespace gyre::shader
