// Writes a draw package (abi/package.h): what every scene reader ends in.
#pragma once

#include <cstdint>
#include <vector>

#include "package.h"

namespace gyre::scene {

// The VS record of a package: GYRE_PKG_VSTRIDE bytes, clip-space position.
struct PackageVertex {
  float position[4];
  float texcoord[4];  // u, v, 0, 0
  float color[4];     // r, g, b, a
};
static_assert(sizeof(PackageVertex) == GYRE_PKG_VSTRIDE, "a vertex is one VS record");

// A draw that changes nothing but the colour: full viewport and scissor, OpenGL depth convention, no tests, no
// blending, vertex colour, colour rule TRUNCATE.
gyre_pkg_draw plain_draw(std::uint32_t width, std::uint32_t height);

// True when RASTER may reject fragments early: a one-way depth test that is on, and no stencil.
bool is_earlyz_safe(const gyre_pkg_draw& draw);

// {back[31:16], front[15:0]} of the stencil registers, {y, x} of the scissor, and so on.
constexpr std::uint32_t pack16(std::uint32_t high, std::uint32_t low) { return high << 16 | (low & 0xFFFFu); }

// OM_BLEND_FUNC: bytes {dst_a, dst_rgb, src_a, src_rgb} from high to low.
constexpr std::uint32_t pack_blend_func(std::uint32_t src_rgb, std::uint32_t dst_rgb, std::uint32_t src_a,
                                        std::uint32_t dst_a) {
  return dst_a << 24 | dst_rgb << 16 | src_a << 8 | src_rgb;
}

// A8R8G8B8 from r, g, b, a: clamped to [0, 1], nearest 1/255.
std::uint32_t pack_color(const float rgba[4]);

class PackageBuilder {
 public:
  // The most triangles one draw record holds: near clipping may double them, and a stamp has 16 pid bits.
  static constexpr std::uint32_t kMaxTriangles = GYRE_MAX_PRIMS / 2;

  // Target size in pixels. UserError when the machine cannot draw it (see check_target_size).
  PackageBuilder(std::uint32_t width, std::uint32_t height);

  std::uint32_t width() const { return header_.width; }
  std::uint32_t height() const { return header_.height; }

  // A8R8G8B8; depth 24 bits.
  void set_clear(std::uint32_t color, std::uint32_t depth, std::uint32_t stencil);
  void set_flags(std::uint32_t flags) { header_.flags = flags; }

  // Levels from the largest down, each exactly its size in `format` (GYRE_TEX_FORMAT_*). Returns the index.
  std::uint32_t add_texture(std::uint32_t format, unsigned log_width, unsigned log_height,
                            const std::vector<std::vector<std::uint8_t>>& levels);

  // A rectangle of words 0xAARRGGBB for program draws that sample in software; sides 1..1024.
  std::uint32_t add_rectangle(unsigned width, unsigned height, const std::vector<std::uint32_t>& words);

  // The device image (abi/vxbin.h) with the kernels of program draws.
  void set_shaders(const std::vector<std::uint8_t>& image);

  // A draw with shaders of the image: 32 floats of attributes a vertex, a multiple of three vertices; 256 floats of
  // uniforms, vertex stage first. `draw` names program and varyings. Fills in the rest as add_draw() does.
  void add_program_draw(gyre_pkg_draw draw, const std::vector<float>& attributes, const std::vector<float>& uniforms);

  // `triangles`: a triangle list, a multiple of three. Fills in the vertex fields and earlyz_safe; a list above
  // kMaxTriangles becomes several draws, an empty one none.
  void add_draw(gyre_pkg_draw draw, const std::vector<PackageVertex>& triangles);

  // The file. UserError when it would pass 4 GiB or the record limits.
  std::vector<std::uint8_t> build() const;

 private:
  gyre_pkg_header header_{};
  std::vector<gyre_pkg_texture> textures_;
  std::vector<gyre_pkg_draw> draws_;
  std::vector<std::uint8_t> blobs_;  // offsets in the records are relative to this until build()

  std::uint64_t add_blob(const void* data, std::size_t bytes);
  // Cuts a list of vertices of `stride` bytes into draws.
  void add_pieces(gyre_pkg_draw draw, const void* vertices, std::size_t count, std::size_t stride);
};

// Bytes of one texel of GYRE_TEX_FORMAT_*.
unsigned texel_bytes(std::uint32_t format);

// UserError, starting with `where`, unless 1 <= size <= GYRE_PKG_MAX_DIM and the pixels fit the export aperture
// (om.md §3.2 with one attachment and colour-depth pairs: 24 address bits).
void check_target_size(const char* where, std::uint32_t width, std::uint32_t height);

}  // namespace gyre::scene
