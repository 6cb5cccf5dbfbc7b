/* libgyre: driver of the Gyre GPU for bare-metal firmware, over the command processor (cp.md).
 *
 *   gy_open            find the GPU, set up the ring and its interrupt
 *   gy_load            put a device image in place, look up its kernels
 *   gy_alloc/gy_free   device memory
 *   gy_upload ...      queue a command; nothing runs before gy_submit, gy_wait or gy_finish
 *   gy_fence/gy_wait   sleep until the commands queued so far are done (WFI, no polling)
 *   gy_error_text      what went wrong, in words; gy_reset makes the queue usable again
 *
 * Commands run in the order they were queued, one at a time, each to its end: no command overlaps another. Host memory
 * named by a command must stay as it is until a later gy_wait or gy_finish returns. The DMA bypasses the caches of the
 * GPU: queue gy_cache_flush after a kernel before reading its results, and after an upload over memory a kernel has
 * read since the last flush.
 *
 * On a device with virtual memory (gpu.vm) gy_open makes page tables in which every address stands for itself, for cores
 * and command processor, and gy_alloc takes memory from the pinned slab, so that any block may be given to a graphics unit.
 * The device image must turn translation on in its start code: device_vm.vxbin. (RV32.)
 *
 * Not here: more than one queue, mappings other than that, profiling, events. One device, one thread; nothing is called from
 * interrupt handlers. */
#ifndef GYRE_FIRMWARE_LIBGYRE_H
#define GYRE_FIRMWARE_LIBGYRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cp.h"

typedef enum gy_status {
  GY_OK = 0,
  GY_NO_DEVICE,    /* no command processor, or one without QMD and DRAW */
  GY_NO_MEMORY,    /* device or host memory */
  GY_BAD_ARGUMENT, /* refused before anything was queued */
  GY_BAD_IMAGE,    /* gy_load: not a device image */
  GY_DEVICE_ERROR, /* the queue has stopped; see gy_error_text */
  GY_TIMEOUT       /* gy_wait: not done within gy_set_timeout */
} gy_status;
const char* gy_status_name(gy_status status);

typedef uint32_t gy_addr; /* device address; 0 = none */

/* ---- device ---- */
typedef struct gy_caps {
  uint32_t threads; /* lanes a warp */
  uint32_t warps;   /* a core */
  uint32_t cores;   /* of the device */
  uint32_t clusters;
  uint32_t lmem_bytes; /* local memory a core */
  uint32_t bin_log2;   /* of RASTER, pixels */
  bool early_z, tex, raster, om;
  bool vm; /* virtual memory */
} gy_caps;

typedef struct gy_device gy_device;

/* Resets the command processor. The one device of the machine; call once. */
gy_status gy_open(gy_device** device);
const gy_caps* gy_get_caps(const gy_device* device);

/* ---- device image (abi/vxbin.h) ---- */
typedef struct gy_image {
  gy_addr start;        /* where every warp begins */
  const uint8_t* names; /* symbol footer, inside the file given to gy_load */
  const uint8_t* symbols;
  uint32_t names_bytes, count;
} gy_image;

/* Checks the file and queues its upload. The file must stay in host memory. */
gy_status gy_load(gy_device* device, const void* file, size_t bytes, gy_image* image);
/* PC of a kernel; 0 when the image has none of that name. */
gy_addr gy_symbol(const gy_image* image, const char* name);

/* ---- device memory: first fit, 64-byte aligned ---- */
gy_addr gy_alloc(gy_device* device, uint64_t bytes); /* 0 when there is no room */
void gy_free(gy_device* device, gy_addr block);      /* a block of gy_alloc, or 0 */

/* ---- commands ---- */
gy_status gy_upload(gy_device* device, gy_addr to, const void* from, uint64_t bytes);
gy_status gy_download(gy_device* device, void* to, gy_addr from, uint64_t bytes);
gy_status gy_copy(gy_device* device, gy_addr to, gy_addr from, uint64_t bytes);
/* bytes / 4 times the word. bytes: a multiple of 4. */
gy_status gy_fill(gy_device* device, gy_addr to, uint32_t word, uint64_t bytes);
gy_status gy_dcr_write(gy_device* device, uint32_t reg, uint32_t value); /* reg: GYRE_DCR_* */
gy_status gy_cache_flush(gy_device* device);                             /* all cores */

typedef struct gy_launch_desc {
  gy_addr start;       /* gy_image.start */
  gy_addr kernel;      /* gy_symbol */
  gy_addr arg;         /* argument block in device memory */
  uint32_t grid[3];    /* CTAs; 0 = 1 */
  uint32_t block[3];   /* threads a CTA; 0 = 1; product at most threads * warps */
  uint32_t lmem_bytes; /* local memory a CTA */
} gy_launch_desc;
/* Registers and LAUNCH. */
gy_status gy_launch(gy_device* device, const gy_launch_desc* desc);

/* Any command, as in cp.md §4; unused arguments 0. Nothing is checked: for tests. */
gy_status gy_command(gy_device* device, uint8_t opcode, uint8_t flags, uint64_t arg0, uint64_t arg1, uint64_t arg2);
/* A whole ring line, counted as one command: for tests. */
gy_status gy_command_line(gy_device* device, const uint8_t line[GYRE_CP_LINE_BYTES]);

/* ---- waiting ---- */
/* Hands everything queued to the device. */
void gy_submit(gy_device* device);
/* Mark after the last queued command. */
uint64_t gy_fence(const gy_device* device);
/* Submits and sleeps until the device has passed the fence. */
gy_status gy_wait(gy_device* device, uint64_t fence);
static inline gy_status gy_finish(gy_device* device) { return gy_wait(device, gy_fence(device)); }
/* Longest sleep of gy_wait in microseconds of simulated time; 0 (at start) = no limit. */
void gy_set_timeout(gy_device* device, uint64_t us);

/* ---- errors (cp.md §9) ---- */
typedef struct gy_error {
  uint32_t code;    /* GYRE_CP_ERR_*, 0 = none */
  uint32_t opcode;  /* of the failing command, or step of a draw */
  uint32_t retired; /* commands done before it, low 16 bits */
  bool fault;       /* a fault record came with it: */
  uint32_t cause;   /* GYRE_FAULT_* */
  uint32_t core, warp, pc, value;
} gy_error;
const gy_error* gy_get_error(const gy_device* device);
/* "GPU_FAULT in command 0x0b after 12: ILLEGAL_INSTR, core 3 warp 1 pc 0x80001234 value 0x0" */
const char* gy_error_text(const gy_device* device);
const char* gy_error_name(uint32_t code);
/* Drops everything queued, clears error and fault record, starts an empty ring. Device memory and registers stay. */
gy_status gy_reset(gy_device* device);

/* ---- draw descriptors (cp.md §5.3, §5.4) ---- */
/* A QMD in host memory, to be uploaded: 4 + 8 * count bytes. */
typedef struct gy_qmd {
  uint32_t count;
  struct {
    uint32_t reg, value;
  } pair[GYRE_CP_QMD_MAX];
} gy_qmd;
#define GY_QMD_LAUNCH_PAIRS 20u
#define GY_QMD_BYTES(count) (4u + 8u * (count))
/* The registers of a launch; fails like gy_launch. */
gy_status gy_qmd_launch(const gy_device* device, gy_qmd* qmd, const gy_launch_desc* desc);
/* A draw kick: start of the fragment warps. */
void gy_qmd_kick(gy_qmd* qmd, gy_addr start);

/* A draw descriptor under construction, in host memory of at least 4 + 28 * GYRE_CP_DRAW_MAX bytes. Steps beyond
 * GYRE_CP_DRAW_MAX are counted and refused by gy_steps_ok. */
typedef struct gy_steps {
  uint8_t* bytes;
  uint32_t count;
} gy_steps;
void gy_steps_begin(gy_steps* steps, uint8_t* bytes);
void gy_step_dcr(gy_steps* steps, uint32_t reg, uint32_t value);
void gy_step_qmd(gy_steps* steps, gy_addr qmd);
void gy_step_flush(gy_steps* steps, const gy_device* device);
bool gy_steps_ok(const gy_steps* steps);
static inline uint32_t gy_steps_bytes(const gy_steps* steps) { return 4u + GYRE_CP_DRAW_STEP_BYTES * steps->count; }
/* CMD_DRAW of an uploaded descriptor. */
gy_status gy_draw(gy_device* device, gy_addr descriptor);

#endif
