/* Graphics wire structs: what the front end writes, RASTER reads and fragment shaders use
 * (Rasterizer §2, frontend.md §2, tex.md §2, om.md §6-7). Little-endian, natural alignment. */
#ifndef GYRE_ABI_GFX_H
#define GYRE_ABI_GFX_H

#include <stdint.h>

#ifdef __cplusplus
#define GYRE_STATIC_ASSERT(c, m) static_assert(c, m)
#else
#define GYRE_STATIC_ASSERT(c, m) _Static_assert(c, m)
#endif

/* ---- codes ---------------------------------------------------------------- */
/* compare: incoming OP stored (om.md §6.1) */
#define GYRE_CMP_ALWAYS 0
#define GYRE_CMP_NEVER 1
#define GYRE_CMP_LESS 2
#define GYRE_CMP_LEQUAL 3
#define GYRE_CMP_EQUAL 4
#define GYRE_CMP_GEQUAL 5
#define GYRE_CMP_GREATER 6
#define GYRE_CMP_NOTEQUAL 7
/* stencil operations (om.md §6.2) */
#define GYRE_STENCIL_KEEP 0
#define GYRE_STENCIL_ZERO 1
#define GYRE_STENCIL_REPLACE 2
#define GYRE_STENCIL_INCR 3
#define GYRE_STENCIL_DECR 4
#define GYRE_STENCIL_INVERT 5
#define GYRE_STENCIL_INCR_WRAP 6
#define GYRE_STENCIL_DECR_WRAP 7
/* blend factors (om.md §7.1) */
#define GYRE_FACTOR_ZERO 0
#define GYRE_FACTOR_ONE 1
#define GYRE_FACTOR_SRC_RGB 2
#define GYRE_FACTOR_ONE_MINUS_SRC_RGB 3
#define GYRE_FACTOR_DST_RGB 4
#define GYRE_FACTOR_ONE_MINUS_DST_RGB 5
#define GYRE_FACTOR_SRC_A 6
#define GYRE_FACTOR_ONE_MINUS_SRC_A 7
#define GYRE_FACTOR_DST_A 8
#define GYRE_FACTOR_ONE_MINUS_DST_A 9
#define GYRE_FACTOR_CONST_RGB 10
#define GYRE_FACTOR_ONE_MINUS_CONST_RGB 11
#define GYRE_FACTOR_CONST_A 12
#define GYRE_FACTOR_ONE_MINUS_CONST_A 13
#define GYRE_FACTOR_ALPHA_SAT 14
/* blend modes (om.md §7.2) */
#define GYRE_BLEND_ADD 0
#define GYRE_BLEND_SUB 1
#define GYRE_BLEND_REV_SUB 2
#define GYRE_BLEND_MIN 3
#define GYRE_BLEND_MAX 4
#define GYRE_BLEND_LOGICOP 5
/* logic operations (om.md §7.4) */
#define GYRE_LOGIC_CLEAR 0
#define GYRE_LOGIC_AND 1
#define GYRE_LOGIC_AND_REVERSE 2
#define GYRE_LOGIC_COPY 3
#define GYRE_LOGIC_AND_INVERTED 4
#define GYRE_LOGIC_NOOP 5
#define GYRE_LOGIC_XOR 6
#define GYRE_LOGIC_OR 7
#define GYRE_LOGIC_NOR 8
#define GYRE_LOGIC_EQUIV 9
#define GYRE_LOGIC_INVERT 10
#define GYRE_LOGIC_OR_REVERSE 11
#define GYRE_LOGIC_COPY_INVERTED 12
#define GYRE_LOGIC_OR_INVERTED 13
#define GYRE_LOGIC_NAND 14
#define GYRE_LOGIC_SET 15
/* texture (tex.md §2) */
#define GYRE_TEX_FORMAT_A8R8G8B8 0
#define GYRE_TEX_FORMAT_R5G6B5 1
#define GYRE_TEX_FORMAT_A1R5G5B5 2
#define GYRE_TEX_FORMAT_A4R4G4B4 3
#define GYRE_TEX_FORMAT_A8L8 4
#define GYRE_TEX_FORMAT_L8 5
#define GYRE_TEX_FORMAT_A8 6
#define GYRE_TEX_FORMATS 7
#define GYRE_TEX_FILTER_BILINEAR 1
#define GYRE_TEX_FILTER_MIP_LINEAR 2
#define GYRE_TEX_WRAP_CLAMP 0
#define GYRE_TEX_WRAP_REPEAT 1
#define GYRE_TEX_WRAP_MIRROR 2
#define GYRE_TEX_WRAP_BORDER 3
/* cull modes (frontend.md §6.1) */
#define GYRE_CULL_NONE 0
#define GYRE_CULL_BACK 1  /* drops det < 0 */
#define GYRE_CULL_FRONT 2 /* drops det > 0 */

/* ---- rasterizer buffers ---------------------------------------------------- */
typedef struct gyre_bin_header { /* 12 bytes */
  uint32_t bin_xy;               /* {bin_y[31:16], bin_x[15:0]} in bins */
  uint32_t pids_offset;          /* word index into sorted_pids */
  uint32_t pids_count;
} gyre_bin_header;
GYRE_STATIC_ASSERT(sizeof(gyre_bin_header) == 12, "bin header is 12 bytes");

typedef struct gyre_edge {
  int32_t a, b, c; /* Q15.16: inside when a*x + b*y + c >= 0 (top-left rule on 0) */
} gyre_edge;

typedef struct gyre_plane {
  int32_t x, y, z; /* Q7.24: depth {A', B', C'}; attributes {a0-a2, a1-a2, a2} */
} gyre_plane;

/* plane order inside gyre_prim.planes */
#define GYRE_PLANE_R 0
#define GYRE_PLANE_G 1
#define GYRE_PLANE_B 2
#define GYRE_PLANE_A 3
#define GYRE_PLANE_U 4
#define GYRE_PLANE_V 5
#define GYRE_PLANE_RHW 6
#define GYRE_PLANE_W0 7
#define GYRE_PLANES 13

typedef struct gyre_prim { /* 212 bytes */
  gyre_edge edges[3];
  gyre_plane depth;
  gyre_plane planes[GYRE_PLANES]; /* r g b a u v rhw w0..w5, premultiplied by 1/w */
  uint32_t facing;                /* 0 front, 1 back, before the flip */
  float rhw_scale;
} gyre_prim;
GYRE_STATIC_ASSERT(sizeof(gyre_prim) == 212, "primitive record is 212 bytes");

/* ---- front-end kernels ------------------------------------------------------ */
#define GYRE_LANES 12 /* scalar varying lanes: u v r g b a w0..w5 */

typedef struct gyre_setup_vertex { /* 64 bytes */
  float pos[4];                    /* clip space */
  float color[4];
  float texcoord[2];
  float varying2[6];
} gyre_setup_vertex;
GYRE_STATIC_ASSERT(sizeof(gyre_setup_vertex) == 64, "setup vertex is 64 bytes");

typedef struct gyre_bbox {
  uint32_t left, right, top, bottom; /* pixels; right and bottom exclusive */
} gyre_bbox;

typedef struct gyre_expand_arg { /* 96 bytes */
  uint64_t vsrec, verts;
  uint32_t num_verts, vstride, num_varyings;
  uint32_t varying_comps[16];
  uint32_t pad_;
} gyre_expand_arg;
GYRE_STATIC_ASSERT(sizeof(gyre_expand_arg) == 96, "expand_arg is 96 bytes");

/* Stage 0: a compiled vertex shader, one vertex a thread of a one-dimensional grid (frontend.md §1, §2). */
typedef struct gyre_vs_arg { /* 40 bytes */
  uint64_t attribs;          /* astride bytes a vertex, location L = vec4 f32 at 16 L; absent components 0 */
  uint64_t vsrec;            /* vstride bytes a vertex: clip position, then one vec4 a varying */
  uint64_t consts;           /* constant table, as GYRE_FRAG_SLOT_CONST */
  uint32_t num_verts, astride, vstride, pad_;
} gyre_vs_arg;
GYRE_STATIC_ASSERT(sizeof(gyre_vs_arg) == 40, "vs_arg is 40 bytes");

/* stage ids in gyre_pipe_arg.stage */
#define GYRE_STAGE_SETUP 0
#define GYRE_STAGE_SCAN 1
#define GYRE_STAGE_EMIT 2
#define GYRE_STAGE_BCOUNT 3
#define GYRE_STAGE_BSCAN 4
#define GYRE_STAGE_BEMIT 5
#define GYRE_STAGE_BHIST 6
#define GYRE_STAGE_BBASE 7
#define GYRE_STAGE_BSCATTER 8

typedef struct gyre_pipe_arg { /* 208 bytes */
  uint32_t num_tris, stage, width, height;
  uint32_t bin_stripe, bin_cols, num_bins, cull_mode;
  float vp_sx, vp_tx, vp_sy, vp_ty, vp_minz, vp_maxz;
  uint32_t vp_halfz; /* 0 OpenGL, 1 Vulkan depth convention */
  uint32_t keys_cap; /* 0 = unchecked */
  uint64_t verts;
  uint32_t bin_log;       /* 0 = 7 */
  uint32_t subpixel_bits; /* 0 = rule of frontend.md §6.2 */
  uint64_t slot_bbox;     /* 0 */
  uint64_t keep, offset, tsum, prim, bbox, bcount, boffset, keys;
  uint64_t btsum, thist, bincount, binbase, tilebuf, meta, flat;
} gyre_pipe_arg;
GYRE_STATIC_ASSERT(sizeof(gyre_pipe_arg) == 208, "pipe_arg is 208 bytes");

#define GYRE_KEY_PID_BITS 20      /* key = bin_id << 20 | pid */
#define GYRE_MAX_PRIMS 65536u     /* 16-bit pid in the stamp */
#define GYRE_MAX_BINS 4096u
#define GYRE_META_PRIMS 0
#define GYRE_META_KEYS 1
#define GYRE_META_BINS 2
#define GYRE_META_STATUS 3        /* bit 0 pid overflow, bit 1 key overflow, [31:2] wanted keys */

/* ---- fragment shader arguments ---------------------------------------------- */
/* FRAG_PARAM points to u64 slots (frontend.md §12) */
#define GYRE_FRAG_SLOT_PRIM 0     /* primitive buffer */
#define GYRE_FRAG_SLOT_TEX 1      /* gyre_tex_desc[stages], 0 = no texture */
#define GYRE_FRAG_SLOT_CONST 9    /* constant table of u64: GYRE_CONST_* */
#define GYRE_FRAG_SLOT_APERTURE 11 /* {shift[23:16], ybits[15:8], xbits[7:0]} */
#define GYRE_FRAG_SLOT_FLAT 12
#define GYRE_FRAG_SLOTS 13

/* entries of a constant table, 0 = absent */
#define GYRE_CONST_UNIFORMS 0     /* uniform block: 32 vec4 f32 */
#define GYRE_CONST_TEXTURE 1      /* gyre_soft_texture of shaders that sample without the TEX unit */
#define GYRE_CONSTS 8

typedef struct gyre_soft_texture { /* 16 bytes */
  uint32_t texels;                 /* device address of width * height words A8R8G8B8; no texture: one word 0 */
  uint32_t width, height;          /* 1..1024 */
  uint32_t pad_;
} gyre_soft_texture;
GYRE_STATIC_ASSERT(sizeof(gyre_soft_texture) == 16, "software texture is 16 bytes");

typedef struct gyre_tex_desc { /* 32 bytes, one a stage */
  uint32_t logdim;             /* as TEX_LOGDIM */
  uint32_t filter;             /* as TEX_FILTER */
  uint32_t levels;
  float lod_bias, min_lod, max_lod;
  uint32_t pad_[2];
} gyre_tex_desc;
GYRE_STATIC_ASSERT(sizeof(gyre_tex_desc) == 32, "texture descriptor is 32 bytes");

/* quad stamp, 48 bits {pos_x 14, pos_y 14, mask 4, pid 16} (launch.md §5.1) */
#define GYRE_STAMP_POS_BITS 14
#define GYRE_STAMP_PID_BITS 16

#endif
