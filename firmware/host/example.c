/* The smallest program that computes on the GPU: c = a + b. docs/programming.md explains it.
 *
 *   gyre run --firmware build/release/firmware/example.elf --fs build/release/firmware:ro */
#include "board.h"
#include "kernels.h"
#include "libgyre.h"

#define COUNT 1000u

static uint32_t a[COUNT], b[COUNT], c[COUNT];

static void must(const gy_device* device, gy_status status) {
  if (status == GY_OK) return;
  board_fail("example", "%s", status == GY_DEVICE_ERROR ? gy_error_text(device) : gy_status_name(status));
}

int main(void) {
  size_t bytes;
  const char* why;
  const uint8_t* file = board_read_file("device.vxbin", &bytes, &why);
  if (file == NULL) board_fail("example", "device.vxbin %s", why);
  for (uint32_t i = 0; i < COUNT; ++i) a[i] = i, b[i] = 1000 * i;

  gy_device* device;
  gy_image image;
  must(NULL, gy_open(&device));
  must(device, gy_load(device, file, bytes, &image));
  const gy_addr on_device = gy_alloc(device, 3 * sizeof a);
  const gyre_vector_add_arg arg = {on_device, on_device + sizeof a, on_device + 2 * sizeof a, COUNT, 0};
  const gy_addr arg_block = gy_alloc(device, sizeof arg);
  if (on_device == 0 || arg_block == 0) board_fail("example", "no device memory");

  const gy_launch_desc launch = {.start = image.start,
                                 .kernel = gy_symbol(&image, "gyre_vector_add"),
                                 .arg = arg_block,
                                 .grid = {gy_get_caps(device)->cores},
                                 .block = {gy_get_caps(device)->threads}};
  must(device, gy_upload(device, (gy_addr)arg.a, a, sizeof a));
  must(device, gy_upload(device, (gy_addr)arg.b, b, sizeof b));
  must(device, gy_upload(device, arg_block, &arg, sizeof arg));
  must(device, gy_launch(device, &launch));
  must(device, gy_cache_flush(device)); /* the DMA below reads under the caches */
  must(device, gy_download(device, c, (gy_addr)arg.c, sizeof c));
  must(device, gy_finish(device)); /* submits, sleeps until done */

  for (uint32_t i = 0; i < COUNT; ++i)
    if (c[i] != 1001 * i) board_fail("example", "element %u is %u", (unsigned)i, (unsigned)c[i]);
  board_print("example: %u sums from the GPU, all right\n", (unsigned)COUNT);
  return 0;
}
