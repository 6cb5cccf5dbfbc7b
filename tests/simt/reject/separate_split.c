/* expect: 1 5 */
/* SPLIT, branch and JOIN as separate statements (simt_c.md, first row of the table). */
#include "simt.h"

SIMT_KERNEL void case_kernel(uint32_t* out) {
  const uint32_t i = simt_global_x(), c = i & 1;
  uint32_t token;
  float f = (float)i;
  __asm__ volatile(".insn r 0x0B,2,0,%0,%1,x0" : "=r"(token) : "r"(c) : "memory");
  if (c) f *= 3.0f;
  __asm__ volatile(".insn r 0x0B,3,0,x0,%0,x0" ::"r"(token) : "memory");
  out[i] = simt_f32_bits(f);
}
