/* The clip of a triangle (frontend.md §4), before its division by w. */
#ifndef GYRE_FIRMWARE_FRONTEND_CLIP_H
#define GYRE_FIRMWARE_FRONTEND_CLIP_H

#include "draw_state.h"
#include "gfx.h"
#include "simt.h"

#define GYRE_SETUP_MAX_SUB 3u /* subtriangles after the clip */
#define GYRE_SETUP_MIN_W 1e-6f

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

#endif
