/* expect: none */
/* A branch the checker cannot prove, with its reason. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  if (out[i] & 1) out[i] = i; /* uniform: the host writes one value to all of out */
}
