/* The host side of the machine for bare-metal firmware: console and files by semihosting, interrupts, timer, memory
 * (host.md). One hart, machine mode. */
#ifndef GYRE_FIRMWARE_BOARD_H
#define GYRE_FIRMWARE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host_map.h"

/* ---- registers ---- */
static inline uint32_t board_read32(uintptr_t address) { return *(volatile uint32_t*)address; }
static inline void board_write32(uintptr_t address, uint32_t value) { *(volatile uint32_t*)address = value; }
/* Orders memory before device accesses. */
static inline void board_fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

/* ---- interrupts ---- */
/* Called in the trap with the source claimed; takes the request away from the device. */
typedef void (*board_irq_handler)(void* context);
/* Routes PLIC source `irq` to `handler` and enables it. */
void board_irq_attach(uint32_t irq, board_irq_handler handler, void* context);

static inline void board_irq_enable(void) { __asm__ volatile("csrsi mstatus, 8" ::: "memory"); }
static inline void board_irq_disable(void) { __asm__ volatile("csrci mstatus, 8" ::: "memory"); }
/* Sleeps until an interrupt is pending. Call with interrupts disabled, after the last check of the condition, and
 * enable them afterwards: so no wake-up is lost. */
static inline void board_wait(void) { __asm__ volatile("wfi" ::: "memory"); }

/* ---- time: 10 MHz ticks (device tree timebase) ---- */
uint64_t board_ticks(void);
#define BOARD_TICKS_PER_US 10u
/* Wakes board_wait at that time; BOARD_NEVER stops the timer. */
#define BOARD_NEVER UINT64_MAX
void board_timer_set(uint64_t ticks);

/* ---- memory ---- */
/* `bytes` from the heap behind the image, 64-byte aligned, never given back; NULL when RAM is full. */
void* board_alloc(size_t bytes);

/* ---- console and end ---- */
void board_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
void board_exit(int code) __attribute__((noreturn));
/* Prints "NAME: message" and exits with code 1. */
void board_fail(const char* name, const char* format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* ---- files by semihosting ---- */
/* Whole file into fresh heap memory; NULL when it cannot be read (reason in *why). */
uint8_t* board_read_file(const char* name, size_t* bytes, const char** why);
bool board_write_file(const char* name, const void* data, size_t bytes);
/* Command line as one string; empty when there is none. */
const char* board_command_line(void);
/* The word after `option` on the command line; NULL when it is not there. */
const char* board_argument(const char* option);

#endif
