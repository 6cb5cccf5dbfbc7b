#include "board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "semihost.h"

#define MIE_TIMER (1u << 7)
#define MIE_EXTERNAL (1u << 11)
#define CAUSE_INTERRUPT (1ull << 63)
#define CAUSE_TIMER (CAUSE_INTERRUPT | 7)
#define CAUSE_EXTERNAL (CAUSE_INTERRUPT | 11)
#define PLIC_SOURCES 32u
#define PLIC_CLAIM (GYRE_HOST_PLIC_BASE + GYRE_PLIC_CONTEXT + 4u)
#define EXIT_TRAP 3

extern char __heap_start[];
void board_init(uint64_t hart, const uint8_t* device_tree);
void board_trap(uint64_t cause, uint64_t pc, uint64_t value);

static struct {
  board_irq_handler handler;
  void* context;
} irq_table[PLIC_SOURCES];
static uintptr_t heap_next, heap_end;

/* ---- start ---- */
static uint32_t big_endian(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* End of RAM: base + size of the first "memory@" node of the flattened device tree, or a small guess. */
static uintptr_t memory_end(const uint8_t* tree) {
  const uintptr_t guess = GYRE_HOST_RAM_BASE + (32u << 20);
  if (tree == NULL || big_endian(tree) != 0xD00DFEEDu) return guess;
  const uint8_t* at = tree + big_endian(tree + 8);
  const uint8_t* end = tree + big_endian(tree + 4);
  const char* names = (const char*)tree + big_endian(tree + 12);
  bool in_memory = false;
  while (at + 4 <= end) {
    const uint32_t token = big_endian(at);
    at += 4;
    if (token == 1) { /* node begins */
      in_memory = strncmp((const char*)at, "memory@", 7) == 0;
      at += (strlen((const char*)at) + 4) & ~3ul;
    } else if (token == 3) { /* property: length, name, value */
      const uint32_t bytes = big_endian(at), name = big_endian(at + 4);
      if (in_memory && bytes >= 16 && strcmp(names + name, "reg") == 0)
        return ((uint64_t)big_endian(at + 8) << 32 | big_endian(at + 12)) +
               ((uint64_t)big_endian(at + 16) << 32 | big_endian(at + 20));
      at += 8 + ((bytes + 3) & ~3u);
    } else if (token == 9) { /* end of tree */
      break;
    }
  }
  return guess;
}

void board_init(uint64_t hart, const uint8_t* device_tree) {
  (void)hart;
  heap_next = ((uintptr_t)__heap_start + 63) & ~(uintptr_t)63;
  heap_end = memory_end(device_tree);
  board_timer_set(BOARD_NEVER);
  board_write32(GYRE_HOST_PLIC_BASE + GYRE_PLIC_CONTEXT, 0); /* threshold */
  board_write32(GYRE_HOST_PLIC_BASE + GYRE_PLIC_ENABLE, 0);
  __asm__ volatile("csrw mie, %0" ::"r"((uint64_t)(MIE_TIMER | MIE_EXTERNAL)));
  board_irq_enable();
}

/* ---- traps ---- */
void board_trap(uint64_t cause, uint64_t pc, uint64_t value) {
  if (cause == CAUSE_TIMER) {
    board_timer_set(BOARD_NEVER);
    return;
  }
  if (cause == CAUSE_EXTERNAL) {
    for (uint32_t irq; (irq = board_read32(PLIC_CLAIM)) != 0;) {
      if (irq < PLIC_SOURCES && irq_table[irq].handler != NULL) irq_table[irq].handler(irq_table[irq].context);
      board_write32(PLIC_CLAIM, irq);
    }
    return;
  }
  board_print("firmware: trap, cause %lu at pc 0x%lx, value 0x%lx\n", (unsigned long)cause, (unsigned long)pc,
              (unsigned long)value);
  board_exit(EXIT_TRAP);
}

void board_irq_attach(uint32_t irq, board_irq_handler handler, void* context) {
  irq_table[irq].handler = handler;
  irq_table[irq].context = context;
  board_write32(GYRE_HOST_PLIC_BASE + GYRE_PLIC_PRIORITY + 4 * irq, 1);
  const uintptr_t enable = GYRE_HOST_PLIC_BASE + GYRE_PLIC_ENABLE + 4 * (irq / 32);
  board_write32(enable, board_read32(enable) | 1u << (irq % 32));
}

uint64_t board_ticks(void) { return *(volatile uint64_t*)(uintptr_t)(GYRE_HOST_CLINT_BASE + GYRE_CLINT_MTIME); }

void board_timer_set(uint64_t ticks) {
  *(volatile uint64_t*)(uintptr_t)(GYRE_HOST_CLINT_BASE + GYRE_CLINT_MTIMECMP) = ticks;
}

/* ---- memory, console, files ---- */
void* board_alloc(size_t bytes) {
  if (bytes > heap_end - heap_next) return NULL;
  void* block = (void*)heap_next;
  heap_next += (bytes + 63) & ~(size_t)63;
  if (heap_next > heap_end) heap_next = heap_end;
  return block;
}

static void print_list(const char* format, va_list args) {
  char text[512];
  vsnprintf(text, sizeof text, format, args);
  semihost_write0(text);
}

void board_print(const char* format, ...) {
  va_list args;
  va_start(args, format);
  print_list(format, args);
  va_end(args);
}

void board_exit(int code) { semihost_exit(code); }

void board_fail(const char* name, const char* format, ...) {
  va_list args;
  va_start(args, format);
  board_print("%s: ", name);
  print_list(format, args);
  board_print("\n");
  va_end(args);
  board_exit(1);
}

uint8_t* board_read_file(const char* name, size_t* bytes, const char** why) {
  const int64_t handle = semihost_open(name, SEMIHOST_READ);
  if (handle < 0) {
    *why = "cannot be opened";
    return NULL;
  }
  const int64_t length = semihost_length(handle);
  uint8_t* data = length < 0 ? NULL : board_alloc((size_t)length + 1);
  if (length < 0)
    *why = "has no length";
  else if (data == NULL)
    *why = "does not fit into host memory";
  else if (semihost_read(handle, data, (size_t)length) != (size_t)length) {
    *why = "cannot be read to its end";
    data = NULL;
  }
  semihost_close(handle);
  *bytes = length < 0 ? 0 : (size_t)length;
  return data;
}

bool board_write_file(const char* name, const void* data, size_t bytes) {
  const int64_t handle = semihost_open(name, SEMIHOST_WRITE);
  if (handle < 0) return false;
  const bool whole = semihost_write(handle, data, bytes) == bytes;
  return semihost_close(handle) && whole;
}

const char* board_command_line(void) {
  static char line[1024];
  if (!semihost_command_line(line, sizeof line)) line[0] = 0;
  return line;
}

const char* board_argument(const char* option) {
  static char line[1024];
  strncpy(line, board_command_line(), sizeof line - 1);
  char* save = NULL;
  for (char* word = strtok_r(line, " \t", &save); word != NULL; word = strtok_r(NULL, " \t", &save))
    if (strcmp(word, option) == 0) return strtok_r(NULL, " \t", &save);
  return NULL;
}
