/* Draw package: what the scene readers write and the draw player firmware plays.
 * One little-endian file: header, texture records, draw records, data blobs. All offsets are bytes
 * from the start of the file, 64-byte aligned for blobs. Versioned: a reader refuses another version.
 * Register-shaped fields hold the DCR encoding (dcr.h) so that the player only copies them. */
#ifndef GYRE_ABI_PACKAGE_H
#define GYRE_ABI_PACKAGE_H

#include "gfx.h"

#define GYRE_PKG_MAGIC 0x474B5047u /* "GPKG" */
#define GYRE_PKG_VERSION 1u
#define GYRE_PKG_MAX_DIM 8192u
#define GYRE_PKG_MAX_DRAWS 65536u
#define GYRE_PKG_MAX_TEXTURES 4096u
#define GYRE_PKG_NONE 0xFFFFFFFFu

/* header flags */
#define GYRE_PKG_BOTTOM_UP 1u /* frame buffer row 0 is the bottom of the picture (traces) */

typedef struct gyre_pkg_header { /* 64 bytes */
  uint32_t magic, version;
  uint64_t file_bytes;
  uint32_t width, height; /* pixels, 1..GYRE_PKG_MAX_DIM */
  uint32_t clear_color;   /* A8R8G8B8 */
  uint32_t clear_depth;   /* {stencil[31:24], depth[23:0]} */
  uint32_t num_textures, textures_offset;
  uint32_t num_draws, draws_offset;
  uint32_t flags;
  uint32_t shaders_offset, shaders_bytes; /* device image (vxbin.h) of GYRE_SHADER_PROGRAM draws; bytes 0: none */
  uint32_t pad_;
} gyre_pkg_header;
GYRE_STATIC_ASSERT(sizeof(gyre_pkg_header) == 64, "package header is 64 bytes");

typedef struct gyre_pkg_texture { /* 128 bytes */
  uint32_t format;                /* GYRE_TEX_FORMAT_* */
  uint32_t logdim;                /* {log2 height[31:16], log2 width[15:0]} */
  uint32_t levels;                /* 1..16 levels present in the data */
  uint32_t data_bytes;
  uint32_t data_offset;
  uint32_t width, height; /* not 0: a rectangle of 1..1024 texels a side that only GYRE_SHADER_PROGRAM reads, without the
                             TEX unit: format A8R8G8B8, logdim 0, one level, rows without gaps */
  uint32_t pad_[9];
  uint32_t mip_offset[16]; /* bytes from data_offset; entries past the last level repeat it */
} gyre_pkg_texture;
GYRE_STATIC_ASSERT(sizeof(gyre_pkg_texture) == 128, "texture record is 128 bytes");

/* fragment shaders (gyre_pkg_draw.shader) */
#define GYRE_SHADER_COLOR 0    /* interpolated vertex colour */
#define GYRE_SHADER_FLAT 1     /* gyre_pkg_draw.flat_color */
#define GYRE_SHADER_TEXTURE 2  /* texel */
#define GYRE_SHADER_MODULATE 3 /* texel * vertex colour */
#define GYRE_SHADERS 4
#define GYRE_SHADER_PROGRAM 4 /* kernels gyre_vs_<program> and gyre_fs_<program> of the package's shaders */

/* colour arithmetic (gyre_pkg_draw.color_rule) */
#define GYRE_COLOR_TRUNCATE 0 /* traces: (c * 255) >> 24, no clamp (cgltrace.md §4) */
#define GYRE_COLOR_ROUND 1    /* draw lists: clamp to [0,1], nearest 1/255 */

/* level of detail (gyre_pkg_draw.lod_rule) */
#define GYRE_LOD_FIXED 0 /* lambda = lod_value, clamped to the chain */
#define GYRE_LOD_FINE 1  /* log2 of the longer screen derivative of the pixel's own row and column */

typedef struct gyre_pkg_draw { /* 256 bytes */
  uint32_t vertices_offset;    /* num_vertices VS records of GYRE_PKG_VSTRIDE bytes; GYRE_SHADER_PROGRAM: attributes of
                                  GYRE_PKG_ATTRIBUTE_STRIDE bytes */
  uint32_t num_vertices;       /* triangle list: a multiple of 3 */
  uint32_t shader, color_rule;
  /* front end (gyre_pipe_arg) */
  float vp_sx, vp_tx, vp_sy, vp_ty, vp_minz, vp_maxz;
  uint32_t vp_halfz, cull_mode;
  uint32_t scissor_x, scissor_y; /* as RASTER_SCISSOR_X/Y */
  /* output merger, attachment 0 */
  uint32_t color_writemask, depth_func, depth_writemask;
  uint32_t stencil_func, stencil_zpass, stencil_zfail, stencil_fail;
  uint32_t stencil_ref, stencil_mask, stencil_writemask;
  uint32_t blend_mode, blend_func, blend_const, logic_op, earlyz_safe;
  /* texture: stage 0 is sampled when lambda <= 0 (magnification), stage 1 otherwise */
  uint32_t texture;    /* index or GYRE_PKG_NONE */
  uint32_t tex_filter; /* stage 0, as TEX_FILTER (bit 0 only) */
  uint32_t tex_filter_min; /* stage 1, as TEX_FILTER: bit 0 tap filter, bit 1 mip-linear */
  uint32_t tex_wrap, tex_border;
  uint32_t lod_rule;
  float lod_value;
  uint32_t tex_levels; /* levels the sampler may use: 1 = always level 0 */
  float flat_color[4]; /* r g b a */
  /* GYRE_SHADER_PROGRAM only */
  uint32_t program;          /* 0..GYRE_PKG_MAX_PROGRAMS - 1 */
  uint32_t uniforms_offset;  /* uniform blocks of 32 vec4: vertex stage, fragment stage */
  uint32_t num_varyings;     /* 0..8 */
  uint8_t varying_comps[8];  /* 1..4 each, 12 together; 0 beyond num_varyings */
  uint32_t pad_[18];
} gyre_pkg_draw;
GYRE_STATIC_ASSERT(sizeof(gyre_pkg_draw) == 256, "draw record is 256 bytes");

/* VS record of the package: vec4 clip position, vec4 {u, v, 0, 0}, vec4 {r, g, b, a}; the varyings in
 * declaration order are texcoord (2 components) and colour (4 components). */
#define GYRE_PKG_VSTRIDE 48u
/* Attributes of one vertex: 8 vec4, location L at 16 L; absent components 0. */
#define GYRE_PKG_ATTRIBUTE_STRIDE 128u
#define GYRE_PKG_UNIFORM_BYTES 1024u /* both blocks of a draw */
#define GYRE_PKG_MAX_PROGRAMS 256u

#endif
