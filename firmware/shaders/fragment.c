/* Fragment shaders of the draw player: vertex colour, flat colour, texture, texture times colour; in both colour rules
 * and, with a texture, a given or a computed level of detail (abi/package.h). One lane a pixel, four lanes a quad;
 * helper lanes run everything but the export. Argument: the u64 slots of frontend.md §12. */
#include "device_map.h"
#include "fragment_math.h"

typedef struct gyre_fragment {
  const uint32_t* slots; /* low words of the u64 slots at even indices */
  const gyre_prim* prim;
  uint32_t position; /* FRAG_POS */
  uint32_t x, y;
} gyre_fragment;

SIMT_INLINE uint32_t slot(const gyre_fragment* f, uint32_t index) { return f->slots[2 * index]; }

SIMT_INLINE gyre_fragment begin(const uint32_t* slots) {
  gyre_fragment f;
  f.slots = slots;
  f.position = vx_frag_pos();
  f.x = f.position & 0xFFFFu;
  f.y = f.position << 1 >> 17;
  f.prim = (const gyre_prim*)(uintptr_t)slots[2 * GYRE_FRAG_SLOT_PRIM] + vx_frag_pid();
  return f;
}

/* Colour and depth leave as a pair record (om.md §3): address from the geometry {shift, ybits, xbits} of slot 11. */
SIMT_INLINE void finish(const gyre_fragment* f, uint32_t color) {
  const uint32_t geometry = slot(f, GYRE_FRAG_SLOT_APERTURE);
  const uint32_t depth = gyre_fragment_depth(&f->prim->depth, f->x, f->y);
  const uint32_t row = f->prim->facing << (geometry >> 8 & 31) | f->y;
  const uint32_t record = row << (geometry & 31) | f->x;
  const uint32_t address = GYRE_DEV_APERTURE_BASE + (record << (geometry >> 16 & 31));
  SIMT_IF(f->position >> 31)
    vx_om_export(address, color, depth);
  SIMT_END
}

SIMT_INLINE const float* uniforms(const gyre_fragment* f) {
  const uint32_t* table = (const uint32_t*)(uintptr_t)slot(f, GYRE_FRAG_SLOT_CONST);
  return (const float*)(uintptr_t)table[0];
}

SIMT_INLINE void shade_color(const uint32_t* slots, uint32_t rule) {
  const gyre_fragment f = begin(slots);
  const gyre_weights w = gyre_fragment_weights(f.prim->edges, f.x, f.y);
  const gyre_plane* p = f.prim->planes;
  const float iw = gyre_fragment_w(&p[GYRE_PLANE_RHW], &w) * gyre_color_scale(rule);
  finish(&f, gyre_pack_color(rule, gyre_attribute(&p[GYRE_PLANE_R], &w, iw), gyre_attribute(&p[GYRE_PLANE_G], &w, iw),
                             gyre_attribute(&p[GYRE_PLANE_B], &w, iw), gyre_attribute(&p[GYRE_PLANE_A], &w, iw)));
}

SIMT_INLINE void shade_flat(const uint32_t* slots, uint32_t rule) {
  const gyre_fragment f = begin(slots);
  const float* c = uniforms(&f);
  const float scale = gyre_color_scale(rule);
  finish(&f, gyre_pack_color(rule, c[0] * scale, c[1] * scale, c[2] * scale, c[3] * scale));
}

SIMT_INLINE float neighbour_x(float v) { return simt_bits_f32(vx_quad_swap_x(simt_f32_bits(v))); }
SIMT_INLINE float neighbour_y(float v) { return simt_bits_f32(vx_quad_swap_y(simt_f32_bits(v))); }

SIMT_INLINE uint32_t sample(const gyre_fragment* f, uint32_t lod_rule, float u, float v) {
  const gyre_tex_desc* desc = (const gyre_tex_desc*)(uintptr_t)slot(f, GYRE_FRAG_SLOT_TEX);
  const int32_t fu = gyre_tex_coordinate(u), fv = gyre_tex_coordinate(v);
  uint32_t texel;
  if (lod_rule == GYRE_LOD_FIXED) {
    const float lambda = uniforms(f)[4];
    if (lambda > 0.0f) { /* uniform: uniform block */
      texel = vx_tex(1, fu, fv, gyre_lod_operand(lambda, desc[1].filter, desc[1].levels));
    } else {
      texel = vx_tex(0, fu, fv, 0);
    }
    return texel;
  }
  const float lambda =
      gyre_lambda(desc[0].logdim, u, v, neighbour_x(u), neighbour_x(v), neighbour_y(u), neighbour_y(v));
  SIMT_IF(lambda > 0.0f)
    texel = vx_tex(1, fu, fv, gyre_lod_operand(lambda, desc[1].filter, desc[1].levels));
  SIMT_ELSE
    texel = vx_tex(0, fu, fv, 0);
  SIMT_END_ELSE
  return texel;
}

SIMT_INLINE void shade_texture(const uint32_t* slots, uint32_t lod_rule) {
  const gyre_fragment f = begin(slots);
  const gyre_weights w = gyre_fragment_weights(f.prim->edges, f.x, f.y);
  const gyre_plane* p = f.prim->planes;
  const float iw = gyre_fragment_w(&p[GYRE_PLANE_RHW], &w);
  finish(&f, sample(&f, lod_rule, gyre_attribute(&p[GYRE_PLANE_U], &w, iw), gyre_attribute(&p[GYRE_PLANE_V], &w, iw)));
}

SIMT_INLINE void shade_modulate(const uint32_t* slots, uint32_t rule, uint32_t lod_rule) {
  const gyre_fragment f = begin(slots);
  const gyre_weights w = gyre_fragment_weights(f.prim->edges, f.x, f.y);
  const gyre_plane* p = f.prim->planes;
  const float iw = gyre_fragment_w(&p[GYRE_PLANE_RHW], &w);
  const uint32_t texel =
      sample(&f, lod_rule, gyre_attribute(&p[GYRE_PLANE_U], &w, iw), gyre_attribute(&p[GYRE_PLANE_V], &w, iw));
  const float iwc = iw * gyre_modulate_scale(rule);
  finish(&f, gyre_pack_modulated(rule, texel, gyre_attribute(&p[GYRE_PLANE_R], &w, iwc),
                                 gyre_attribute(&p[GYRE_PLANE_G], &w, iwc), gyre_attribute(&p[GYRE_PLANE_B], &w, iwc),
                                 gyre_attribute(&p[GYRE_PLANE_A], &w, iwc)));
}

SIMT_KERNEL void frag_color_trunc(const uint32_t* slots) { shade_color(slots, GYRE_COLOR_TRUNCATE); }
SIMT_KERNEL void frag_color_round(const uint32_t* slots) { shade_color(slots, GYRE_COLOR_ROUND); }
SIMT_KERNEL void frag_flat_trunc(const uint32_t* slots) { shade_flat(slots, GYRE_COLOR_TRUNCATE); }
SIMT_KERNEL void frag_flat_round(const uint32_t* slots) { shade_flat(slots, GYRE_COLOR_ROUND); }

/* The texel needs no colour rule; the names keep one entry point a combination. */
SIMT_KERNEL void frag_texture_trunc_fixed(const uint32_t* slots) { shade_texture(slots, GYRE_LOD_FIXED); }
SIMT_KERNEL void frag_texture_trunc_fine(const uint32_t* slots) { shade_texture(slots, GYRE_LOD_FINE); }
SIMT_KERNEL void frag_texture_round_fixed(const uint32_t* slots) { shade_texture(slots, GYRE_LOD_FIXED); }
SIMT_KERNEL void frag_texture_round_fine(const uint32_t* slots) { shade_texture(slots, GYRE_LOD_FINE); }

SIMT_KERNEL void frag_modulate_trunc_fixed(const uint32_t* slots) {
  shade_modulate(slots, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED);
}
SIMT_KERNEL void frag_modulate_trunc_fine(const uint32_t* slots) {
  shade_modulate(slots, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE);
}
SIMT_KERNEL void frag_modulate_round_fixed(const uint32_t* slots) {
  shade_modulate(slots, GYRE_COLOR_ROUND, GYRE_LOD_FIXED);
}
SIMT_KERNEL void frag_modulate_round_fine(const uint32_t* slots) {
  shade_modulate(slots, GYRE_COLOR_ROUND, GYRE_LOD_FINE);
}
