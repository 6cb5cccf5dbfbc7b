/* Launches the compute kernels (device/kernels.h) with many grid and block sizes and checks every result.
 *
 *   compute --image I
 *
 * Exit code 0 = all right, 1 = one line says what was wrong. */
#include <string.h>

#include "board.h"
#include "kernels.h"
#include "libgyre.h"

#define NAME "compute"
#define MAX_COUNT 3000u
#define MAX_GRID 64u

typedef struct test_bench {
  gy_device* device;
  gy_addr start, a, b, c, arg;
  uint32_t *host_a, *host_b, *host_c;
  uint32_t launches;
} test_bench;

static uint32_t next_random(void) {
  static uint32_t state = 12345;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static void must(const gy_device* device, gy_status status, const char* what) {
  if (status == GY_OK) return;
  board_fail(NAME, "%s: %s", what, status == GY_DEVICE_ERROR ? gy_error_text(device) : gy_status_name(status));
}

/* Uploads the argument, launches, reads `words` words of c back. */
static void run(test_bench* t, const char* what, gy_addr kernel, const void* arg, uint32_t arg_bytes, uint32_t grid,
                uint32_t block, uint32_t lmem, uint32_t words) {
  gy_device* d = t->device;
  const gy_launch_desc desc = {
      .start = t->start, .kernel = kernel, .arg = t->arg, .grid = {grid}, .block = {block}, .lmem_bytes = lmem};
  memset(t->host_c, 0xEE, 4 * MAX_COUNT);
  must(d, gy_upload(d, t->arg, arg, arg_bytes), what);
  must(d, gy_upload(d, t->c, t->host_c, 4 * MAX_COUNT), what);
  must(d, gy_cache_flush(d), what); /* the last launch may have cached what was just overwritten */
  must(d, gy_launch(d, &desc), what);
  must(d, gy_cache_flush(d), what);
  must(d, gy_download(d, t->host_c, t->c, 4 * words), what);
  must(d, gy_finish(d), what);
  ++t->launches;
}

static void check(const char* what, uint32_t grid, uint32_t block, uint32_t count, uint32_t i, uint32_t got,
                  uint32_t want) {
  if (got == want) return;
  board_fail(NAME, "%s, grid %u, block %u, %u elements: element %u is 0x%08x, not 0x%08x", what, (unsigned)grid,
             (unsigned)block, (unsigned)count, (unsigned)i, (unsigned)got, (unsigned)want);
}

static void vector_add(test_bench* t, gy_addr kernel, uint32_t grid, uint32_t block, uint32_t count) {
  const gyre_vector_add_arg arg = {t->a, t->b, t->c, count, 0};
  run(t, "vector add", kernel, &arg, sizeof arg, grid, block, 0, MAX_COUNT);
  for (uint32_t i = 0; i < MAX_COUNT; ++i)
    check("vector add", grid, block, count, i, t->host_c[i], i < count ? t->host_a[i] + t->host_b[i] : 0xEEEEEEEEu);
}

static void reduce(test_bench* t, gy_addr kernel, uint32_t grid, uint32_t block, uint32_t count) {
  const gyre_reduce_arg arg = {t->a, t->c, count, 0};
  uint32_t want[MAX_GRID] = {0};
  run(t, "reduction", kernel, &arg, sizeof arg, grid, block, 4 * block, grid);
  for (uint32_t i = 0; i < count; ++i) want[i / block % grid] += t->host_a[i];
  for (uint32_t g = 0; g < grid; ++g) check("reduction", grid, block, count, g, t->host_c[g], want[g]);
}

static void divergence(test_bench* t, gy_addr kernel, uint32_t grid, uint32_t block, uint32_t count) {
  const gyre_divergence_arg arg = {t->a, t->c, count, 0};
  run(t, "divergence", kernel, &arg, sizeof arg, grid, block, 0, count == 0 ? 1 : count);
  for (uint32_t i = 0; i < count; ++i)
    check("divergence", grid, block, count, i, t->host_c[i], gyre_divergence_value(t->host_a[i]));
}

static gy_addr must_find(const gy_image* image, const char* name) {
  const gy_addr pc = gy_symbol(image, name);
  if (pc == 0) board_fail(NAME, "the image has no kernel %s", name);
  return pc;
}

int main(void) {
  const char* file = board_argument("--image");
  if (file == NULL) board_fail(NAME, "usage: compute --image I");
  const char* why = NULL;
  size_t bytes;
  const uint8_t* data = board_read_file(file, &bytes, &why);
  if (data == NULL) board_fail(NAME, "%s %s", file, why);

  test_bench t = {0};
  gy_image image;
  must(NULL, gy_open(&t.device), "GPU");
  must(t.device, gy_load(t.device, data, bytes, &image), file);
  t.start = image.start;
  t.a = gy_alloc(t.device, 4 * MAX_COUNT);
  t.b = gy_alloc(t.device, 4 * MAX_COUNT);
  t.c = gy_alloc(t.device, 4 * MAX_COUNT);
  t.arg = gy_alloc(t.device, 64);
  t.host_a = board_alloc(4 * MAX_COUNT);
  t.host_b = board_alloc(4 * MAX_COUNT);
  t.host_c = board_alloc(4 * MAX_COUNT);
  for (uint32_t i = 0; i < MAX_COUNT; ++i) {
    t.host_a[i] = next_random() >> (i & 31);
    t.host_b[i] = next_random();
  }
  must(t.device, gy_upload(t.device, t.a, t.host_a, 4 * MAX_COUNT), "upload");
  must(t.device, gy_upload(t.device, t.b, t.host_b, 4 * MAX_COUNT), "upload");

  const gy_addr add = must_find(&image, "gyre_vector_add"), tree = must_find(&image, "gyre_reduce"),
                nested = must_find(&image, "gyre_divergence");
  const gy_caps* caps = gy_get_caps(t.device);
  const uint32_t lanes = caps->threads, full = caps->threads * caps->warps;
  const uint32_t blocks[] = {1, lanes - 1, lanes, lanes + 1, full / 2 + 3, full};
  const uint32_t grids[] = {1, 2, 3, 2 * caps->cores + 1};
  const uint32_t counts[] = {0, 1, lanes + 3, 257, MAX_COUNT};
  uint32_t n = 0;
  for (uint32_t g = 0; g < sizeof grids / sizeof grids[0]; ++g)
    for (uint32_t b = 0; b < sizeof blocks / sizeof blocks[0]; ++b) {
      const uint32_t grid = grids[g] < MAX_GRID ? grids[g] : MAX_GRID;
      const uint32_t block = blocks[b] < 1 ? 1 : blocks[b] > full ? full : blocks[b];
      const uint32_t count = counts[n++ % (sizeof counts / sizeof counts[0])];
      vector_add(&t, add, grid, block, count);
      if (4 * block <= caps->lmem_bytes) reduce(&t, tree, grid, block, count);
      divergence(&t, nested, grid, block, count);
    }

  /* Refused before anything is queued. */
  const gy_launch_desc wide = {.start = t.start, .kernel = add, .arg = t.arg, .grid = {1}, .block = {full + 1}};
  const gy_launch_desc greedy = {
      .start = t.start, .kernel = add, .arg = t.arg, .grid = {1}, .block = {1}, .lmem_bytes = caps->lmem_bytes + 1};
  if (gy_launch(t.device, &wide) != GY_BAD_ARGUMENT || gy_launch(t.device, &greedy) != GY_BAD_ARGUMENT)
    board_fail(NAME, "a launch beyond the machine was not refused");
  board_print(NAME ": %u launches on %u cores of %u warps of %u threads: all right\n", (unsigned)t.launches,
              (unsigned)caps->cores, (unsigned)caps->warps, (unsigned)caps->threads);
  return 0;
}
