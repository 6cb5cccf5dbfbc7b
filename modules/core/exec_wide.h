// What the RV64 executors share. A register is two rows, low and high words. Included by exec_wide*.cpp only.
#pragma once

#include "engine.h"
#include "fp.h"
#include "int_ops.h"

namespace gyre::core::wide {
using riscv::Op;
namespace fp = riscv::fp;

namespace {

inline Engine& engine(Machine& m) { return static_cast<Engine&>(m); }

// The two rows of a register.
struct Row {
  const u32 *low, *high;
  Row(Engine& e, Warp& w, unsigned r) : low(e.row(w, r)), high(e.row(w, r + kHighRow)) {}
  u64 operator[](unsigned lane) const { return u64{high[lane]} << 32 | low[lane]; }
  // As a single: what is not boxed reads as the canonical NaN.
  u32 single(unsigned lane) const { return high[lane] == ~0u ? low[lane] : fp::kCanonicalNan<fp::Single>; }
};

inline u64 extended(u32 word) { return static_cast<u64>(s64{static_cast<s32>(word)}); }
inline u64 boxed(u32 single) { return u64{0xFFFFFFFF} << 32 | single; }

// rd := f(lane) in the active lanes.
template <class F>
void each(Engine& e, Warp& w, const Inst& i, F f) {
  u32 *low = e.row(w, i.rd), *high = e.row(w, i.rd + kHighRow);
  for (unsigned l = 0; l < e.threads; ++l) {
    if (w.lane_mask[l] == 0) continue;
    const u64 value = f(l);
    low[l] = static_cast<u32>(value);
    high[l] = static_cast<u32>(value >> 32);
  }
}
inline void extend_sign(Engine& e, Warp& w, const Inst& i) {
  const u32* low = e.row(w, i.rd);
  each(e, w, i, [&](unsigned l) { return extended(low[l]); });
}

constexpr bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

}  // namespace

Handler floating(Op op);  // exec_wide_fp.cpp

}  // namespace gyre::core::wide
