/* expect: 2 */
/* continue binds to the hidden for and skips the JOIN. */
#include "simt.h"

SIMT_KERNEL void case_kernel(volatile uint32_t* out) {
  const uint32_t i = simt_global_x();
  uint32_t k = 0;
  SIMT_WHILE(k < i)
    ++k;
    if (out[0] == 5) continue;
    out[i] = k;
  SIMT_END_WHILE
}
