#include "shader_build.h"

#include <filesystem>
#include <optional>

#include "device_map.h"
#include "elf_writer.h"
#include "entry.h"
#include "error.h"
#include "files.h"
#include "gpu_image.h"
#include "shader_file.h"
#include "shader_tool.h"
#include "stage_entry.h"
#include "vxbin_writer.h"

namespace gyre::platform {
namespace {

using shader::Shader;
namespace gpu = shader::gpu;

// Nothing after the mistakes were printed.
std::optional<Shader> load(const std::string& file, std::optional<shader::Stage> wanted) {
  shader::LoadedShader loaded = shader::load_shader(file);
  if (!loaded.shader) {
    fmt::print(stderr, "{}", loaded.log);
  } else if (wanted && loaded.shader->stage != *wanted) {
    user_error("{}: is a {} shader; name the vertex shader first, the fragment shader second", file,
               shader::stage_name(loaded.shader->stage));
  }
  return std::move(loaded.shader);
}

// Nothing after the mistakes were printed.
std::optional<std::vector<gpu::Function>> pair_kernels(const std::vector<std::string>& files,
                                                       const ShaderBuild& build) {
  const PairFiles pair = pair_files(files);
  const std::optional<Shader> vertex = load(pair.vertex, shader::Stage::kVertex),
                              fragment = load(pair.fragment, shader::Stage::kFragment);
  if (!vertex || !fragment) return std::nullopt;
  shader::Program program;
  if (!program.link(*vertex, *fragment)) {
    fmt::print(stderr, "{}", program.log());
    return std::nullopt;
  }
  gpu::VaryingPlan plan;
  std::string error;
  if (!gpu::plan_varyings(program, &plan, &error)) user_error("{}: {}", pair.fragment, error);
  const gpu::Sampling sampling = build.sampler == "tex" ? gpu::Sampling::kTexUnit : gpu::Sampling::kSoftware;
  return std::vector<gpu::Function>{gpu::vertex_kernel("gyre_vs_0", program, plan, !build.compat),
                                    gpu::fragment_kernel("gyre_fs_0", program, plan, !build.compat, sampling)};
}

std::optional<std::vector<gpu::Function>> batch_kernels(const std::vector<std::string>& files,
                                                        const ShaderBuild& build) {
  if (files.size() != 1) user_error("{}: --batch takes one shader", files[1]);
  if (build.sampler != "software") user_error("--sampler {}: a batch kernel samples in software", build.sampler);
  const std::optional<Shader> shader = load(files[0], std::nullopt);
  if (!shader) return std::nullopt;
  return std::vector<gpu::Function>{
      gpu::batch_kernel("shade", *shader, build.compat ? shader::Math::kCompat : shader::Math::kPrecise, {})};
}

gpu::Image linked(const std::vector<gpu::Function>& kernels, std::uint32_t base, const std::string& file) {
  try {
    return gpu::link_image(base, kernels);
  } catch (const std::runtime_error& error) {
    user_error("{}: {}", file, error.what());
  }
}

}  // namespace

int shader_build(const std::vector<std::string>& files, const ShaderBuild& build) {
  const std::string form = std::filesystem::path(build.output).extension().string();
  if (form != ".elf" && form != ".vxbin") user_error("{}: end the name with .elf or .vxbin", build.output);
  if (build.sampler != "software" && build.sampler != "tex")
    user_error("--sampler {}: choose software or tex", build.sampler);
  const auto kernels = build.batch ? batch_kernels(files, build) : pair_kernels(files, build);
  if (!kernels) return 2;
  const gpu::Image image = linked(*kernels, build.batch ? GYRE_DEV_IMAGE_BASE : GYRE_DEV_SHADER_BASE, files.back());
  const std::vector<std::uint8_t> bytes = form == ".elf" ? gpu::write_elf(image) : gpu::write_vxbin(image);
  scene::write_file(build.output, bytes.data(), bytes.size());
  if (build.quiet) return 0;
  fmt::print("{}: {} bytes of code and tables at {:#x}\n", build.output, image.end - image.base, image.base);
  for (const gpu::FunctionFacts& f : image.facts)
    fmt::print("  {:16} {:5} instructions, {} branches, {} spilled values, {} bytes of stack\n", f.name, f.instructions,
               f.branches, f.spilled, f.stack_bytes);
  return 0;
}

}  // namespace gyre::platform
