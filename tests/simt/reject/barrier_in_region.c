/* expect: 5 */
/* A barrier inside a divergent region. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  SIMT_IF(i & 1)
    out[i] = i;
    simt_barrier();
  SIMT_END
}
