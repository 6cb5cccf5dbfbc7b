#include "semihost.h"

#include <string.h>

enum {
  OP_OPEN = 0x01,
  OP_CLOSE = 0x02,
  OP_WRITE0 = 0x04,
  OP_WRITE = 0x05,
  OP_READ = 0x06,
  OP_FLEN = 0x0C,
  OP_GET_CMDLINE = 0x15,
  OP_EXIT_EXTENDED = 0x20
};
#define APPLICATION_EXIT 0x20026u

uint64_t semihost_call(uint64_t operation, const void* block); /* boot.S */

int64_t semihost_open(const char* name, unsigned mode) {
  const uint64_t block[3] = {(uintptr_t)name, mode, strlen(name)};
  return (int64_t)semihost_call(OP_OPEN, block);
}

bool semihost_close(int64_t handle) {
  const uint64_t block[1] = {(uint64_t)handle};
  return semihost_call(OP_CLOSE, block) == 0;
}

int64_t semihost_length(int64_t handle) {
  const uint64_t block[1] = {(uint64_t)handle};
  return (int64_t)semihost_call(OP_FLEN, block);
}

size_t semihost_read(int64_t handle, void* data, size_t bytes) {
  const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data, bytes};
  return bytes - semihost_call(OP_READ, block); /* the call returns what is missing */
}

size_t semihost_write(int64_t handle, const void* data, size_t bytes) {
  const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data, bytes};
  return bytes - semihost_call(OP_WRITE, block);
}

void semihost_write0(const char* text) { semihost_call(OP_WRITE0, text); }

bool semihost_command_line(char* text, size_t bytes) {
  uint64_t block[2] = {(uintptr_t)text, bytes};
  return semihost_call(OP_GET_CMDLINE, block) == 0;
}

void semihost_exit(int code) {
  const uint64_t block[2] = {APPLICATION_EXIT, (uint64_t)code};
  for (;;) semihost_call(OP_EXIT_EXTENDED, block);
}
