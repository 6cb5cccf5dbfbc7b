// RV64, floating point: single precision is the RV32 executors on the low rows plus boxing; doubles are done lane by
// lane, by the host where it rounds to nearest and the result is a number, else by riscv/fp.
#include <emmintrin.h>

#include "exec_wide.h"

namespace gyre::core::wide {
namespace {

// ---- single precision
std::uint8_t as_single(Engine& e, Warp& w, std::uint8_t r, unsigned scratch) {
  const Row from(e, w, r);
  bool all = true;
  for (unsigned l = 0; l < e.threads; ++l) all = all && (w.lane_mask[l] == 0 || from.high[l] == ~0u);
  if (all) return r;
  u32* to = e.row(w, kScratchRow + scratch);
  for (unsigned l = 0; l < e.threads; ++l) to[l] = from.single(l);
  return static_cast<std::uint8_t>(kScratchRow + scratch);
}
// The first kSources operands are floats; the result is one, or an integer of 32 bits.
template <unsigned kSources, bool kInteger>
void single(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  Inst low = i;
  if (kSources > 0) low.rs1 = as_single(e, w, i.rs1, 0);
  if (kSources > 1) low.rs2 = as_single(e, w, i.rs2, 1);
  if (kSources > 2) low.rs3 = as_single(e, w, i.rs3, 2);
  place_rows(low, m.threads);
  e.narrow(i.op)(m, w, low);
  if (kInteger)
    extend_sign(e, w, i);
  else
    e.fill_row(w, i.rd + kHighRow, ~0u);
}

// ---- double precision, and conversions with 64-bit integers
double number(u64 bits) {
  double d;
  __builtin_memcpy(&d, &bits, 8);
  return d;
}
u64 bits_of(double d) {
  u64 bits;
  __builtin_memcpy(&bits, &d, 8);
  return bits;
}

// rd := f(lane, rounding mode, flags); kRounds: a reserved mode is illegal.
template <bool kRounds, class F>
void floats(Machine& m, Warp& w, const Inst& i, F f) {
  const unsigned rm = i.rm == fp::kDynamic ? w.frm : i.rm;
  if (kRounds && rm > fp::kRmm) {
    m.illegal(m, w, i);
    return;
  }
  unsigned flags = 0;
  each(engine(m), w, i, [&](unsigned l) { return f(l, rm, flags); });
  w.fflags |= static_cast<std::uint8_t>(flags);
}

struct AddD {
  static double fast(double a, double b) { return a + b; }
  static u64 exact(u64 a, u64 b, unsigned rm, unsigned& flags) { return fp::add<fp::Double>(a, b, rm, flags); }
};
struct SubD {
  static double fast(double a, double b) { return a - b; }
  static u64 exact(u64 a, u64 b, unsigned rm, unsigned& flags) { return fp::sub<fp::Double>(a, b, rm, flags); }
};
struct MulD {
  static double fast(double a, double b) { return a * b; }
  static u64 exact(u64 a, u64 b, unsigned rm, unsigned& flags) { return fp::mul<fp::Double>(a, b, rm, flags); }
};
struct DivD {
  static double fast(double a, double b) { return a / b; }
  static u64 exact(u64 a, u64 b, unsigned rm, unsigned& flags) { return fp::div<fp::Double>(a, b, rm, flags); }
};
template <class O>
void binary(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) {
    if (rm == fp::kRne) {
      const double r = O::fast(number(a[l]), number(b[l]));
      if (r == r) return bits_of(r);
    }
    return O::exact(a[l], b[l], rm, flags);
  });
}
void root(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) {
    if (rm == fp::kRne) {
      const __m128d x = _mm_set_sd(number(a[l]));
      const double r = _mm_cvtsd_f64(_mm_sqrt_sd(x, x));
      if (r == r) return bits_of(r);
    }
    return fp::sqrt<fp::Double>(a[l], rm, flags);
  });
}
template <bool kProduct, bool kAddend>
void fused(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2), c(engine(m), w, i.rs3);
  constexpr u64 kSign = fp::kSign<fp::Double>;
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) {
    const u64 x = a[l] ^ (kProduct ? kSign : 0), z = c[l] ^ (kAddend ? kSign : 0);
    if (rm == fp::kRne) {
      const double r = __builtin_fma(number(x), number(b[l]), number(z));
      if (r == r) return bits_of(r);
    }
    return fp::fma<fp::Double>(x, b[l], z, rm, flags);
  });
}
// kMode 0 copy, 1 negate, 2 exclusive or.
template <unsigned kMode>
void sign_inject(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  constexpr u64 kSign = fp::kSign<fp::Double>;
  each(engine(m), w, i, [&](unsigned l) {
    const u64 sign = kMode == 0 ? b[l] : kMode == 1 ? ~b[l] : a[l] ^ b[l];
    return (a[l] & ~kSign) | (sign & kSign);
  });
}
// kWhat 0 minimum, 1 maximum, 2 equal, 3 less, 4 less or equal.
template <unsigned kWhat>
void compare(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  floats<false>(m, w, i, [&](unsigned l, unsigned, unsigned& flags) -> u64 {
    const u64 x = a[l], y = b[l];
    return kWhat == 0   ? fp::min<fp::Double>(x, y, flags)
           : kWhat == 1 ? fp::max<fp::Double>(x, y, flags)
           : kWhat == 2 ? fp::eq<fp::Double>(x, y, flags)
           : kWhat == 3 ? fp::lt<fp::Double>(x, y, flags)
                        : fp::le<fp::Double>(x, y, flags);
  });
}
void classify(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  each(engine(m), w, i, [&](unsigned l) { return u64{fp::classify<fp::Double>(a[l])}; });
}
void move(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  each(engine(m), w, i, [&](unsigned l) { return a[l]; });
}
template <class F, unsigned kWidth, bool kUnsigned>
void to_int(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) {
    if constexpr (sizeof(typename F::Bits) == 4)
      return fp::to_int<F>(a.single(l), kWidth, kUnsigned, rm, flags);
    else
      return fp::to_int<F>(a[l], kWidth, kUnsigned, rm, flags);
  });
}
template <class F, unsigned kWidth, bool kUnsigned>
void from_int(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) {
    const u64 value = kWidth == 64 ? a[l] : kUnsigned ? u64{a.low[l]} : extended(a.low[l]);
    const auto result = fp::from_int<F>(value, kUnsigned, rm, flags);
    return sizeof result == 4 ? boxed(static_cast<u32>(result)) : u64{result};
  });
}
void to_single(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned rm, unsigned& flags) { return boxed(fp::narrow(a[l], rm, flags)); });
}
void to_double(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned, unsigned& flags) { return fp::widen(a.single(l), flags); });
}

}  // namespace

Handler floating(Op op) {
  switch (op) {
    case Op::kFmvXW:
      return single<0, true>;
    case Op::kFcvtSW:
    case Op::kFcvtSWu:
    case Op::kFmvWX:
      return single<0, false>;
    case Op::kFsqrtS:
      return single<1, false>;
    case Op::kFcvtWS:
    case Op::kFcvtWuS:
    case Op::kFclassS:
      return single<1, true>;
    case Op::kFeqS:
    case Op::kFltS:
    case Op::kFleS:
      return single<2, true>;
    case Op::kFcvtLS:
      return to_int<fp::Single, 64, false>;
    case Op::kFcvtLuS:
      return to_int<fp::Single, 64, true>;
    case Op::kFcvtSL:
      return from_int<fp::Single, 64, false>;
    case Op::kFcvtSLu:
      return from_int<fp::Single, 64, true>;
    case Op::kFmaddD:
      return fused<false, false>;
    case Op::kFmsubD:
      return fused<false, true>;
    case Op::kFnmsubD:
      return fused<true, false>;
    case Op::kFnmaddD:
      return fused<true, true>;
    case Op::kFaddD:
      return binary<AddD>;
    case Op::kFsubD:
      return binary<SubD>;
    case Op::kFmulD:
      return binary<MulD>;
    case Op::kFdivD:
      return binary<DivD>;
    case Op::kFsqrtD:
      return root;
    case Op::kFsgnjD:
      return sign_inject<0>;
    case Op::kFsgnjnD:
      return sign_inject<1>;
    case Op::kFsgnjxD:
      return sign_inject<2>;
    case Op::kFminD:
      return compare<0>;
    case Op::kFmaxD:
      return compare<1>;
    case Op::kFeqD:
      return compare<2>;
    case Op::kFltD:
      return compare<3>;
    case Op::kFleD:
      return compare<4>;
    case Op::kFclassD:
      return classify;
    case Op::kFmvXD:
    case Op::kFmvDX:
      return move;
    case Op::kFcvtWD:
      return to_int<fp::Double, 32, false>;
    case Op::kFcvtWuD:
      return to_int<fp::Double, 32, true>;
    case Op::kFcvtLD:
      return to_int<fp::Double, 64, false>;
    case Op::kFcvtLuD:
      return to_int<fp::Double, 64, true>;
    case Op::kFcvtDW:
      return from_int<fp::Double, 32, false>;
    case Op::kFcvtDWu:
      return from_int<fp::Double, 32, true>;
    case Op::kFcvtDL:
      return from_int<fp::Double, 64, false>;
    case Op::kFcvtDLu:
      return from_int<fp::Double, 64, true>;
    case Op::kFcvtSD:
      return to_single;
    case Op::kFcvtDS:
      return to_double;
    default:
      break;
  }
  if (within(op, Op::kFmaddS, Op::kFnmaddS)) return single<3, false>;
  if (within(op, Op::kFaddS, Op::kFdivS) || within(op, Op::kFsgnjS, Op::kFmaxS)) return single<2, false>;
  return nullptr;
}

}  // namespace gyre::core::wide
