// Rows of lanes as native vectors. Included by the exec_*.cpp files only, inside a namespace of each instruction set.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "machine.h"
#include "op.h"

#ifndef GYRE_EXEC_NS
#error "GYRE_EXEC_NS names the instruction set this file is built for"
#endif

namespace gyre::core::GYRE_EXEC_NS {

#ifdef __AVX2__
constexpr unsigned kNative = 8;
#else
constexpr unsigned kNative = 4;
#endif

// A warp of N lanes is worked on in pieces of kWidth<N> lanes.
template <unsigned N>
constexpr unsigned kWidth = N < kNative ? N : kNative;

template <unsigned W>
struct VectorOf {
  typedef std::uint32_t U __attribute__((vector_size(4 * W)));
  typedef std::int32_t S __attribute__((vector_size(4 * W)));
  typedef float F __attribute__((vector_size(4 * W)));
};
template <unsigned N>
using VecU = typename VectorOf<kWidth<N>>::U;
template <unsigned N>
using VecS = typename VectorOf<kWidth<N>>::S;
template <unsigned N>
using VecF = typename VectorOf<kWidth<N>>::F;

template <class V>
inline __attribute__((always_inline)) V load_vec(const std::uint32_t* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
inline __attribute__((always_inline)) void store_vec(std::uint32_t* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}
template <class V>
inline __attribute__((always_inline)) V splat(std::uint32_t x) {
  return V{} + x;
}

// True if any element has a bit set. Elements are comparison results or masks (all ones or zero) or plain words.
template <class V>
inline __attribute__((always_inline)) bool any_set(V v) {
#ifdef __AVX2__
  if constexpr (sizeof(V) == 32) return _mm256_testz_si256((__m256i)v, (__m256i)v) == 0;
  if constexpr (sizeof(V) == 16) return _mm_testz_si128((__m128i)v, (__m128i)v) == 0;
#endif
  if constexpr (sizeof(V) == 32) {
    std::uint64_t t[4];
    __builtin_memcpy(t, &v, 32);
    return ((t[0] | t[1]) | (t[2] | t[3])) != 0;
  } else if constexpr (sizeof(V) == 16) {
    std::uint64_t t[2];
    __builtin_memcpy(t, &v, 16);
    return (t[0] | t[1]) != 0;
  } else if constexpr (sizeof(V) == 8) {
    std::uint64_t t;
    __builtin_memcpy(&t, &v, 8);
    return t != 0;
  } else {
    std::uint32_t t;
    __builtin_memcpy(&t, &v, 4);
    return t != 0;
  }
}

// Rows of the operands.
inline __attribute__((always_inline)) std::uint32_t* row_at(Warp& w, unsigned bytes) {
  return reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(w.reg) + bytes);
}
inline __attribute__((always_inline)) std::uint32_t* rd(Warp& w, const Inst& i) { return row_at(w, i.at_rd); }
inline __attribute__((always_inline)) std::uint32_t* rs1(Warp& w, const Inst& i) { return row_at(w, i.at_rs1); }
inline __attribute__((always_inline)) std::uint32_t* rs2(Warp& w, const Inst& i) { return row_at(w, i.at_rs2); }
inline __attribute__((always_inline)) std::uint32_t* rs3(Warp& w, const Inst& i) { return row_at(w, i.at_rs3); }

// Writes `value` to elements [at, at + kWidth<N>) of a row, in active lanes only.
template <unsigned N, bool kFull>
inline __attribute__((always_inline)) void put(Warp& w, std::uint32_t* dest, unsigned at, VecU<N> value) {
  if constexpr (kFull) {
    store_vec(dest + at, value);
  } else {
    const VecU<N> m = load_vec<VecU<N>>(w.lane_mask + at);
    store_vec(dest + at, (value & m) | (load_vec<VecU<N>>(dest + at) & ~m));
  }
}

// dest := f(at), piece by piece.
template <unsigned N, class F>
inline __attribute__((always_inline)) void for_pieces(Warp& w, std::uint32_t* dest, F f) {
  if (__builtin_expect(w.mask == w.full, 1)) {
    for (unsigned at = 0; at < N; at += kWidth<N>) put<N, true>(w, dest, at, f(at));
  } else {
    for (unsigned at = 0; at < N; at += kWidth<N>) put<N, false>(w, dest, at, f(at));
  }
}

}  // namespace gyre::core::GYRE_EXEC_NS
