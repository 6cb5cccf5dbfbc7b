// gyre shader build: shaders as code of the SIMT cores.
#pragma once

#include <string>
#include <vector>

namespace gyre::platform {

struct ShaderBuild {
  std::string output;                // .elf or .vxbin
  std::string sampler = "software";  // software or tex
  bool batch = false, compat = false, quiet = false;
};

// A pair becomes the kernels gyre_vs_0 and gyre_fs_0 of one image at GYRE_DEV_SHADER_BASE; with `batch` one shader the
// kernel `shade` at GYRE_DEV_IMAGE_BASE, argument gpu::BatchArg. Mistakes in shaders are printed with line and caret,
// and the answer is 2; other mistakes of the user are UserErrors.
int shader_build(const std::vector<std::string>& files, const ShaderBuild& build);

}  // namespace gyre::platform
