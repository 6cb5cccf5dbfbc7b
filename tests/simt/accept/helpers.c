/* expect: none */
/* Helpers out of line: lane values through SIMT_IF, uniform trip counts through arguments. */
#include "simt.h"

SIMT_NOINLINE static uint32_t repeat(uint32_t v, uint32_t n) {
  for (uint32_t k = 0; k < n; ++k) v = v * 1664525u + k;
  return v;
}
SIMT_NOINLINE static float shape(float f, uint32_t c) {
  float r = 1.0f;
  SIMT_IF(c & 1)
    r = f * f;
    SIMT_IF(c & 2)
      r += simt_sqrtf(f);
    SIMT_END
  SIMT_ELSE
    r = -f;
  SIMT_END_ELSE
  return r;
}
SIMT_KERNEL void case_kernel(uint32_t* out) {
  const uint32_t i = simt_global_x(), n = out[0];
  uint32_t v = repeat(i, n);
  SIMT_IF(v & 4)
    v = repeat(v, n + 3) ^ simt_f32_bits(shape((float)v, i));
  SIMT_END
  out[i] = repeat(v, 9) + simt_f32_bits(shape(2.0f, v));
}
