// Integer, branch, vote and shuffle executors (isa.md §1, §3, §4.2).
#include "exec.h"
#include "int_ops.h"
#include "simd.h"

namespace gyre::core::GYRE_EXEC_NS {
namespace {

using riscv::Op;

template <unsigned N>
struct Exec {
  using U = VecU<N>;
  using S = VecS<N>;

  template <class O>
  static void rr(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    const u32* b = rs2(w, i);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          return O::template f<U, S>(load_vec<U>(a + at), load_vec<U>(b + at));
        });
  }
  template <class O>
  static void ri(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    const U b = splat<U>(static_cast<u32>(i.imm));
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          return O::template f<U, S>(load_vec<U>(a + at), b);
        });
  }
  // Shifts by a constant: one count for the whole vector.
  template <bool kLeft, bool kArithmetic>
  static void shift(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    const int count = i.imm & 31;
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) {
          const U v = load_vec<U>(a + at);
          return kLeft ? v << count : kArithmetic ? (U)((S)v >> count) : v >> count;
        });
  }
  template <class O>
  static void scalar(Machine&, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    const u32* b = rs2(w, i);
    u32* d = rd(w, i);
    for (unsigned l = 0; l < N; ++l)
      if (w.lane_mask[l] != 0) d[l] = O::f(a[l], b[l]);
  }
  static void constant(Warp& w, const Inst& i, u32 value) {
    const U v = splat<U>(value);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned) __attribute__((always_inline)) { return v; });
  }
  static void lui(Machine&, Warp& w, const Inst& i) { constant(w, i, static_cast<u32>(i.imm)); }
  static void auipc(Machine&, Warp& w, const Inst& i) { constant(w, i, w.pc + static_cast<u32>(i.imm)); }
  static void jal(Machine& m, Warp& w, const Inst& i) {
    constant(w, i, w.next_pc);
    w.next_pc = w.pc + static_cast<u32>(i.imm);
    ++m.branches;
  }
  static void jalr(Machine& m, Warp& w, const Inst& i) {
    const u32 target = (rs1(w, i)[w.hal] + static_cast<u32>(i.imm)) & ~1u;
    constant(w, i, w.next_pc);
    w.next_pc = target;
    ++m.branches;
  }

  // The highest active lane decides for the warp; lanes that disagree are a software error (isa.md §3).
  template <class C, bool kNegate>
  static void branch(Machine& m, Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    const u32* b = rs2(w, i);
    const unsigned h = w.hal;
    const bool hit = C::s(a[h], b[h]);
    const U expect = splat<U>(hit ? ~0u : 0u);
    U differ{};
    for (unsigned at = 0; at < N; at += kWidth<N>)
      differ |=
          (C::template v<U, S>(load_vec<U>(a + at), load_vec<U>(b + at)) ^ expect) & load_vec<U>(w.lane_mask + at);
    if (__builtin_expect(any_set(differ), 0)) m.divergent_branch(m, w, i);
    if (hit != kNegate) w.next_pc = w.pc + static_cast<u32>(i.imm);
    ++m.branches;
  }

  static void vote_all(Machine&, Warp& w, const Inst& i) { constant(w, i, ballot(w, i) == w.mask); }
  static void vote_any(Machine&, Warp& w, const Inst& i) { constant(w, i, ballot(w, i) != 0); }
  static void vote_uni(Machine&, Warp& w, const Inst& i) {
    const u32 b = ballot(w, i);
    constant(w, i, b == 0 || b == w.mask);
  }
  static void vote_ballot(Machine&, Warp& w, const Inst& i) { constant(w, i, ballot(w, i)); }
  static u32 ballot(Warp& w, const Inst& i) {
    const u32* a = rs1(w, i);
    u32 bits = 0;
    for (unsigned l = 0; l < N; ++l) bits |= (a[l] & 1u) << l;
    return bits & w.mask;
  }

  // isa.md §4.2: kMode 0 up, 1 down, 2 butterfly, 3 index.
  template <unsigned kMode>
  static void shuffle(Machine&, Warp& w, const Inst& i) {
    u32 source[N];
    __builtin_memcpy(source, rs1(w, i), sizeof source);
    const u32* control = rs2(w, i);
    u32 result[N];
    for (unsigned l = 0; l < N; ++l) {
      const u32 b = control[l] & 63, c = (control[l] >> 6) & 63, mask = (control[l] >> 12) & 63;
      const int low = static_cast<int>(l & mask);
      const int high = low | static_cast<int>(c & ~mask & 63);
      int lane;
      bool valid;
      if (kMode == 0) {
        lane = static_cast<int>(l) - static_cast<int>(b);
        valid = lane >= low;
      } else {
        lane = kMode == 1   ? static_cast<int>(l + b)
               : kMode == 2 ? static_cast<int>(l ^ b)
                            : low | static_cast<int>(b & ~mask & 63);
        valid = lane <= high;
      }
      result[l] = valid && lane >= 0 && lane < static_cast<int>(N) ? source[lane & (N - 1)] : source[l];
    }
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) { return load_vec<U>(result + at); });
  }

  // isa.md §4.4: in each group of four, lane s hands its three operands to the other three lanes.
  static void wgather(Machine&, Warp& w, const Inst& i) {
    u32 result[N];
    u32* d = rd(w, i);
    const unsigned s = static_cast<unsigned>(i.imm);
    const u32* from[4] = {d, rs1(w, i), rs2(w, i), rs3(w, i)};
    for (unsigned l = 0; l < N; ++l) {
      const unsigned k = (l - s) & 3, source = (l & ~3u) + s;
      result[l] = k == 0 || source >= N ? d[l] : from[k][source];
    }
    for_pieces<N>(
        w, d, [&](unsigned at) __attribute__((always_inline)) { return load_vec<U>(result + at); });
  }

  static Handler get(Op op);
};

template <unsigned N>
Handler Exec<N>::get(Op op) {
  switch (op) {
    case Op::kSlli:
      return shift<true, false>;
    case Op::kSrli:
      return shift<false, false>;
    case Op::kSrai:
      return shift<false, true>;
    case Op::kVoteAll:
      return vote_all;
    case Op::kVoteAny:
      return vote_any;
    case Op::kVoteUni:
      return vote_uni;
    case Op::kVoteBallot:
      return vote_ballot;
    case Op::kShflUp:
      return shuffle<0>;
    case Op::kShflDown:
      return shuffle<1>;
    case Op::kShflBfly:
      return shuffle<2>;
    case Op::kShflIdx:
      return shuffle<3>;
    case Op::kWgather:
      return wgather;
    default:
      return common_integer<Exec>(op);
  }
}

}  // namespace

Handler int_handler(Op op, unsigned threads) {
  switch (threads) {
    case 1:
      return Exec<1>::get(op);
    case 2:
      return Exec<2>::get(op);
    case 4:
      return Exec<4>::get(op);
    case 8:
      return Exec<8>::get(op);
    case 16:
      return Exec<16>::get(op);
    case 32:
      return Exec<32>::get(op);
    default:
      return nullptr;
  }
}

}  // namespace gyre::core::GYRE_EXEC_NS
