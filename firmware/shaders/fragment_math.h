/* Arithmetic of a fragment (frontend.md §13): interpolation, depth, colour packing, level of detail. The same source
 * for the fragment shaders and for the reference renderer, bit for bit; straight-line, so that the helper lanes of a
 * quad run along.
 *
 * Powers of two are moved through the float operations of the contract where they commute with every rounding: the
 * edge values are not divided by 65536 (the factor leaves the ratio), and an attribute stays in units of 2^-24 until
 * the last multiplication. */
#ifndef GYRE_FIRMWARE_FRAGMENT_MATH_H
#define GYRE_FIRMWARE_FRAGMENT_MATH_H

#include "fixed.h"
#include "package.h"
#include "simt.h"

/* (p * d) >> 24, floor, modulo 2^32: d = high * 2^24 + low / 2^8. */
typedef struct gyre_weight {
  uint32_t low; /* d << 8 */
  int32_t high; /* d >> 24: 0 for a weight in [0, 1) */
} gyre_weight;

/* Upper word of signed a times unsigned b. */
#ifdef __riscv
SIMT_INLINE uint32_t gyre_mulhsu(int32_t a, uint32_t b) {
  uint32_t r;
  __asm__("mulhsu %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
#else
SIMT_INLINE uint32_t gyre_mulhsu(int32_t a, uint32_t b) {
  return (uint32_t)((uint64_t)((int64_t)a * (int64_t)b) >> 32);
}
#endif

/* Nearest integer of a float in [0, 2^22], ties to even. */
#ifdef __riscv
SIMT_INLINE uint32_t gyre_round_small(float f) {
  uint32_t r;
  __asm__("fcvt.w.s %0, %1, rne" : "=r"(r) : "f"(f));
  return r;
}
#else
SIMT_INLINE uint32_t gyre_round_small(float f) { return (uint32_t)((f + 8388608.0f) - 8388608.0f); }
#endif

/* A x + B y + C modulo 2^32 at an integer pixel. */
SIMT_INLINE int32_t gyre_at_pixel(int32_t a, int32_t b, int32_t c, uint32_t x, uint32_t y) {
  return (int32_t)((uint32_t)a * x + (uint32_t)b * y + (uint32_t)c);
}

/* Weights of vertices 0 and 1 at a pixel. */
typedef struct gyre_weights {
  gyre_weight w0, w1;
} gyre_weights;

SIMT_INLINE gyre_weight gyre_split_weight(int32_t d) {
  gyre_weight w;
  w.low = (uint32_t)d << 8;
  w.high = d >> 24;
  return w;
}

SIMT_INLINE gyre_weights gyre_fragment_weights(const gyre_edge e[3], uint32_t x, uint32_t y) {
  const float f0 = (float)gyre_at_pixel(e[0].a, e[0].b, e[0].c, x, y);
  const float f1 = (float)gyre_at_pixel(e[1].a, e[1].b, e[1].c, x, y);
  const float f2 = (float)gyre_at_pixel(e[2].a, e[2].b, e[2].c, x, y);
  const float rc = 16777216.0f / ((f0 + f1) + f2);
  gyre_weights w;
  w.w0 = gyre_split_weight(gyre_f32_to_i32_sat(rc * f0));
  w.w1 = gyre_split_weight(gyre_f32_to_i32_sat(rc * f1));
  return w;
}

/* I(P) = ((P.y d1) >> 24) + (((P.x d0) >> 24) + P.z), Q7.24, wrapping. */
SIMT_INLINE int32_t gyre_interpolate(const gyre_plane* p, const gyre_weights* w) {
  const uint32_t px = (uint32_t)p->x * (uint32_t)w->w0.high + gyre_mulhsu(p->x, w->w0.low);
  const uint32_t py = (uint32_t)p->y * (uint32_t)w->w1.high + gyre_mulhsu(p->y, w->w1.low);
  return (int32_t)(py + (px + (uint32_t)p->z));
}

/* 1/q in units of 2^24, q the interpolated rhw; a q of 0 counts as 1e-8. */
SIMT_INLINE float gyre_fragment_w(const gyre_plane* rhw, const gyre_weights* w) {
  const int32_t i = gyre_interpolate(rhw, w);
  return 1.0f / simt_self(i != 0, (float)i, 1e-8f * 16777216.0f);
}

/* Attribute times `scale`, where iw = gyre_fragment_w() * scale. */
SIMT_INLINE float gyre_attribute(const gyre_plane* p, const gyre_weights* w, float iw) {
  return (float)gyre_interpolate(p, w) * iw;
}

/* 24-bit depth: the same multiply-add as early-Z, saturated. */
SIMT_INLINE uint32_t gyre_fragment_depth(const gyre_plane* p, uint32_t x, uint32_t y) {
  const int32_t z = gyre_at_pixel(p->x, p->y, p->z, x, y);
  const int32_t from_zero = (int32_t)simt_sel(z < 0, 0, (uint32_t)z);
  return simt_sel(from_zero > 0xFFFFFF, 0xFFFFFF, (uint32_t)from_zero);
}

/* ---- colour rules: r, g, b, a are attribute * gyre_color_scale(rule) ----------------------------------------------- */
/* TRUNCATE: Q7.24, no clamp, (c * 255) >> 24 modulo 2^32. ROUND: [0, 1] clamped, nearest 1/255. */
SIMT_INLINE float gyre_color_scale(uint32_t rule) { return rule == GYRE_COLOR_TRUNCATE ? 16777216.0f : 255.0f; }
SIMT_INLINE float gyre_modulate_scale(uint32_t rule) { return rule == GYRE_COLOR_TRUNCATE ? 16777216.0f : 1.0f; }

SIMT_INLINE uint32_t gyre_round_channel(float c255) {
  return gyre_round_small(simt_fminf(simt_fmaxf(c255, 0.0f), 255.0f));
}

SIMT_INLINE uint32_t gyre_pack(uint32_t a, uint32_t r, uint32_t g, uint32_t b) { return a << 24 | r << 16 | g << 8 | b; }

SIMT_INLINE uint32_t gyre_pack_color(uint32_t rule, float r, float g, float b, float a) {
  if (rule == GYRE_COLOR_TRUNCATE) {
    const uint32_t br = (uint32_t)gyre_f32_to_i32_sat(r) * 255u, bg = (uint32_t)gyre_f32_to_i32_sat(g) * 255u;
    const uint32_t bb = (uint32_t)gyre_f32_to_i32_sat(b) * 255u, ba = (uint32_t)gyre_f32_to_i32_sat(a) * 255u;
    return (ba & 0xFF000000u) | br >> 24 << 16 | bg >> 24 << 8 | bb >> 24;
  }
  return gyre_pack(gyre_round_channel(a), gyre_round_channel(r), gyre_round_channel(g), gyre_round_channel(b));
}

/* r, g, b, a are attribute * gyre_modulate_scale(rule). */
SIMT_INLINE uint32_t gyre_pack_modulated(uint32_t rule, uint32_t texel, float r, float g, float b, float a) {
  const uint32_t ta = texel >> 24, tr = texel >> 16 & 255, tg = texel >> 8 & 255, tb = texel & 255;
  if (rule == GYRE_COLOR_TRUNCATE) {
    const uint32_t br = (uint32_t)gyre_f32_to_i32_sat(r) * tr, bg = (uint32_t)gyre_f32_to_i32_sat(g) * tg;
    const uint32_t bb = (uint32_t)gyre_f32_to_i32_sat(b) * tb, ba = (uint32_t)gyre_f32_to_i32_sat(a) * ta;
    return (ba & 0xFF000000u) | br >> 24 << 16 | bg >> 24 << 8 | bb >> 24;
  }
  return gyre_pack(gyre_round_channel(a * (float)(int32_t)ta), gyre_round_channel(r * (float)(int32_t)tr),
                   gyre_round_channel(g * (float)(int32_t)tg), gyre_round_channel(b * (float)(int32_t)tb));
}

/* ---- texture coordinates and level of detail -------------------------------------------------------------------------- */
/* Signed fixed point with 23 fraction bits, toward zero, saturating at +-256. */
SIMT_INLINE int32_t gyre_tex_coordinate(float u) { return gyre_f32_to_i32_sat(u * 8388608.0f); }

/* log2(x) / 2, absolute error below 2e-6 for normal x; about -63.5 for 0. */
SIMT_INLINE float gyre_half_log2(float x) {
  const int32_t bits = (int32_t)simt_f32_bits(x);
  const int32_t e = (bits - 0x3F3504F3) >> 23; /* mantissa in [sqrt(1/2), sqrt(2)) */
  const float t = simt_bits_f32((uint32_t)bits - ((uint32_t)e << 23)) - 1.0f;
  float p = -0.10329588494768978f;
  p = p * t + 0.16107740473681986f;
  p = p * t + -0.18374498726191152f;
  p = p * t + 0.23967400895403776f;
  p = p * t + -0.36056592925262704f;
  p = p * t + 0.7213567407016788f;
  return p * t + (float)e * 0.5f;
}

/* Side of a texture level 0 in texels as a float; log2 in the low 16 bits of `logdim`. */
SIMT_INLINE float gyre_tex_size(uint32_t logdim) { return simt_bits_f32((127u + (logdim & 0xFFFFu)) << 23); }

/* lambda = log2 of the longer derivative, in texels. ux, vx: u, v of the neighbour in the pixel's own row of the quad;
 * uy, vy: of the one in its own column. */
SIMT_INLINE float gyre_lambda(uint32_t logdim, float u, float v, float ux, float vx, float uy, float vy) {
  const float width = gyre_tex_size(logdim), height = gyre_tex_size(logdim >> 16);
  const float dux = (u - ux) * width, dvx = (v - vx) * height;
  const float duy = (u - uy) * width, dvy = (v - vy) * height;
  return gyre_half_log2(simt_fmaxf(dux * dux + dvx * dvx, duy * duy + dvy * dvy));
}

/* The lod operand of stage 1 (minification): lambda limited to the levels of the chain; the nearest level, or with
 * GYRE_TEX_FILTER_MIP_LINEAR level << 8 | fraction. filter and levels are uniform. */
SIMT_INLINE uint32_t gyre_lod_operand(float lambda, uint32_t filter, uint32_t levels) {
  const uint32_t shift = (filter & GYRE_TEX_FILTER_MIP_LINEAR) << 2; /* 0 or 8 */
  const float scaled = lambda * simt_bits_f32((127u + shift) << 23);
  const float last = (float)(int32_t)((levels - 1) << shift);
  /* halves go up between levels; clamping first keeps the conversion in range */
  return (uint32_t)simt_floor_i32(simt_fminf(simt_fmaxf(scaled, 0.0f), last) + 0.5f);
}

#endif
