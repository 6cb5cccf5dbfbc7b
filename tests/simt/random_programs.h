/* What the generated programs (generate.cpp) share. */
#ifndef GYRE_TESTS_RANDOM_PROGRAMS_H
#define GYRE_TESTS_RANDOM_PROGRAMS_H

#include "simt.h"

/* Random code compares a variable with itself now and then. */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wunused-variable"

typedef struct random_arg {
  uint64_t in, out; /* u32[8], u32[12] a lane */
  uint32_t count, uniform;
} random_arg;

SIMT_INLINE float to_float(uint32_t u) { return (float)(int32_t)(u & 0xFFF) * 0.125f - 100.0f; }
SIMT_INLINE float limit(float f) { return simt_fminf(simt_fmaxf(f, -1.0e6f), 1.0e6f); }

/* Out of line on the device: tokens cross calls. */
SIMT_NOINLINE __attribute__((unused)) static uint32_t twist(uint32_t v, uint32_t n) {
  for (uint32_t k = 0; k < (n & 7) + 1; ++k) v = (v << 5 | v >> 27) * 0x9E3779B1u + k;
  SIMT_IF(v & 64)
  v ^= v >> 15;
  SIMT_END
  return v;
}

#endif
