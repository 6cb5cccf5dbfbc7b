/* expect: none */
/* Many live values across nested regions: tokens and bounds are spilled. */
#include "simt.h"

SIMT_KERNEL void case_kernel(uint32_t* data) {
  const uint32_t i = simt_global_x(), n = data[0], m = data[1], rows = data[2];
  uint32_t v[24];
  float f[12];
  for (uint32_t k = 0; k < 24; ++k) v[k] = data[i * 24 + k];
  for (uint32_t k = 0; k < 12; ++k) f[k] = simt_bits_f32(v[k]);
  for (uint32_t r = 0; r < rows; ++r) {
    SIMT_IF(v[0] & 1)
      for (uint32_t k = 0; k < 24; ++k) v[k] += v[(k + 5) % 24] * m;
      SIMT_IF(v[3] & 2)
        for (uint32_t k = 0; k < 12; ++k) f[k] = f[k] * 1.5f + f[(k + 1) % 12];
        uint32_t j = v[7] & 7;
        SIMT_WHILE(j != 0)
          --j;
          SIMT_IF(v[j] > v[j + 1])
            const uint32_t t = v[j];
            v[j] = v[j + 1];
            v[j + 1] = t;
          SIMT_ELSE
            f[j] = f[j] - simt_bits_f32(v[9]);
          SIMT_END_ELSE
        SIMT_END_WHILE
      SIMT_ELSE
        for (uint32_t k = 0; k < n; ++k) v[k % 24] ^= k;
      SIMT_END_ELSE
    SIMT_ELSE
      for (uint32_t k = 0; k < 24; ++k) v[k] = v[k] << 3 ^ v[(k + 11) % 24];
    SIMT_END_ELSE
    if (simt_any(v[5] & 1)) v[6] += m;
  }
  for (uint32_t k = 0; k < 24; ++k) data[i * 24 + k] = v[k];
  for (uint32_t k = 0; k < 12; ++k) data[i * 24 + k] ^= simt_f32_bits(f[k]);
}
