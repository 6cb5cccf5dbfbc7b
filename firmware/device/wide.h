/* 64-bit helpers without a library and without a branch (simt_c.md §4). The same results on host and device. */
#ifndef GYRE_FIRMWARE_WIDE_H
#define GYRE_FIRMWARE_WIDE_H

#include "simt.h"

/* Number of leading zeros, 32 for 0, without a branch. */
SIMT_INLINE uint32_t simt_clz32(uint32_t v) {
  uint32_t n = 0, c;
  c = (uint32_t)(v < 0x10000u) << 4, n += c, v <<= c;
  c = (uint32_t)(v < 0x1000000u) << 3, n += c, v <<= c;
  c = (uint32_t)(v < 0x10000000u) << 2, n += c, v <<= c;
  c = (uint32_t)(v < 0x40000000u) << 1, n += c, v <<= c;
  c = (uint32_t)(v < 0x80000000u), n += c, v <<= c;
  return n + (v == 0);
}

SIMT_INLINE uint64_t simt_sel64(uint32_t c, uint64_t a, uint64_t b) {
  return (uint64_t)simt_sel(c, (uint32_t)(a >> 32), (uint32_t)(b >> 32)) << 32 | simt_sel(c, (uint32_t)a, (uint32_t)b);
}

/* Nearest float, ties to even. */
SIMT_INLINE float simt_i64_to_f32(int64_t v) {
  const uint32_t sign = (uint32_t)((uint64_t)v >> 63);
  const uint64_t m = ((uint64_t)v ^ (0 - (uint64_t)sign)) + sign;
  const uint32_t high = (uint32_t)(m >> 32);
  /* Keep 32 significant bits and fold what falls off into the last one: the conversion below then rounds as if it
   * saw everything. */
  const uint32_t shift = simt_sel(high, 32 - simt_clz32(high), 0);
  const uint64_t lost = m & ((1ull << shift) - 1);
  const uint32_t kept = (uint32_t)(m >> shift) | (lost != 0);
  const float f = (float)kept * simt_bits_f32((127u + shift) << 23);
  return simt_bits_f32(simt_f32_bits(f) | sign << 31);
}

/* Toward zero, saturating; NaN gives INT64_MAX. */
SIMT_INLINE int64_t simt_f32_to_i64_sat(float f) {
  const uint32_t bits = simt_f32_bits(f);
  const uint32_t exponent = (bits >> 23) & 0xFF, negative = bits >> 31;
  const uint64_t fraction = (bits & 0x7FFFFF) | 0x800000;
  const uint32_t is_nan = (bits & 0x7FFFFFFF) > 0x7F800000u;
  const uint32_t left = exponent - 150, right = 150 - exponent; /* only the one in range is used */
  uint64_t m = simt_sel64(exponent >= 150, fraction << (left & 63), fraction >> (right & 63));
  m = simt_sel64(exponent < 127, 0, m);
  const uint64_t value = (m ^ (0 - (uint64_t)negative)) + negative;
  const uint64_t limit = simt_sel64(negative & (is_nan ^ 1), 1ull << 63, ~(1ull << 63));
  return (int64_t)simt_sel64(exponent >= 190, limit, value);
}

/* a / b and a % b for 64-bit a; 64 fixed steps; b = 0 gives all ones and a. */
SIMT_INLINE uint64_t simt_udiv64_32(uint64_t a, uint32_t b, uint32_t* remainder) {
  uint64_t q = 0, r = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    r = r << 1 | a >> 63;
    a <<= 1;
    const uint32_t fits = r >= b;
    r -= simt_sel(fits, b, 0);
    q = q << 1 | fits;
  }
  *remainder = (uint32_t)r;
  return q;
}

#endif
