/* Firmware that does one wrong thing, so that tests can see what the machine says about it.
 *
 *   misbehave --image I --what WHAT [--seed N]
 *
 * WHAT: silent, sleep, spin, event-wait, kick, lost-trap, bad-fetch, files, display, registers, ring, flushes (all that
 *   are needed), no-flush-after-upload, no-flush-before-download, no-flush-after-code, or a device program:
 *   loop, barrier, illegal, bad-csr, join, barrier-zero, misaligned, unmapped, bad-jump, aperture-load, ebreak.
 * Exit code 0 = the machine bore it, 1 = one line says what it reported. */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "dcr.h"
#include "kernels.h"
#include "libgyre.h"
#include "semihost.h"

#define NAME "misbehave"
#define SCRATCH_BYTES 4096u

uint64_t semihost_call(uint64_t operation, const void* block); /* boot.S */

static gy_device* device;
static gy_image image;
static gy_addr scratch;
static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* ---- host side ---------------------------------------------------------------------------------------------------------- */
static void sleep_forever(void) {
  __asm__ volatile("csrw mie, zero");
  for (;;) board_wait();
}

static void spin_forever(void) {
  for (;;) __asm__ volatile("nop");
}

/* An exception whose handler cannot be fetched. */
static void lost_trap(void) { __asm__ volatile("csrw mtvec, zero\n .word 0"); }

static void bad_fetch(void) {
  void (*const nowhere)(void) = (void (*)(void))(uintptr_t)0x40000000u;
  nowhere();
}

/* Names and pointers that must be refused, each of them. */
static void bad_files(void) {
  static char longest[8192];
  memset(longest, 'a', sizeof longest - 1);
  static const char* const names[] = {"/etc/passwd", "../../../../etc/passwd", "..", ".", "/", "", "no/such/file",
                                      "/proc/self/mem", "/dev/zero", "a/../../../etc/hostname", "\n", longest};
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    for (uint32_t mode = 0; mode < 14; ++mode)
      if (semihost_open(names[i], mode) >= 0 && mode < 4)
        board_fail(NAME, "a bad name was opened: case %u, mode %u", (unsigned)i, (unsigned)mode);
  static const uint64_t values[] = {0, 1, 8, 0x40000000u, GYRE_HOST_RAM_BASE, GYRE_HOST_UART_BASE, 1ull << 40, ~0ull};
  for (uint32_t i = 0; i < 3000; ++i) {
    const uint64_t operation = next_random() % 0x40;
    if (operation == 0x18 || operation == 0x20) continue; /* exit */
    if (operation == 0x03 || operation == 0x04 || operation == 0x05) continue; /* would print RAM */
    uint64_t block[4];
    for (uint32_t k = 0; k < 4; ++k)
      block[k] = next_random() % 4 == 0 ? next_random() : values[next_random() % (sizeof values / sizeof values[0])];
    /* Not over this program: reads and lines go to places that are not memory, or nowhere. */
    if (operation == 0x06 || operation == 0x15 || operation == 0x16) block[operation == 0x06] = 0x40000000u;
    if (operation == 0x30) continue;
    semihost_call(operation, next_random() % 8 == 0 ? (const void*)0x40000000ul : block);
  }
}

/* Presenting frames that are not there. */
static void bad_display(void) {
  static const uint64_t bases[] = {0, 0x40000000u, GYRE_HOST_RAM_BASE, GYRE_HOST_CP_BASE, ~0ull, 1ull << 63};
  static const uint32_t sizes[] = {0, 1, 7, 4096, 16384, 0x7FFFFFFF, 0xFFFFFFFF};
  for (uint32_t i = 0; i < 60; ++i) {
    const uint64_t base = bases[next_random() % (sizeof bases / sizeof bases[0])];
    const uint32_t words[] = {GYRE_DISP_WIDTH, GYRE_DISP_HEIGHT, GYRE_DISP_STRIDE, GYRE_DISP_FORMAT, GYRE_DISP_REFRESH};
    for (uint32_t k = 0; k < sizeof words / sizeof words[0]; ++k)
      board_write32(GYRE_HOST_DISPLAY_BASE + words[k], sizes[next_random() % (sizeof sizes / sizeof sizes[0])]);
    board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_BASE_LO, (uint32_t)base);
    board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_BASE_HI, (uint32_t)(base >> 32));
    board_write32(GYRE_HOST_DISPLAY_BASE + GYRE_DISP_PRESENT, 1);
  }
}

/* Accesses of every width to device registers; those that trap are skipped. */
__attribute__((naked, aligned(4))) static void skip_trap(void) {
  __asm__ volatile(
      "csrw mscratch, t0\n csrr t0, mepc\n addi t0, t0, 4\n csrw mepc, t0\n csrr t0, mscratch\n mret");
}

static void random_registers(void) {
  static const struct {
    uint32_t base, bytes;
  } devices[] = {{GYRE_HOST_CLINT_BASE, GYRE_HOST_CLINT_BYTES}, {GYRE_HOST_PLIC_BASE, GYRE_HOST_PLIC_BYTES},
                 {GYRE_HOST_DISPLAY_BASE, 0x40},                {GYRE_HOST_CP_BASE, 0x140},
                 {GYRE_HOST_CP_BASE, GYRE_HOST_CP_BYTES},       {GYRE_HOST_ROM_BASE, GYRE_HOST_ROM_BYTES},
                 {GYRE_HOST_UART_BASE + 4, 4},                  {0x40000000u, 0x10000}};
  board_irq_disable();
  __asm__ volatile("csrw mie, zero\n csrw mtvec, %0" ::"r"((uintptr_t)skip_trap));
  for (uint32_t i = 0; i < 20000; ++i) {
    const uint32_t pick = (uint32_t)(next_random() % (sizeof devices / sizeof devices[0]));
    uintptr_t address = devices[pick].base + next_random() % devices[pick].bytes;
    if (next_random() % 4 != 0) address &= ~3ul;
    uint64_t value = next_random() >> (next_random() & 63);
    switch (next_random() % 8) {
      case 0: __asm__ volatile(".option push\n .option norvc\n sb %0, 0(%1)\n .option pop" ::"r"(value), "r"(address)); break;
      case 1: __asm__ volatile(".option push\n .option norvc\n sh %0, 0(%1)\n .option pop" ::"r"(value), "r"(address)); break;
      case 2: __asm__ volatile(".option push\n .option norvc\n sd %0, 0(%1)\n .option pop" ::"r"(value), "r"(address)); break;
      case 3: __asm__ volatile(".option push\n .option norvc\n lbu %0, 0(%1)\n .option pop" : "=r"(value) : "r"(address)); break;
      case 4: __asm__ volatile(".option push\n .option norvc\n ld %0, 0(%1)\n .option pop" : "=r"(value) : "r"(address)); break;
      case 5: __asm__ volatile(".option push\n .option norvc\n lw %0, 0(%1)\n .option pop" : "=r"(value) : "r"(address)); break;
      default: __asm__ volatile(".option push\n .option norvc\n sw %0, 0(%1)\n .option pop" ::"r"(value), "r"(address)); break;
    }
  }
}

/* ---- command processor ------------------------------------------------------------------------------------------------- */
/* Never signalled. */
static void event_wait(void) {
  gy_command(device, GYRE_CMD_EVENT_WAIT, 0, scratch, 1234, 0);
  gy_finish(device);
}

/* Sizes and counts stay small, so that what is legal by chance also ends. */
static uint32_t random_value(uint32_t reg) {
  if (reg >= GYRE_DCR_BLOCK_DIM_X && reg <= GYRE_DCR_GRID_DIM_Z) return (uint32_t)(next_random() % 4);
  if (reg == GYRE_DCR_RASTER_TILE_COUNT) return (uint32_t)(next_random() % 8);
  if (reg == GYRE_DCR_STARTUP_ADDR0 && next_random() % 2 == 0) return image.start;
  if (reg == GYRE_DCR_KERNEL_ENTRY0 && next_random() % 2 == 0) return scratch; /* whatever lies there */
  return (uint32_t)(next_random() >> (next_random() & 63));
}

static uint32_t random_register(void) {
  return next_random() % 16 == 0 ? (uint32_t)next_random() : GYRE_DCR_STARTUP_ADDR0 + (uint32_t)(next_random() % 0x88);
}

/* Addresses that are right by chance now and then. */
static uint64_t random_address(void) {
  switch (next_random() % 6) {
    case 0: return next_random();
    case 1: return (uint32_t)next_random();
    case 2: return GYRE_HOST_RAM_BASE;
    case 3: return 0xDFFFFFF0u;
    default: return scratch + next_random() % SCRATCH_BYTES;
  }
}

static void random_line(uint8_t* line) {
  for (uint32_t i = 0; i < GYRE_CP_LINE_BYTES; ++i) line[i] = (uint8_t)next_random();
  if (next_random() % 8 == 0) return;
  for (uint32_t at = 0; at + 28 <= GYRE_CP_LINE_BYTES; at += 28) {
    const uint8_t op = (uint8_t)(next_random() % (GYRE_CMD_LAST + 2));
    uint64_t a[3] = {random_address(), random_address(), next_random() % SCRATCH_BYTES};
    if (op == GYRE_CMD_DCR_WRITE) {
      a[0] = random_register();
      a[1] = random_value((uint32_t)a[0]);
    } else if (op >= GYRE_CMD_MEM_WRITE && op <= GYRE_CMD_MEM_COPY) {
      a[op == GYRE_CMD_MEM_READ ? 0 : 1] = op == GYRE_CMD_MEM_COPY ? random_address() : 0x40000000u;
    } else if (op == GYRE_CMD_DCR_READ) {
      a[0] = random_register();
    }
    line[at] = op;
    line[at + 1] = (uint8_t)(next_random() & 0xFE); /* no profile slot in the middle of this program */
    memcpy(line + at + 4, a, 24);
  }
}

/* Random lines, register lists and code: each ends, by completion or by error, or waits for an event that a reset ends. */
static void random_ring(void) {
  uint32_t errors = 0, done = 0, waits = 0;
  gy_set_timeout(device, 200);
  static uint32_t junk[SCRATCH_BYTES / 4];
  for (uint32_t round = 0; round < 300; ++round) {
    for (uint32_t i = 0; i < SCRATCH_BYTES / 4; ++i) junk[i] = (uint32_t)next_random();
    junk[0] = (uint32_t)(next_random() % 20); /* a register list or a draw of so many steps */
    for (uint32_t i = 0; i < 40; i += 2) {
      junk[1 + i] = random_register();
      junk[2 + i] = random_value(junk[1 + i]);
    }
    gy_upload(device, scratch, junk, sizeof junk);
    uint8_t line[GYRE_CP_LINE_BYTES];
    for (uint32_t i = 0; i < 4; ++i) {
      random_line(line);
      gy_command_line(device, line);
    }
    switch (gy_wait(device, UINT64_MAX)) {
      case GY_DEVICE_ERROR: ++errors; break;
      case GY_TIMEOUT: ++waits; break;
      default: ++done; break;
    }
    gy_reset(device);
  }
  static uint32_t out[16], in[16];
  for (uint32_t i = 0; i < 16; ++i) out[i] = i + 1;
  gy_set_timeout(device, 0);
  gy_upload(device, scratch, out, sizeof out);
  gy_download(device, in, scratch, sizeof in);
  if (gy_finish(device) != GY_OK || memcmp(out, in, sizeof in) != 0)
    board_fail(NAME, "the queue does not work after its reset: %s", gy_error_text(device));
  if (errors == 0) board_fail(NAME, "no random line was refused: %u done, %u waiting", (unsigned)done, (unsigned)waits);
}

/* A draw whose registers were never meant: four thousand million bins of it, all over memory. */
static void wild_kick(void) {
  gy_fill(device, scratch, 0x00010001u, SCRATCH_BYTES);
  gy_dcr_write(device, GYRE_DCR_RASTER_TBUF_ADDR, (uint32_t)(scratch >> 6));
  gy_dcr_write(device, GYRE_DCR_RASTER_TILE_COUNT, 0xFFFFFFFFu);
  gy_dcr_write(device, GYRE_DCR_RASTER_PBUF_ADDR, (uint32_t)(scratch >> 6));
  gy_dcr_write(device, GYRE_DCR_RASTER_PBUF_STRIDE, 212u);
  const gy_launch_desc desc = {.start = image.start, .kernel = scratch, .grid = {1}, .block = {1}};
  static gy_qmd qmd;
  if (gy_qmd_launch(device, &qmd, &desc) != GY_OK) board_fail(NAME, "no launch description");
  for (uint32_t i = 0; i < qmd.count; ++i) gy_dcr_write(device, qmd.pair[i].reg, qmd.pair[i].value);
  gy_dcr_write(device, GYRE_DCR_GRID_DIM_X, 0); /* no grid: the rasterizer starts */
  gy_command(device, GYRE_CMD_LAUNCH, 0, 0, 0, 0);
  const gy_status status = gy_finish(device);
  board_fail(NAME, "the kick ended: %s", gy_status_name(status));
}

/* ---- device programs ---------------------------------------------------------------------------------------------------- */
static const struct program {
  const char* name;
  uint32_t code[4];
} programs[] = {
    {"loop", {0x0000006F}},                              /* j . */
    {"barrier", {0x00000293, 0x00200313, 0x0062C00B}},   /* BAR 0, 2 with one warp */
    {"illegal", {0x00000000}},
    {"bad-csr", {0x123022F3}},
    {"join", {0x00100293, 0x0002B00B}},                  /* JOIN 1 without a SPLIT */
    {"barrier-zero", {0x00000293, 0x00000313, 0x0062C00B}},
    {"misaligned", {0x10000293, 0x0012A283}},            /* lw t0, 1(t0) */
    {"unmapped", {0x00002283}},                          /* lw t0, 0(x0) */
    {"bad-jump", {0x00000067}},                          /* jr x0 */
    {"aperture-load", {0xE00002B7, 0x0002A283}},
    {"ebreak", {0x00100073}},
};

static bool run_program(const char* name) {
  for (uint32_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
    if (strcmp(programs[i].name, name) != 0) continue;
    const gy_launch_desc desc = {.start = image.start, .kernel = scratch, .grid = {1}, .block = {1}};
    gy_upload(device, scratch, programs[i].code, sizeof programs[i].code);
    gy_cache_flush(device);
    gy_launch(device, &desc);
    const gy_status status = gy_finish(device);
    if (status == GY_DEVICE_ERROR) board_fail(NAME, "%s: %s", name, gy_error_text(device));
    board_fail(NAME, "%s: no error: %s", name, gy_status_name(status));
  }
  return false;
}

/* Adds vectors, twice over the same memory, with every flush that caches need or without one of them. */
static void add_twice(bool after_upload, bool before_download) {
  enum { COUNT = 256 };
  static uint32_t in[2 * COUNT], out[COUNT];
  const gy_addr block = gy_alloc(device, 3 * sizeof out), arg_block = gy_alloc(device, sizeof(gyre_vector_add_arg));
  const gyre_vector_add_arg arg = {block, block + sizeof out, block + 2 * sizeof out, COUNT, 0};
  const gy_launch_desc launch = {.start = image.start,
                                 .kernel = gy_symbol(&image, "gyre_vector_add"),
                                 .arg = arg_block,
                                 .grid = {gy_get_caps(device)->cores},
                                 .block = {gy_get_caps(device)->threads}};
  for (uint32_t round = 1; round <= 2; ++round) {
    for (uint32_t i = 0; i < 2 * COUNT; ++i) in[i] = round * i;
    gy_upload(device, block, in, sizeof in);
    gy_upload(device, arg_block, &arg, sizeof arg);
    if (after_upload) gy_cache_flush(device);
    gy_launch(device, &launch);
    if (gy_finish(device) != GY_OK) board_fail(NAME, "%s", gy_error_text(device));
  }
  if (before_download) gy_cache_flush(device);
  gy_download(device, out, (gy_addr)arg.c, sizeof out);
  if (gy_finish(device) != GY_OK) board_fail(NAME, "%s", gy_error_text(device));
}

/* A kernel is put where another one has just run. */
static void change_code(void) {
  static const uint32_t first[] = {0x00100293, 0x00008067}, second[] = {0x00200293, 0x00008067}; /* li t0, N; ret */
  const gy_launch_desc launch = {.start = image.start, .kernel = scratch, .grid = {1}, .block = {1}};
  gy_upload(device, scratch, first, sizeof first);
  gy_launch(device, &launch);
  gy_upload(device, scratch, second, sizeof second);
  gy_launch(device, &launch);
  if (gy_finish(device) != GY_OK) board_fail(NAME, "%s", gy_error_text(device));
}

int main(void) {
  static char line[1024];
  strncpy(line, board_command_line(), sizeof line - 1);
  const char *file = NULL, *what = "";
  char* save = NULL;
  strtok_r(line, " \t", &save);
  for (char* word; (word = strtok_r(NULL, " \t", &save)) != NULL;) {
    char* value = strtok_r(NULL, " \t", &save);
    if (value == NULL) board_fail(NAME, "%s needs a value", word);
    if (strcmp(word, "--image") == 0) file = value;
    if (strcmp(word, "--what") == 0) what = value;
    if (strcmp(word, "--seed") == 0) state += strtoul(value, NULL, 10) * 0x9E3779B97F4A7C15ull;
  }
  if (strcmp(what, "silent") == 0) return 0;
  if (strcmp(what, "sleep") == 0) sleep_forever();
  if (strcmp(what, "spin") == 0) spin_forever();
  if (strcmp(what, "lost-trap") == 0) lost_trap();
  if (strcmp(what, "bad-fetch") == 0) bad_fetch();
  if (strcmp(what, "files") == 0) return bad_files(), 0;
  if (strcmp(what, "display") == 0) return bad_display(), 0;
  if (strcmp(what, "registers") == 0) return random_registers(), 0;

  size_t bytes;
  const char* why = "is not named";
  const uint8_t* data = file == NULL ? NULL : board_read_file(file, &bytes, &why);
  if (data == NULL) board_fail(NAME, "the device image %s", why);
  if (gy_open(&device) != GY_OK || gy_load(device, data, bytes, &image) != GY_OK) board_fail(NAME, "no GPU or image");
  scratch = gy_alloc(device, SCRATCH_BYTES);
  if (strcmp(what, "event-wait") == 0) return event_wait(), 0;
  if (strcmp(what, "kick") == 0) return wild_kick(), 0;
  if (strcmp(what, "ring") == 0) return random_ring(), 0;
  if (strcmp(what, "flushes") == 0) return add_twice(true, true), 0;
  if (strcmp(what, "no-flush-after-upload") == 0) return add_twice(false, true), 0;
  if (strcmp(what, "no-flush-before-download") == 0) return add_twice(true, false), 0;
  if (strcmp(what, "no-flush-after-code") == 0) return change_code(), 0;
  if (!run_program(what)) board_fail(NAME, "does not know how to do '%s'", what);
  return 1;
}
