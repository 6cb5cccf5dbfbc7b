/* expect: 5 */
/* A for loop whose trip count differs by lane. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  for (uint32_t k = 0; k < i; ++k) out[i] = k;
}
