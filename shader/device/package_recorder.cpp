#include "package_recorder.h"

#include "device_map.h"
#include "error.h"
#include "image.h"
#include "package_builder.h"
#include "vxbin_writer.h"

namespace gyre::shader::device {
namespace {

bool is_power_of_two(int side) { return scene::is_power_of_two(static_cast<std::uint32_t>(side)); }

// All levels down to 1 x 1.
std::uint32_t add_mip_mapped(scene::PackageBuilder* package, int width, int height,
                             const std::vector<std::uint32_t>& words, std::uint32_t* levels) {
  scene::Image level =
      scene::from_frame(words.data(), static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), false);
  std::vector<std::vector<std::uint8_t>> chain = {scene::to_argb_bytes(level)};
  const unsigned log_width = scene::log2_of(level.width), log_height = scene::log2_of(level.height);
  while (level.width > 1 || level.height > 1) {
    level = scene::halve(level);
    chain.push_back(scene::to_argb_bytes(level));
  }
  *levels = static_cast<std::uint32_t>(chain.size());
  return package->add_texture(GYRE_TEX_FORMAT_A8R8G8B8, log_width, log_height, chain);
}

// Gfx3D's viewport and rules in registers (frontend.md §5, §6; om.md §6). Front faces are counter-clockwise in NDC
// there, det < 0 here.
gyre_pkg_draw draw_state(int width, int height, const RasterRules& rules) {
  gyre_pkg_draw out = scene::plain_draw(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
  const float* const v = rules.viewport;
  out.vp_sx = v[2] / 2;
  out.vp_tx = v[0] + v[2] / 2;
  out.vp_sy = -v[3] / 2;
  out.vp_ty = v[1] + v[3] / 2;
  out.scissor_x =
      scene::pack16(static_cast<std::uint32_t>(rules.bounds.x1 + 1), static_cast<std::uint32_t>(rules.bounds.x0));
  out.scissor_y =
      scene::pack16(static_cast<std::uint32_t>(rules.bounds.y1 + 1), static_cast<std::uint32_t>(rules.bounds.y0));
  out.cull_mode = rules.cull ? GYRE_CULL_FRONT : GYRE_CULL_NONE;
  out.depth_func = rules.depth_test ? GYRE_CMP_LESS : GYRE_CMP_ALWAYS;
  out.depth_writemask = rules.depth_write ? 1 : 0;
  return out;
}

}  // namespace

void PackageRecorder::clear(int width, int height, std::uint32_t color) {
  width_ = width;
  height_ = height;
  clear_ = color;
  draws_.clear();
}

std::string PackageRecorder::find_pair(const SinkDraw& draw, std::size_t* index) {
  const Program& program = *draw.program;
  for (*index = 0; *index < pairs_.size(); ++*index) {
    const Pair& pair = pairs_[*index];
    if (pair.vertex == program.vertex() && pair.fragment == program.fragment() && pair.math == draw.math) return {};
  }
  if (pairs_.size() >= GYRE_PKG_MAX_PROGRAMS)
    return "more than " + std::to_string(GYRE_PKG_MAX_PROGRAMS) + " programs in a frame";
  Pair pair{program.vertex(), program.fragment(), draw.math, {}, {}, {}};
  std::string error;
  if (!gpu::plan_varyings(program, &pair.plan, &error)) return error;
  const std::string number = std::to_string(pairs_.size());
  const bool precise = draw.math == Math::kPrecise;
  pair.vertex_kernel = gpu::vertex_kernel("gyre_vs_" + number, program, pair.plan, precise);
  pair.fragment_kernel = gpu::fragment_kernel("gyre_fs_" + number, program, pair.plan, precise, options_.sampling);
  pairs_.push_back(std::move(pair));
  return {};
}

std::string PackageRecorder::find_texture(const TextureView* view, int* index) {
  *index = -1;
  if (view == nullptr) return {};
  if (options_.sampling == gpu::Sampling::kTexUnit && !(is_power_of_two(view->width) && is_power_of_two(view->height)))
    return "the texture has " + std::to_string(view->width) + " x " + std::to_string(view->height) +
           " texels; the TEX unit takes sides that are powers of two";
  Texture texture{view->width, view->height, {view->texels, view->texels + std::ptrdiff_t{view->width} * view->height}};
  for (*index = 0; *index < static_cast<int>(textures_.size()); ++*index) {
    const Texture& known = textures_[static_cast<std::size_t>(*index)];
    if (known.width == texture.width && known.height == texture.height && known.words == texture.words) return {};
  }
  textures_.push_back(std::move(texture));
  return {};
}

std::string PackageRecorder::draw(int width, int height, const SinkDraw& draw) {
  const RasterRules& rules = draw.rules;
  if (!rules.clip || !rules.window_depth || !rules.top_left || !rules.clamp_color)
    return "the GPU draws as STRICT does";
  if (width_ == 0) clear(width, height, 0);  // a new target is 0, at depth 1
  if (width != width_ || height != height_) return "a frame has one target";
  if (rules.bounds.empty() || draw.attributes.empty()) return {};
  Draw out;
  out.rules = rules;
  std::string error = find_pair(draw, &out.pair);
  if (error.empty()) error = find_texture(draw.texture, &out.texture);
  if (!error.empty()) return error;
  out.attributes = draw.attributes;
  for (const Stage stage : {Stage::kVertex, Stage::kFragment}) {
    const float* const words = draw.program->words(stage);
    out.uniforms.insert(out.uniforms.end(), words, words + 4 * kMaxUniformSlots);
  }
  draws_.push_back(std::move(out));
  return {};
}

gpu::Image PackageRecorder::image() const {
  std::vector<gpu::Function> kernels;
  for (const Pair& pair : pairs_) {
    kernels.push_back(pair.vertex_kernel);
    kernels.push_back(pair.fragment_kernel);
  }
  try {
    return gpu::link_image(GYRE_DEV_SHADER_BASE, kernels);
  } catch (const std::runtime_error& error) {
    user_error("{}", error.what());
  }
}

std::vector<std::uint8_t> PackageRecorder::package() const {
  if (width_ == 0) user_error("scene: nothing is drawn");
  scene::PackageBuilder package(static_cast<std::uint32_t>(width_), static_cast<std::uint32_t>(height_));
  package.set_clear(clear_, 0xFFFFFF, 0);
  std::vector<std::uint32_t> index, levels(textures_.size(), 1);
  for (std::size_t t = 0; t < textures_.size(); ++t) {
    const Texture& texture = textures_[t];
    index.push_back(options_.sampling == gpu::Sampling::kTexUnit
                        ? add_mip_mapped(&package, texture.width, texture.height, texture.words, &levels[t])
                        : package.add_rectangle(static_cast<unsigned>(texture.width),
                                                static_cast<unsigned>(texture.height), texture.words));
  }
  if (!draws_.empty()) package.set_shaders(gpu::write_vxbin(image()));
  for (const Draw& draw : draws_) {
    gyre_pkg_draw out = draw_state(width_, height_, draw.rules);
    const Pair& pair = pairs_[draw.pair];
    out.program = static_cast<std::uint32_t>(draw.pair);
    out.num_varyings = static_cast<std::uint32_t>(pair.plan.varyings.size());
    for (std::size_t v = 0; v < pair.plan.varyings.size(); ++v)
      out.varying_comps[v] = static_cast<std::uint8_t>(pair.plan.varyings[v].lanes);
    if (draw.texture >= 0) {
      out.texture = index[static_cast<std::size_t>(draw.texture)];
      out.tex_levels = levels[static_cast<std::size_t>(draw.texture)];
      out.tex_filter = options_.bilinear ? GYRE_TEX_FILTER_BILINEAR : 0;
      out.tex_filter_min = out.tex_filter | (options_.mip_linear ? GYRE_TEX_FILTER_MIP_LINEAR : 0);
      out.tex_wrap = scene::pack16(options_.wrap, options_.wrap);
    }
    package.add_program_draw(out, draw.attributes, draw.uniforms);
  }
  return package.build();
}

}  // namespace gyre::shader::device
