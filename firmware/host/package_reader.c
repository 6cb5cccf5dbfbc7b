#include "package_reader.h"

#include <stdbool.h>
#include <stdio.h>

static char message[128];

static const char* bad(const char* what, uint32_t index, const char* why) {
  snprintf(message, sizeof message, "%s %u: %s", what, (unsigned)index, why);
  return message;
}

/* [offset, offset + bytes) lies past the header in the file, on a 64-byte boundary. */
static bool inside(uint64_t offset, uint64_t bytes, uint64_t file_bytes) {
  return offset % 64 == 0 && offset >= sizeof(gyre_pkg_header) && bytes <= file_bytes && offset <= file_bytes - bytes;
}

static uint32_t texel_bytes(uint32_t format) {
  if (format == GYRE_TEX_FORMAT_A8R8G8B8) return 4;
  return format == GYRE_TEX_FORMAT_L8 || format == GYRE_TEX_FORMAT_A8 ? 1 : 2;
}

static const char* check_texture(const gyre_pkg_texture* t, uint32_t index, uint64_t file_bytes) {
  const uint32_t log_width = t->logdim & 0xFFFF, log_height = t->logdim >> 16;
  if (t->format >= GYRE_TEX_FORMATS) return bad("texture", index, "unknown format");
  if (log_width > 15 || log_height > 15) return bad("texture", index, "too large");
  if (t->levels < 1 || t->levels > 16) return bad("texture", index, "levels out of range");
  if (!inside(t->data_offset, t->data_bytes, file_bytes)) return bad("texture", index, "data outside the file");
  if ((t->width | t->height) != 0 && (t->width < 1 || t->width > 1024 || t->height < 1 || t->height > 1024 ||
                                      t->logdim != 0 || t->data_bytes < 4ull * t->width * t->height))
    return bad("texture", index, "not a rectangle");
  for (uint32_t l = 0; l < 16; ++l) {
    const uint32_t w = log_width > l ? log_width - l : 0, h = log_height > l ? log_height - l : 0;
    const uint64_t bytes = (1ull << (w + h)) * texel_bytes(t->format);
    if (l >= t->levels ? t->mip_offset[l] != t->mip_offset[t->levels - 1]
                       : bytes > t->data_bytes || t->mip_offset[l] > t->data_bytes - bytes)
      return bad("texture", index, "a level outside its data");
  }
  return NULL;
}

static const char* check_program(const package* p, const gyre_pkg_draw* d, uint32_t index, uint64_t file_bytes) {
  if (p->header->shaders_bytes == 0) return bad("draw", index, "names a program of no image");
  if (d->program >= GYRE_PKG_MAX_PROGRAMS) return bad("draw", index, "program number too large");
  if (!inside(d->uniforms_offset, GYRE_PKG_UNIFORM_BYTES, file_bytes)) return bad("draw", index, "uniforms outside the file");
  if (d->num_varyings > 8) return bad("draw", index, "more than 8 varyings");
  for (uint32_t i = 0; i < 8; ++i)
    if (d->varying_comps[i] > 4) return bad("draw", index, "a varying of more than 4 components");
  return NULL;
}

static const char* check_draw(const package* p, const gyre_pkg_draw* d, uint32_t index, uint64_t file_bytes) {
  const bool textured = d->shader == GYRE_SHADER_TEXTURE || d->shader == GYRE_SHADER_MODULATE;
  if (d->num_vertices == 0 || d->num_vertices % 3 != 0 || d->num_vertices > 3 * GYRE_MAX_PRIMS)
    return bad("draw", index, "not a triangle list of 1 to 65536 triangles");
  const uint32_t stride = d->shader == GYRE_SHADER_PROGRAM ? GYRE_PKG_ATTRIBUTE_STRIDE : GYRE_PKG_VSTRIDE;
  if (!inside(d->vertices_offset, (uint64_t)d->num_vertices * stride, file_bytes))
    return bad("draw", index, "vertices outside the file");
  if (d->shader > GYRE_SHADER_PROGRAM || d->color_rule > GYRE_COLOR_ROUND || d->lod_rule > GYRE_LOD_FINE)
    return bad("draw", index, "unknown shader or rule");
  if (d->cull_mode > GYRE_CULL_FRONT || d->vp_halfz > 1) return bad("draw", index, "unknown cull mode or depth range");
  if (d->scissor_x >> 16 > p->header->width || d->scissor_y >> 16 > p->header->height)
    return bad("draw", index, "scissor outside the target");
  if (d->texture != GYRE_PKG_NONE && d->texture >= p->header->num_textures)
    return bad("draw", index, "texture does not exist");
  if (textured && d->texture == GYRE_PKG_NONE) return bad("draw", index, "its shader needs a texture");
  if (d->tex_levels < 1 || (d->texture != GYRE_PKG_NONE && d->tex_levels > p->textures[d->texture].levels))
    return bad("draw", index, "tex_levels out of range");
  if (d->texture != GYRE_PKG_NONE && p->textures[d->texture].width != 0 && d->shader != GYRE_SHADER_PROGRAM)
    return bad("draw", index, "its texture is a rectangle, which only programs read");
  return d->shader == GYRE_SHADER_PROGRAM ? check_program(p, d, index, file_bytes) : NULL;
}

const char* package_open(package* out, const uint8_t* data, size_t bytes) {
  const gyre_pkg_header* h = (const gyre_pkg_header*)(const void*)data;
  if (bytes < sizeof *h) return "too short for a draw package";
  if (h->magic != GYRE_PKG_MAGIC) return "not a draw package";
  if (h->version != GYRE_PKG_VERSION) return "another package version";
  if (h->file_bytes != bytes) return "cut short or damaged";
  if (h->width < 1 || h->width > GYRE_PKG_MAX_DIM || h->height < 1 || h->height > GYRE_PKG_MAX_DIM)
    return "target size out of range";
  if (h->num_textures > GYRE_PKG_MAX_TEXTURES || h->num_draws > GYRE_PKG_MAX_DRAWS) return "too many textures or draws";
  if (h->num_textures != 0 && !inside(h->textures_offset, h->num_textures * sizeof(gyre_pkg_texture), bytes))
    return "texture table outside the file";
  if (h->num_draws != 0 && !inside(h->draws_offset, h->num_draws * sizeof(gyre_pkg_draw), bytes))
    return "draw table outside the file";
  if (h->shaders_bytes != 0 && !inside(h->shaders_offset, h->shaders_bytes, bytes)) return "shaders outside the file";
  out->data = data;
  out->header = h;
  out->textures = (const gyre_pkg_texture*)(const void*)(data + h->textures_offset);
  out->draws = (const gyre_pkg_draw*)(const void*)(data + h->draws_offset);
  for (uint32_t i = 0; i < h->num_textures; ++i) {
    const char* why = check_texture(&out->textures[i], i, bytes);
    if (why != NULL) return why;
  }
  for (uint32_t i = 0; i < h->num_draws; ++i) {
    const char* why = check_draw(out, &out->draws[i], i, bytes);
    if (why != NULL) return why;
  }
  return NULL;
}
