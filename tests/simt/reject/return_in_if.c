/* expect: 4 */
/* return across a SIMT macro skips the JOIN. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  SIMT_IF(i & 1)
    out[i] = 1;
    return;
  SIMT_END
  out[i] = 2;
}
