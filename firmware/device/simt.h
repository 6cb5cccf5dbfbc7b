/* C on the SIMT cores: divergence macros, intrinsics and their host twins (simt_c.md, isa.md §4-§7).
 *
 * Divergent control flow is written with the macros below and nothing else:
 *   if            SIMT_IF(c) ... SIMT_END
 *   if / else     SIMT_IF(c) ... SIMT_ELSE ... SIMT_END_ELSE
 *   while         SIMT_WHILE(c) ... SIMT_END_WHILE        (trip count per lane)
 * A plain `if` or `for` is for conditions equal in all active lanes. No break, continue, return or goto across a macro.
 * tools/simtcheck proves it on every image; a branch it cannot prove uniform carries a comment of the form
 * "uniform: why" on its line.
 *
 * Without __riscv the same code compiles for the host, one lane at a time, as C and C++. What a lane reads from the
 * machine (registers, texels, exports) then comes from the gyre_host_* functions, which the host program defines.
 * Operations that need the other lanes (shuffle, ballot) have no host twin. */
#ifndef GYRE_FIRMWARE_SIMT_H
#define GYRE_FIRMWARE_SIMT_H

#include <stdint.h>

#include "csr.h"
#include "fixed.h"

#define SIMT_INLINE static inline __attribute__((always_inline))

#ifdef __cplusplus
#define SIMT_EXTERN_C extern "C"
#else
#define SIMT_EXTERN_C extern
#endif

/* float <-> bits without a library call */
SIMT_INLINE uint32_t simt_f32_bits(float f) {
  uint32_t r;
  __builtin_memcpy(&r, &f, 4);
  return r;
}
SIMT_INLINE float simt_bits_f32(uint32_t u) {
  float r;
  __builtin_memcpy(&r, &u, 4);
  return r;
}

#ifdef __riscv
/* ==== device ==== */

/* A kernel or fragment shader: void f(const T* arg), arg uniform. Kept by the linker, listed in the symbol footer. */
#define SIMT_KERNEL __attribute__((used, section(".simt_kernel")))
/* A function that stays out of line; its arguments may differ by lane. */
#define SIMT_NOINLINE __attribute__((noinline))

/* ---- divergence (simt_c.md §1) ---- */
/* SPLIT and its branch are one statement: the compiler cannot fold the branch or move anything between them. =&r
 * because SPLIT writes the token before the branch reads the predicate. The token leaves in a fixed register, which the
 * compiler copies at the start of each side; an output of its own choice it may spill, and then on one side only. */
#define SIMT_SPLIT_(c)                                                                               \
  __label__ simt_else_, simt_join_;                                                                  \
  uint32_t simt_token_;                                                                              \
  register uint32_t simt_tok_ __asm__("t6");                                                         \
  __asm__ goto(".insn r 0x0B,2,0,%0,%1,x0\n\tbeqz %1,%l2"                                            \
               : "=&r"(simt_tok_)                                                                    \
               : "r"((uint32_t)((c) != 0))                                                           \
               : "memory"                                                                            \
               : simt_else_);
#define SIMT_JOIN_(tok) __asm__ volatile(".insn r 0x0B,3,0,x0,%0,x0" ::"r"(tok) : "memory");

#define SIMT_IF(c)         \
  {                        \
    SIMT_SPLIT_(c)         \
    simt_token_ = simt_tok_; {
#define SIMT_END             \
  }                          \
  goto simt_join_;           \
  simt_else_:;               \
  simt_token_ = simt_tok_;   \
  simt_join_:                \
  SIMT_JOIN_(simt_token_)    \
  }
#define SIMT_ELSE            \
  }                          \
  goto simt_join_;           \
  simt_else_:;               \
  simt_token_ = simt_tok_; {
#define SIMT_END_ELSE        \
  }                          \
  simt_join_:                \
  SIMT_JOIN_(simt_token_)    \
  }
#define SIMT_WHILE(c)                         \
  for (;;) {                                  \
    uint32_t simt_c_ = (uint32_t)((c) != 0);  \
    if (!simt_any(simt_c_)) break;            \
    SIMT_IF(simt_c_)
#define SIMT_END_WHILE \
  SIMT_END             \
  }

/* ---- votes: c is 0 or 1; over the active lanes; the same result in each (isa.md §4.2) ---- */
#define SIMT_VOTE_(name, funct3)                                                                         \
  SIMT_INLINE uint32_t name(uint32_t c) {                                                                \
    uint32_t r;                                                                                          \
    __asm__ volatile(".insn r 0x0B," #funct3 ",1,%0,%1,x0" : "=r"(r) : "r"(c) : "memory");               \
    return r;                                                                                            \
  }
SIMT_VOTE_(simt_all, 0)
SIMT_VOTE_(simt_any, 1)
SIMT_VOTE_(simt_uni, 2)    /* 1 when all active lanes agree */
SIMT_VOTE_(simt_ballot, 3) /* bit t = lane t active and c */

/* ---- shuffles: 6-bit b, c, m; a lane that is inactive or absent must not be read ---- */
#define SIMT_SHFL_ARG(b, c, m) ((uint32_t)(b) | (uint32_t)(c) << 6 | (uint32_t)(m) << 12)
#define SIMT_SHFL_(name, funct3)                                                                              \
  SIMT_INLINE uint32_t name(uint32_t v, uint32_t arg) {                                                       \
    uint32_t r;                                                                                               \
    __asm__ volatile(".insn r 0x0B," #funct3 ",1,%0,%1,%2" : "=r"(r) : "r"(v), "r"(arg) : "memory");          \
    return r;                                                                                                 \
  }
SIMT_SHFL_(simt_shfl_up, 4)
SIMT_SHFL_(simt_shfl_down, 5)
SIMT_SHFL_(simt_shfl_bfly, 6)
SIMT_SHFL_(simt_shfl_idx, 7)

/* Value of lane k (0..3) of the own quad, of the horizontal and of the vertical neighbour in the quad. */
SIMT_INLINE uint32_t vx_quad_lane(uint32_t v, uint32_t k) { return simt_shfl_idx(v, SIMT_SHFL_ARG(k, 3, 0x3C)); }
SIMT_INLINE uint32_t vx_quad_swap_x(uint32_t v) { return simt_shfl_bfly(v, SIMT_SHFL_ARG(1, 3, 0x3C)); }
SIMT_INLINE uint32_t vx_quad_swap_y(uint32_t v) { return simt_shfl_bfly(v, SIMT_SHFL_ARG(2, 3, 0x3C)); }
/* Quad derivatives, the same number in all four lanes: lane 1 - lane 0, lane 2 - lane 0 (tex.md §12), mod 2^32. */
SIMT_INLINE int32_t vx_quad_ddx(int32_t v) {
  return (int32_t)(vx_quad_lane((uint32_t)v, 1) - vx_quad_lane((uint32_t)v, 0));
}
SIMT_INLINE int32_t vx_quad_ddy(int32_t v) {
  return (int32_t)(vx_quad_lane((uint32_t)v, 2) - vx_quad_lane((uint32_t)v, 0));
}

/* ---- registers: number is a GYRE_CSR_* constant; simt_csr for values that never change while a warp runs ---- */
#define SIMT_STR_(x) #x
#define SIMT_STR(x) SIMT_STR_(x)
#define simt_csr(number)                                            \
  ({                                                                \
    uint32_t simt_r_;                                               \
    __asm__("csrr %0, " SIMT_STR(number) : "=r"(simt_r_));          \
    simt_r_;                                                        \
  })
#define simt_csr_volatile(number)                                                     \
  ({                                                                                  \
    uint32_t simt_r_;                                                                 \
    __asm__ volatile("csrr %0, " SIMT_STR(number) : "=r"(simt_r_)::"memory");         \
    simt_r_;                                                                          \
  })

/* ---- barrier over the warps of the CTA; every warp of it must come here, outside any divergent region ---- */
SIMT_INLINE void simt_barrier(void) {
  __asm__ volatile(".insn r 0x0B,4,0,x0,%0,%1" ::"r"(simt_csr(GYRE_CSR_CTA_ID)), "r"(simt_csr(GYRE_CSR_CTA_SIZE))
                   : "memory");
}
/* Orders memory accesses of this warp before it against those after it. */
SIMT_INLINE void simt_fence(void) { __asm__ volatile("fence" ::: "memory"); }

/* Local memory of the CTA: LMEM_SIZE bytes, 64-byte aligned. */
SIMT_INLINE void* simt_local_memory(void) { return (void*)(uintptr_t)simt_csr(GYRE_CSR_CTA_LMEM_ADDR); }

/* ---- selects without a branch: c nonzero takes a ---- */
SIMT_INLINE uint32_t simt_sel(uint32_t c, uint32_t a, uint32_t b) {
  uint32_t x, y;
  __asm__("czero.eqz %0, %1, %2" : "=r"(x) : "r"(a), "r"(c));
  __asm__("czero.nez %0, %1, %2" : "=r"(y) : "r"(b), "r"(c));
  return x | y;
}

/* ---- float operations with one RISC-V instruction each, NaN and signed zero as RISC-V has them ---- */
SIMT_INLINE float simt_fminf(float a, float b) {
  float r;
  __asm__("fmin.s %0, %1, %2" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
SIMT_INLINE float simt_fmaxf(float a, float b) {
  float r;
  __asm__("fmax.s %0, %1, %2" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
SIMT_INLINE float simt_fabsf(float a) { return simt_bits_f32(simt_f32_bits(a) & 0x7FFFFFFFu); }
SIMT_INLINE float simt_sqrtf(float a) {
  float r;
  __asm__("fsqrt.s %0, %1" : "=f"(r) : "f"(a));
  return r;
}
/* Largest integer not above f, saturating; NaN gives INT32_MAX. */
SIMT_INLINE int32_t simt_floor_i32(float f) {
  int32_t r;
  __asm__("fcvt.w.s %0, %1, rdn" : "=r"(r) : "f"(f));
  return r;
}
/* Smallest integer not below f, saturating; NaN gives INT32_MAX. */
SIMT_INLINE int32_t simt_ceil_i32(float f) {
  int32_t r;
  __asm__("fcvt.w.s %0, %1, rup" : "=r"(r) : "f"(f));
  return r;
}

/* ---- graphics ---- */
/* Texel (A8R8G8B8) of stage (constant 0 or 1) at u, v (23 fraction bits); lod: level, or level << 8 | fraction when
 * the stage filters between levels (tex.md §3, §8). */
#define vx_tex(stage, u, v, lod)                                                                        \
  ({                                                                                                    \
    uint32_t simt_r_;                                                                                   \
    __asm__ volatile(".insn r4 0x2B,5," SIMT_STR(stage) ",%0,%1,%2,%3"                                  \
                     : "=r"(simt_r_)                                                                    \
                     : "r"((int32_t)(u)), "r"((int32_t)(v)), "r"((uint32_t)(lod)));                     \
    simt_r_;                                                                                            \
  })
/* One fragment to the output merger: record is a device address inside the aperture, depth 24 bits (isa.md §4.4).
 * The _color and _depth forms send one word only. */
#define VX_OM_EXPORT_(what, record, color, depth)                                                         \
  __asm__ volatile(".insn r4 0x2B,3," #what ",x0,%0,%1,%2" ::"r"((uint32_t)(record)), "r"((uint32_t)(color)), \
                   "r"((uint32_t)(depth))                                                                 \
                   : "memory")
SIMT_INLINE void vx_om_export(uint32_t record, uint32_t color, uint32_t depth) {
  VX_OM_EXPORT_(3, record, color, depth);
}
SIMT_INLINE void vx_om_export_color(uint32_t record, uint32_t color) { VX_OM_EXPORT_(1, record, color, 0); }
SIMT_INLINE void vx_om_export_depth(uint32_t record, uint32_t depth) { VX_OM_EXPORT_(2, record, 0, depth); }

#else
/* ==== host twins ==== */

#define SIMT_KERNEL SIMT_EXTERN_C
#define SIMT_NOINLINE

#define SIMT_IF(c) \
  {                \
    if (c) {
#define SIMT_END \
  }              \
  }
#define SIMT_ELSE \
  }               \
  else {
#define SIMT_END_ELSE \
  }                   \
  }
#define SIMT_WHILE(c) while (c) {
#define SIMT_END_WHILE }

/* Defined by the host program that runs device code; called for the one lane being run. */
SIMT_EXTERN_C uint32_t gyre_host_csr(uint32_t number); /* GYRE_CSR_* */
SIMT_EXTERN_C void gyre_host_barrier(void);
SIMT_EXTERN_C void* gyre_host_local_memory(void);
SIMT_EXTERN_C uint32_t gyre_host_tex(uint32_t stage, int32_t u, int32_t v, uint32_t lod);
SIMT_EXTERN_C void gyre_host_om_export(uint32_t words, uint32_t record, uint32_t color, uint32_t depth);

SIMT_INLINE uint32_t simt_all(uint32_t c) { return c & 1; }
SIMT_INLINE uint32_t simt_any(uint32_t c) { return c & 1; }
SIMT_INLINE uint32_t simt_uni(uint32_t c) { return (void)c, 1; }
#define simt_csr(number) gyre_host_csr(number)
#define simt_csr_volatile(number) gyre_host_csr(number)
SIMT_INLINE void simt_barrier(void) { gyre_host_barrier(); }
SIMT_INLINE void simt_fence(void) {}
SIMT_INLINE void* simt_local_memory(void) { return gyre_host_local_memory(); }
SIMT_INLINE uint32_t simt_sel(uint32_t c, uint32_t a, uint32_t b) { return c ? a : b; }

SIMT_INLINE float simt_fminf(float a, float b) {
  if (a != a) return b == b ? b : simt_bits_f32(0x7FC00000u);
  if (b != b) return a;
  if (a == b) return simt_bits_f32(simt_f32_bits(a) | simt_f32_bits(b)); /* -0 below +0 */
  return a < b ? a : b;
}
SIMT_INLINE float simt_fmaxf(float a, float b) {
  if (a != a) return b == b ? b : simt_bits_f32(0x7FC00000u);
  if (b != b) return a;
  if (a == b) return simt_bits_f32(simt_f32_bits(a) & simt_f32_bits(b));
  return a > b ? a : b;
}
SIMT_INLINE float simt_fabsf(float a) { return simt_bits_f32(simt_f32_bits(a) & 0x7FFFFFFFu); }
SIMT_INLINE float simt_sqrtf(float a) { return __builtin_sqrtf(a); }
SIMT_INLINE int32_t simt_floor_i32(float f) { return gyre_f32_to_i32_sat(f == f ? __builtin_floorf(f) : f); }
SIMT_INLINE int32_t simt_ceil_i32(float f) { return gyre_f32_to_i32_sat(f == f ? __builtin_ceilf(f) : f); }

#define vx_tex(stage, u, v, lod) gyre_host_tex((stage), (int32_t)(u), (int32_t)(v), (uint32_t)(lod))
SIMT_INLINE void vx_om_export(uint32_t record, uint32_t color, uint32_t depth) {
  gyre_host_om_export(3, record, color, depth);
}
SIMT_INLINE void vx_om_export_color(uint32_t record, uint32_t color) { gyre_host_om_export(1, record, color, 0); }
SIMT_INLINE void vx_om_export_depth(uint32_t record, uint32_t depth) { gyre_host_om_export(2, record, 0, depth); }

#endif /* __riscv */

/* ==== common ==== */

SIMT_INLINE float simt_self(uint32_t c, float a, float b) {
  return simt_bits_f32(simt_sel(c, simt_f32_bits(a), simt_f32_bits(b)));
}
SIMT_INLINE int32_t simt_seli(uint32_t c, int32_t a, int32_t b) {
  return (int32_t)simt_sel(c, (uint32_t)a, (uint32_t)b);
}

/* Place of this lane in a one-dimensional launch. */
SIMT_INLINE uint32_t simt_thread_x(void) { return simt_csr(GYRE_CSR_CTA_THREAD_ID_X); }
SIMT_INLINE uint32_t simt_block_x(void) { return simt_csr(GYRE_CSR_CTA_BLOCK_ID_X); }
SIMT_INLINE uint32_t simt_block_dim_x(void) { return simt_csr(GYRE_CSR_CTA_BLOCK_DIM_X); }
SIMT_INLINE uint32_t simt_grid_dim_x(void) { return simt_csr(GYRE_CSR_CTA_GRID_DIM_X); }
SIMT_INLINE uint32_t simt_global_x(void) { return simt_block_x() * simt_block_dim_x() + simt_thread_x(); }

/* Fragment payload of this lane (isa.md §7). Only `covered` may gate an export. */
SIMT_INLINE uint32_t vx_frag_pos(void) { return simt_csr(GYRE_CSR_FRAG_POS); } /* {covered[31], y[30:16], x[15:0]} */
SIMT_INLINE uint32_t vx_frag_pid(void) { return simt_csr(GYRE_CSR_FRAG_PID); }

#endif
