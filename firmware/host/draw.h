/* One draw record -> one draw descriptor: what the player hands to the command processor (frontend.md §1, §12). */
#ifndef GYRE_FIRMWARE_DRAW_H
#define GYRE_FIRMWARE_DRAW_H

#include <stdint.h>

#include "gfx.h"
#include "libgyre.h"
#include "package.h"

#define DRAW_FRONT_END_STAGES 9u /* GYRE_STAGE_SETUP .. GYRE_STAGE_BSCATTER */

/* Everything a draw reads besides vertices and textures; one block of device memory, filled per draw. */
typedef struct draw_block {
  gyre_expand_arg expand;
  gyre_pipe_arg pipe[DRAW_FRONT_END_STAGES]; /* the same but for the stage */
  uint64_t frag[GYRE_FRAG_SLOTS];            /* FRAG_PARAM */
  uint64_t constants[8];                     /* slot 9 */
  float uniforms[32][4];
  gyre_tex_desc tex[2];
  /* GYRE_SHADER_PROGRAM */
  gyre_vs_arg vertex;
  uint64_t vertex_constants[GYRE_CONSTS];
  float vertex_uniforms[32][4];
  gyre_soft_texture soft_texture;
  uint32_t no_texel[16] __attribute__((aligned(64))); /* what a draw without a texture samples */
  uint32_t qmd[2 + DRAW_FRONT_END_STAGES + 1][1 + 2 * GY_QMD_LAUNCH_PAIRS]; /* vertex shader, expand, stages, kick */
  uint8_t steps[4 + GYRE_CP_DRAW_STEP_BYTES * GYRE_CP_DRAW_MAX];
} draw_block;

/* The player's machine: image, target and the buffers of the front end, which all draws share. */
typedef struct draw_context {
  gy_device* device;
  gy_addr start, expand, setup, binning; /* kernels */
  gy_addr shader[GYRE_SHADERS][2][2];    /* [shader][color_rule][lod_rule] */
  const gy_image* programs;              /* kernels of GYRE_SHADER_PROGRAM draws, or NULL */
  uint32_t width, height;
  gy_addr color, depth;
  /* front end, for max_triangles; keys grow on demand */
  uint32_t max_triangles, keys_cap, num_bins, bin_cols;
  gy_addr attributes, records, verts, keep, offset, tsum, prim, bbox, bcount, boffset, keys, btsum, thist, bincount, binbase,
      tilebuf, meta, block;
} draw_context;

/* Looks up the kernels. NULL, or the name of the one that is missing. */
const char* draw_find_kernels(draw_context* context, const gy_image* image);

/* Allocates the buffers for draws of up to max_triangles. */
gy_status draw_allocate(draw_context* context, uint32_t max_triangles);
/* Kernel `stage` ("vs", "fs") of a program; 0: the shaders have no such kernel. */
gy_addr draw_program_kernel(const draw_context* context, const char* stage, uint32_t program);
/* Makes room for that many keys. */
gy_status draw_grow_keys(draw_context* context, uint32_t keys);

/* Writes the block of one draw to host memory. texture: of the record, NULL without; texture_data: its device address;
 * uniforms: both blocks of a GYRE_SHADER_PROGRAM draw, else not read. GY_BAD_IMAGE: a kernel is missing. */
gy_status draw_fill_block(const draw_context* context, draw_block* block, const gyre_pkg_draw* draw,
                          const gyre_pkg_texture* texture, gy_addr texture_data, const void* uniforms);

#endif
