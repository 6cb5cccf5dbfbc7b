/* Feeds the command processor with garbage and checks that it names the error (cp.md §9), stops, and works again after
 * a queue reset.
 *
 *   garbage --image I
 *
 * Exit code 0 = all right, 1 = one line says what was wrong. */
#include <string.h>

#include "board.h"
#include "csr.h"
#include "dcr.h"
#include "kernels.h"
#include "libgyre.h"

#define NAME "garbage"
#define QUEUE (GYRE_HOST_CP_BASE + GYRE_CP_QUEUE_BASE)
#define ANY_OPCODE 0x100u
#define UNMAPPED_HOST 0x40000000u
#define APERTURE 0xE0000000u

static gy_device* device;
static gy_addr scratch, start, kernel;
static uint32_t cases;

/* The queue works: bytes go to the device and come back. */
static void check_alive(const char* what) {
  static uint32_t out[64], in[64];
  for (uint32_t i = 0; i < 64; ++i) out[i] = i * 0x01010101u + cases;
  memset(in, 0, sizeof in);
  gy_upload(device, scratch, out, sizeof out);
  gy_download(device, in, scratch, sizeof in);
  const gy_status status = gy_finish(device);
  if (status != GY_OK) board_fail(NAME, "after %s: the queue does not recover: %s", what, gy_error_text(device));
  if (memcmp(out, in, sizeof in) != 0) board_fail(NAME, "after %s: a copy through the device is wrong", what);
}

static void recover(const char* what) {
  gy_reset(device);
  if (board_read32(QUEUE + GYRE_CPQ_ERROR) != 0 || board_read32(GYRE_HOST_CP_BASE + GYRE_CP_FAULT_INFO0) != 0)
    board_fail(NAME, "after %s: reset leaves an error behind", what);
  check_alive(what);
  ++cases;
}

/* What was queued must stop the queue with that code. */
static void expect(const char* what, uint32_t code, uint32_t opcode) {
  const gy_status status = gy_wait(device, UINT64_MAX); /* until the device stops */
  const gy_error* error = gy_get_error(device);
  if (status != GY_DEVICE_ERROR) board_fail(NAME, "%s: no error, status %s", what, gy_status_name(status));
  if (error->code != code || (opcode != ANY_OPCODE && error->opcode != opcode))
    board_fail(NAME, "%s: %s instead of %s in command 0x%02x", what, gy_error_text(device), gy_error_name(code),
               (unsigned)opcode);
  recover(what);
}

static void expect_command(const char* what, uint32_t code, uint8_t op, uint64_t a0, uint64_t a1, uint64_t a2) {
  gy_command(device, GYRE_CMD_NOP, GYRE_CP_F_FENCE_PRE, 0, 0, 0); /* retires before the error */
  gy_command(device, op, 0, a0, a1, a2);
  expect(what, code, op);
}

static void bad_commands(void) {
  for (uint32_t op = GYRE_CMD_LAST + 1; op < 256; op += 27)
    expect_command("unknown opcode", GYRE_CP_ERR_BAD_OPCODE, (uint8_t)op, 1, 2, 3);
  uint8_t line[GYRE_CP_LINE_BYTES] = {0};
  for (uint32_t i = 0; i < 10; ++i) { /* ten counted NOPs, then a copy that does not fit */
    line[4 * i] = GYRE_CMD_NOP;
    line[4 * i + 1] = GYRE_CP_F_FENCE_PRE;
  }
  line[40] = GYRE_CMD_MEM_COPY;
  gy_command_line(device, line);
  expect("a command across the end of its line", GYRE_CP_ERR_LINE_OVERRUN, GYRE_CMD_MEM_COPY);
}

static void bad_addresses(void) {
  expect_command("MEM_WRITE from nowhere", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_WRITE, scratch, UNMAPPED_HOST, 64);
  expect_command("MEM_WRITE to the aperture", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_WRITE, APERTURE, GYRE_HOST_RAM_BASE,
                 64);
  expect_command("MEM_READ to nowhere", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_READ, UNMAPPED_HOST, scratch, 64);
  expect_command("MEM_READ beyond 4 GiB", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_READ, (uintptr_t)&cases,
                 0x123456789ABCull, 4);
  expect_command("MEM_COPY out of the aperture", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_COPY, scratch, APERTURE, 4096);
  expect_command("MEM_COPY of everything", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_MEM_COPY, scratch, scratch, ~0ull);
  expect_command("EVENT_SIGNAL to the aperture", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_EVENT_SIGNAL, APERTURE, 1, 0);
  expect_command("EVENT_WAIT on the aperture", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_EVENT_WAIT, APERTURE, 1, 0);
  expect_command("QMD at 0", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_LAUNCH_QMD, 0, 0, 0);
  expect_command("descriptor in the aperture", GYRE_CP_ERR_ADDR_FAULT, GYRE_CMD_DRAW, APERTURE, 0, 0);
}

static void bad_descriptors(void) {
  static uint8_t bytes[4 + GYRE_CP_DRAW_STEP_BYTES * 4];
  uint32_t count = GYRE_CP_QMD_MAX + 1;
  gy_upload(device, scratch, &count, 4);
  gy_command(device, GYRE_CMD_LAUNCH_QMD, 0, scratch, 0, 0);
  expect("QMD of 65 pairs", GYRE_CP_ERR_QMD_COUNT, GYRE_CMD_LAUNCH_QMD);
  count = GYRE_CP_DRAW_MAX + 1;
  gy_upload(device, scratch, &count, 4);
  gy_command(device, GYRE_CMD_DRAW, 0, scratch, 0, 0);
  expect("draw of 257 steps", GYRE_CP_ERR_DRAW_COUNT, GYRE_CMD_DRAW);
  static const uint8_t refused[] = {GYRE_CMD_MEM_WRITE, GYRE_CMD_EVENT_WAIT, GYRE_CMD_DRAW, 0x77};
  for (uint32_t i = 0; i < sizeof refused; ++i) {
    gy_steps steps;
    gy_steps_begin(&steps, bytes);
    gy_step_dcr(&steps, GYRE_DCR_TEX_STAGE, 0);
    gy_step_dcr(&steps, GYRE_DCR_TEX_STAGE, 0);
    bytes[4 + GYRE_CP_DRAW_STEP_BYTES] = refused[i];
    gy_upload(device, scratch, bytes, gy_steps_bytes(&steps));
    gy_draw(device, scratch);
    expect("a step that is no step", GYRE_CP_ERR_DRAW_STEP_OP, refused[i]);
  }
}

static void bad_rings(void) {
  static const struct {
    const char* what;
    uint64_t tail;
  } tails[] = {{"a tail inside a line", 32}, {"a tail beyond the ring", 1ull << 20}, {"a tail of all ones", ~0ull}};
  for (uint32_t i = 0; i < sizeof tails / sizeof tails[0]; ++i) {
    board_write32(QUEUE + GYRE_CPQ_TAIL_LO, (uint32_t)tails[i].tail);
    board_write32(QUEUE + GYRE_CPQ_TAIL_HI, (uint32_t)(tails[i].tail >> 32));
    expect(tails[i].what, GYRE_CP_ERR_RING_RANGE, ANY_OPCODE);
  }
  board_write32(QUEUE + GYRE_CPQ_TAIL_LO, 0); /* check_alive has moved it on */
  board_write32(QUEUE + GYRE_CPQ_TAIL_HI, 0);
  expect("a tail that goes back", GYRE_CP_ERR_RING_RANGE, ANY_OPCODE);
  static const uint32_t sizes[] = {0, 5, GYRE_CP_RING_LOG2_MAX + 1, 0xFFFFFFFFu};
  for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    board_write32(QUEUE + GYRE_CPQ_RING_SIZE_LOG2, sizes[i]);
    gy_command(device, GYRE_CMD_NOP, GYRE_CP_F_FENCE_PRE, 0, 0, 0);
    expect("a ring of an impossible size", GYRE_CP_ERR_RING_CFG, ANY_OPCODE);
  }
  board_write32(QUEUE + GYRE_CPQ_RING_BASE_LO, GYRE_HOST_RAM_BASE + 4);
  gy_command(device, GYRE_CMD_NOP, GYRE_CP_F_FENCE_PRE, 0, 0, 0);
  expect("a ring that is not aligned", GYRE_CP_ERR_RING_CFG, ANY_OPCODE);
  board_write32(QUEUE + GYRE_CPQ_RING_BASE_LO, UNMAPPED_HOST);
  gy_command(device, GYRE_CMD_NOP, GYRE_CP_F_FENCE_PRE, 0, 0, 0);
  expect("a ring outside memory", GYRE_CP_ERR_ADDR_FAULT, ANY_OPCODE);
}

/* A good launch with one register spoilt. */
static void expect_launch(const char* what, uint32_t code, uint32_t reg, uint32_t value) {
  const gy_launch_desc desc = {.start = start, .kernel = kernel, .arg = scratch + 1024, .grid = {2}, .block = {4}};
  gy_qmd qmd;
  gy_qmd_launch(device, &qmd, &desc);
  for (uint32_t i = 0; i < qmd.count; ++i) gy_dcr_write(device, qmd.pair[i].reg, qmd.pair[i].value);
  gy_dcr_write(device, reg, value);
  gy_command(device, GYRE_CMD_LAUNCH, 0, 0, 0, 0);
  expect(what, code, GYRE_CMD_LAUNCH);
}

static void bad_launches(void) {
  const gy_caps* caps = gy_get_caps(device);
  expect_launch("block size that is not the product", GYRE_CP_ERR_LAUNCH_INVALID, GYRE_DCR_BLOCK_SIZE, 3);
  expect_launch("block larger than a core", GYRE_CP_ERR_LAUNCH_INVALID, GYRE_DCR_BLOCK_DIM_X,
                caps->threads * caps->warps + 1);
  expect_launch("more local memory than there is", GYRE_CP_ERR_LAUNCH_INVALID, GYRE_DCR_LMEM_SIZE,
                caps->lmem_bytes + 1);
  expect_launch("grid that is no multiple of the cluster", GYRE_CP_ERR_LAUNCH_INVALID, GYRE_DCR_CLUSTER_DIM_X, 3);
}

/* Kernels that cannot run. The code goes to the scratch memory, which starts as zeros: illegal instructions. */
static void bad_kernels(void) {
  static const uint32_t zeros[16];
  static const uint32_t store_unmapped[] = {0x00002023u /* sw x0, 0(x0) */, 0x00008067u};
  static const uint32_t load_odd[] = {0x00102083u /* lw ra, 1(x0) */, 0x00008067u};
  static const uint32_t load_aperture[] = {0xE00000B7u /* lui ra, 0xE0000 */, 0x0000A083u /* lw ra, 0(ra) */};
  static const struct {
    const char* what;
    const uint32_t* code;
    uint32_t bytes, cause;
  } kernels[] = {{"zeros as code", zeros, sizeof zeros, GYRE_FAULT_ILLEGAL_INSTR},
                 {"a store to nowhere", store_unmapped, sizeof store_unmapped, GYRE_FAULT_ACCESS},
                 {"a misaligned load", load_odd, sizeof load_odd, GYRE_FAULT_MISALIGNED},
                 {"a load from the aperture", load_aperture, sizeof load_aperture, GYRE_FAULT_APERTURE_LOAD}};
  for (uint32_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
    const gy_launch_desc desc = {.start = start, .kernel = scratch + 2048, .grid = {1}, .block = {1}};
    gy_upload(device, scratch + 2048, kernels[i].code, kernels[i].bytes);
    gy_cache_flush(device);
    gy_launch(device, &desc);
    const gy_status status = gy_finish(device);
    const gy_error* error = gy_get_error(device);
    if (status != GY_DEVICE_ERROR || error->code != GYRE_CP_ERR_GPU_FAULT || !error->fault ||
        error->cause != kernels[i].cause)
      board_fail(NAME, "%s: %s (%s), expected fault %u", kernels[i].what, gy_error_text(device), gy_status_name(status),
                 (unsigned)kernels[i].cause);
    recover(kernels[i].what);
  }
}

static uint64_t next_random(void) {
  static uint64_t state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Random commands that neither wait nor launch: done or stopped, never stuck. */
static void random_commands(uint32_t count) {
  static const struct {
    uint8_t op, arguments;
  } ops[] = {{GYRE_CMD_NOP, 0},
             {GYRE_CMD_MEM_WRITE, 3},
             {GYRE_CMD_MEM_READ, 3},
             {GYRE_CMD_MEM_COPY, 3},
             {GYRE_CMD_DCR_READ, 2},
             {GYRE_CMD_FENCE, 0},
             {GYRE_CMD_EVENT_SIGNAL, 2},
             {GYRE_CMD_CACHE_FLUSH, 1},
             {GYRE_CMD_LAUNCH_QMD, 1},
             {GYRE_CMD_DRAW, 1},
             {0x33, 3},
             {0xFF, 3}};
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t pick = (uint32_t)(next_random() % (sizeof ops / sizeof ops[0]));
    const uint32_t arguments = ops[pick].arguments; /* the bytes after them would be the next command */
    uint64_t a[3];
    for (uint32_t k = 0; k < 3; ++k) a[k] = k < arguments ? next_random() | 1ull << 40 : 0;
    if (ops[pick].op == GYRE_CMD_CACHE_FLUSH) a[0] %= 1000;
    const uint8_t flags = (uint8_t)((next_random() & 0xF0) | GYRE_CP_F_FENCE_PRE); /* a plain NOP would be padding */
    gy_command(device, ops[pick].op, flags, a[0], a[1], a[2]);
    const gy_status status = gy_finish(device);
    if (status == GY_DEVICE_ERROR)
      recover("a random command");
    else if (status != GY_OK)
      board_fail(NAME, "random command 0x%02x: %s", ops[pick].op, gy_status_name(status));
  }
}

int main(void) {
  const char* file = board_argument("--image");
  if (file == NULL) board_fail(NAME, "usage: garbage --image I");
  const char* why = NULL;
  size_t bytes;
  const uint8_t* data = board_read_file(file, &bytes, &why);
  if (data == NULL) board_fail(NAME, "%s %s", file, why);
  gy_image image;
  if (gy_open(&device) != GY_OK) board_fail(NAME, "no GPU");
  if (gy_load(device, data, bytes, &image) != GY_OK) board_fail(NAME, "%s: not a device image", file);
  scratch = gy_alloc(device, 4096);
  start = image.start;
  kernel = gy_symbol(&image, "gyre_vector_add");
  const gyre_vector_add_arg nothing = {scratch, scratch, scratch, 0, 0};
  gy_upload(device, scratch + 1024, &nothing, sizeof nothing);
  if (gy_finish(device) != GY_OK) board_fail(NAME, "%s", gy_error_text(device));
  gy_set_timeout(device, 1000000);

  check_alive("start");
  bad_commands();
  bad_addresses();
  bad_descriptors();
  bad_rings();
  bad_launches();
  bad_kernels();
  random_commands(200);

  /* And it still computes. */
  const gy_launch_desc desc = {.start = start, .kernel = kernel, .arg = scratch + 1024, .grid = {3}, .block = {4}};
  if (gy_launch(device, &desc) != GY_OK || gy_finish(device) != GY_OK)
    board_fail(NAME, "a good launch at the end fails: %s", gy_error_text(device));
  board_print(NAME ": %u wrong commands, all named and survived\n", (unsigned)cases);
  return 0;
}
