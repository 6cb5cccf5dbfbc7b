// Shaders in files: source (.vert, .frag), text (.csir) and binary (.csi).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

struct LoadedShader {
  std::optional<Shader> shader;  // nothing after an error
  std::string log;               // what is wrong, with line and caret; empty when nothing is
};

// The kind is told by the end of the name; the file's name stands in front of every message.
LoadedShader load_shader(const std::string& path);

}  // namespace gyre::shader
