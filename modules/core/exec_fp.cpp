// Single-precision arithmetic: everything that rounds its result (isa.md §1).
#include "exec_fp.h"

namespace gyre::core::GYRE_EXEC_NS {
namespace {

// exact: on bit patterns, in any rounding mode; c is used by fused operations only.
struct FAdd {
  static constexpr u32 kIdle = 0;  // second operand of inactive lanes
  static u32 exact(u32 a, u32 b, unsigned rm, unsigned& flags) { return fp::add<fp::Single>(a, b, rm, flags); }
  template <class F>
  static F f(F a, F b) {
    return a + b;
  }
};
struct FSub {
  static constexpr u32 kIdle = 0;
  static u32 exact(u32 a, u32 b, unsigned rm, unsigned& flags) { return fp::sub<fp::Single>(a, b, rm, flags); }
  template <class F>
  static F f(F a, F b) {
    return a - b;
  }
};
struct FMul {
  static constexpr u32 kIdle = 0;
  static u32 exact(u32 a, u32 b, unsigned rm, unsigned& flags) { return fp::mul<fp::Single>(a, b, rm, flags); }
  template <class F>
  static F f(F a, F b) {
    return a * b;
  }
};
struct FDiv {
  static constexpr u32 kIdle = 0x3F800000u;
  static u32 exact(u32 a, u32 b, unsigned rm, unsigned& flags) { return fp::div<fp::Single>(a, b, rm, flags); }
  template <class F>
  static F f(F a, F b) {
    return a / b;
  }
};
template <unsigned N>
struct Fp {
  using U = VecU<N>;
  using F = VecF<N>;

  template <class O, bool kFull>
  static inline __attribute__((always_inline)) void binary_pieces(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    u32* d = rd(w, i);
    for (unsigned at = 0; at < N; at += kWidth<N>) {
      const F y = operand<N, kFull>(w, b, at, O::kIdle);
      put<N, kFull>(w, d, at, canonical<U, F>(O::f(operand<N, kFull>(w, a, at), y)));
    }
  }
  template <class O>
  static __attribute__((noinline)) void binary_body(Warp& w, const Inst& i) {
    if (w.mask == w.full)
      binary_pieces<O, true>(w, i);
    else
      binary_pieces<O, false>(w, i);
  }
  template <class O>
  static __attribute__((noinline)) void binary_away(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    each_lane<N>(w, i, [&](unsigned l, unsigned& flags) { return O::exact(a[l], b[l], kRmm, flags); });
  }
  // Results without a NaN are stored as they are; one NaN, and everything is done again with care.
  static inline __attribute__((always_inline)) bool store_numbers(Warp& w, const Inst& i, const F* result) {
    U nan{};
    for (unsigned k = 0; k < N / kWidth<N>; ++k) nan |= (U)(result[k] != result[k]);
    if (__builtin_expect(any_set(nan), 0)) return false;
    for (unsigned k = 0; k < N / kWidth<N>; ++k) store_vec(rd(w, i) + k * kWidth<N>, (U)result[k]);
    return true;
  }
  template <class O>
  static void binary(Machine& m, Warp& w, const Inst& i) {
    if (plain(w, i)) {
      const u32 *a = rs1(w, i), *b = rs2(w, i);
      F result[N / kWidth<N>];
      for (unsigned at = 0; at < N; at += kWidth<N>)
        result[at / kWidth<N>] = O::f((F)load_vec<U>(a + at), (F)load_vec<U>(b + at));
      if (store_numbers(w, i, result)) return;
    }
    rounded(m, w, i, binary_body<O>, binary_away<O>);
  }

  template <bool kFull>
  static inline __attribute__((always_inline)) void sqrt_pieces(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    u32* d = rd(w, i);
    for (unsigned at = 0; at < N; at += kWidth<N>)
      put<N, kFull>(w, d, at, canonical<U, F>(root<F>(operand<N, kFull>(w, a, at))));
  }
  static __attribute__((noinline)) void sqrt_body(Warp& w, const Inst& i) {
    if (w.mask == w.full)
      sqrt_pieces<true>(w, i);
    else
      sqrt_pieces<false>(w, i);
  }
  static __attribute__((noinline)) void sqrt_away(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    each_lane<N>(w, i, [&](unsigned l, unsigned& flags) { return fp::sqrt<fp::Single>(a[l], kRmm, flags); });
  }
  static void sqrt(Machine& m, Warp& w, const Inst& i) { rounded(m, w, i, sqrt_body, sqrt_away); }

  // Hosts differ in whether 0 * inf + NaN is invalid; RISC-V says it is.
  // kProduct, kAddend: sign flips of the product and of the addend.
  template <u32 kProduct, u32 kAddend>
  static __attribute__((noinline)) void nan_flags(Warp& w, const u32* a, const u32* b, const u32* c) {
    for (unsigned l = 0; l < N; ++l) {
      if (w.lane_mask[l] == 0) continue;
      unsigned flags = 0;
      fp::fma<fp::Single>(a[l] ^ kProduct, b[l], c[l] ^ kAddend, kRne, flags);
      w.fflags |= static_cast<std::uint8_t>(flags & kNv);
    }
  }
  template <u32 kProduct, u32 kAddend, bool kFull>
  static inline __attribute__((always_inline)) void fma_pieces(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i), *c = rs3(w, i);
    u32* d = rd(w, i);
    U result[N / kWidth<N>];
    U nan{};
    for (unsigned at = 0; at < N; at += kWidth<N>) {
      const F x = (F)((U)operand<N, kFull>(w, a, at) ^ kProduct), z = (F)((U)operand<N, kFull>(w, c, at) ^ kAddend);
      const F r = fused<F>(x, operand<N, kFull>(w, b, at), z);
      nan |= (U)(r != r);
      result[at / kWidth<N>] = canonical<U, F>(r);
    }
    if (__builtin_expect(any_set(nan), 0)) nan_flags<kProduct, kAddend>(w, a, b, c);
    for (unsigned at = 0; at < N; at += kWidth<N>) put<N, kFull>(w, d, at, result[at / kWidth<N>]);
  }
  template <u32 kProduct, u32 kAddend>
  static __attribute__((noinline)) void fma_body(Warp& w, const Inst& i) {
    if (w.mask == w.full)
      fma_pieces<kProduct, kAddend, true>(w, i);
    else
      fma_pieces<kProduct, kAddend, false>(w, i);
  }
  template <u32 kProduct, u32 kAddend>
  static __attribute__((noinline)) void fma_away(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i), *c = rs3(w, i);
    each_lane<N>(w, i, [&](unsigned l, unsigned& flags) {
      return fp::fma<fp::Single>(a[l] ^ kProduct, b[l], c[l] ^ kAddend, kRmm, flags);
    });
  }
  template <u32 kProduct, u32 kAddend>
  static void fma(Machine& m, Warp& w, const Inst& i) {
    if (plain(w, i)) {
      const u32 *a = rs1(w, i), *b = rs2(w, i), *c = rs3(w, i);
      F result[N / kWidth<N>];
      for (unsigned at = 0; at < N; at += kWidth<N>)
        result[at / kWidth<N>] = fused<F>((F)(load_vec<U>(a + at) ^ kProduct), (F)load_vec<U>(b + at),
                                          (F)(load_vec<U>(c + at) ^ kAddend));
      if (store_numbers(w, i, result)) return;
    }
    rounded(m, w, i, fma_body<kProduct, kAddend>, fma_away<kProduct, kAddend>);
  }
  static Handler get(Op op) {
    constexpr u32 kSign = 0x80000000u;
    switch (op) {
      case Op::kFaddS:
        return binary<FAdd>;
      case Op::kFsubS:
        return binary<FSub>;
      case Op::kFmulS:
        return binary<FMul>;
      case Op::kFdivS:
        return binary<FDiv>;
      case Op::kFsqrtS:
        return sqrt;
      case Op::kFmaddS:
        return fma<0, 0>;
      case Op::kFmsubS:
        return fma<0, kSign>;
      case Op::kFnmsubS:
        return fma<kSign, 0>;
      case Op::kFnmaddS:
        return fma<kSign, kSign>;
      default:
        return fp_bits_handler<N>(op);
    }
  }
};

}  // namespace

Handler fp_handler(Op op, unsigned threads) {
  switch (threads) {
    case 1:
      return Fp<1>::get(op);
    case 2:
      return Fp<2>::get(op);
    case 4:
      return Fp<4>::get(op);
    case 8:
      return Fp<8>::get(op);
    case 16:
      return Fp<16>::get(op);
    case 32:
      return Fp<32>::get(op);
    default:
      return nullptr;
  }
}

}  // namespace gyre::core::GYRE_EXEC_NS
