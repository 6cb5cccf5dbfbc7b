#include "package_view.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "error.h"

namespace gyre::scene {
namespace {

// The checks of one record, with a place for the message.
class Checker {
 public:
  Checker(std::string where, std::uint64_t file_bytes) : where_(std::move(where)), file_bytes_(file_bytes) {}

  const std::string& where() const { return where_; }

  void at_most(const char* field, std::uint64_t value, std::uint64_t limit) const {
    if (value > limit) user_error("{}: {} is {}, the largest is {}", where_, field, value, limit);
  }
  // A register with a front value in the low and a back value in the high half.
  void halves_at_most(const char* field, std::uint32_t value, std::uint32_t limit) const {
    at_most(field, value & 0xFFFF, limit);
    at_most(field, value >> 16, limit);
  }
  void finite(const char* field, float value) const {
    if (!std::isfinite(value)) user_error("{}: {} is not a finite number", where_, field);
  }
  // [offset, offset + bytes) lies in the file, past the header, on a 64-byte boundary.
  void range(const char* what, std::uint64_t offset, std::uint64_t bytes) const {
    if (offset % 64 != 0) user_error("{}: {} at offset {} is not 64-byte aligned", where_, what, offset);
    if (offset < sizeof(gyre_pkg_header) || bytes > file_bytes_ || offset > file_bytes_ - bytes)
      user_error("{}: {} at offset {} with {} bytes lies outside the file of {} bytes", where_, what, offset, bytes,
                 file_bytes_);
  }

 private:
  std::string where_;
  std::uint64_t file_bytes_;
};

void check_texture(const gyre_pkg_texture& texture, const Checker& check) {
  check.at_most("format", texture.format, GYRE_TEX_FORMATS - 1);
  check.halves_at_most("log2 of a side", texture.logdim, 15);
  const unsigned log_width = texture.logdim & 0xFFFF, log_height = texture.logdim >> 16;
  if (texture.levels < 1) user_error("{}: it has no levels", check.where());
  check.at_most("levels", texture.levels, std::max(log_width, log_height) + 1);
  check.range("data", texture.data_offset, texture.data_bytes);
  if ((texture.width | texture.height) != 0) {
    check.at_most("width", texture.width, 1024);
    check.at_most("height", texture.height, 1024);
    if (texture.width == 0 || texture.height == 0 || texture.logdim != 0 || texture.format != GYRE_TEX_FORMAT_A8R8G8B8 ||
        texture.data_bytes < std::uint64_t{4} * texture.width * texture.height)
      user_error("{}: not a rectangle of {} x {} words", check.where(), texture.width, texture.height);
  }
  const unsigned stride = texel_bytes(texture.format);
  for (unsigned l = 0; l < 16; ++l) {
    const std::uint32_t offset = texture.mip_offset[l];
    if (l >= texture.levels) {
      if (offset != texture.mip_offset[texture.levels - 1])
        user_error("{}: mip_offset[{}] does not repeat the last level", check.where(), l);
      continue;
    }
    const unsigned w = log_width > l ? log_width - l : 0, h = log_height > l ? log_height - l : 0;
    const std::uint64_t bytes = (std::uint64_t{1} << (w + h)) * stride;
    if (offset % stride != 0) user_error("{}: mip_offset[{}] is not a multiple of the texel", check.where(), l);
    if (bytes > texture.data_bytes || offset > texture.data_bytes - bytes)
      user_error("{}: level {} with {} bytes at {} lies outside the data of {} bytes", check.where(), l, bytes, offset,
                 texture.data_bytes);
  }
}

void check_scissor(const char* field, std::uint32_t packed, std::uint32_t size, const Checker& check) {
  check.at_most(field, packed >> 16, size);
  check.at_most(field, packed & 0xFFFF, packed >> 16);
}

void check_output_merger(const gyre_pkg_draw& draw, const Checker& check) {
  check.at_most("color_writemask", draw.color_writemask, 15);
  check.at_most("depth_func", draw.depth_func, 7);
  check.at_most("depth_writemask", draw.depth_writemask, 1);
  check.halves_at_most("stencil_func", draw.stencil_func, 7);
  check.halves_at_most("stencil_zpass", draw.stencil_zpass, 7);
  check.halves_at_most("stencil_zfail", draw.stencil_zfail, 7);
  check.halves_at_most("stencil_fail", draw.stencil_fail, 7);
  check.halves_at_most("stencil_ref", draw.stencil_ref, 255);
  check.halves_at_most("stencil_mask", draw.stencil_mask, 255);
  check.halves_at_most("stencil_writemask", draw.stencil_writemask, 255);
  check.halves_at_most("blend_mode", draw.blend_mode, GYRE_BLEND_LOGICOP);
  for (unsigned shift = 0; shift < 32; shift += 8)
    check.at_most("blend_func factor", draw.blend_func >> shift & 0xFF, GYRE_FACTOR_ALPHA_SAT);
  check.at_most("logic_op", draw.logic_op, 15);
  check.at_most("earlyz_safe", draw.earlyz_safe, 1);
  if (draw.earlyz_safe && !is_earlyz_safe(draw))
    user_error("{}: earlyz_safe is set although the depth or stencil state forbids it", check.where());
}

void check_texturing(const gyre_pkg_draw& draw, const std::vector<gyre_pkg_texture>& textures, const Checker& check) {
  const bool textured = draw.shader == GYRE_SHADER_TEXTURE || draw.shader == GYRE_SHADER_MODULATE;
  if (textured && draw.texture == GYRE_PKG_NONE) user_error("{}: its shader needs a texture", check.where());
  if (draw.texture != GYRE_PKG_NONE) {
    if (draw.texture >= textures.size())
      user_error("{}: texture {} does not exist, the file has {}", check.where(), draw.texture, textures.size());
    check.at_most("tex_levels", draw.tex_levels, textures[draw.texture].levels);
  }
  if (draw.texture != GYRE_PKG_NONE && textures[draw.texture].width != 0 && draw.shader != GYRE_SHADER_PROGRAM)
    user_error("{}: texture {} is a rectangle, which only programs read", check.where(), draw.texture);
  if (draw.tex_levels < 1) user_error("{}: tex_levels is 0, the smallest is 1", check.where());
  check.at_most("tex_levels", draw.tex_levels, 16);
  check.at_most("tex_filter", draw.tex_filter, 1);
  check.at_most("tex_filter_min", draw.tex_filter_min, 3);
  check.halves_at_most("tex_wrap", draw.tex_wrap, 3);
  check.at_most("lod_rule", draw.lod_rule, GYRE_LOD_FINE);
  check.finite("lod_value", draw.lod_value);
}

void check_program(const gyre_pkg_draw& draw, const gyre_pkg_header& header, const Checker& check) {
  if (header.shaders_bytes == 0) user_error("{}: it names a program, but the file has no shaders", check.where());
  check.at_most("program", draw.program, GYRE_PKG_MAX_PROGRAMS - 1);
  check.range("uniforms", draw.uniforms_offset, GYRE_PKG_UNIFORM_BYTES);
  check.at_most("num_varyings", draw.num_varyings, 8);
  unsigned together = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned lanes = draw.varying_comps[i];
    if (i < draw.num_varyings ? lanes < 1 || lanes > 4 : lanes != 0)
      user_error("{}: varying {} has {} components", check.where(), i, lanes);
    together += lanes;
  }
  check.at_most("components of all varyings", together, GYRE_LANES);
}

void check_draw(const gyre_pkg_draw& draw, const gyre_pkg_header& header, const std::vector<gyre_pkg_texture>& textures,
                const Checker& check) {
  if (draw.num_vertices == 0 || draw.num_vertices % 3 != 0)
    user_error("{}: {} vertices are not a triangle list (a multiple of 3, at least 3)", check.where(),
               draw.num_vertices);
  check.at_most("num_vertices", draw.num_vertices, std::uint64_t{3} * GYRE_MAX_PRIMS);
  const bool program = draw.shader == GYRE_SHADER_PROGRAM;
  check.range("vertices", draw.vertices_offset,
              std::uint64_t{draw.num_vertices} * (program ? GYRE_PKG_ATTRIBUTE_STRIDE : GYRE_PKG_VSTRIDE));
  check.at_most("shader", draw.shader, GYRE_SHADER_PROGRAM);
  if (program) check_program(draw, header, check);
  check.at_most("color_rule", draw.color_rule, GYRE_COLOR_ROUND);
  for (float value : {draw.vp_sx, draw.vp_tx, draw.vp_sy, draw.vp_ty, draw.vp_minz, draw.vp_maxz})
    check.finite("a viewport number", value);
  check.at_most("vp_halfz", draw.vp_halfz, 1);
  check.at_most("cull_mode", draw.cull_mode, GYRE_CULL_FRONT);
  check_scissor("scissor_x", draw.scissor_x, header.width, check);
  check_scissor("scissor_y", draw.scissor_y, header.height, check);
  check_output_merger(draw, check);
  check_texturing(draw, textures, check);
  for (float value : draw.flat_color) check.finite("flat_color", value);
}

}  // namespace

PackageView::PackageView(const std::uint8_t* data, std::size_t bytes, const std::string& name) : data_(data) {
  if (bytes < sizeof header_) user_error("{}: {} bytes are too few for a draw package", name, bytes);
  std::memcpy(&header_, data, sizeof header_);
  if (header_.magic != GYRE_PKG_MAGIC) user_error("{}: not a draw package (no GPKG at its start)", name);
  if (header_.version != GYRE_PKG_VERSION)
    user_error("{}: package version {}, this program reads version {}; write it again", name, header_.version,
               GYRE_PKG_VERSION);
  if (header_.file_bytes != bytes)
    user_error("{}: the header says {} bytes, the file has {}; it is cut short or damaged", name, header_.file_bytes,
               bytes);
  check_target_size(name.c_str(), header_.width, header_.height);
  const Checker check(name, bytes);
  check.at_most("flags", header_.flags, GYRE_PKG_BOTTOM_UP);
  check.at_most("num_textures", header_.num_textures, GYRE_PKG_MAX_TEXTURES);
  check.at_most("num_draws", header_.num_draws, GYRE_PKG_MAX_DRAWS);
  if (header_.shaders_bytes != 0) check.range("the shaders", header_.shaders_offset, header_.shaders_bytes);
  if (header_.num_textures != 0) {
    const std::uint64_t size = std::uint64_t{header_.num_textures} * sizeof(gyre_pkg_texture);
    check.range("the texture table", header_.textures_offset, size);
    textures_.resize(header_.num_textures);
    std::memcpy(textures_.data(), data + header_.textures_offset, size);
  }
  if (header_.num_draws != 0) {
    const std::uint64_t size = std::uint64_t{header_.num_draws} * sizeof(gyre_pkg_draw);
    check.range("the draw table", header_.draws_offset, size);
    draws_.resize(header_.num_draws);
    std::memcpy(draws_.data(), data + header_.draws_offset, size);
  }
  for (std::size_t i = 0; i < textures_.size(); ++i)
    check_texture(textures_[i], Checker(fmt::format("{}: texture {}", name, i), bytes));
  for (std::size_t i = 0; i < draws_.size(); ++i)
    check_draw(draws_[i], header_, textures_, Checker(fmt::format("{}: draw {}", name, i), bytes));
}

}  // namespace gyre::scene
