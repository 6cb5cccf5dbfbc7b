/* memcpy and memset for copies the compiler leaves out of line. The length must be equal in all active lanes; the
 * pointers may differ. */
#include <stddef.h>

#include "simt.h"

void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);

void* memcpy(void* to, const void* from, size_t bytes) {
  uint8_t* t = (uint8_t*)to;
  const uint8_t* f = (const uint8_t*)from;
  const uint32_t words = simt_all((((uintptr_t)to | (uintptr_t)from | bytes) & 3) == 0);
  if (words) {
    for (size_t i = 0; i < bytes; i += 4) /* uniform: the length is, by contract */
      *(uint32_t*)(void*)(t + i) = *(const uint32_t*)(const void*)(f + i);
  } else {
    for (size_t i = 0; i < bytes; ++i) t[i] = f[i]; /* uniform: the length is, by contract */
  }
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  uint8_t* t = (uint8_t*)to;
  for (size_t i = 0; i < bytes; ++i) t[i] = (uint8_t)value; /* uniform: the length is, by contract */
  return to;
}
