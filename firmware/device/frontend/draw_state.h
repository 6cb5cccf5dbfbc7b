/* What is the same for every triangle of a draw: viewport, sub-pixel grid, cull (frontend.md §4-§6). */
#ifndef GYRE_FIRMWARE_FRONTEND_DRAW_STATE_H
#define GYRE_FIRMWARE_FRONTEND_DRAW_STATE_H

#include "gfx.h"
#include "simt.h"

typedef struct gyre_setup_config {
  float x_scale, x_mid, y_scale, y_mid; /* clip/w -> sub-pixel units */
  float z_add, z_scale, z_bias;         /* screen z = z_bias + z_scale * (z/w + z_add) */
  float fix_low, fix_high;              /* coordinate clamp in sub-pixel units */
  float fix_unit;                       /* 2^-s */
  uint32_t s;                           /* sub-pixel bits, 4..8 */
  uint32_t half;                        /* 2^(s-1) */
  uint32_t near_plane;                  /* GYRE_CLIP_NEAR_GL or _VULKAN */
  uint32_t keep_signs;                  /* bit 0: keep det > 0, bit 1: keep det < 0 */
  uint32_t width, height;               /* pixels */
  uint32_t reach_x, reach_y;            /* padded width and height times 2^s */
} gyre_setup_config;

/* Sub-pixel bits of a target whose sides, padded to whole bins, are wp x hp pixels (frontend.md §6.2 step 0). */
SIMT_INLINE uint32_t gyre_subpixel_rule(uint32_t wp, uint32_t hp) {
  const uint32_t bits = simt_f32_bits((float)(wp * hp)); /* exact: at most 16 significant bits */
  const int32_t log2_up = (int32_t)(bits >> 23) - 127 + 2 + (int32_t)((bits & 0x7FFFFFu) != 0);
  const int32_t s = (31 - log2_up) >> 1;
  const int32_t low = simt_seli(s < 4, 4, s);
  return (uint32_t)simt_seli(low > 8, 8, low);
}

/* Bins are 2^result pixels wide. */
SIMT_INLINE uint32_t gyre_bin_log(const gyre_pipe_arg* arg) { return simt_sel(arg->bin_log != 0, arg->bin_log, 7); }

SIMT_INLINE void gyre_setup_configure(gyre_setup_config* c, const gyre_pipe_arg* arg) {
  const uint32_t bin_log = gyre_bin_log(arg);
  const uint32_t pad = (1u << simt_sel(bin_log > 7, bin_log, 7)) - 1;
  const uint32_t wp = (arg->width + pad) & ~pad;
  const uint32_t hp = (arg->height + pad) & ~pad;
  float left = 0.0f, right = (float)arg->width, top = 0.0f, bottom = (float)arg->height;
  const uint32_t is_default = (arg->vp_sx == 0.0f) & (arg->vp_tx == 0.0f) & (arg->vp_sy == 0.0f) &
                              (arg->vp_ty == 0.0f) & (arg->vp_halfz == 0);
  left = simt_self(is_default, left, arg->vp_tx - arg->vp_sx);
  right = simt_self(is_default, right, arg->vp_tx + arg->vp_sx);
  top = simt_self(is_default, top, arg->vp_ty - arg->vp_sy);
  bottom = simt_self(is_default, bottom, arg->vp_ty + arg->vp_sy);
  const uint32_t no_range = (arg->vp_minz == 0.0f) & (arg->vp_maxz == 0.0f);
  const float far_z = simt_self(no_range, 1.0f, arg->vp_maxz);

  const uint32_t s = simt_sel(arg->subpixel_bits != 0, arg->subpixel_bits, gyre_subpixel_rule(wp, hp));
  const float scale = simt_bits_f32((127u + s) << 23);
  c->s = s;
  c->half = 1u << (s - 1);
  c->fix_unit = simt_bits_f32((127u - s) << 23);
  /* ±2^(23+s); with 8 bits the int32 range, less the half pixel that the edges subtract */
  c->fix_high = simt_bits_f32((150u + s) << 23);
  c->fix_low = simt_self(s >= 8, -2147483520.0f, -c->fix_high);
  /* the powers of two commute with every rounding below */
  c->x_scale = (right - left) * 0.5f * scale;
  c->x_mid = (left + right) * 0.5f * scale;
  c->y_scale = (bottom - top) * 0.5f * scale;
  c->y_mid = (top + bottom) * 0.5f * scale;
  c->near_plane = arg->vp_halfz != 0;
  c->z_add = simt_self(arg->vp_halfz != 0, 0.0f, 1.0f);
  c->z_bias = arg->vp_minz; /* 0 too when there is no range */
  c->z_scale = (far_z - arg->vp_minz) * simt_self(arg->vp_halfz != 0, 1.0f, 0.5f);
  c->keep_signs = simt_sel(arg->cull_mode == GYRE_CULL_BACK, 1, simt_sel(arg->cull_mode == GYRE_CULL_FRONT, 2, 3));
  c->width = arg->width;
  c->height = arg->height;
  c->reach_x = wp << s;
  c->reach_y = hp << s;
}

#endif
