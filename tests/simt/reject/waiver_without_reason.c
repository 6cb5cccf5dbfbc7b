/* expect: 5 */
/* A waiver says why. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  if (out[i] & 1) out[i] = i; /* uniform: */
}
