/* Device, ring, waiting and errors of libgyre. */
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "csr.h"
#include "device_map.h"
#include "gyre_private.h"

#define CTRL_ENABLE 1u
#define CTRL_RESET 2u
#define STATUS_BUSY 1u
#define CAPS_VM (1u << 24)
#define CAPS_DRAW (1u << 25)
#define CAPS_QMD (1u << 26)
#define IRQ_PROGRESS 1u
#define IRQ_ERROR 2u
#define ISA_TEX (1u << 6)
#define ISA_RASTER (1u << 7)
#define ISA_OM (1u << 8)

static struct gy_device the_device;
static uint8_t ring[1u << GY_RING_LOG2] __attribute__((aligned(64)));
/* Commands retired; the command processor writes it. */
static volatile uint64_t completed __attribute__((aligned(64)));

static uint32_t cp_read(uint32_t reg) { return board_read32(GYRE_HOST_CP_BASE + reg); }
static void cp_write(uint32_t reg, uint32_t value) { board_write32(GYRE_HOST_CP_BASE + reg, value); }
static uint32_t queue_read(uint32_t reg) { return cp_read(GYRE_CP_QUEUE_BASE + reg); }
static void queue_write(uint32_t reg, uint32_t value) { cp_write(GYRE_CP_QUEUE_BASE + reg, value); }
static void queue_write64(uint32_t low, uint64_t value) {
  queue_write(low, (uint32_t)value);
  queue_write(low + 4, (uint32_t)(value >> 32));
}

static uint32_t field(uint64_t word, unsigned high, unsigned low) {
  return (uint32_t)(word >> low) & ((1u << (high - low + 1)) - 1);
}

static void on_interrupt(void* context) {
  gy_device* device = context;
  const uint32_t status = cp_read(GYRE_CP_IRQ_STATUS);
  cp_write(GYRE_CP_IRQ_STATUS, status);
  if (status & IRQ_ERROR) device->stopped = true;
}

static void read_caps(gy_device* device) {
  gy_caps* caps = &device->caps;
  const uint64_t dev = cp_read(GYRE_CP_GPU_DEV_CAPS_LO) | (uint64_t)cp_read(GYRE_CP_GPU_DEV_CAPS_HI) << 32;
  const uint32_t isa = cp_read(GYRE_CP_GPU_ISA_CAPS_HI), gfx = cp_read(GYRE_CP_GFX_CAPS);
  caps->threads = 1u << field(dev, 10, 8);
  caps->warps = 1u << field(dev, 13, 11);
  caps->clusters = 1u << field(dev, 22, 20);
  caps->cores = 1u << (field(dev, 16, 14) + field(dev, 19, 17) + field(dev, 22, 20));
  caps->lmem_bytes = 1u << field(dev, 33, 26);
  caps->bin_log2 = field(gfx, 3, 0);
  caps->early_z = field(gfx, 12, 12) != 0;
  caps->tex = (isa & ISA_TEX) != 0;
  caps->raster = (isa & ISA_RASTER) != 0;
  caps->om = (isa & ISA_OM) != 0;
}

gy_status gy_reset(gy_device* device) {
  cp_write(GYRE_CP_CTRL, CTRL_RESET); /* takes effect when the running command is over */
  while (cp_read(GYRE_CP_STATUS) & STATUS_BUSY) {
  }
  cp_write(GYRE_CP_IRQ_STATUS, IRQ_PROGRESS | IRQ_ERROR);
  device->queued = device->submitted = completed = 0;
  device->stopped = false;
  memset(&device->error, 0, sizeof device->error);
  queue_write64(GYRE_CPQ_RING_BASE_LO, (uintptr_t)ring);
  queue_write64(GYRE_CPQ_CMPL_ADDR_LO, (uintptr_t)&completed);
  queue_write(GYRE_CPQ_RING_SIZE_LOG2, GY_RING_LOG2);
  queue_write(GYRE_CPQ_CONTROL, 1);
  cp_write(GYRE_CP_CTRL, CTRL_ENABLE);
  return GY_OK;
}

/* Every address stands for itself: superpages of 4 MiB. */
static gy_status set_up_tables(gy_device* device) {
  enum { ENTRIES = 1024, PAGE = 0xF /* V, R, W, X */ };
  static uint32_t root[ENTRIES];
  for (uint32_t i = 0; i < ENTRIES; ++i) root[i] = i << 20 | PAGE;
  gy_status status = gy_upload(device, GYRE_DEV_PAGE_TABLE_BASE, root, sizeof root);
  if (status == GY_OK) status = gy_finish(device);
  cp_write(GYRE_CP_SATP_LO, 0x80000000u | GYRE_DEV_PAGE_TABLE_BASE >> 12);
  return status;
}

gy_status gy_open(gy_device** out) {
  gy_device* device = &the_device;
  const uint32_t caps = cp_read(GYRE_CP_DEV_CAPS);
  if (field(caps, 7, 0) == 0 || field(caps, 15, 8) < GY_RING_LOG2 || !(caps & CAPS_DRAW) || !(caps & CAPS_QMD))
    return GY_NO_DEVICE;
  read_caps(device);
  gy_reset(device);
  board_irq_attach(GYRE_IRQ_CP, on_interrupt, device);
  cp_write(GYRE_CP_IRQ_ENABLE, IRQ_PROGRESS | IRQ_ERROR);
  *out = device;
  device->caps.vm = (caps & CAPS_VM) != 0;
  return device->caps.vm ? set_up_tables(device) : GY_OK;
}

const gy_caps* gy_get_caps(const gy_device* device) { return &device->caps; }
void gy_set_timeout(gy_device* device, uint64_t us) { device->timeout_ticks = us * BOARD_TICKS_PER_US; }
uint64_t gy_fence(const gy_device* device) { return device->queued; }

void gy_submit(gy_device* device) {
  if (device->submitted == device->queued) return;
  device->submitted = device->queued;
  board_fence(); /* the lines before the doorbell */
  queue_write64(GYRE_CPQ_TAIL_LO, device->queued * GYRE_CP_LINE_BYTES);
}

static void read_error(gy_device* device) {
  gy_error* error = &device->error;
  if (error->code != 0) return;
  const uint32_t word = queue_read(GYRE_CPQ_ERROR), fault = cp_read(GYRE_CP_FAULT_INFO0);
  error->code = field(word, 7, 0);
  error->opcode = field(word, 15, 8);
  error->retired = field(word, 31, 16);
  error->fault = (fault >> 31) != 0;
  error->cause = field(fault, 30, 24);
  error->core = field(fault, 23, 8);
  error->warp = field(fault, 7, 0);
  error->pc = cp_read(GYRE_CP_FAULT_INFO1);
  error->value = cp_read(GYRE_CP_FAULT_INFO2);
}

gy_status gy_wait(gy_device* device, uint64_t fence) {
  gy_submit(device);
  const uint64_t limit = device->timeout_ticks == 0 ? BOARD_NEVER : board_ticks() + device->timeout_ticks;
  gy_status status = GY_OK;
  /* Interrupts are off from the check to the sleep, so that no completion slips between them. */
  for (board_irq_disable(); completed < fence; board_irq_disable()) {
    status = device->stopped ? GY_DEVICE_ERROR : limit != BOARD_NEVER && board_ticks() >= limit ? GY_TIMEOUT : GY_OK;
    if (status != GY_OK) break;
    if (limit != BOARD_NEVER) board_timer_set(limit);
    board_wait();
    board_irq_enable(); /* the handlers run here */
  }
  board_irq_enable();
  if (limit != BOARD_NEVER) board_timer_set(BOARD_NEVER);
  if (status == GY_DEVICE_ERROR) read_error(device);
  return status;
}

gy_status gy_command_line(gy_device* device, const uint8_t line[GYRE_CP_LINE_BYTES]) {
  if (device->stopped) {
    read_error(device);
    return GY_DEVICE_ERROR;
  }
  if (device->queued - completed >= GY_RING_LINES) { /* full: drain half, to wake up rarely */
    const gy_status status = gy_wait(device, device->queued - GY_RING_LINES / 2);
    if (status != GY_OK) return status;
  }
  memcpy(ring + device->queued % GY_RING_LINES * GYRE_CP_LINE_BYTES, line, GYRE_CP_LINE_BYTES);
  ++device->queued;
  return GY_OK;
}

gy_status gy_command(gy_device* device, uint8_t opcode, uint8_t flags, uint64_t arg0, uint64_t arg1, uint64_t arg2) {
  uint8_t line[GYRE_CP_LINE_BYTES] = {opcode, flags};
  memcpy(line + 4, &arg0, 8);
  memcpy(line + 12, &arg1, 8);
  memcpy(line + 20, &arg2, 8);
  return gy_command_line(device, line);
}

/* ---- names ---- */
const char* gy_status_name(gy_status status) {
  static const char* const names[] = {"ok",        "no device",    "no memory", "bad argument",
                                      "bad image", "device error", "timeout"};
  return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "?";
}

const char* gy_error_name(uint32_t code) {
  static const char* const names[] = {"OK",         "BAD_OPCODE",   "LINE_OVERRUN", "RING_RANGE", "QMD_COUNT",
                                      "DRAW_COUNT", "DRAW_STEP_OP", "ADDR_FAULT",   "VM_FAULT",   "LAUNCH_INVALID",
                                      "GPU_FAULT",  "RING_CFG",     "WATCHDOG"};
  return code < sizeof names / sizeof names[0] ? names[code] : "unknown error";
}

static const char* fault_name(uint32_t cause) {
  switch (cause) {
    case GYRE_FAULT_ILLEGAL_INSTR:
      return "ILLEGAL_INSTR";
    case GYRE_FAULT_BAD_CSR:
      return "BAD_CSR";
    case GYRE_FAULT_IPDOM:
      return "IPDOM";
    case GYRE_FAULT_BARRIER_ZERO:
      return "BARRIER_ZERO";
    case GYRE_FAULT_MISALIGNED:
      return "MISALIGNED";
    case GYRE_FAULT_APERTURE_LOAD:
      return "APERTURE_LOAD";
    case GYRE_FAULT_ACCESS:
      return "ACCESS";
    case GYRE_FAULT_TRAP_NO_VECTOR:
      return "TRAP_NO_VECTOR";
    case GYRE_FAULT_PAGE:
      return "PAGE_FAULT";
    case GYRE_FAULT_OM_DEPTH_ORPHAN:
      return "OM_DEPTH_ORPHAN";
    case GYRE_FAULT_OM_COLOUR_OPEN:
      return "OM_COLOUR_OPEN";
    case GYRE_FAULT_UNIT_STATE:
      return "UNIT_STATE";
    case GYRE_FAULT_UNIT_ACCESS:
      return "UNIT_ACCESS";
    default:
      return "unknown fault";
  }
}

const gy_error* gy_get_error(const gy_device* device) { return &device->error; }

const char* gy_error_text(const gy_device* device) {
  static char text[160];
  const gy_error* e = &device->error;
  const int used = snprintf(text, sizeof text, "%s in command 0x%02x after %u", gy_error_name(e->code),
                            (unsigned)e->opcode, (unsigned)e->retired);
  if (e->fault && used > 0 && (size_t)used < sizeof text)
    snprintf(text + used, sizeof text - (size_t)used, ": %s, core %u warp %u pc 0x%08x value 0x%08x",
             fault_name(e->cause), (unsigned)e->core, (unsigned)e->warp, (unsigned)e->pc, (unsigned)e->value);
  return text;
}
