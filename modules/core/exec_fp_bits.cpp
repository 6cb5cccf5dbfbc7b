// Single precision on bit patterns: signs, order, classes, moves; and the conversions from and to integers (isa.md §1).
#include "exec_fp.h"

namespace gyre::core::GYRE_EXEC_NS {
namespace {

template <unsigned N>
struct FpBits {
  using U = VecU<N>;
  using S = VecS<N>;
  using F = VecF<N>;

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
    each_lane<N>(w, i, [&](unsigned l, unsigned&) { return fp::classify<fp::Single>(a[l]); });
  }

  template <bool kUnsigned>
  static __attribute__((noinline)) void to_int_slow(Warp& w, const Inst& i, unsigned rm) {
    const u32* a = rs1(w, i);
    each_lane<N>(w, i, [&](unsigned l, unsigned& flags) {
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
    each_lane<N>(w, i, [&](unsigned l, unsigned& flags) {
      const auto value = static_cast<std::int64_t>(static_cast<s32>(a[l]));
      return fp::from_int<fp::Single>(kUnsigned ? a[l] : static_cast<std::uint64_t>(value), kUnsigned, kRmm, flags);
    });
  }
  static void from_s32(Machine& m, Warp& w, const Inst& i) {
    rounded(m, w, i, from_s32_body, &FpBits::template from_int_away<false>);
  }
  static void from_u32(Machine& m, Warp& w, const Inst& i) { rounded(m, w, i, from_u32_body, &FpBits::template from_int_away<true>); }
  static Handler get(Op op) {
    switch (op) {
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

template <unsigned N>
Handler fp_bits_handler(Op op) {
  return FpBits<N>::get(op);
}
template Handler fp_bits_handler<1>(Op);
template Handler fp_bits_handler<2>(Op);
template Handler fp_bits_handler<4>(Op);
template Handler fp_bits_handler<8>(Op);
template Handler fp_bits_handler<16>(Op);
template Handler fp_bits_handler<32>(Op);

}  // namespace gyre::core::GYRE_EXEC_NS
