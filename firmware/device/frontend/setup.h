/* Triangle setup, EXACT mode (frontend.md §5-§9), after the clip: snapping, edges, bounding box, cull, depth and
 * attribute planes. One source for the device kernels, the host oracle and the reference renderer; a pure function of
 * the three vertices and the draw state, so the counting and the writing pass agree. float32, no contraction.
 *
 * Written for SIMT lanes: every lane holds another triangle. Straight-line where cheap; branches are either uniform
 * (draw state, votes) or SIMT regions. */
#ifndef GYRE_FIRMWARE_FRONTEND_SETUP_H
#define GYRE_FIRMWARE_FRONTEND_SETUP_H

#include "clip.h"
#include "draw_state.h"
#include "fixed.h"
#include "gfx.h"
#include "simt.h"

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

/* Screen position of a vertex in sub-pixel units. */
SIMT_INLINE float gyre_screen_x(const gyre_setup_config* c, const gyre_setup_vertex* v) {
  return v->pos[0] / v->pos[3] * c->x_scale + c->x_mid;
}
SIMT_INLINE float gyre_screen_y(const gyre_setup_config* c, const gyre_setup_vertex* v) {
  return v->pos[1] / v->pos[3] * c->y_scale + c->y_mid;
}

/* 1 when the triangle is drawn; p is meaningful only then. */
SIMT_INLINE uint32_t gyre_place(const gyre_setup_config* c, const gyre_subtri* t, gyre_placed* p) {
  const float w0 = t->v[0]->pos[3], w1 = t->v[1]->pos[3], w2 = t->v[2]->pos[3];
  float x0 = gyre_screen_x(c, t->v[0]);
  float x1 = gyre_screen_x(c, t->v[1]);
  float x2 = gyre_screen_x(c, t->v[2]);
  float y0 = gyre_screen_y(c, t->v[0]);
  float y1 = gyre_screen_y(c, t->v[1]);
  float y2 = gyre_screen_y(c, t->v[2]);
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

/* Snapping moves a vertex by up to half a sub-pixel, and the planes with it. Where w spans a wide range that shows far away,
 * a texel and more at the horizon: the planes then get the values at the snapped places, not at the vertices. The snapped
 * vertex i is vertex i + along1[i] (vertex 1 - vertex 0) + along2[i] (vertex 2 - vertex 0). */
typedef struct gyre_snap_shift {
  float along1[3], along2[3];
} gyre_snap_shift;

#define GYRE_SETUP_STEEP 2.0f       /* range of w above which the shift matters */
#define GYRE_SETUP_MAX_SHIFT 0.125f /* slivers that snapping turned into something else stay as they are */

/* 1 when the shift is to be applied. */
SIMT_INLINE uint32_t gyre_find_shift(const gyre_setup_config* c, const gyre_subtri* t, const gyre_placed* p,
                                     gyre_snap_shift* shift) {
  const float x1 = (float)(p->x[1] - p->x[0]), y1 = (float)(p->y[1] - p->y[0]);
  const float x2 = (float)(p->x[2] - p->x[0]), y2 = (float)(p->y[2] - p->y[0]);
  const float inv = 1.0f / (x1 * y2 - x2 * y1);
  float most = 0.0f;
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) {
    const float dx = (float)(p->x[i] + (int32_t)c->half) - gyre_screen_x(c, t->v[i]);
    const float dy = (float)(p->y[i] + (int32_t)c->half) - gyre_screen_y(c, t->v[i]);
    shift->along1[i] = (dx * y2 - dy * x2) * inv;
    shift->along2[i] = (dy * x1 - dx * y1) * inv;
    most = simt_fmaxf(most, simt_fmaxf(__builtin_fabsf(shift->along1[i]), __builtin_fabsf(shift->along2[i])));
  }
  return most <= GYRE_SETUP_MAX_SHIFT;
}

SIMT_INLINE float gyre_shifted(const gyre_snap_shift* shift, int i, const float p[3]) {
  return p[i] + (shift->along1[i] * (p[1] - p[0]) + shift->along2[i] * (p[2] - p[0]));
}

SIMT_INLINE void gyre_store_shifted(gyre_plane* out, const gyre_snap_shift* shift, const float p[3]) {
  gyre_store_plane(out, gyre_shifted(shift, 0, p), gyre_shifted(shift, 1, p), gyre_shifted(shift, 2, p));
}

/* r: 1/w as scaled for the planes. */
SIMT_NOINLINE static void gyre_shift_planes(const gyre_subtri* t, const gyre_snap_shift* shift, const float r[3],
                                            gyre_prim* prim) {
  GYRE_STATIC_ASSERT(GYRE_PLANE_R == 0 && GYRE_PLANE_U == 4 && GYRE_PLANE_RHW == 6 && GYRE_PLANE_W0 == 7, "lane order");
#pragma GCC unroll 1
  for (int lane = 0; lane < (int)GYRE_LANES; lane++) { /* uniform: constant trip count */
    float p[3];
    for (int i = 0; i < 3; i++) p[i] = ((const float*)t->v[i])[4 + lane] * r[i]; /* the lanes stand behind the position */
    gyre_store_shifted(&prim->planes[lane + (lane >= GYRE_PLANE_RHW)], shift, p);
  }
  gyre_store_shifted(&prim->planes[GYRE_PLANE_RHW], shift, r);
}

SIMT_INLINE void gyre_setup_planes(const gyre_setup_config* c, const gyre_subtri* t, const gyre_placed* p,
                                   gyre_prim* prim) {
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
  const uint32_t steep = gyre_max3(r0, r1, r2) > GYRE_SETUP_STEEP * gyre_min3(r0, r1, r2);
  if (simt_any(steep)) { /* uniform: vote */
    gyre_snap_shift shift;
    const float r[3] = {r0, r1, r2};
    const uint32_t shifts = gyre_find_shift(c, t, p, &shift) & steep;
    SIMT_IF(shifts)
      gyre_shift_planes(t, &shift, r, prim);
    SIMT_END
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
  gyre_setup_planes(c, t, p, prim);
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
