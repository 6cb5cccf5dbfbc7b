/* Compute kernels of the device image and their arguments. Addresses are device addresses, 4-byte aligned; kernels are
 * launched one-dimensional (grid x, block x) with any sizes unless said otherwise. */
#ifndef GYRE_FIRMWARE_KERNELS_H
#define GYRE_FIRMWARE_KERNELS_H

#include <stdint.h>

/* gyre_vector_add: c[i] = a[i] + b[i] for i < count (mod 2^32). Grid strided. */
typedef struct gyre_vector_add_arg {
  uint64_t a, b, c; /* u32[count] */
  uint32_t count;
  uint32_t pad_;
} gyre_vector_add_arg;

/* gyre_reduce: sums[block] = sum of the elements the block's threads own (i, i + threads of the grid, ...), mod 2^32,
 * by a tree in local memory with a barrier a level. LMEM_SIZE must be 4 * block size. */
typedef struct gyre_reduce_arg {
  uint64_t in;   /* u32[count] */
  uint64_t sums; /* u32[grid] */
  uint32_t count;
  uint32_t pad_;
} gyre_reduce_arg;

/* gyre_divergence: out[i] = gyre_divergence_value(in[i]), written with nested per-lane branches and loops. */
typedef struct gyre_divergence_arg {
  uint64_t in, out; /* u32[count] */
  uint32_t count;
  uint32_t pad_;
} gyre_divergence_arg;

/* What a lane of gyre_divergence computes, in plain C. */
static inline uint32_t gyre_divergence_value(uint32_t v) {
  uint32_t acc = v;
  float scale = 1.0f;
  if (v & 1) {
    for (uint32_t i = 0; i < (v & 15); ++i) {
      if ((acc ^ i) & 2)
        acc = acc * 5 + i;
      else
        acc ^= acc >> 3;
      if ((acc & 7) == 0) continue;
      for (uint32_t j = i & 3; j != 0; --j) acc += j << i;
    }
    scale = 2.0f;
  } else {
    if (v & 2) {
      uint32_t n = 0;
      while (acc > 1 && n < 20) {
        acc = acc & 1 ? 3 * acc + 1 : acc >> 1;
        ++n;
      }
      scale = 0.5f;
    } else {
      acc = ~acc;
    }
    acc += 17;
  }
  return acc ^ (uint32_t)((float)(v & 0xFFF) * scale);
}

#endif
