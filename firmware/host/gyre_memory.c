/* Device memory and device images of libgyre. */
#include <string.h>

#include "board.h"
#include "device_map.h"
#include "gyre_private.h"
#include "vxbin.h"

/* The pinned slab as it is configured by default (gpu.cp.pinned_base, gpu.cp.pinned_bytes). */
#define SLAB_BEGIN 0xD0000000ull
#define SLAB_END ((uint64_t)GYRE_DEV_APERTURE_BASE)

/* Images lie above the pool; with virtual memory it is the pinned slab, which lies above them. */
static uint64_t pool_begin(const gy_device* device) { return device->caps.vm ? SLAB_BEGIN : GYRE_DEV_USER_BASE; }
static uint64_t pool_end(const gy_device* device) {
  return device->caps.vm ? SLAB_END : GYRE_DEV_IMAGE_BASE;
}
#define SPARE_BLOCKS 64u

static uint64_t align(uint64_t value) {
  return (value + GYRE_DEV_BLOCK_BYTES - 1) & ~(uint64_t)(GYRE_DEV_BLOCK_BYTES - 1);
}

static gy_block* new_block(gy_device* device) {
  if (device->spare == NULL) {
    gy_block* fresh = board_alloc(SPARE_BLOCKS * sizeof *fresh);
    for (uint32_t i = 0; fresh != NULL && i < SPARE_BLOCKS; ++i) {
      fresh[i].next = device->spare;
      device->spare = &fresh[i];
    }
    if (fresh == NULL) return NULL;
  }
  gy_block* block = device->spare;
  device->spare = block->next;
  return block;
}

gy_addr gy_alloc(gy_device* device, uint64_t bytes) {
  if (bytes > pool_end(device) - pool_begin(device)) return 0;
  bytes = align(bytes == 0 ? 1 : bytes);
  uint64_t begin = pool_begin(device);
  gy_block** link = &device->blocks;
  for (; *link != NULL; link = &(*link)->next) { /* first gap that is large enough */
    if ((*link)->begin - begin >= bytes) break;
    begin = (*link)->begin + (*link)->bytes;
  }
  if (pool_end(device) - begin < bytes) return 0;
  gy_block* block = new_block(device);
  if (block == NULL) return 0;
  *block = (gy_block){(gy_addr)begin, bytes, *link};
  *link = block;
  return block->begin;
}

void gy_free(gy_device* device, gy_addr address) {
  for (gy_block** link = &device->blocks; *link != NULL; link = &(*link)->next) {
    gy_block* block = *link;
    if (block->begin != address) continue;
    *link = block->next;
    block->next = device->spare;
    device->spare = block;
    return;
  }
}

static uint64_t read64(const uint8_t* p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}
static uint32_t read32(const uint8_t* p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

gy_status gy_load(gy_device* device, const void* file, size_t bytes, gy_image* image) {
  const uint8_t* data = file;
  if (bytes < GYRE_VXBIN_HEADER_BYTES) return GY_BAD_IMAGE;
  const uint64_t begin = read64(data), end = read64(data + 8);
  if (begin % 4 != 0 || begin < GYRE_DEV_IMAGE_BASE || end <= begin || end > GYRE_DEV_APERTURE_BASE)
    return GY_BAD_IMAGE;
  const uint64_t image_bytes = end - begin;
  if (bytes - GYRE_VXBIN_HEADER_BYTES < image_bytes) return GY_BAD_IMAGE;

  memset(image, 0, sizeof *image);
  image->start = (gy_addr)begin;
  const uint8_t* footer = data + GYRE_VXBIN_HEADER_BYTES + image_bytes;
  const uint64_t rest = bytes - GYRE_VXBIN_HEADER_BYTES - image_bytes;
  if (rest >= GYRE_VXBIN_FOOTER_BYTES && memcmp(data + bytes - GYRE_VXBIN_MAGIC_BYTES, GYRE_VXBIN_MAGIC, 8) == 0) {
    const uint32_t count = read32(data + bytes - GYRE_VXBIN_FOOTER_BYTES);
    const uint64_t table = (uint64_t)count * sizeof(gyre_vxbin_symbol);
    if (table > rest - GYRE_VXBIN_FOOTER_BYTES) return GY_BAD_IMAGE;
    image->names = footer;
    image->names_bytes = (uint32_t)(rest - GYRE_VXBIN_FOOTER_BYTES - table);
    image->symbols = footer + image->names_bytes;
    image->count = count;
  }
  return gy_upload(device, image->start, data + GYRE_VXBIN_HEADER_BYTES, image_bytes);
}

gy_addr gy_symbol(const gy_image* image, const char* name) {
  const size_t length = strlen(name);
  for (uint32_t i = 0; i < image->count; ++i) {
    gyre_vxbin_symbol symbol;
    memcpy(&symbol, image->symbols + i * sizeof symbol, sizeof symbol);
    if (symbol.name_bytes != length || symbol.name_offset > image->names_bytes ||
        length > image->names_bytes - symbol.name_offset)
      continue;
    if (memcmp(image->names + symbol.name_offset, name, length) == 0) return (gy_addr)symbol.pc;
  }
  return 0;
}
