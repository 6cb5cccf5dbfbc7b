/* expect: 5 */
/* A float ?: becomes a branch. */
#include "simt.h"

SIMT_KERNEL void case_kernel(float* out) {
  const uint32_t i = simt_global_x();
  const float f = out[i];
  out[i] = i > 3 ? f * 2.0f : f - 1.0f;
}
