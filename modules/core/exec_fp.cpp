// Single-precision executors (isa.md §1). The host's SSE units do the arithmetic: same rounding, same tininess rule
// (after rounding). Their sticky flags stay in MXCSR while a warp runs and are folded into fflags at the end of its
// burst (engine.cpp). Inactive lanes compute on harmless operands so that they raise nothing.
#include "exec.h"
#include "fp.h"
#include "fp_vector.h"
#include "simd.h"

namespace gyre::core::GYRE_EXEC_NS {
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
  using S = VecS<N>;
  using F = VecF<N>;

  // An operand row with inactive lanes replaced by `idle`.
  template <bool kFull>
  static inline __attribute__((always_inline)) F operand(Warp& w, const u32* from, unsigned at, u32 idle = 0) {
    U v = load_vec<U>(from + at);
    if constexpr (!kFull) {
      const U m = load_vec<U>(w.lane_mask + at);
      v = (v & m) | (~m & idle);
    }
    return (F)v;
  }

  // Runs `body` under the rounding mode of the instruction; RMM, which the host does not have, goes through `away`.
  template <class Body, class Away>
  static inline __attribute__((always_inline)) void rounded(Machine& m, Warp& w, const Inst& i, Body body, Away away) {
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
  template <class F1>
  static inline __attribute__((always_inline)) void each_lane(Warp& w, const Inst& i, F1 f) {
    u32* d = rd(w, i);
    unsigned flags = 0;
    for (unsigned l = 0; l < N; ++l)
      if (w.lane_mask[l] != 0) d[l] = f(l, flags);
    w.fflags |= static_cast<std::uint8_t>(flags);
  }
  // The fast path of everything that rounds: nearest even, all lanes active.
  static inline __attribute__((always_inline)) bool plain(const Warp& w, const Inst& i) {
    const unsigned rm = i.rm == kDynamic ? w.frm : i.rm;
    return __builtin_expect((rm | (w.mask ^ w.full)) == 0, 1);
  }

  template <class O, bool kFull>
  static inline __attribute__((always_inline)) void binary_pieces(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    u32* d = rd(w, i);
    for (unsigned at = 0; at < N; at += kWidth<N>) {
      const F y = operand<kFull>(w, b, at, O::kIdle);
      put<N, kFull>(w, d, at, canonical<U, F>(O::f(operand<kFull>(w, a, at), y)));
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
    each_lane(w, i, [&](unsigned l, unsigned& flags) { return O::exact(a[l], b[l], kRmm, flags); });
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
      put<N, kFull>(w, d, at, canonical<U, F>(root<F>(operand<kFull>(w, a, at))));
  }
  static __attribute__((noinline)) void sqrt_body(Warp& w, const Inst& i) {
    if (w.mask == w.full)
      sqrt_pieces<true>(w, i);
    else
      sqrt_pieces<false>(w, i);
  }
  static __attribute__((noinline)) void sqrt_away(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    each_lane(w, i, [&](unsigned l, unsigned& flags) { return fp::sqrt<fp::Single>(a[l], kRmm, flags); });
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
      const F x = (F)((U)operand<kFull>(w, a, at) ^ kProduct), z = (F)((U)operand<kFull>(w, c, at) ^ kAddend);
      const F r = fused<F>(x, operand<kFull>(w, b, at), z);
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
    each_lane(w, i, [&](unsigned l, unsigned& flags) {
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

  // ---- no rounding: integer arithmetic on the bit patterns, flags explicit
  // kMode 0 copy, 1 negate, 2 exclusive or.
  template <unsigned kMode>
  static void sign_inject(Machine&, Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          const U x = load_vec<U>(a + at), y = load_vec<U>(b + at);
          const U sign = kMode == 0 ? y : kMode == 1 ? ~y : x ^ y;
          return (x & 0x7FFFFFFFu) | (sign & 0x80000000u);
        });
  }
  static inline __attribute__((always_inline)) U nan_mask(U x) { return (U)((S)(x & 0x7FFFFFFFu) > 0x7F800000); }
  static inline __attribute__((always_inline)) U snan_mask(U x) { return nan_mask(x) & (U)((x & 0x00400000u) == 0u); }
  // Signed integers in the order of the floats they stand for (-0 below +0).
  static inline __attribute__((always_inline)) S order_key(U x) { return (S)(x ^ ((U)((S)x >> 31) >> 1)); }
  template <bool kMax>
  static __attribute__((noinline)) void min_max_nan(Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    U invalid{};
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          const U x = load_vec<U>(a + at), y = load_vec<U>(b + at);
          const U nx = nan_mask(x), ny = nan_mask(y);
          invalid |= (snan_mask(x) | snan_mask(y)) & load_vec<U>(w.lane_mask + at);
          const U first = kMax ? (U)(order_key(x) > order_key(y)) : (U)(order_key(x) < order_key(y));
          const U take_x = (first & ~nx) | ny, both = nx & ny;
          const U r = (x & take_x) | (y & ~take_x);
          return (r & ~both) | (both & kCanonicalNan);
        });
    if (any_set(invalid)) w.fflags |= kNv;
  }
  // Without a NaN: the order of the keys. The host's comparison signals what a minimum must signal, too.
  template <bool kMax>
  static void min_max(Machine&, Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    if (w.mask != w.full) return min_max_nan<kMax>(w, i);
    U nan{}, result[N / kWidth<N>];
    for (unsigned at = 0; at < N; at += kWidth<N>) {
      const U x = load_vec<U>(a + at), y = load_vec<U>(b + at);
      nan |= (U)((F)x != (F)x) | (U)((F)y != (F)y);
      const S p = order_key(x), q = order_key(y);
      const auto take_x = kMax ? p > q : p < q;
      result[at / kWidth<N>] = (U)(take_x ? x : y);
    }
    if (__builtin_expect(any_set(nan), 0)) return min_max_nan<kMax>(w, i);
    for (unsigned k = 0; k < N / kWidth<N>; ++k) store_vec(rd(w, i) + k * kWidth<N>, result[k]);
  }
  // kMode 0 equal (quiet), 1 less, 2 less or equal (signalling).
  template <unsigned kMode>
  static void compare(Machine&, Warp& w, const Inst& i) {
    const u32 *a = rs1(w, i), *b = rs2(w, i);
    U invalid{};
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          const U x = load_vec<U>(a + at), y = load_vec<U>(b + at);
          const U nan = nan_mask(x) | nan_mask(y);
          invalid |= (kMode == 0 ? snan_mask(x) | snan_mask(y) : nan) & load_vec<U>(w.lane_mask + at);
          const U zeros = (U)(((x | y) & 0x7FFFFFFFu) == 0u);
          const U equal = (U)(x == y) | zeros;
          const U less = (U)(order_key(x) < order_key(y)) & ~zeros;
          return (kMode == 0 ? equal : kMode == 1 ? less : less | equal) & ~nan & 1u;
        });
    if (any_set(invalid)) w.fflags |= kNv;
  }
  static void move(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) { return load_vec<U>(a + at); });
  }
  static void classify(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    each_lane(w, i, [&](unsigned l, unsigned&) { return fp::classify<fp::Single>(a[l]); });
  }

  template <bool kUnsigned>
  static __attribute__((noinline)) void to_int_slow(Warp& w, const Inst& i, unsigned rm) {
    const u32* a = rs1(w, i);
    each_lane(w, i, [&](unsigned l, unsigned& flags) {
      return static_cast<u32>(fp::to_int<fp::Single>(a[l], 32, kUnsigned, rm, flags));
    });
  }
  // In range, truncation is one host instruction whose inexact flag is the right one.
  template <bool kUnsigned>
  static void to_int(Machine& m, Warp& w, const Inst& i) {
    const unsigned rm = i.rm == kDynamic ? w.frm : i.rm;
    const u32* a = rs1(w, i);
    if (rm == kRtz) {
      U outside{};
      for (unsigned at = 0; at < N; at += kWidth<N>) {
        const U x = load_vec<U>(a + at);
        outside |= (U)((S)(kUnsigned ? x : x & 0x7FFFFFFFu) >= 0x4F000000) & load_vec<U>(w.lane_mask + at);
        if (kUnsigned) outside |= (U)((S)x < 0) & load_vec<U>(w.lane_mask + at);
      }
      if (__builtin_expect(!any_set(outside), 1)) {
        for_pieces<N>(
            w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
              return (U) __builtin_convertvector((F)(load_vec<U>(a + at) & load_vec<U>(w.lane_mask + at)), S);
            });
        return;
      }
    }
    if (rm > kRmm)
      m.illegal(m, w, i);
    else
      to_int_slow<kUnsigned>(w, i, rm);
  }

  static __attribute__((noinline)) void from_s32_body(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          return (U) __builtin_convertvector((S)(load_vec<U>(a + at) & load_vec<U>(w.lane_mask + at)), F);
        });
  }
  static __attribute__((noinline)) void from_u32_body(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    u32* d = rd(w, i);
    for (unsigned l = 0; l < N; ++l) {
      if (w.lane_mask[l] == 0) continue;
      const __m128 r = _mm_cvtsi64_ss(_mm_setzero_ps(), static_cast<long long>(a[l]));
      d[l] = static_cast<u32>(_mm_cvtsi128_si32(_mm_castps_si128(r)));
    }
  }
  template <bool kUnsigned>
  static __attribute__((noinline)) void from_int_away(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    each_lane(w, i, [&](unsigned l, unsigned& flags) {
      const auto value = static_cast<std::int64_t>(static_cast<s32>(a[l]));
      return fp::from_int<fp::Single>(kUnsigned ? a[l] : static_cast<std::uint64_t>(value), kUnsigned, kRmm, flags);
    });
  }
  static void from_s32(Machine& m, Warp& w, const Inst& i) {
    rounded(m, w, i, from_s32_body, &Fp<N>::template from_int_away<false>);
  }
  static void from_u32(Machine& m, Warp& w, const Inst& i) { rounded(m, w, i, from_u32_body, &Fp<N>::template from_int_away<true>); }

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
      case Op::kFsgnjS:
        return sign_inject<0>;
      case Op::kFsgnjnS:
        return sign_inject<1>;
      case Op::kFsgnjxS:
        return sign_inject<2>;
      case Op::kFminS:
        return min_max<false>;
      case Op::kFmaxS:
        return min_max<true>;
      case Op::kFeqS:
        return compare<0>;
      case Op::kFltS:
        return compare<1>;
      case Op::kFleS:
        return compare<2>;
      case Op::kFmvXW:
      case Op::kFmvWX:
        return move;
      case Op::kFclassS:
        return classify;
      case Op::kFcvtWS:
        return to_int<false>;
      case Op::kFcvtWuS:
        return to_int<true>;
      case Op::kFcvtSW:
        return from_s32;
      case Op::kFcvtSWu:
        return from_u32;
      default:
        return nullptr;
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
