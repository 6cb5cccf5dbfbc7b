// What the single-precision executors share (isa.md §1). The host's SSE units do the arithmetic: same rounding, same
// tininess rule (after rounding). Their sticky flags stay in MXCSR while a warp runs and are folded into fflags at the
// end of its burst (engine.cpp). Inactive lanes compute on harmless operands so that they raise nothing. Included by
// exec_fp*.cpp only.
#pragma once

#include "exec.h"
#include "fp.h"
#include "fp_vector.h"
#include "simd.h"

namespace gyre::core::GYRE_EXEC_NS {

// exec_fp_bits.cpp: what never rounds, and conversions. Null for the rest.
template <unsigned N>
Handler fp_bits_handler(riscv::Op op);

namespace {

using riscv::Op;
using u32 = std::uint32_t;
using s32 = std::int32_t;
namespace fp = riscv::fp;
using fp::kDynamic;
using fp::kNv;
using fp::kRmm;
using fp::kRne;
using fp::kRtz;

constexpr u32 kCanonicalNan = 0x7FC00000u;

constexpr unsigned kMxcsrRound = 0x6000;
constexpr unsigned kMxcsrMode[4] = {0x0000, 0x6000, 0x2000, 0x4000};  // RNE, RTZ, RDN, RUP

template <class U, class F>
inline __attribute__((always_inline)) U canonical(F r) {
  const U nan = (U)(r != r);
  return ((U)r & ~nan) | (nan & kCanonicalNan);
}

// An operand row with inactive lanes replaced by `idle`.
template <unsigned N, bool kFull>
inline __attribute__((always_inline)) VecF<N> operand(Warp& w, const u32* from, unsigned at, u32 idle = 0) {
  using U = VecU<N>;
  U v = load_vec<U>(from + at);
  if constexpr (!kFull) {
    const U m = load_vec<U>(w.lane_mask + at);
    v = (v & m) | (~m & idle);
  }
  return (VecF<N>)v;
}

// Runs `body` under the rounding mode of the instruction; RMM, which the host does not have, goes through `away`.
template <class Body, class Away>
inline __attribute__((always_inline)) void rounded(Machine& m, Warp& w, const Inst& i, Body body, Away away) {
  const unsigned rm = i.rm == kDynamic ? w.frm : i.rm;
  if (__builtin_expect(rm == kRne, 1)) {
    body(w, i);
  } else if (rm < kRmm) {
    _mm_setcsr((_mm_getcsr() & ~kMxcsrRound) | kMxcsrMode[rm]);
    body(w, i);
    _mm_setcsr(_mm_getcsr() & ~kMxcsrRound);
  } else if (rm == kRmm) {
    away(w, i);
  } else {
    m.illegal(m, w, i);  // reserved value in frm
  }
}

// Lane by lane: d := f(lane, flags).
template <unsigned N, class F1>
inline __attribute__((always_inline)) void each_lane(Warp& w, const Inst& i, F1 f) {
  u32* d = rd(w, i);
  unsigned flags = 0;
  for (unsigned l = 0; l < N; ++l)
    if (w.lane_mask[l] != 0) d[l] = f(l, flags);
  w.fflags |= static_cast<std::uint8_t>(flags);
}
// The fast path of everything that rounds: nearest even, all lanes active.
inline __attribute__((always_inline)) bool plain(const Warp& w, const Inst& i) {
  const unsigned rm = i.rm == kDynamic ? w.frm : i.rm;
  return __builtin_expect((rm | (w.mask ^ w.full)) == 0, 1);
}

}  // namespace
}  // namespace gyre::core::GYRE_EXEC_NS
