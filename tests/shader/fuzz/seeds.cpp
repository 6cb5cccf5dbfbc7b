// Writes what the fuzzers begin with: FOLDER/csi holds blobs, FOLDER/pair two of them, FOLDER/source the gallery and
// CSIR text.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "csi_binary.h"
#include "csir_text.h"
#include "gyre_paths.h"
#include "random_shader.h"
#include "shader_file.h"
#include "sheet.h"

namespace {

using namespace gyre::shader;
namespace fs = std::filesystem;

void write(const fs::path& to, const void* bytes, std::size_t size) {
  std::ofstream(to, std::ios::binary).write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

void write_forms(const fs::path& folder, const std::string& name, const Shader& shader) {
  const auto v1 = write_csi_v1(shader), v2 = write_csi_v2(shader);
  const std::string text = write_text(shader);
  write(folder / "csi" / (name + ".v1"), v1.data(), v1.size());
  write(folder / "csi" / (name + ".v2"), v2.data(), v2.size());
  write(folder / "source" / (name + ".csir"), text.data(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_shader_seeds FOLDER\n");
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder / "csi");
  fs::create_directories(folder / "source");
  for (const auto& entry : fs::directory_iterator(GYRE_SOURCE_DIR "/scenes/shaders")) {
    const LoadedShader loaded = load_shader(entry.path().string());
    if (!loaded.shader) continue;
    write_forms(folder, entry.path().filename().string(), *loaded.shader);
    fs::copy_file(entry.path(), folder / "source" / entry.path().filename(), fs::copy_options::overwrite_existing);
  }
  fs::create_directories(folder / "pair");
  for (const std::string& stem : shader_pairs(GYRE_SOURCE_DIR "/scenes/shaders")) {
    const LoadedShader vertex = load_shader(stem + ".vert"), fragment = load_shader(stem + ".frag");
    if (!vertex.shader || !fragment.shader) continue;
    const auto first = write_csi_v2(*vertex.shader), second = write_csi_v2(*fragment.shader);
    std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(first.size() & 255),
                                       static_cast<std::uint8_t>(first.size() >> 8)};
    bytes.insert(bytes.end(), first.begin(), first.end());
    bytes.insert(bytes.end(), second.begin(), second.end());
    write(folder / "pair" / fs::path(stem).filename(), bytes.data(), bytes.size());
  }
  std::mt19937 random(4);
  for (int i = 0; i < 60; ++i)
    write_forms(folder, "random" + std::to_string(i),
                gyre::test::RandomShader(random, i % 2 ? Stage::kVertex : Stage::kFragment).make(i));
  return 0;
}
