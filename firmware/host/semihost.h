/* RISC-V semihosting calls (host.md §3). Handles are >= 0; negative means refused. */
#ifndef GYRE_FIRMWARE_SEMIHOST_H
#define GYRE_FIRMWARE_SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEMIHOST_READ 1u  /* "rb" */
#define SEMIHOST_WRITE 5u /* "wb" */

int64_t semihost_open(const char* name, unsigned mode);
bool semihost_close(int64_t handle);
int64_t semihost_length(int64_t handle);
/* Bytes transferred. */
size_t semihost_read(int64_t handle, void* data, size_t bytes);
size_t semihost_write(int64_t handle, const void* data, size_t bytes);
void semihost_write0(const char* text);
bool semihost_command_line(char* text, size_t bytes);
void semihost_exit(int code) __attribute__((noreturn));

#endif
