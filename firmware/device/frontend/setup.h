/* Triangle setup, EXACT mode (frontend.md §4-§9): near clip, viewport, snapping, edges, bounding box, cull, depth and
 * attribute planes. One source for the device kernels, the host oracle and the reference renderer; a pure function of
 * the three vertices and the draw state, so the counting and the writing pass agree. float32, no contraction.
 *
 * Written for SIMT lanes: every lane holds another triangle. Straight-line where cheap; branches are either uniform
 * (draw state, votes) or SIMT regions. */
#ifndef GYRE_FIRMWARE_FRONTEND_SETUP_H
#define GYRE_FIRMWARE_FRONTEND_SETUP_H

#include "fixed.h"
#include "gfx.h"
#include "simt.h"

#define GYRE_SETUP_MAX_SUB 3u /* subtriangles after the clip */
#define GYRE_SETUP_MIN_W 1e-6f
#define GYRE_FIX24 16777216.0f

/* Device addresses travel as u64; the host runs the same code on its own pointers. */
#ifdef __riscv
#define GYRE_PTR(type, address) ((type*)(uintptr_t)(uint32_t)(address))
#else
#define GYRE_PTR(type, address) ((type*)(uintptr_t)(address))
#endif

/* Nearest integer, ties to even, saturating; NaN gives INT32_MAX (fcvt.w.s with static rounding mode rne). */
#ifdef __riscv
SIMT_INLINE int32_t gyre_f32_to_i32_rne(float f) {
  int32_t r;
  __asm__("fcvt.w.s %0, %1, rne" : "=r"(r) : "f"(f));
  return r;
}
#else
SIMT_INLINE int32_t gyre_f32_to_i32_rne(float f) {
  const float magnitude = f < 0.0f ? -f : f;
  if (magnitude < 8388608.0f) {
    const int32_t r = (int32_t)((magnitude + 8388608.0f) - 8388608.0f);
    return f < 0.0f ? -r : r;
  }
  return gyre_f32_to_i32_sat(f);
}
#endif

/* ---- draw state, the same for every triangle of a draw ------------------------------------------------------------ */
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

/* ---- clip (frontend.md §4) ------------------------------------------------------------------------------------------- */
/* Sutherland-Hodgman against the near plane. Only when that leaves a vertex with w below GYRE_SETUP_MIN_W, against the
 * far plane too: z <= w and the near plane together keep w from being negative, and unlike a plane w = tiny they mostly
 * cut where the division is well behaved. Where both planes meet w is 0, so the far plane comes closer by a small part
 * of the largest w, which bounds the range of 1/w. Such triangles leave up to 5 vertices, all others up to 4. */
#define GYRE_CLIP_NEAR_GL 0u
#define GYRE_CLIP_NEAR_VULKAN 1u
#define GYRE_CLIP_FAR 2u
#define GYRE_CLIP_FAR_MARGIN 0x1p-11f

typedef struct gyre_polygon {
  const gyre_setup_vertex* v; /* the input triangle, or a buffer of gyre_clip_space */
  uint32_t count;             /* 0, 3, 4, 5: a fan from the first vertex */
} gyre_polygon;

typedef struct gyre_clip_space {
  gyre_setup_vertex near_cut[4];
  gyre_setup_vertex far_cut[6]; /* rounding could bring a sixth; the fan then ends early */
} gyre_clip_space;

/* Signed distance to a plane, not negative inside; NaN counts as outside. plane is uniform; margin: of the far plane. */
SIMT_INLINE float gyre_plane_distance(uint32_t plane, float margin, const gyre_setup_vertex* v) {
  float d = v->pos[2];
  if (plane == GYRE_CLIP_NEAR_GL) d += v->pos[3];           /* uniform: the plane */
  if (plane == GYRE_CLIP_FAR) d = v->pos[3] - d - margin; /* uniform: the plane */
  return d;
}

/* Clips in[0, count) to out, `words` floats of each vertex (4: position, 16: all lanes); returns the vertices left. */
SIMT_NOINLINE static uint32_t gyre_clip_plane(uint32_t plane, float margin, const gyre_setup_vertex* in, uint32_t count,
                                              uint32_t words, gyre_setup_vertex* out) {
  uint32_t n = 0;
  uint32_t i = 0;
  SIMT_WHILE(i < count)
    const gyre_setup_vertex* a = in + i;
    i++;
    const gyre_setup_vertex* b = in + simt_sel(i == count, 0, i);
    const float da = gyre_plane_distance(plane, margin, a);
    const float db = gyre_plane_distance(plane, margin, b);
    const float* pa = (const float*)a; /* all lanes, position first */
    const float* pb = (const float*)b;
    SIMT_IF(da >= 0.0f)
      float* po = (float*)(out + n);
      for (uint32_t k = 0; k < words; k++) po[k] = pa[k]; /* uniform: the pass decides */
      n++;
    SIMT_END
    SIMT_IF((da >= 0.0f) != (db >= 0.0f))
      const float t = da / (da - db);
      float* po = (float*)(out + n);
      for (uint32_t k = 0; k < words; k++) po[k] = pa[k] + t * (pb[k] - pa[k]); /* uniform: the pass decides */
      n++;
    SIMT_END
  SIMT_END_WHILE
  return n;
}

SIMT_INLINE float gyre_min3(float a, float b, float c) { return simt_fminf(simt_fminf(a, b), c); }
SIMT_INLINE float gyre_max3(float a, float b, float c) { return simt_fmaxf(simt_fmaxf(a, b), c); }

/* What is left of the triangle tri[0..2]. */
SIMT_INLINE gyre_polygon gyre_clip(const gyre_setup_config* c, const gyre_setup_vertex* tri, uint32_t words,
                                   gyre_clip_space* space) {
  gyre_polygon polygon = {tri, 3};
  const uint32_t in0 = gyre_plane_distance(c->near_plane, 0.0f, &tri[0]) >= 0.0f;
  const uint32_t in1 = gyre_plane_distance(c->near_plane, 0.0f, &tri[1]) >= 0.0f;
  const uint32_t in2 = gyre_plane_distance(c->near_plane, 0.0f, &tri[2]) >= 0.0f;
  const uint32_t ahead = gyre_min3(tri[0].pos[3], tri[1].pos[3], tri[2].pos[3]) >= GYRE_SETUP_MIN_W;
  const uint32_t whole = in0 & in1 & in2 & ahead;
  if (simt_any(!whole)) { /* uniform: vote */
    SIMT_IF(!whole)
      uint32_t count = gyre_clip_plane(c->near_plane, 0.0f, tri, 3, words, space->near_cut);
      polygon.v = space->near_cut;
      uint32_t behind = 0;
      float largest = 0.0f;
      uint32_t i = 0;
      SIMT_WHILE(i < count)
        const float w = space->near_cut[i].pos[3];
        behind |= !(w >= GYRE_SETUP_MIN_W);
        largest = simt_fmaxf(largest, w);
        i++;
      SIMT_END_WHILE
      SIMT_IF(behind)
        count = gyre_clip_plane(GYRE_CLIP_FAR, largest * GYRE_CLIP_FAR_MARGIN, space->near_cut, count, words,
                                space->far_cut);
        polygon.v = space->far_cut;
      SIMT_END
      polygon.count = count;
    SIMT_END
  }
  return polygon;
}

/* One triangle of the fan. */
typedef struct gyre_subtri {
  const gyre_setup_vertex* v[3];
} gyre_subtri;

SIMT_INLINE uint32_t gyre_has_subtri(const gyre_polygon* polygon, uint32_t sub) { return sub + 2 < polygon->count; }

/* Meaningless but readable when there is none. */
SIMT_INLINE gyre_subtri gyre_take_subtri(const gyre_polygon* polygon, uint32_t sub) {
  const gyre_setup_vertex* second = polygon->v + simt_sel(gyre_has_subtri(polygon, sub), sub + 1, 1);
  const gyre_subtri t = {{polygon->v, second, second + 1}};
  return t;
}

/* ---- placing: snapping, orientation, bounding box --------------------------------------------------------------------- */
typedef struct gyre_placed {
  int32_t x[3], y[3]; /* sub-pixel units, half a pixel subtracted: the edges then sample pixel centres */
  int64_t c[3];       /* x_i y_j - x_j y_i before the flip */
  uint32_t back;      /* det < 0 */
  gyre_bbox box;
} gyre_placed;

SIMT_INLINE int64_t gyre_cross(int32_t xi, int32_t yj, int32_t xj, int32_t yi) {
  return (int64_t)xi * yj - (int64_t)xj * yi;
}

/* Pixels [lo, hi) touched by [low, high] (sub-pixel units), clamped to [0, size); returns 1 when not empty. */
SIMT_INLINE uint32_t gyre_extent(int32_t low, int32_t high, uint32_t s, uint32_t size, uint32_t* lo, uint32_t* hi) {
  const int32_t first = low >> s;
  const int32_t last = -(-high >> s);
  const int32_t from = first & ~(first >> 31);
  const int32_t to = simt_seli(last < (int32_t)size, last, (int32_t)size);
  *lo = (uint32_t)from;
  *hi = (uint32_t)to;
  return from < to;
}

/* 1 when the triangle is drawn; p is meaningful only then. */
SIMT_INLINE uint32_t gyre_place(const gyre_setup_config* c, const gyre_subtri* t, gyre_placed* p) {
  const float w0 = t->v[0]->pos[3], w1 = t->v[1]->pos[3], w2 = t->v[2]->pos[3];
  float x0 = t->v[0]->pos[0] / w0 * c->x_scale + c->x_mid;
  float x1 = t->v[1]->pos[0] / w1 * c->x_scale + c->x_mid;
  float x2 = t->v[2]->pos[0] / w2 * c->x_scale + c->x_mid;
  float y0 = t->v[0]->pos[1] / w0 * c->y_scale + c->y_mid;
  float y1 = t->v[1]->pos[1] / w1 * c->y_scale + c->y_mid;
  float y2 = t->v[2]->pos[1] / w2 * c->y_scale + c->y_mid;
  /* a NaN w gives NaN coordinates, so the minimum may ignore it */
  uint32_t ok = gyre_min3(w0, w1, w2) >= GYRE_SETUP_MIN_W;
  ok &= (x0 == x0) & (x1 == x1) & (x2 == x2) & (y0 == y0) & (y1 == y1) & (y2 == y2);
  x0 = simt_fminf(simt_fmaxf(x0, c->fix_low), c->fix_high);
  x1 = simt_fminf(simt_fmaxf(x1, c->fix_low), c->fix_high);
  x2 = simt_fminf(simt_fmaxf(x2, c->fix_low), c->fix_high);
  y0 = simt_fminf(simt_fmaxf(y0, c->fix_low), c->fix_high);
  y1 = simt_fminf(simt_fmaxf(y1, c->fix_low), c->fix_high);
  y2 = simt_fminf(simt_fmaxf(y2, c->fix_low), c->fix_high);
  /* rounding is monotonic: the extremes may be taken before it */
  ok &= gyre_extent(gyre_f32_to_i32_rne(gyre_min3(x0, x1, x2)), gyre_f32_to_i32_rne(gyre_max3(x0, x1, x2)), c->s,
                    c->width, &p->box.left, &p->box.right);
  ok &= gyre_extent(gyre_f32_to_i32_rne(gyre_min3(y0, y1, y2)), gyre_f32_to_i32_rne(gyre_max3(y0, y1, y2)), c->s,
                    c->height, &p->box.top, &p->box.bottom);
  const int32_t half = (int32_t)c->half;
  p->x[0] = gyre_f32_to_i32_rne(x0) - half;
  p->x[1] = gyre_f32_to_i32_rne(x1) - half;
  p->x[2] = gyre_f32_to_i32_rne(x2) - half;
  p->y[0] = gyre_f32_to_i32_rne(y0) - half;
  p->y[1] = gyre_f32_to_i32_rne(y1) - half;
  p->y[2] = gyre_f32_to_i32_rne(y2) - half;
  /* (X_i - h)(Y_j - h) - (X_j - h)(Y_i - h) = X_i Y_j - X_j Y_i + h (A + B): the exact half-pixel shift of §6.2 */
  p->c[0] = gyre_cross(p->x[1], p->y[2], p->x[2], p->y[1]);
  p->c[1] = gyre_cross(p->x[2], p->y[0], p->x[0], p->y[2]);
  p->c[2] = gyre_cross(p->x[0], p->y[1], p->x[1], p->y[0]);
  const uint64_t det = (uint64_t)p->c[0] + (uint64_t)p->c[1] + (uint64_t)p->c[2];
  p->back = (uint32_t)(det >> 63);
  ok &= det != 0;
  ok &= c->keep_signs >> p->back;
  return ok & 1;
}

/* ---- edges (frontend.md §6.2 steps 2-5) ---------------------------------------------------------------------------------- */
/* Sign and magnitude: magnitudes shift toward zero, and differences of int32 need 33 bits otherwise. */
typedef struct gyre_edge_mag {
  uint32_t a, b, a_negative, b_negative, c_negative;
  uint64_t c;
  uint64_t reach; /* 2^s (|A| Wp + |B| Hp) + |C|: bounds every value the walker meets */
} gyre_edge_mag;

SIMT_INLINE uint32_t gyre_signed(uint32_t magnitude, uint32_t negative) {
  return (magnitude ^ (0u - negative)) + negative;
}

SIMT_INLINE gyre_edge_mag gyre_edge_magnitudes(const gyre_setup_config* c, const gyre_placed* p, int i, int j, int k) {
  gyre_edge_mag e;
  e.a_negative = p->y[i] < p->y[j];
  e.b_negative = p->x[j] < p->x[i];
  e.a = gyre_signed((uint32_t)p->y[i] - (uint32_t)p->y[j], e.a_negative);
  e.b = gyre_signed((uint32_t)p->x[j] - (uint32_t)p->x[i], e.b_negative);
  e.c_negative = (uint32_t)((uint64_t)p->c[k] >> 63);
  e.c = ((uint64_t)p->c[k] ^ (0ull - e.c_negative)) + e.c_negative;
  e.reach = (uint64_t)e.a * c->reach_x + (uint64_t)e.b * c->reach_y + e.c;
  return e;
}

/* Stored words: shift left by `up` when n is smaller, else right, toward zero. */
SIMT_INLINE uint32_t gyre_scale_word(uint64_t magnitude, uint32_t up, uint32_t n) {
  const uint32_t right = simt_sel(n > up, n - up, 0);
  const uint32_t left = simt_sel(n > up, 0, up - n);
  return (uint32_t)(magnitude >> right) << left;
}

SIMT_INLINE void gyre_store_edge(gyre_edge* out, const gyre_edge_mag* e, uint32_t a, uint32_t b, uint32_t c,
                                 uint32_t flip) {
  out->a = (int32_t)gyre_signed(a, e->a_negative ^ flip);
  out->b = (int32_t)gyre_signed(b, e->b_negative ^ flip);
  out->c = (int32_t)gyre_signed(c, e->c_negative ^ flip);
}

/* Returns 1 when a stored word lost bits: coverage may then leave the true triangle, so the box of the vertices no longer
 * holds it. */
SIMT_INLINE uint32_t gyre_setup_edges(const gyre_setup_config* c, const gyre_placed* p, gyre_edge out[3]) {
  const gyre_edge_mag e0 = gyre_edge_magnitudes(c, p, 1, 2, 0);
  const gyre_edge_mag e1 = gyre_edge_magnitudes(c, p, 2, 0, 1);
  const gyre_edge_mag e2 = gyre_edge_magnitudes(c, p, 0, 1, 2);
  const uint32_t limit = 32767u << (2 * c->s);
  const uint32_t up_ab = 16 - c->s, up_c = 16 - 2 * c->s;
  uint32_t inexact = 0;
  const uint32_t too_far = (e0.reach >= limit) | (e1.reach >= limit) | (e2.reach >= limit);
  if (simt_any(too_far)) { /* uniform: vote */
    uint64_t r0 = e0.reach, r1 = e1.reach, r2 = e2.reach;
    uint32_t n = 0;
    SIMT_WHILE((r0 >= limit) | (r1 >= limit) | (r2 >= limit))
      r0 >>= 1;
      r1 >>= 1;
      r2 >>= 1;
      n++;
    SIMT_END_WHILE
    inexact = n > up_c;
    gyre_store_edge(&out[0], &e0, gyre_scale_word(e0.a, up_ab, n), gyre_scale_word(e0.b, up_ab, n),
                    gyre_scale_word(e0.c, up_c, n), p->back);
    gyre_store_edge(&out[1], &e1, gyre_scale_word(e1.a, up_ab, n), gyre_scale_word(e1.b, up_ab, n),
                    gyre_scale_word(e1.c, up_c, n), p->back);
    gyre_store_edge(&out[2], &e2, gyre_scale_word(e2.a, up_ab, n), gyre_scale_word(e2.b, up_ab, n),
                    gyre_scale_word(e2.c, up_c, n), p->back);
  } else {
    gyre_store_edge(&out[0], &e0, e0.a << up_ab, e0.b << up_ab, (uint32_t)e0.c << up_c, p->back);
    gyre_store_edge(&out[1], &e1, e1.a << up_ab, e1.b << up_ab, (uint32_t)e1.c << up_c, p->back);
    gyre_store_edge(&out[2], &e2, e2.a << up_ab, e2.b << up_ab, (uint32_t)e2.c << up_c, p->back);
  }
  return inexact;
}

/* ---- planes (frontend.md §8, §9) -------------------------------------------------------------------------------------------- */
SIMT_INLINE float gyre_screen_z(const gyre_setup_config* c, const gyre_setup_vertex* v) {
  return c->z_bias + c->z_scale * (v->pos[2] / v->pos[3] + c->z_add);
}

SIMT_INLINE void gyre_setup_depth(const gyre_setup_config* c, const gyre_subtri* t, const gyre_placed* p,
                                  gyre_plane* out) {
  const int32_t half = (int32_t)c->half;
  const float x0 = (float)(p->x[0] + half) * c->fix_unit, y0 = (float)(p->y[0] + half) * c->fix_unit;
  const float x1 = (float)(p->x[1] + half) * c->fix_unit, y1 = (float)(p->y[1] + half) * c->fix_unit;
  const float x2 = (float)(p->x[2] + half) * c->fix_unit, y2 = (float)(p->y[2] + half) * c->fix_unit;
  const float z0 = gyre_screen_z(c, t->v[0]), z1 = gyre_screen_z(c, t->v[1]), z2 = gyre_screen_z(c, t->v[2]);
  const float area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  const float inv = simt_self(area != 0.0f, 1.0f / area, 0.0f);
  const float a = ((z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0)) * inv;
  const float b = ((z2 - z0) * (x1 - x0) - (z1 - z0) * (x2 - x0)) * inv;
  const float k = z0 - a * x0 - b * y0 + (a + b) * 0.5f;
  out->x = gyre_f32_to_i32_sat(a * GYRE_FIX24);
  out->y = gyre_f32_to_i32_sat(b * GYRE_FIX24);
  out->z = gyre_f32_to_i32_sat(k * GYRE_FIX24);
}

/* p_i = a_i r_i, already times 2^24 through r (powers of two commute with the roundings). */
SIMT_INLINE void gyre_store_plane(gyre_plane* out, float p0, float p1, float p2) {
  out->x = gyre_f32_to_i32_sat(p0 - p2);
  out->y = gyre_f32_to_i32_sat(p1 - p2);
  out->z = gyre_f32_to_i32_sat(p2);
}

SIMT_INLINE void gyre_setup_planes(const gyre_subtri* t, gyre_prim* prim) {
  const gyre_setup_vertex *v0 = t->v[0], *v1 = t->v[1], *v2 = t->v[2];
  float r0 = 1.0f / v0->pos[3]; /* w is at least GYRE_SETUP_MIN_W here */
  float r1 = 1.0f / v1->pos[3];
  float r2 = 1.0f / v2->pos[3];
  const float m = gyre_max3(r0, r1, r2);
  float s = simt_self(m != 0.0f, 1.0f / m, 0.0f);
  r0 *= s;
  r1 *= s;
  r2 *= s;
  const float t0 = simt_fmaxf(__builtin_fabsf(v0->texcoord[0] * r0), __builtin_fabsf(v0->texcoord[1] * r0));
  const float t1 = simt_fmaxf(__builtin_fabsf(v1->texcoord[0] * r1), __builtin_fabsf(v1->texcoord[1] * r1));
  const float t2 = simt_fmaxf(__builtin_fabsf(v2->texcoord[0] * r2), __builtin_fabsf(v2->texcoord[1] * r2));
  float range = gyre_max3(t0, t1, t2);
  float fold = 1.0f;
  uint32_t folds = 0;
  SIMT_WHILE((range > 32.0f) & (folds < 24))
    range *= 0.5f;
    fold *= 0.5f;
    folds++;
  SIMT_END_WHILE
  r0 *= fold;
  r1 *= fold;
  r2 *= fold;
  prim->rhw_scale = s * fold;
  r0 *= GYRE_FIX24;
  r1 *= GYRE_FIX24;
  r2 *= GYRE_FIX24;
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    gyre_store_plane(&prim->planes[GYRE_PLANE_R + i], v0->color[i] * r0, v1->color[i] * r1, v2->color[i] * r2);
  }
  gyre_store_plane(&prim->planes[GYRE_PLANE_U], v0->texcoord[0] * r0, v1->texcoord[0] * r1, v2->texcoord[0] * r2);
  gyre_store_plane(&prim->planes[GYRE_PLANE_V], v0->texcoord[1] * r0, v1->texcoord[1] * r1, v2->texcoord[1] * r2);
  gyre_store_plane(&prim->planes[GYRE_PLANE_RHW], r0, r1, r2);
  /* most draws leave the six extra lanes zero */
  uint32_t used = 0;
#pragma GCC unroll 6
  for (int i = 0; i < 6; i++) {
    used |= simt_f32_bits(v0->varying2[i]) | simt_f32_bits(v1->varying2[i]) | simt_f32_bits(v2->varying2[i]);
  }
  if (simt_any(used != 0)) { /* uniform: vote */
#pragma GCC unroll 1
    for (int i = 0; i < 6; i++) { /* uniform: constant trip count */
      gyre_store_plane(&prim->planes[GYRE_PLANE_W0 + i], v0->varying2[i] * r0, v1->varying2[i] * r1,
                       v2->varying2[i] * r2);
    }
  } else {
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
      prim->planes[GYRE_PLANE_W0 + i].x = 0;
      prim->planes[GYRE_PLANE_W0 + i].y = 0;
      prim->planes[GYRE_PLANE_W0 + i].z = 0;
    }
  }
}

/* The whole record of a placed triangle. With inexact edges the box becomes the whole target: the box selects the bins
 * that are walked, and the picture must not depend on the size of a bin. */
SIMT_INLINE void gyre_setup_record(const gyre_setup_config* c, const gyre_subtri* t, gyre_placed* p, gyre_prim* prim) {
  const uint32_t inexact = gyre_setup_edges(c, p, prim->edges);
  p->box.left = simt_sel(inexact, 0, p->box.left);
  p->box.top = simt_sel(inexact, 0, p->box.top);
  p->box.right = simt_sel(inexact, c->width, p->box.right);
  p->box.bottom = simt_sel(inexact, c->height, p->box.bottom);
  gyre_setup_depth(c, t, p, &prim->depth);
  gyre_setup_planes(t, prim);
  prim->facing = p->back;
}

/* Number of primitives (0..3) the triangle at tri[0..2] leaves after clip and cull. */
SIMT_INLINE uint32_t gyre_setup_count(const gyre_setup_config* c, const gyre_setup_vertex* tri) {
  gyre_clip_space space;
  const gyre_polygon polygon = gyre_clip(c, tri, 4, &space);
  uint32_t kept = 0;
#pragma GCC unroll 1
  for (uint32_t sub = 0; sub < GYRE_SETUP_MAX_SUB; sub++) { /* uniform: constant trip count */
    const uint32_t exists = gyre_has_subtri(&polygon, sub);
    if (!simt_any(exists)) break; /* uniform: vote */
    gyre_placed placed;
    const gyre_subtri t = gyre_take_subtri(&polygon, sub);
    kept += gyre_place(c, &t, &placed) & exists;
  }
  return kept;
}

/* Writes those primitives to prim[], box[] and (unless flat is null) the provoking vertex' lane words to flat[][12],
 * room for `room` of them; returns how many were written. */
SIMT_INLINE uint32_t gyre_setup_emit(const gyre_setup_config* c, const gyre_setup_vertex* tri, uint32_t room,
                                     gyre_prim* prim, gyre_bbox* box, uint32_t* flat) {
  gyre_clip_space space;
  const gyre_polygon polygon = gyre_clip(c, tri, 16, &space);
  uint32_t written = 0;
#pragma GCC unroll 1
  for (uint32_t sub = 0; sub < GYRE_SETUP_MAX_SUB; sub++) { /* uniform: constant trip count */
    const uint32_t exists = gyre_has_subtri(&polygon, sub);
    if (!simt_any(exists)) break; /* uniform: vote */
    gyre_placed placed;
    const gyre_subtri t = gyre_take_subtri(&polygon, sub);
    const uint32_t draw = gyre_place(c, &t, &placed) & exists & (written < room);
    SIMT_IF(draw)
      gyre_setup_record(c, &t, &placed, prim + written);
      box[written] = placed.box;
      if (flat) { /* uniform: kernel argument */
        uint32_t* words = flat + GYRE_LANES * written;
        words[0] = simt_f32_bits(tri->texcoord[0]);
        words[1] = simt_f32_bits(tri->texcoord[1]);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) words[2 + i] = simt_f32_bits(tri->color[i]);
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++) words[6 + i] = simt_f32_bits(tri->varying2[i]);
      }
      written++;
    SIMT_END /* uniform: the loop above */
  }
  return written;
}

#endif
