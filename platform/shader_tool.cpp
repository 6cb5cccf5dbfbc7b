#include "shader_tool.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "csi_binary.h"
#include "csir_text.h"
#include "error.h"
#include "files.h"
#include "image.h"
#include "linker.h"
#include "package_recorder.h"
#include "png_image.h"
#include "shader_file.h"
#include "sheet.h"
#include "show.h"

namespace gyre::platform {
namespace {

using shader::Shader;

// Nothing after the mistakes were printed.
std::optional<Shader> load(const std::string& file) {
  shader::LoadedShader loaded = shader::load_shader(file);
  if (!loaded.shader) fmt::print(stderr, "{}", loaded.log);
  return std::move(loaded.shader);
}

std::string interface_of(const Shader& of, shader::InterfaceKind kind, const char* word) {
  std::string out;
  for (const shader::InterfaceEntry& entry : of.interface)
    if (entry.kind == kind) out += fmt::format("{} {} {}", out.empty() ? "" : ",", shader::type_name(entry.type), entry.name);
  return out.empty() ? out : fmt::format("  {:10}{}\n", word, out);
}

void describe(const std::string& file, const Shader& of) {
  fmt::print("{}: {} shader, {} instructions, {} temporaries, {} immediates\n", file, shader::stage_name(of.stage), of.code.size(), of.temps,
             of.immediates.size());
  fmt::print("{}{}{}{}", interface_of(of, shader::InterfaceKind::kAttribute, "attributes"),
             interface_of(of, shader::InterfaceKind::kVarying, "varyings"), interface_of(of, shader::InterfaceKind::kUniform, "uniforms"),
             interface_of(of, shader::InterfaceKind::kSampler, "samplers"));
}

bool link(shader::Program* program, const Shader& vertex, const Shader& fragment) {
  if (program->link(vertex, fragment)) return true;
  fmt::print(stderr, "{}", program->log());
  return false;
}

std::vector<float> numbers(const std::string& uniform, const std::string& text) {
  std::vector<float> out;
  const char* at = text.c_str();
  for (;;) {
    float value = 0;
    const auto found = std::from_chars(at, text.c_str() + text.size(), value);
    if (found.ec != std::errc()) user_error("--uniform {}: write NAME=V or NAME=V,V,..., numbers like 0.5 and -3e2", uniform);
    out.push_back(value);
    at = found.ptr;
    if (*at == '\0') return out;
    if (*at++ != ',') user_error("--uniform {}: write NAME=V or NAME=V,V,..., numbers like 0.5 and -3e2", uniform);
  }
}

void parse_size(const std::string& text, int most_width, int most_height, shader::ShowOptions* out) {
  if (text.empty()) return;
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto x = std::from_chars(begin, end, out->width);
  const bool parted = x.ec == std::errc() && x.ptr != end && *x.ptr == 'x';
  const auto y = parted ? std::from_chars(x.ptr + 1, end, out->height) : x;
  if (!parted || y.ec != std::errc() || y.ptr != end || out->width < 1 || out->height < 1 || out->width > most_width || out->height > most_height)
    user_error("--size {}: write WIDTHxHEIGHT, from 1x1 to {}x{}", text, most_width, most_height);
}

void load_texture(const std::string& file, shader::ShowOptions* out) {
  if (file.empty()) return;
  const scene::Image image = scene::read_png(file);
  constexpr std::uint32_t kSide = shader::Gfx3d::kMaxTextureSide;
  if (image.width > kSide || image.height > kSide)
    user_error("{}: {}x{}, a texture of these shaders is at most {}x{}; scale the picture down", file, image.width, image.height, kSide, kSide);
  out->texture_width = static_cast<int>(image.width);
  out->texture_height = static_cast<int>(image.height);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4)
    out->texture.push_back(std::uint32_t{image.rgba[i + 3]} << 24 | std::uint32_t{image.rgba[i]} << 16 | std::uint32_t{image.rgba[i + 1]} << 8 | image.rgba[i + 2]);
}

shader::ShowOptions options_of(const ShaderPicture& picture, int most_width, int most_height) {
  shader::ShowOptions out;
  parse_size(picture.size, most_width, most_height, &out);
  if (picture.backend != "soft" && picture.backend != "interp") user_error("--backend {}: choose soft or interp", picture.backend);
  if (picture.threads < 1 || picture.threads > 64) user_error("--threads {}: from 1 to 64", picture.threads);
  if (!picture.mesh.empty() && !shader::is_show_mesh(picture.mesh)) user_error("--mesh {}: choose sphere, torus, cube or quad", picture.mesh);
  if (!picture.mesh.empty()) out.mesh = picture.mesh;
  out.orbit = out.mesh != "quad";
  out.device.executor = picture.backend == "soft" ? shader::Executor::kBatched : shader::Executor::kInterpreter;
  out.device.threads = picture.threads;
  if (picture.compat) out.device.features = shader::kCompat;
  for (const std::string& uniform : picture.uniforms) {
    const std::size_t equals = uniform.find('=');
    if (equals == std::string::npos || equals == 0) user_error("--uniform {}: write NAME=V or NAME=V,V,...", uniform);
    out.uniforms.push_back({uniform.substr(0, equals), numbers(uniform, uniform.substr(equals + 1))});
  }
  load_texture(picture.texture, &out);
  return out;
}

// Draws; a shader or program that is wrong has been reported when there is no picture.
std::optional<shader::ShowResult> draw(const std::string& vertex_file, const std::string& fragment_file, const shader::ShowOptions& options) {
  const std::optional<Shader> vertex = load(vertex_file), fragment = load(fragment_file);
  if (!vertex || !fragment) return std::nullopt;
  if (vertex->stage != shader::Stage::kVertex) user_error("{}: is a fragment shader; the vertex shader comes first", vertex_file);
  if (fragment->stage != shader::Stage::kFragment) user_error("{}: is a vertex shader; the fragment shader comes second", fragment_file);
  shader::Program program;
  if (!link(&program, *vertex, *fragment)) return std::nullopt;
  shader::ShowResult result = shader::show(*vertex, *fragment, options);
  if (result.ok) return result;
  std::string names;
  for (const shader::Uniform& uniform : program.uniforms())
    names += fmt::format("{} {} {}", names.empty() ? "; it has" : ",", shader::type_name(uniform.type), uniform.name);
  user_error("{} and {}: {}{}", vertex_file, fragment_file, result.error, result.error.rfind("uniform", 0) == 0 ? names : "");
}

void write(const std::string& output, const shader::ShowResult& picture, bool quiet, const std::string& what) {
  scene::write_png(output, scene::from_frame(picture.words.data(), static_cast<std::uint32_t>(picture.width), static_cast<std::uint32_t>(picture.height), false));
  if (!quiet)
    fmt::print("{}: {}, {}x{}, {} triangles, {} fragments\n", output, what, picture.width, picture.height, picture.stats.triangles, picture.stats.fragments);
}

}  // namespace

int shader_check(const std::vector<std::string>& files, bool quiet) {
  bool good = true;
  std::vector<Shader> shaders;
  for (const std::string& file : files) {
    std::optional<Shader> shader = load(file);
    good &= shader.has_value();
    if (!shader) continue;
    if (!quiet) describe(file, *shader);
    shaders.push_back(std::move(*shader));
  }
  if (!good) return 2;
  if (shaders.size() != 2 || shaders[0].stage == shaders[1].stage) return 0;
  const bool in_order = shaders[0].stage == shader::Stage::kVertex;
  shader::Program program;
  if (!link(&program, shaders[in_order ? 0 : 1], shaders[in_order ? 1 : 0])) return 2;
  if (!quiet) fmt::print("{} and {}: linked\n", files[0], files[1]);
  return 0;
}

int shader_dump(const std::string& file, const std::string& form, const std::string& output) {
  if (form != "text" && form != "csi1" && form != "csi2") user_error("--form {}: choose text, csi1 or csi2", form);
  const std::optional<Shader> found = load(file);
  if (!found) return 2;
  if (form == "csi1")
    for (const shader::InterfaceEntry& entry : found->interface)
      if (entry.slot > 0 && (entry.kind == shader::InterfaceKind::kAttribute || entry.kind == shader::InterfaceKind::kSampler))
        user_error("{}: CSI v1 keeps no interface, so {} in slot {} could not be read again; use --form csi2", file, entry.name, entry.slot);
  std::vector<std::uint8_t> bytes;
  if (form == "text") {
    const std::string text = shader::write_text(*found);
    bytes.assign(text.begin(), text.end());
  } else {
    bytes = form == "csi1" ? shader::write_csi_v1(*found) : shader::write_csi_v2(*found);
  }
  if (output.empty()) std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  else scene::write_file(output, bytes.data(), bytes.size());
  return 0;
}

PairFiles pair_files(const std::vector<std::string>& files) {
  if (files.size() > 2) user_error("{}: too many shaders; one pair, vertex first", files[2]);
  if (files.size() == 2) return {files[0], files[1]};
  const std::filesystem::path path = files[0];
  if (path.extension() != ".vert" && path.extension() != ".frag") user_error("{}: name both shaders of the pair, vertex first", files[0]);
  return {std::filesystem::path(path).replace_extension(".vert").string(), std::filesystem::path(path).replace_extension(".frag").string()};
}

int shader_run(const std::vector<std::string>& files, const ShaderPicture& picture) {
  const auto [vertex, fragment] = pair_files(files);
  shader::ShowOptions options = options_of(picture, shader::Gfx3d::kMaxWidth, shader::Gfx3d::kMaxHeight);
  const bool package = std::filesystem::path(picture.output).extension() == ".gpkg";
  shader::device::PackageRecorder recorder;
  if (package) options.device.sink = &recorder;
  const auto result = draw(vertex, fragment, options);
  if (!result) return 2;
  if (package) {
    const std::vector<std::uint8_t> bytes = recorder.package();
    scene::write_file(picture.output, bytes.data(), bytes.size());
    if (!picture.quiet)
      fmt::print("{}: {} on a {} as a draw package of {} bytes, for `gyre render`\n", picture.output, fragment, options.mesh, bytes.size());
    return 0;
  }
  write(picture.output, *result, picture.quiet, fragment + " on a " + options.mesh);
  return 0;
}

int shader_sheet(const std::string& folder, const ShaderPicture& picture) {
  if (picture.columns < 0 || picture.columns > 16) user_error("--columns {}: from 1 to 16, or 0 for a square", picture.columns);
  shader::ShowOptions options = options_of(picture, 512, 512);
  const std::vector<std::string> pairs = shader::shader_pairs(folder);
  if (pairs.empty()) user_error("{}: no shader pair NAME.vert and NAME.frag here", folder);
  if (pairs.size() > 64) user_error("{}: {} shader pairs, a sheet holds 64", folder, pairs.size());
  static constexpr const char* kMeshes[] = {"sphere", "torus", "cube", "torus"};
  std::vector<shader::SheetEntry> entries;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (picture.mesh.empty()) options.mesh = kMeshes[i % 4];
    auto result = draw(pairs[i] + ".vert", pairs[i] + ".frag", options);
    if (result) entries.push_back({std::filesystem::path(pairs[i]).filename().string(), std::move(*result)});
  }
  if (entries.size() != pairs.size()) return 2;
  int columns = picture.columns;
  if (columns == 0)
    while (columns * columns < static_cast<int>(entries.size())) ++columns;
  write(picture.output, shader::contact_sheet(entries, columns), picture.quiet, fmt::format("{} shaders of {}", entries.size(), folder));
  return 0;
}

}  // namespace gyre::platform
