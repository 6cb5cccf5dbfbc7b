// Fused multiply-add and square root of a native vector. Included by exec_fp.h only.
#pragma once

#include <immintrin.h>

namespace gyre::core::GYRE_EXEC_NS {
namespace {

template <class F>
inline __attribute__((always_inline)) F fused(F a, F b, F c) {
#ifdef __FMA__
  if constexpr (sizeof(F) == 32)
    return (F)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  else if constexpr (sizeof(F) == 16)
    return (F)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
  else
#endif
  {
    F r;
    for (unsigned l = 0; l < sizeof(F) / 4; ++l) r[l] = __builtin_fmaf(a[l], b[l], c[l]);
    return r;
  }
}

template <class F>
inline __attribute__((always_inline)) F root(F a) {
  if constexpr (sizeof(F) == 16) return (F)_mm_sqrt_ps((__m128)a);
#ifdef __AVX__
  else if constexpr (sizeof(F) == 32)
    return (F)_mm256_sqrt_ps((__m256)a);
#endif
  else {
    F r;
    for (unsigned l = 0; l < sizeof(F) / 4; ++l) r[l] = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a[l])));
    return r;
  }
}

}  // namespace
}  // namespace gyre::core::GYRE_EXEC_NS
