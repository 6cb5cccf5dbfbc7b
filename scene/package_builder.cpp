#include "package_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "error.h"

namespace gyre::scene {
namespace {

constexpr std::uint64_t kBlobAlign = 64;
constexpr std::size_t kLevels = 16;  // entries of gyre_pkg_texture.mip_offset

std::uint64_t align_up(std::uint64_t value) { return (value + kBlobAlign - 1) & ~(kBlobAlign - 1); }

unsigned bits_for(std::uint32_t size) {
  unsigned bits = 0;
  while ((1u << bits) < size) ++bits;
  return bits;
}

}  // namespace

unsigned texel_bytes(std::uint32_t format) {
  switch (format) {
    case GYRE_TEX_FORMAT_A8R8G8B8:
      return 4;
    case GYRE_TEX_FORMAT_L8:
    case GYRE_TEX_FORMAT_A8:
      return 1;
    default:
      return 2;
  }
}

void check_target_size(const char* where, std::uint32_t width, std::uint32_t height) {
  if (width < 1 || height < 1 || width > GYRE_PKG_MAX_DIM || height > GYRE_PKG_MAX_DIM)
    user_error("{}: target size {}x{} is not in 1..{} pixels", where, width, height, GYRE_PKG_MAX_DIM);
  if (bits_for(width) + bits_for(height) > 24)
    user_error(
        "{}: target size {}x{} does not fit the export aperture; use at most 4096x4096 pixels (sides "
        "rounded up to powers of two)",
        where, width, height);
}

gyre_pkg_draw plain_draw(std::uint32_t width, std::uint32_t height) {
  gyre_pkg_draw draw{};
  draw.shader = GYRE_SHADER_COLOR;
  draw.color_rule = GYRE_COLOR_TRUNCATE;
  draw.vp_sx = draw.vp_tx = static_cast<float>(width) / 2;
  draw.vp_sy = draw.vp_ty = static_cast<float>(height) / 2;
  draw.vp_maxz = 1.0f;
  draw.cull_mode = GYRE_CULL_NONE;
  draw.scissor_x = pack16(width, 0);
  draw.scissor_y = pack16(height, 0);
  draw.color_writemask = 0xF;
  draw.depth_func = GYRE_CMP_ALWAYS;
  draw.stencil_func = pack16(GYRE_CMP_ALWAYS, GYRE_CMP_ALWAYS);
  draw.stencil_mask = draw.stencil_writemask = pack16(0xFF, 0xFF);
  draw.blend_mode = pack16(GYRE_BLEND_ADD, GYRE_BLEND_ADD);
  draw.blend_func = pack_blend_func(GYRE_FACTOR_ONE, GYRE_FACTOR_ZERO, GYRE_FACTOR_ONE, GYRE_FACTOR_ZERO);
  draw.logic_op = GYRE_LOGIC_COPY;
  draw.texture = GYRE_PKG_NONE;
  draw.tex_wrap = pack16(GYRE_TEX_WRAP_REPEAT, GYRE_TEX_WRAP_REPEAT);
  draw.tex_levels = 1;
  draw.lod_rule = GYRE_LOD_FIXED;
  std::fill(std::begin(draw.flat_color), std::end(draw.flat_color), 1.0f);
  return draw;
}

bool is_earlyz_safe(const gyre_pkg_draw& draw) {
  const bool one_way = draw.depth_func == GYRE_CMP_LESS || draw.depth_func == GYRE_CMP_LEQUAL ||
                       draw.depth_func == GYRE_CMP_GREATER || draw.depth_func == GYRE_CMP_GEQUAL;
  // Early rejection must not skip a stencil update.
  const bool stencil = draw.stencil_func != pack16(GYRE_CMP_ALWAYS, GYRE_CMP_ALWAYS) || draw.stencil_zpass != 0 ||
                       draw.stencil_zfail != 0;
  return one_way && !stencil;
}

std::uint32_t pack_color(const float rgba[4]) {
  const auto channel = [](float c) {
    if (!(c > 0.0f)) return 0u;  // NaN too
    return static_cast<std::uint32_t>(std::nearbyint(std::min(c, 1.0f) * 255.0f));
  };
  return channel(rgba[3]) << 24 | channel(rgba[0]) << 16 | channel(rgba[1]) << 8 | channel(rgba[2]);
}

PackageBuilder::PackageBuilder(std::uint32_t width, std::uint32_t height) {
  check_target_size("scene", width, height);
  header_.magic = GYRE_PKG_MAGIC;
  header_.version = GYRE_PKG_VERSION;
  header_.width = width;
  header_.height = height;
  set_clear(0xFF000000u, 0xFFFFFFu, 0xFFu);
}

void PackageBuilder::set_clear(std::uint32_t color, std::uint32_t depth, std::uint32_t stencil) {
  header_.clear_color = color;
  header_.clear_depth = stencil << 24 | (depth & 0xFFFFFFu);
}

std::uint64_t PackageBuilder::add_blob(const void* data, std::size_t bytes) {
  const std::uint64_t offset = align_up(blobs_.size());
  if (offset + bytes > std::numeric_limits<std::uint32_t>::max())
    user_error("scene: the package would pass 4 GiB; reduce its triangles or textures");
  blobs_.resize(offset + bytes);
  if (bytes != 0) std::memcpy(blobs_.data() + offset, data, bytes);
  return offset;
}

std::uint32_t PackageBuilder::add_texture(std::uint32_t format, unsigned log_width, unsigned log_height,
                                          const std::vector<std::vector<std::uint8_t>>& levels) {
  if (textures_.size() >= GYRE_PKG_MAX_TEXTURES) user_error("scene: more than {} textures", GYRE_PKG_MAX_TEXTURES);
  gyre_pkg_texture texture{};
  texture.format = format;
  texture.logdim = pack16(log_height, log_width);
  texture.levels = static_cast<std::uint32_t>(levels.size());
  std::vector<std::uint8_t> data;
  for (std::size_t l = 0; l < kLevels; ++l) {
    if (l < levels.size()) {
      // Every level starts on a memory block, so that no texel crosses a word.
      data.resize(align_up(data.size()));
      texture.mip_offset[l] = static_cast<std::uint32_t>(data.size());
      data.insert(data.end(), levels[l].begin(), levels[l].end());
    } else {
      texture.mip_offset[l] = texture.mip_offset[levels.size() - 1];
    }
  }
  texture.data_bytes = static_cast<std::uint32_t>(data.size());
  texture.data_offset = static_cast<std::uint32_t>(add_blob(data.data(), data.size()));
  textures_.push_back(texture);
  return static_cast<std::uint32_t>(textures_.size() - 1);
}

std::uint32_t PackageBuilder::add_rectangle(unsigned width, unsigned height, const std::vector<std::uint32_t>& words) {
  if (textures_.size() >= GYRE_PKG_MAX_TEXTURES) user_error("scene: more than {} textures", GYRE_PKG_MAX_TEXTURES);
  gyre_pkg_texture texture{};
  texture.format = GYRE_TEX_FORMAT_A8R8G8B8;
  texture.levels = 1;
  texture.width = width;
  texture.height = height;
  texture.data_bytes = static_cast<std::uint32_t>(words.size() * 4);
  texture.data_offset = static_cast<std::uint32_t>(add_blob(words.data(), words.size() * 4));
  textures_.push_back(texture);
  return static_cast<std::uint32_t>(textures_.size() - 1);
}

void PackageBuilder::set_shaders(const std::vector<std::uint8_t>& image) {
  header_.shaders_bytes = static_cast<std::uint32_t>(image.size());
  header_.shaders_offset = static_cast<std::uint32_t>(add_blob(image.data(), image.size()));
}

void PackageBuilder::add_pieces(gyre_pkg_draw draw, const void* vertices, std::size_t count, std::size_t stride) {
  for (std::size_t first = 0; first < count; first += std::size_t{3} * kMaxTriangles) {
    if (draws_.size() >= GYRE_PKG_MAX_DRAWS) user_error("scene: more than {} draws", GYRE_PKG_MAX_DRAWS);
    const std::size_t piece = std::min(count - first, std::size_t{3} * kMaxTriangles);
    draw.num_vertices = static_cast<std::uint32_t>(piece);
    draw.vertices_offset =
        static_cast<std::uint32_t>(add_blob(static_cast<const std::uint8_t*>(vertices) + first * stride, piece * stride));
    draws_.push_back(draw);
  }
}

void PackageBuilder::add_draw(gyre_pkg_draw draw, const std::vector<PackageVertex>& triangles) {
  draw.earlyz_safe = is_earlyz_safe(draw) ? 1 : 0;
  add_pieces(draw, triangles.data(), triangles.size(), sizeof(PackageVertex));
}

void PackageBuilder::add_program_draw(gyre_pkg_draw draw, const std::vector<float>& attributes, const std::vector<float>& uniforms) {
  draw.shader = GYRE_SHADER_PROGRAM;
  draw.earlyz_safe = is_earlyz_safe(draw) ? 1 : 0;
  draw.uniforms_offset = static_cast<std::uint32_t>(add_blob(uniforms.data(), GYRE_PKG_UNIFORM_BYTES));
  add_pieces(draw, attributes.data(), attributes.size() * sizeof(float) / GYRE_PKG_ATTRIBUTE_STRIDE, GYRE_PKG_ATTRIBUTE_STRIDE);
}

std::vector<std::uint8_t> PackageBuilder::build() const {
  gyre_pkg_header header = header_;
  header.num_textures = static_cast<std::uint32_t>(textures_.size());
  header.num_draws = static_cast<std::uint32_t>(draws_.size());
  header.textures_offset = sizeof(gyre_pkg_header);
  header.draws_offset =
      header.textures_offset + header.num_textures * static_cast<std::uint32_t>(sizeof(gyre_pkg_texture));
  const std::uint64_t base = header.draws_offset + header.num_draws * sizeof(gyre_pkg_draw);
  header.file_bytes = base + blobs_.size();
  if (header.file_bytes > std::numeric_limits<std::uint32_t>::max())
    user_error("scene: the package would pass 4 GiB; reduce its triangles or textures");

  if (header.shaders_bytes != 0) header.shaders_offset += static_cast<std::uint32_t>(base);

  std::vector<std::uint8_t> file(header.file_bytes);
  std::memcpy(file.data(), &header, sizeof header);
  std::uint8_t* out = file.data() + header.textures_offset;
  for (gyre_pkg_texture texture : textures_) {
    texture.data_offset += static_cast<std::uint32_t>(base);
    std::memcpy(out, &texture, sizeof texture);
    out += sizeof texture;
  }
  for (gyre_pkg_draw draw : draws_) {
    draw.vertices_offset += static_cast<std::uint32_t>(base);
    if (draw.shader == GYRE_SHADER_PROGRAM) draw.uniforms_offset += static_cast<std::uint32_t>(base);
    std::memcpy(out, &draw, sizeof draw);
    out += sizeof draw;
  }
  if (!blobs_.empty()) std::memcpy(out, blobs_.data(), blobs_.size());
  return file;
}

}  // namespace gyre::scene
