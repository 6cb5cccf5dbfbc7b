/* expect: 5 */
/* A helper that stays out of line branches on its lane argument. */
#include "simt.h"

SIMT_NOINLINE static uint32_t helper(volatile uint32_t* out, uint32_t v) {
  if (v & 1) out[v] = v;
  return v * 3;
}
SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  out[i] = helper(out, i) + helper(out, i + 1);
}
