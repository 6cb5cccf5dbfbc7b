/* Commands, launches and draw descriptors of libgyre. */
#include <string.h>

#include "board.h"
#include "dcr.h"
#include "gyre_private.h"

#define FILL_HOST_BYTES 4096u

gy_status gy_upload(gy_device* device, gy_addr to, const void* from, uint64_t bytes) {
  return gy_command(device, GYRE_CMD_MEM_WRITE, 0, to, (uintptr_t)from, bytes);
}

gy_status gy_download(gy_device* device, void* to, gy_addr from, uint64_t bytes) {
  return gy_command(device, GYRE_CMD_MEM_READ, 0, (uintptr_t)to, from, bytes);
}

gy_status gy_copy(gy_device* device, gy_addr to, gy_addr from, uint64_t bytes) {
  return gy_command(device, GYRE_CMD_MEM_COPY, 0, to, from, bytes);
}

/* The start by DMA from the host, the rest by copies within the device that double each time. */
gy_status gy_fill(gy_device* device, gy_addr to, uint32_t word, uint64_t bytes) {
  if (bytes % 4 != 0) return GY_BAD_ARGUMENT;
  if (bytes == 0) return GY_OK;
  uint64_t done = bytes < FILL_HOST_BYTES ? bytes : FILL_HOST_BYTES;
  uint32_t* pattern = board_alloc(done);
  if (pattern == NULL) return GY_NO_MEMORY;
  for (uint64_t i = 0; i < done / 4; ++i) pattern[i] = word;
  gy_status status = gy_upload(device, to, pattern, done);
  while (status == GY_OK && done < bytes) {
    const uint64_t part = done < bytes - done ? done : bytes - done;
    status = gy_copy(device, to + (gy_addr)done, to, part);
    done += part;
  }
  return status;
}

gy_status gy_dcr_write(gy_device* device, uint32_t reg, uint32_t value) {
  return gy_command(device, GYRE_CMD_DCR_WRITE, 0, reg, value, 0);
}

gy_status gy_cache_flush(gy_device* device) {
  return gy_command(device, GYRE_CMD_CACHE_FLUSH, 0, device->caps.cores, 0, 0);
}

gy_status gy_draw(gy_device* device, gy_addr descriptor) {
  return gy_command(device, GYRE_CMD_DRAW, 0, descriptor, 0, 0);
}

/* ---- launches (launch.md §2) ---- */
static void add_pair(gy_qmd* qmd, uint32_t reg, uint32_t value) {
  qmd->pair[qmd->count].reg = reg;
  qmd->pair[qmd->count].value = value;
  ++qmd->count;
}

gy_status gy_qmd_launch(const gy_device* device, gy_qmd* qmd, const gy_launch_desc* desc) {
  const gy_caps* caps = &device->caps;
  uint32_t grid[3], block[3];
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    grid[i] = desc->grid[i] != 0 ? desc->grid[i] : 1;
    block[i] = desc->block[i] != 0 ? desc->block[i] : 1;
    if (block[i] > caps->threads * caps->warps) return GY_BAD_ARGUMENT;
    threads *= block[i];
  }
  if (threads > caps->threads * caps->warps || desc->lmem_bytes > caps->lmem_bytes) return GY_BAD_ARGUMENT;
  if (desc->start == 0 || desc->kernel == 0) return GY_BAD_ARGUMENT;

  qmd->count = 0;
  add_pair(qmd, GYRE_DCR_STARTUP_ADDR0, desc->start);
  add_pair(qmd, GYRE_DCR_STARTUP_ADDR1, 0);
  add_pair(qmd, GYRE_DCR_KERNEL_ENTRY0, desc->kernel);
  add_pair(qmd, GYRE_DCR_KERNEL_ENTRY1, 0);
  add_pair(qmd, GYRE_DCR_STARTUP_ARG0, desc->arg);
  add_pair(qmd, GYRE_DCR_STARTUP_ARG1, 0);
  for (uint32_t i = 0; i < 3; ++i) add_pair(qmd, GYRE_DCR_BLOCK_DIM_X + i, block[i]);
  for (uint32_t i = 0; i < 3; ++i) add_pair(qmd, GYRE_DCR_GRID_DIM_X + i, grid[i]);
  add_pair(qmd, GYRE_DCR_LMEM_SIZE, desc->lmem_bytes);
  add_pair(qmd, GYRE_DCR_BLOCK_SIZE, (uint32_t)threads);
  add_pair(qmd, GYRE_DCR_WARP_STEP_X, caps->threads % block[0]);
  add_pair(qmd, GYRE_DCR_WARP_STEP_Y, caps->threads / block[0] % block[1]);
  add_pair(qmd, GYRE_DCR_WARP_STEP_Z, caps->threads / (block[0] * block[1]) % block[2]);
  for (uint32_t i = 0; i < 3; ++i) add_pair(qmd, GYRE_DCR_CLUSTER_DIM_X + i, 1);
  return GY_OK;
}

gy_status gy_launch(gy_device* device, const gy_launch_desc* desc) {
  gy_qmd qmd;
  gy_status status = gy_qmd_launch(device, &qmd, desc);
  for (uint32_t i = 0; status == GY_OK && i < qmd.count; ++i)
    status = gy_dcr_write(device, qmd.pair[i].reg, qmd.pair[i].value);
  return status == GY_OK ? gy_command(device, GYRE_CMD_LAUNCH, 0, 0, 0, 0) : status;
}

void gy_qmd_kick(gy_qmd* qmd, gy_addr start) {
  qmd->count = 0;
  add_pair(qmd, GYRE_DCR_STARTUP_ADDR0, start);
  add_pair(qmd, GYRE_DCR_STARTUP_ADDR1, 0);
  for (uint32_t i = 0; i < 3; ++i) add_pair(qmd, GYRE_DCR_GRID_DIM_X + i, 0);
}

/* ---- draw descriptors ---- */
static void add_step(gy_steps* steps, uint8_t op, uint64_t arg0, uint64_t arg1) {
  if (steps->count < GYRE_CP_DRAW_MAX) {
    uint8_t* step = steps->bytes + 4 + GYRE_CP_DRAW_STEP_BYTES * steps->count;
    memset(step, 0, GYRE_CP_DRAW_STEP_BYTES);
    step[0] = op;
    memcpy(step + 4, &arg0, 8);
    memcpy(step + 12, &arg1, 8);
  }
  ++steps->count;
  memcpy(steps->bytes, &steps->count, 4);
}

void gy_steps_begin(gy_steps* steps, uint8_t* bytes) {
  steps->bytes = bytes;
  steps->count = 0;
  memset(bytes, 0, 4);
}

void gy_step_dcr(gy_steps* steps, uint32_t reg, uint32_t value) { add_step(steps, GYRE_CMD_DCR_WRITE, reg, value); }
void gy_step_qmd(gy_steps* steps, gy_addr qmd) { add_step(steps, GYRE_CMD_LAUNCH_QMD, qmd, 0); }
void gy_step_flush(gy_steps* steps, const gy_device* device) {
  add_step(steps, GYRE_CMD_CACHE_FLUSH, device->caps.cores, 0);
}
bool gy_steps_ok(const gy_steps* steps) { return steps->count <= GYRE_CP_DRAW_MAX; }
