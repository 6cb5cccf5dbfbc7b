#include "gfx3d_render.h"

#include <chrono>
#include <filesystem>

#include "error.h"
#include "files.h"
#include "gfx3d_scene.h"
#include "image.h"
#include "package_recorder.h"
#include "png_image.h"

namespace gyre::platform {

bool is_gfx3d_scene(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  return end == ".yaml" || end == ".yml";
}

namespace {

// Nothing after a shader's mistakes were printed.
std::optional<shader::Gfx3dScene> read(const Gfx3dRender& options) {
  if (options.width > shader::Gfx3d::kMaxWidth || options.height > shader::Gfx3d::kMaxHeight)
    user_error("--size {}x{}: a scene with shaders of its own is at most {}x{}", options.width, options.height, +shader::Gfx3d::kMaxWidth,
               +shader::Gfx3d::kMaxHeight);
  shader::Gfx3dScene scene;
  try {
    scene = shader::read_gfx3d_scene(options.scene);
  } catch (const shader::ShaderMistake& mistake) {
    fmt::print(stderr, "{}", mistake.what());
    return std::nullopt;
  }
  if (options.width != 0) {
    scene.width = static_cast<int>(options.width);
    scene.height = static_cast<int>(options.height);
  }
  return scene;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> package_gfx3d(const Gfx3dRender& options, bool tex_unit) {
  const auto scene = read(options);
  if (!scene) return std::nullopt;
  shader::device::RecorderOptions how;
  how.sampling = tex_unit ? shader::gpu::Sampling::kTexUnit : shader::gpu::Sampling::kSoftware;
  how.mip_linear = true;
  shader::device::PackageRecorder recorder(how);
  try {
    shader::record_gfx3d_scene(*scene, &recorder);
    return recorder.package();
  } catch (const UserError& error) {
    user_error("{}: {}", options.scene, error.what());
  }
}

int render_gfx3d(const Gfx3dRender& options, RunReport* report) {
  if (options.backend != "soft" && options.backend != "interp")
    user_error("--backend {}: choose soft, interp or gpu", options.backend);
  const auto found = read(options);
  if (!found) return 2;
  const shader::Gfx3dScene& scene = *found;
  const auto begin = std::chrono::steady_clock::now();
  const shader::ScenePicture picture =
      shader::draw_gfx3d_scene(scene, options.backend == "soft" ? shader::Executor::kBatched : shader::Executor::kInterpreter, options.threads);
  report->scene = options.scene;
  report->backend = options.backend;
  report->frames = 1;
  report->fragments = picture.stats.fragments;
  report->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const scene::Image image =
      scene::from_frame(picture.color.data(), static_cast<std::uint32_t>(scene.width), static_cast<std::uint32_t>(scene.height), false);
  scene::write_png(options.output, image);
  if (!options.raw.empty()) {
    scene::write_file(options.raw + ".rgba", image.rgba.data(), image.rgba.size());
    scene::write_file(options.raw + ".depth", picture.depth.data(), picture.depth.size() * sizeof(float));
  }
  return 0;
}

}  // namespace gyre::platform
