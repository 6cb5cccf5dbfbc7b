/* Draw player: plays a draw package on the GPU and leaves the frame on the display and in files.
 *
 *   player --package P --image I [--color C] [--depth D]
 *
 * P: draw package (abi/package.h), I: device image. C and D receive the words of the colour and of the depth/stencil
 * buffer, row 0 of the frame buffer first. Exit code 0, or 1 with one line that says why. */
#include <stdbool.h>
#include <string.h>

#include "board.h"
#include "device_map.h"
#include "draw.h"
#include "libgyre.h"
#include "package_reader.h"

#define NAME "player"

typedef struct options {
  const char *package, *image, *color, *depth;
} options;

static options parse(char* line) {
  options o = {0};
  char* save = NULL;
  char* word = strtok_r(line, " \t", &save); /* program name */
  while ((word = strtok_r(NULL, " \t", &save)) != NULL) {
    if (strcmp(word, "--") == 0) continue;
    const char** target = strcmp(word, "--package") == 0 ? &o.package
                          : strcmp(word, "--image") == 0 ? &o.image
                          : strcmp(word, "--color") == 0 ? &o.color
                          : strcmp(word, "--depth") == 0 ? &o.depth
                                                         : NULL;
    if (target == NULL) board_fail(NAME, "unknown option %s", word);
    *target = strtok_r(NULL, " \t", &save);
    if (*target == NULL) board_fail(NAME, "%s needs a file name", word);
  }
  if (o.package == NULL || o.image == NULL)
    board_fail(NAME, "usage: player --package P --image I [--color C] [--depth D]");
  return o;
}

static const uint8_t* read_file(const char* name, size_t* bytes) {
  const char* why = NULL;
  const uint8_t* data = board_read_file(name, bytes, &why);
  if (data == NULL) board_fail(NAME, "%s %s", name, why);
  return data;
}

static void must(const gy_device* device, gy_status status, const char* what) {
  if (status == GY_OK) return;
  if (status == GY_DEVICE_ERROR) board_fail(NAME, "%s: %s", what, gy_error_text(device));
  board_fail(NAME, "%s: %s", what, gy_status_name(status));
}

static gy_addr must_alloc(gy_device* device, uint64_t bytes, const char* what) {
  const gy_addr address = gy_alloc(device, bytes);
  if (address == 0) board_fail(NAME, "%s of %lu bytes does not fit into device memory", what, (unsigned long)bytes);
  return address;
}

/* One CMD_DRAW a draw. The front end says in meta whether the keys fitted; if not it drew nothing, so the draw is
 * submitted again with room for the keys it wants. */
static void play_draw(draw_context* c, draw_block* block, const package* p, uint32_t index, const gy_addr* textures) {
  const gyre_pkg_draw* d = &p->draws[index];
  const gyre_pkg_texture* t = d->texture != GYRE_PKG_NONE ? &p->textures[d->texture] : NULL;
  static uint32_t meta[4] __attribute__((aligned(64)));
  gy_device* device = c->device;
  const bool program = d->shader == GYRE_SHADER_PROGRAM;
  must(device,
       gy_upload(device, program ? c->attributes : c->records, p->data + d->vertices_offset,
                 (uint64_t)d->num_vertices * (program ? GYRE_PKG_ATTRIBUTE_STRIDE : GYRE_PKG_VSTRIDE)),
       "vertices");
  for (;;) {
    must(device,
         draw_fill_block(c, block, d, t, t != NULL ? textures[d->texture] : 0, program ? p->data + d->uniforms_offset : NULL),
         program ? "a draw's shaders" : "draw");
    must(device, gy_upload(device, c->block, block, sizeof *block), "draw");
    must(device, gy_draw(device, c->block + (gy_addr)offsetof(draw_block, steps)), "draw");
    must(device, gy_download(device, meta, c->meta, sizeof meta), "draw");
    const gy_status status = gy_finish(device);
    if (status == GY_DEVICE_ERROR) board_fail(NAME, "draw %u: %s", (unsigned)index, gy_error_text(device));
    must(device, status, "draw");
    const uint32_t word = meta[GYRE_META_STATUS];
    if (word & 1)
      board_print(NAME ": draw %u: more than %u primitives, the rest is not drawn\n", (unsigned)index,
                  (unsigned)GYRE_MAX_PRIMS);
    if (!(word & 2)) return;
    if (word >> 2 <= c->keys_cap || draw_grow_keys(c, word >> 2) != GY_OK)
      board_fail(NAME, "draw %u: no room for %u bin entries", (unsigned)index, (unsigned)(word >> 2));
  }
}

/* The display shows the first row at the top. */
static void present(const package* p, const uint32_t* color) {
  const uint32_t width = p->header->width, height = p->header->height;
  const uint32_t* frame = color;
  if (p->header->flags & GYRE_PKG_BOTTOM_UP) {
    uint32_t* turned = board_alloc((size_t)width * height * 4);
    if (turned == NULL) board_fail(NAME, "the frame does not fit into host memory");
    for (uint32_t y = 0; y < height; ++y)
      memcpy(turned + (size_t)y * width, color + (size_t)(height - 1 - y) * width, (size_t)width * 4);
    frame = turned;
  }
  if (board_read32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_ID) != GYRE_DISP_ID_VALUE) return;
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_WIDTH, width);
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_HEIGHT, height);
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_STRIDE, 4 * width);
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_FORMAT, 0);
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_BASE_LO, (uint32_t)(uintptr_t)frame);
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_BASE_HI, (uint32_t)((uintptr_t)frame >> 32));
  board_fence();
  board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_PRESENT, 1);
}

static void read_back(gy_device* device, gy_addr from, uint64_t bytes, uint32_t** out) {
  *out = board_alloc(bytes);
  if (*out == NULL) board_fail(NAME, "the frame does not fit into host memory");
  must(device, gy_download(device, *out, from, bytes), "read-back");
}

int main(void) {
  static char line[1024];
  strncpy(line, board_command_line(), sizeof line - 1);
  const options o = parse(line);
  size_t package_bytes, image_bytes;
  const uint8_t* package_file = read_file(o.package, &package_bytes);
  const uint8_t* image_file = read_file(o.image, &image_bytes);
  package p;
  const char* why = package_open(&p, package_file, package_bytes);
  if (why != NULL) board_fail(NAME, "%s: %s", o.package, why);

  gy_device* device;
  gy_image image;
  draw_context context = {0};
  must(NULL, gy_open(&device), "GPU");
  context.device = device;
  must(device, gy_load(device, image_file, image_bytes, &image), o.image);
  why = draw_find_kernels(&context, &image);
  if (why != NULL) board_fail(NAME, "%s: has no kernel %s", o.image, why);

  gy_image programs;
  if (p.header->shaders_bytes != 0) {
    uint64_t end = 0; /* of the kernel image */
    if (image_bytes >= 16) memcpy(&end, image_file + 8, sizeof end);
    if (end > GYRE_DEV_SHADER_BASE) board_fail(NAME, "%s: reaches into the place of the package's shaders", o.image);
    must(device, gy_load(device, p.data + p.header->shaders_offset, p.header->shaders_bytes, &programs), "the package's shaders");
    context.programs = &programs;
  }

  context.width = p.header->width;
  context.height = p.header->height;
  const uint64_t frame_bytes = 4ull * context.width * context.height;
  context.color = must_alloc(device, frame_bytes, "the colour buffer");
  context.depth = must_alloc(device, frame_bytes, "the depth buffer");
  must(device, gy_fill(device, context.color, p.header->clear_color, frame_bytes), "clear");
  must(device, gy_fill(device, context.depth, p.header->clear_depth, frame_bytes), "clear");

  gy_addr* textures = board_alloc((p.header->num_textures + 1) * sizeof *textures);
  draw_block* block = board_alloc(sizeof *block);
  if (textures == NULL || block == NULL) board_fail(NAME, "host memory is full");
  for (uint32_t i = 0; i < p.header->num_textures; ++i) {
    const gyre_pkg_texture* t = &p.textures[i];
    textures[i] = must_alloc(device, t->data_bytes, "a texture");
    must(device, gy_upload(device, textures[i], p.data + t->data_offset, t->data_bytes), "texture");
  }
  uint32_t triangles = 1;
  for (uint32_t i = 0; i < p.header->num_draws; ++i)
    if (p.draws[i].num_vertices / 3 > triangles) triangles = p.draws[i].num_vertices / 3;
  must(device, draw_allocate(&context, triangles), "front-end buffers");

  for (uint32_t i = 0; i < p.header->num_draws; ++i) play_draw(&context, block, &p, i, textures);

  uint32_t *color, *depth;
  must(device, gy_cache_flush(device), "read-back");
  read_back(device, context.color, frame_bytes, &color);
  read_back(device, context.depth, frame_bytes, &depth);
  must(device, gy_finish(device), "read-back");
  present(&p, color);
  if (o.color != NULL && !board_write_file(o.color, color, frame_bytes))
    board_fail(NAME, "%s cannot be written", o.color);
  if (o.depth != NULL && !board_write_file(o.depth, depth, frame_bytes))
    board_fail(NAME, "%s cannot be written", o.depth);
  return 0;
}
