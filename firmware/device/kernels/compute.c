/* The compute kernels of kernels.h. */
#include "kernels.h"
#include "simt.h"

SIMT_KERNEL void gyre_vector_add(const gyre_vector_add_arg* arg);
SIMT_KERNEL void gyre_reduce(const gyre_reduce_arg* arg);
SIMT_KERNEL void gyre_divergence(const gyre_divergence_arg* arg);

SIMT_KERNEL void gyre_vector_add(const gyre_vector_add_arg* arg) {
  const uint32_t* a = (const uint32_t*)(uintptr_t)arg->a;
  const uint32_t* b = (const uint32_t*)(uintptr_t)arg->b;
  uint32_t* c = (uint32_t*)(uintptr_t)arg->c;
  const uint32_t count = arg->count, stride = simt_grid_dim_x() * simt_block_dim_x();
  uint32_t i = simt_global_x();
  SIMT_WHILE(i < count)
    c[i] = a[i] + b[i];
    i += stride;
  SIMT_END_WHILE
}

SIMT_KERNEL void gyre_reduce(const gyre_reduce_arg* arg) {
  const uint32_t* in = (const uint32_t*)(uintptr_t)arg->in;
  volatile uint32_t* partial = (volatile uint32_t*)simt_local_memory();
  const uint32_t count = arg->count, threads = simt_block_dim_x(), stride = simt_grid_dim_x() * threads;
  const uint32_t t = simt_thread_x();

  uint32_t sum = 0, i = simt_global_x();
  SIMT_WHILE(i < count)
    sum += in[i];
    i += stride;
  SIMT_END_WHILE
  partial[t] = sum;
  simt_barrier();

  /* Halve the live part; the upper half, rounded up so that odd sizes work, folds onto the lower. */
  for (uint32_t live = threads; live > 1;) {
    const uint32_t half = (live + 1) / 2;
    SIMT_IF(t + half < live)
      partial[t] += partial[t + half];
    SIMT_END
    simt_barrier();
    live = half;
  }
  SIMT_IF(t == 0)
    ((uint32_t*)(uintptr_t)arg->sums)[simt_block_x()] = partial[0];
  SIMT_END
}

SIMT_INLINE uint32_t divergence_lane(uint32_t v) {
  uint32_t acc = v;
  float scale = 1.0f;
  SIMT_IF(v & 1)
    uint32_t i = 0;
    SIMT_WHILE(i < (v & 15))
      const uint32_t k = i++;
      SIMT_IF((acc ^ k) & 2)
        acc = acc * 5 + k;
      SIMT_ELSE
        acc ^= acc >> 3;
      SIMT_END_ELSE
      SIMT_IF((acc & 7) != 0)
        uint32_t j = k & 3;
        SIMT_WHILE(j != 0)
          acc += j << k;
          --j;
        SIMT_END_WHILE
      SIMT_END
    SIMT_END_WHILE
    scale = 2.0f;
  SIMT_ELSE
    SIMT_IF(v & 2)
      uint32_t n = 0;
      SIMT_WHILE((acc > 1) & (n < 20))
        acc = simt_sel(acc & 1, 3 * acc + 1, acc >> 1);
        ++n;
      SIMT_END_WHILE
      scale = 0.5f;
    SIMT_ELSE
      acc = ~acc;
    SIMT_END_ELSE
    acc += 17;
  SIMT_END_ELSE
  return acc ^ (uint32_t)gyre_f32_to_i32_sat((float)(v & 0xFFF) * scale);
}

SIMT_KERNEL void gyre_divergence(const gyre_divergence_arg* arg) {
  const uint32_t* in = (const uint32_t*)(uintptr_t)arg->in;
  uint32_t* out = (uint32_t*)(uintptr_t)arg->out;
  const uint32_t count = arg->count, stride = simt_grid_dim_x() * simt_block_dim_x();
  uint32_t i = simt_global_x();
  SIMT_WHILE(i < count)
    out[i] = divergence_lane(in[i]);
    i += stride;
  SIMT_END_WHILE
}
