// What `gyre shader` does, apart from its command line. Mistakes in shaders are printed to standard error with line and
// caret, and the answer is 2; other mistakes of the user are UserErrors.
#pragma once

#include <string>
#include <vector>

namespace gyre::platform {

struct PairFiles {
  std::string vertex, fragment;
};
// One file: the other of the pair is NAME.vert or NAME.frag beside it.
PairFiles pair_files(const std::vector<std::string>& files);

// Compiles or reads, and verifies, every file; links when there are one vertex and one fragment shader. Prints what each
// is, unless `quiet`.
int shader_check(const std::vector<std::string>& files, bool quiet);

// `form`: text, csi1 or csi2. To standard output when `output` is empty.
int shader_dump(const std::string& file, const std::string& form, const std::string& output);

struct ShaderPicture {
  std::string output, size, mesh, texture;  // files; WxH; empty: the default
  std::string backend = "soft";             // soft or interp
  int threads = 1, columns = 0;             // columns 0: as many as rows, or one more
  bool compat = false, quiet = false;
  std::vector<std::string> uniforms;  // NAME=V or NAME=V,V,...
};

// One pair on a mesh.
int shader_run(const std::vector<std::string>& files, const ShaderPicture& picture);
// Every pair of a folder on one sheet; without a mesh of the user's, meshes in turn.
int shader_sheet(const std::string& folder, const ShaderPicture& picture);

}  // namespace gyre::platform
