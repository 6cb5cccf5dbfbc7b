/* The one float -> integer conversion of the project: toward zero, saturating, NaN -> maximum, which is what
 * RISC-V fcvt.w.s does (frontend.md §18 "conversions out of range"). Host and device call this, never a cast. */
#ifndef GYRE_ABI_FIXED_H
#define GYRE_ABI_FIXED_H

#include <stdint.h>

#if defined(__riscv) && defined(__riscv_flen)
static inline __attribute__((always_inline)) int32_t gyre_f32_to_i32_sat(float f) {
  int32_t r;
  __asm__("fcvt.w.s %0, %1, rtz" : "=r"(r) : "f"(f));
  return r;
}
#else
static inline int32_t gyre_f32_to_i32_sat(float f) {
  if (!(f < 2147483648.0f)) return INT32_MAX; /* NaN too */
  if (f <= -2147483648.0f) return INT32_MIN;
  return (int32_t)f;
}
#endif

#endif
