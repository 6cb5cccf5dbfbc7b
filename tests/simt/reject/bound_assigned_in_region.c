/* expect: 5 */
/* A loop bound assigned inside a region. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  uint32_t n = out[0];
  SIMT_IF(i & 1)
    n = out[1];
  SIMT_END
  for (uint32_t k = 0; k < n; ++k) out[2] = k;
}
