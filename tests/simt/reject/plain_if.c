/* expect: 5 */
/* An ordinary if on a lane value. */
#include "simt.h"

SIMT_KERNEL void case_kernel(uint32_t* out) {
  const uint32_t i = simt_global_x();
  if (i & 1) out[i] = i;
}
