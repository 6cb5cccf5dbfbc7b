#include "draw.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dcr.h"
#include "device_map.h"

#define MAX_RECORD_BYTES 144u /* clip position and 8 varyings */
#define RECORD_SHIFT 3u /* colour and depth word a fragment */

/* ---- kernels ---- */
static const struct {
  const char* name;
  uint8_t shader, color_rule, lod_rule;
} shaders[] = {
    {"frag_color_trunc", GYRE_SHADER_COLOR, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_color_trunc", GYRE_SHADER_COLOR, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_color_round", GYRE_SHADER_COLOR, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_color_round", GYRE_SHADER_COLOR, GYRE_COLOR_ROUND, GYRE_LOD_FINE},
    {"frag_flat_trunc", GYRE_SHADER_FLAT, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_flat_trunc", GYRE_SHADER_FLAT, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_flat_round", GYRE_SHADER_FLAT, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_flat_round", GYRE_SHADER_FLAT, GYRE_COLOR_ROUND, GYRE_LOD_FINE},
    {"frag_texture_trunc_fixed", GYRE_SHADER_TEXTURE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_texture_trunc_fine", GYRE_SHADER_TEXTURE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_texture_round_fixed", GYRE_SHADER_TEXTURE, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_texture_round_fine", GYRE_SHADER_TEXTURE, GYRE_COLOR_ROUND, GYRE_LOD_FINE},
    {"frag_modulate_trunc_fixed", GYRE_SHADER_MODULATE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FIXED},
    {"frag_modulate_trunc_fine", GYRE_SHADER_MODULATE, GYRE_COLOR_TRUNCATE, GYRE_LOD_FINE},
    {"frag_modulate_round_fixed", GYRE_SHADER_MODULATE, GYRE_COLOR_ROUND, GYRE_LOD_FIXED},
    {"frag_modulate_round_fine", GYRE_SHADER_MODULATE, GYRE_COLOR_ROUND, GYRE_LOD_FINE},
};

const char* draw_find_kernels(draw_context* c, const gy_image* image) {
  c->start = image->start;
  if ((c->expand = gy_symbol(image, "gyre_expand")) == 0) return "gyre_expand";
  if ((c->setup = gy_symbol(image, "gyre_setup")) == 0) return "gyre_setup";
  if ((c->binning = gy_symbol(image, "gyre_binning")) == 0) return "gyre_binning";
  for (unsigned i = 0; i < sizeof shaders / sizeof shaders[0]; ++i) {
    gy_addr* slot = &c->shader[shaders[i].shader][shaders[i].color_rule][shaders[i].lod_rule];
    if ((*slot = gy_symbol(image, shaders[i].name)) == 0) return shaders[i].name;
  }
  return NULL;
}

gy_addr draw_program_kernel(const draw_context* c, const char* stage, uint32_t program) {
  char name[32];
  snprintf(name, sizeof name, "gyre_%s_%u", stage, (unsigned)program);
  return c->programs != NULL ? gy_symbol(c->programs, name) : 0;
}

/* ---- buffers (frontend.md §11) ---- */
static uint32_t threads_per_cta(const draw_context* c) {
  const gy_caps* caps = gy_get_caps(c->device);
  return caps->threads * caps->warps;
}

/* Work is dealt to the cores first, in whole warps, then to the warps of a core: a thread without an item costs the start
 * of its warp and nothing else comes of it. */
static uint32_t ctas_for(const draw_context* c, uint32_t items) {
  const uint32_t lanes = gy_get_caps(c->device)->threads, cores = gy_get_caps(c->device)->cores;
  const uint32_t wanted = (items + lanes - 1) / lanes;
  return wanted == 0 ? 1 : wanted < cores ? wanted : cores;
}

/* Threads of each of `ctas` CTAs for a stage in which every item is one thread's. */
static uint32_t threads_for(const draw_context* c, uint32_t items, uint32_t ctas) {
  const uint32_t lanes = gy_get_caps(c->device)->threads, full = threads_per_cta(c);
  const uint32_t each = (items + ctas - 1) / ctas, wanted = (each + lanes - 1) / lanes * lanes;
  return wanted < lanes ? lanes : wanted < full ? wanted : full;
}

/* Threads of a CTA that sums over its threads one by one after each has gone through its part of the items: n / T turns of
 * a longer loop, then T of a shorter one. The best T grows with the square root of n. */
static uint32_t threads_for_sums(const draw_context* c, uint32_t items) {
  const uint32_t lanes = gy_get_caps(c->device)->threads, full = threads_per_cta(c);
  uint32_t threads = lanes;
  while (threads < full && (uint64_t)threads * threads < 4 * (uint64_t)items) threads += lanes;
  return threads;
}

static gy_status allocate(gy_device* device, gy_addr* out, uint64_t bytes) {
  gy_free(device, *out);
  *out = gy_alloc(device, bytes);
  return *out != 0 ? GY_OK : GY_NO_MEMORY;
}

gy_status draw_grow_keys(draw_context* c, uint32_t keys) {
  const uint64_t headers = sizeof(gyre_bin_header) * (uint64_t)c->num_bins;
  gy_status status = allocate(c->device, &c->keys, 4ull * keys);
  if (status == GY_OK) status = allocate(c->device, &c->tilebuf, headers + 4ull * keys);
  c->keys_cap = keys;
  return status;
}

gy_status draw_allocate(draw_context* c, uint32_t max_triangles) {
  const uint32_t bin_log = gy_get_caps(c->device)->bin_log2, threads = threads_per_cta(c);
  const uint64_t n = max_triangles;
  c->max_triangles = max_triangles;
  c->bin_cols = (c->width + (1u << bin_log) - 1) >> bin_log;
  c->num_bins = c->bin_cols * ((c->height + (1u << bin_log) - 1) >> bin_log);
  if (c->num_bins > GYRE_MAX_BINS) return GY_BAD_ARGUMENT;
  uint64_t prims = 2 * n; /* the near plane cuts a triangle into two at most */
  if (prims > GYRE_MAX_PRIMS) prims = GYRE_MAX_PRIMS;
  const struct {
    gy_addr* out;
    uint64_t bytes;
  } buffers[] = {
      {&c->attributes, c->programs != NULL ? n * 3 * GYRE_PKG_ATTRIBUTE_STRIDE : 64},
      {&c->records, n * 3 * (c->programs != NULL ? MAX_RECORD_BYTES : GYRE_PKG_VSTRIDE)},
      {&c->verts, n * 3 * sizeof(gyre_setup_vertex)},
      {&c->keep, 4 * n},
      {&c->offset, 4 * (n + 1)},
      {&c->tsum, 4ull * threads},
      {&c->btsum, 4ull * threads},
      {&c->prim, prims * sizeof(gyre_prim)},
      {&c->bbox, prims * sizeof(gyre_bbox)},
      {&c->bcount, 4 * prims},
      {&c->boffset, 4 * (prims + 1)},
      {&c->thist, 4ull * threads * c->num_bins},
      {&c->bincount, 4ull * c->num_bins},
      {&c->binbase, 4ull * c->num_bins},
      {&c->meta, 16},
      {&c->block, sizeof(draw_block)},
  };
  for (unsigned i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
    const gy_status status = allocate(c->device, buffers[i].out, buffers[i].bytes);
    if (status != GY_OK) return status;
  }
  const uint64_t all = 2 * n * c->num_bins, usual = 8 * n + 64ull * c->num_bins;
  return draw_grow_keys(c, (uint32_t)(all < usual ? all : usual));
}

/* ---- the block of one draw ---- */
static bool is_program(const gyre_pkg_draw* d) { return d->shader == GYRE_SHADER_PROGRAM; }

/* Stage 0: the vertex shader writes the VS records that expand reads. */
static void fill_program(const draw_context* c, draw_block* b, const gyre_pkg_draw* d, const gyre_pkg_texture* t,
                         gy_addr texture_data, const uint8_t* uniforms) {
  const uint32_t vstride = 16 * (1 + d->num_varyings);
  b->expand.vstride = vstride;
  b->expand.num_varyings = d->num_varyings;
  for (uint32_t i = 0; i < 8; ++i) b->expand.varying_comps[i] = d->varying_comps[i];
  b->vertex = (gyre_vs_arg){.attribs = c->attributes,
                            .vsrec = c->records,
                            .consts = c->block + offsetof(draw_block, vertex_constants),
                            .num_verts = d->num_vertices,
                            .astride = GYRE_PKG_ATTRIBUTE_STRIDE,
                            .vstride = vstride};
  b->vertex_constants[GYRE_CONST_UNIFORMS] = c->block + offsetof(draw_block, vertex_uniforms);
  memcpy(b->vertex_uniforms, uniforms, sizeof b->vertex_uniforms);
  memcpy(b->uniforms, uniforms + sizeof b->vertex_uniforms, sizeof b->uniforms);
  b->constants[GYRE_CONST_TEXTURE] = c->block + offsetof(draw_block, soft_texture);
  b->soft_texture = (gyre_soft_texture){.texels = c->block + (gy_addr)offsetof(draw_block, no_texel), .width = 1, .height = 1};
  if (t == NULL) return;
  b->soft_texture.texels = texture_data + t->mip_offset[0];
  b->soft_texture.width = t->width != 0 ? t->width : 1u << (t->logdim & 15);
  b->soft_texture.height = t->height != 0 ? t->height : 1u << (t->logdim >> 16 & 15);
}

static void fill_front_end(const draw_context* c, draw_block* b, const gyre_pkg_draw* d) {
  const uint32_t triangles = d->num_vertices / 3;
  b->expand = (gyre_expand_arg){.vsrec = c->records,
                                .verts = c->verts,
                                .num_verts = d->num_vertices,
                                .vstride = GYRE_PKG_VSTRIDE,
                                .num_varyings = 2,
                                .varying_comps = {2, 4}}; /* texture coordinate, colour */
  gyre_pipe_arg arg = {.num_tris = triangles,
                       .width = c->width,
                       .height = c->height,
                       .bin_cols = c->bin_cols,
                       .num_bins = c->num_bins,
                       .cull_mode = d->cull_mode,
                       .vp_halfz = d->vp_halfz,
                       .keys_cap = c->keys_cap,
                       .verts = c->verts,
                       .bin_log = gy_get_caps(c->device)->bin_log2,
                       .keep = c->keep,
                       .offset = c->offset,
                       .tsum = c->tsum,
                       .prim = c->prim,
                       .bbox = c->bbox,
                       .bcount = c->bcount,
                       .boffset = c->boffset,
                       .keys = c->keys,
                       .btsum = c->btsum,
                       .thist = c->thist,
                       .bincount = c->bincount,
                       .binbase = c->binbase,
                       .tilebuf = c->tilebuf,
                       .meta = c->meta};
  memcpy(&arg.vp_sx, &d->vp_sx, 6 * sizeof(float)); /* sx tx sy ty minz maxz */
  const uint32_t ctas = ctas_for(c, triangles);
  arg.bin_stripe = (c->num_bins + ctas - 1) / ctas;
  for (uint32_t stage = 0; stage < DRAW_FRONT_END_STAGES; ++stage) {
    arg.stage = stage;
    b->pipe[stage] = arg;
  }
}

static void fill_fragment(const draw_context* c, draw_block* b, const gyre_pkg_draw* d, const gyre_pkg_texture* t,
                          uint32_t xbits, uint32_t ybits) {
  b->frag[GYRE_FRAG_SLOT_PRIM] = c->prim;
  b->frag[GYRE_FRAG_SLOT_TEX] = t != NULL || is_program(d) ? c->block + offsetof(draw_block, tex) : 0;
  b->frag[GYRE_FRAG_SLOT_CONST] = c->block + offsetof(draw_block, constants);
  b->frag[GYRE_FRAG_SLOT_APERTURE] = RECORD_SHIFT << 16 | ybits << 8 | xbits;
  b->constants[GYRE_CONST_UNIFORMS] = c->block + offsetof(draw_block, uniforms);
  memcpy(b->uniforms[0], d->flat_color, sizeof d->flat_color);
  memcpy(b->uniforms[1], &d->lod_value, sizeof d->lod_value);
  for (uint32_t stage = 0; stage < GYRE_TEX_STAGES; ++stage) {
    b->tex[stage].logdim = t != NULL ? t->logdim : 0;
    b->tex[stage].filter = stage == 0 ? d->tex_filter : d->tex_filter_min;
    b->tex[stage].levels = d->tex_levels;
  }
}

static void step_raster(gy_steps* s, const draw_context* c, const gyre_pkg_draw* d, gy_addr shader) {
  gy_step_dcr(s, GYRE_DCR_RASTER_TBUF_ADDR, c->tilebuf >> 6);
  gy_step_dcr(s, GYRE_DCR_RASTER_TILE_COUNT, c->num_bins);
  gy_step_dcr(s, GYRE_DCR_RASTER_PBUF_ADDR, c->prim >> 6);
  gy_step_dcr(s, GYRE_DCR_RASTER_PBUF_STRIDE, sizeof(gyre_prim));
  gy_step_dcr(s, GYRE_DCR_RASTER_SCISSOR_X, d->scissor_x);
  gy_step_dcr(s, GYRE_DCR_RASTER_SCISSOR_Y, d->scissor_y);
  gy_step_dcr(s, GYRE_DCR_RASTER_FRAG_ENTRY_LO, shader);
  gy_step_dcr(s, GYRE_DCR_RASTER_FRAG_ENTRY_HI, 0);
  gy_step_dcr(s, GYRE_DCR_RASTER_FRAG_PARAM_LO, c->block + offsetof(draw_block, frag));
  gy_step_dcr(s, GYRE_DCR_RASTER_FRAG_PARAM_HI, 0);
}

static void step_output_merger(gy_steps* s, const draw_context* c, const gyre_pkg_draw* d, uint32_t xbits,
                               uint32_t ybits) {
  gy_step_dcr(s, GYRE_DCR_OM_RT_SELECT, 0);
  gy_step_dcr(s, GYRE_DCR_OM_CBUF_ADDR, c->color >> 6);
  gy_step_dcr(s, GYRE_DCR_OM_CBUF_PITCH, 4 * c->width);
  gy_step_dcr(s, GYRE_DCR_OM_CBUF_WRITEMASK, d->color_writemask);
  gy_step_dcr(s, GYRE_DCR_OM_ZBUF_ADDR, c->depth >> 6);
  gy_step_dcr(s, GYRE_DCR_OM_ZBUF_PITCH, 4 * c->width);
  gy_step_dcr(s, GYRE_DCR_OM_DEPTH_FUNC, d->depth_func);
  gy_step_dcr(s, GYRE_DCR_OM_DEPTH_WRITEMASK, d->depth_writemask);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_FUNC, d->stencil_func);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_ZPASS, d->stencil_zpass);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_ZFAIL, d->stencil_zfail);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_FAIL, d->stencil_fail);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_REF, d->stencil_ref);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_MASK, d->stencil_mask);
  gy_step_dcr(s, GYRE_DCR_OM_STENCIL_WRITEMASK, d->stencil_writemask);
  gy_step_dcr(s, GYRE_DCR_OM_BLEND_MODE, d->blend_mode);
  gy_step_dcr(s, GYRE_DCR_OM_BLEND_FUNC, d->blend_func);
  gy_step_dcr(s, GYRE_DCR_OM_BLEND_CONST, d->blend_const);
  gy_step_dcr(s, GYRE_DCR_OM_LOGIC_OP, d->logic_op);
  gy_step_dcr(s, GYRE_DCR_OM_EARLYZ_SAFE, d->earlyz_safe);
  gy_step_dcr(s, GYRE_DCR_OM_APERTURE_XBITS, xbits);
  gy_step_dcr(s, GYRE_DCR_OM_APERTURE_YBITS, ybits);
  gy_step_dcr(s, GYRE_DCR_OM_APERTURE_RECORD_SHIFT, RECORD_SHIFT);
  gy_step_dcr(s, GYRE_DCR_OM_APERTURE_DEPTH_ONLY, 0);
}

/* Both banks hold the same texture: stage 0 magnifies, stage 1 minifies. */
static void step_texture(gy_steps* s, const gyre_pkg_draw* d, const gyre_pkg_texture* t, gy_addr data) {
  for (uint32_t stage = 0; stage < GYRE_TEX_STAGES; ++stage) {
    gy_step_dcr(s, GYRE_DCR_TEX_STAGE, stage);
    gy_step_dcr(s, GYRE_DCR_TEX_ADDR, data >> 6);
    gy_step_dcr(s, GYRE_DCR_TEX_LOGDIM, t->logdim);
    gy_step_dcr(s, GYRE_DCR_TEX_FORMAT, t->format);
    gy_step_dcr(s, GYRE_DCR_TEX_FILTER, stage == 0 ? d->tex_filter : d->tex_filter_min);
    gy_step_dcr(s, GYRE_DCR_TEX_WRAP, d->tex_wrap);
    for (uint32_t l = 0; l < GYRE_TEX_LEVELS; ++l) gy_step_dcr(s, GYRE_DCR_TEX_MIPOFF0 + l, t->mip_offset[l]);
    gy_step_dcr(s, GYRE_DCR_TEX_BORDER, d->tex_border);
  }
}

/* Launch number `index` of the draw: its QMD goes into the block, its step and a flush into the descriptor. */
static gy_status step_kernel(const draw_context* c, draw_block* b, gy_steps* s, uint32_t index, gy_addr kernel,
                             gy_addr arg, uint32_t ctas, uint32_t threads) {
  const gy_launch_desc desc = {.start = c->start, .kernel = kernel, .arg = arg, .grid = {ctas}, .block = {threads}};
  gy_qmd qmd;
  const gy_status status = gy_qmd_launch(c->device, &qmd, &desc);
  if (status != GY_OK) return status;
  memcpy(b->qmd[index], &qmd, sizeof b->qmd[index]);
  gy_step_qmd(s, c->block + (gy_addr)offsetof(draw_block, qmd) + index * (gy_addr)sizeof b->qmd[0]);
  gy_step_flush(s, c->device);
  return GY_OK;
}

static uint32_t aperture_bits(uint32_t size) {
  uint32_t bits = 0;
  while ((1u << bits) < size) ++bits;
  return bits;
}

gy_status draw_fill_block(const draw_context* c, draw_block* b, const gyre_pkg_draw* d, const gyre_pkg_texture* t,
                          gy_addr texture_data, const void* uniforms) {
  const bool program = is_program(d);
  const gy_addr vertex_shader = program ? draw_program_kernel(c, "vs", d->program) : 0;
  const gy_addr shader =
      program ? draw_program_kernel(c, "fs", d->program) : c->shader[d->shader][d->color_rule][d->lod_rule];
  if (shader == 0 || (program && vertex_shader == 0)) return GY_BAD_IMAGE;
  const uint32_t xbits = aperture_bits(c->width), ybits = aperture_bits(c->height);
  if (xbits + ybits + 1 + RECORD_SHIFT > 28) return GY_BAD_ARGUMENT; /* om.md §3.2 */
  memset(b, 0, offsetof(draw_block, steps));
  fill_front_end(c, b, d);
  fill_fragment(c, b, d, t, xbits, ybits);
  if (program) fill_program(c, b, d, t, texture_data, uniforms);

  gy_steps steps;
  gy_steps_begin(&steps, b->steps);
  const uint32_t triangles = d->num_vertices / 3, wide = ctas_for(c, triangles);
  const uint32_t vertex_ctas = ctas_for(c, d->num_vertices);
  uint32_t launch = 0;
  gy_status status = GY_OK;
  if (program) {
    const uint32_t threads = threads_per_cta(c), ctas = (d->num_vertices + threads - 1) / threads;
    status = step_kernel(c, b, &steps, launch++, vertex_shader, c->block + (gy_addr)offsetof(draw_block, vertex), ctas, threads);
  }
  if (status == GY_OK)
    status = step_kernel(c, b, &steps, launch++, c->expand, c->block + (gy_addr)offsetof(draw_block, expand), vertex_ctas,
                         threads_for(c, d->num_vertices, vertex_ctas));
  for (uint32_t stage = 0; stage < DRAW_FRONT_END_STAGES && status == GY_OK; ++stage) {
    const bool one_cta = stage == GYRE_STAGE_SCAN || stage == GYRE_STAGE_BSCAN || stage == GYRE_STAGE_BBASE;
    const bool sums = one_cta || stage == GYRE_STAGE_BHIST || stage == GYRE_STAGE_BSCATTER;
    const gy_addr arg = c->block + (gy_addr)(offsetof(draw_block, pipe) + stage * sizeof(gyre_pipe_arg));
    status = step_kernel(c, b, &steps, launch++, stage <= GYRE_STAGE_EMIT ? c->setup : c->binning, arg, one_cta ? 1 : wide,
                         !sums                       ? threads_for(c, triangles, wide)
                         : stage == GYRE_STAGE_BBASE ? threads_for_sums(c, c->num_bins)
                                                     : threads_for_sums(c, triangles));
  }
  if (status != GY_OK) return status;

  step_raster(&steps, c, d, shader);
  step_output_merger(&steps, c, d, xbits, ybits);
  static const gyre_pkg_texture none = {.levels = 1}; /* one word 0 */
  if (t != NULL)
    step_texture(&steps, d, t, texture_data);
  else if (program)
    step_texture(&steps, d, &none, c->block + (gy_addr)offsetof(draw_block, no_texel));
  const uint32_t kick = launch;
  gy_qmd qmd;
  gy_qmd_kick(&qmd, c->start);
  memcpy(b->qmd[kick], &qmd, GY_QMD_BYTES(qmd.count));
  gy_step_qmd(&steps, c->block + (gy_addr)offsetof(draw_block, qmd) + kick * (gy_addr)sizeof b->qmd[0]);
  /* The next draw reuses these buffers by DMA and reads them through the caches: leave none of this draw's lines. */
  gy_step_flush(&steps, c->device);
  return gy_steps_ok(&steps) ? GY_OK : GY_BAD_ARGUMENT;
}
