#include "shader_file.h"

#include <fstream>
#include <iterator>

#include "compiler.h"
#include "csi_binary.h"
#include "csir_text.h"

namespace gyre::shader {
namespace {

// Far more than any of the forms can hold.
constexpr std::size_t kMaxFileBytes = 1 << 20;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

LoadedShader failed(const std::string& path, const std::string& message) {
  Diagnostics diagnostics(path);
  diagnostics.error({}, message);
  return {std::nullopt, diagnostics.log()};
}

}  // namespace

LoadedShader load_shader(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (file) {
    bytes.resize(kMaxFileBytes + 1);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad() || (bytes.empty() && !file.eof())) return failed(path, "the file cannot be read");
  if (bytes.size() > kMaxFileBytes) return failed(path, "the file is larger than a shader can be");
  Diagnostics diagnostics(path, bytes);
  Stage stage;
  if (ends_with(path, ".csir")) {
    auto shader = read_text(bytes, &diagnostics);
    return {std::move(shader), diagnostics.log()};
  }
  if (ends_with(path, ".csi")) {
    Diagnostics binary(path);
    auto shader = read_csi(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &binary);
    return {std::move(shader), binary.log()};
  }
  if (!stage_from_file_name(path, &stage)) return failed(path, "a shader file ends in .vert, .frag, .csir or .csi");
  Compiled compiled = compile(bytes, stage, path);
  return {std::move(compiled.shader), compiled.diagnostics.log()};
}

}  // namespace gyre::shader
