// RV64: lane-parallel instructions for any number of lanes (isa.md §1). A register is two rows, low and high words.
// Integers are done lane by lane with the semantics of int_ops.h on 64-bit words; single precision, memory accesses of up
// to a word, votes and shuffles are the RV32 executors on the low rows plus what happens to the high ones; doubles are
// done lane by lane, by the host where it rounds to nearest and the result is a number, else by riscv/fp.
#include <emmintrin.h>

#include "engine.h"
#include "fp.h"
#include "int_ops.h"

namespace gyre::core::wide {
namespace {

using riscv::Op;
namespace fp = riscv::fp;

Engine& engine(Machine& m) { return static_cast<Engine&>(m); }

// The two rows of a register.
struct Row {
  const u32 *low, *high;
  Row(Engine& e, Warp& w, unsigned r) : low(e.row(w, r)), high(e.row(w, r + kHighRow)) {}
  u64 operator[](unsigned lane) const { return u64{high[lane]} << 32 | low[lane]; }
  // As a single: what is not boxed reads as the canonical NaN.
  u32 single(unsigned lane) const { return high[lane] == ~0u ? low[lane] : fp::kCanonicalNan<fp::Single>; }
};

u64 extended(u32 word) { return static_cast<u64>(s64{static_cast<s32>(word)}); }
u64 boxed(u32 single) { return u64{0xFFFFFFFF} << 32 | single; }

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
void extend_sign(Engine& e, Warp& w, const Inst& i) {
  const u32* low = e.row(w, i.rd);
  each(e, w, i, [&](unsigned l) { return extended(low[l]); });
}

// ---- integers
template <class O>
void rr(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  each(engine(m), w, i, [&](unsigned l) { return O::template f<u64, s64>(a[l], b[l]); });
}
template <class O>
void ri(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  const u64 b = extended(static_cast<u32>(i.imm));
  each(engine(m), w, i, [&](unsigned l) { return O::template f<u64, s64>(a[l], b); });
}
template <class O>
void rr_word(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32, s32>(a.low[l], b.low[l])); });
}
template <class O>
void ri_word(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  const u32 b = static_cast<u32>(i.imm);
  each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32, s32>(a.low[l], b)); });
}
template <class O>
void muldiv(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  each(engine(m), w, i, [&](unsigned l) { return O::template f<u64>(a[l], b[l]); });
}
template <class O>
void muldiv_word(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32>(a.low[l], b.low[l])); });
}

void lui(Machine& m, Warp& w, const Inst& i) {
  each(engine(m), w, i, [&](unsigned) { return extended(static_cast<u32>(i.imm)); });
}
void auipc(Machine& m, Warp& w, const Inst& i) {
  each(engine(m), w, i, [&](unsigned) { return w.pc + extended(static_cast<u32>(i.imm)); });
}
void jal(Machine& m, Warp& w, const Inst& i) {
  each(engine(m), w, i, [&](unsigned) { return u64{w.next_pc}; });
  w.next_pc = w.pc + static_cast<u32>(i.imm);
  ++m.branches;
}
void jalr(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const u64 target = (e.wide_scalar(w, i.rs1) + extended(static_cast<u32>(i.imm))) & ~u64{1};
  if (!e.in_reach(w, target)) return;
  each(e, w, i, [&](unsigned) { return u64{w.next_pc}; });
  w.next_pc = static_cast<u32>(target);
  ++m.branches;
}
template <class C, bool kNegate>
void branch(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
  const bool hit = C::s(a[w.hal], b[w.hal]);
  bool differ = false;
  for (unsigned l = 0; l < m.threads; ++l) differ = differ || (w.lane_mask[l] != 0 && C::s(a[l], b[l]) != hit);
  if (differ) m.divergent_branch(m, w, i);
  if (hit != kNegate) w.next_pc = w.pc + static_cast<u32>(i.imm);
  ++m.branches;
}

// ---- on the low rows, then the high ones
void vote(Machine& m, Warp& w, const Inst& i) {
  engine(m).narrow(i.op)(m, w, i);
  engine(m).fill_row(w, i.rd + kHighRow, 0);
}
// kControl: rs2 says which lane and is not moved itself.
template <bool kControl>
void move_lanes(Machine& m, Warp& w, const Inst& i) {
  Inst high = i;
  high.rd = static_cast<std::uint8_t>(i.rd + kHighRow);
  high.rs1 = static_cast<std::uint8_t>(i.rs1 + kHighRow);
  if (!kControl) {
    high.rs2 = static_cast<std::uint8_t>(i.rs2 + kHighRow);
    high.rs3 = static_cast<std::uint8_t>(i.rs3 + kHighRow);
  }
  place_rows(high, m.threads);
  engine(m).narrow(i.op)(m, w, high);  // first: the low row of rd may hold the control words
  engine(m).narrow(i.op)(m, w, i);
}

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
  floats<true>(m, w, i,
               [&](unsigned l, unsigned rm, unsigned& flags) { return boxed(fp::narrow(a[l], rm, flags)); });
}
void to_double(Machine& m, Warp& w, const Inst& i) {
  const Row a(engine(m), w, i.rs1);
  floats<true>(m, w, i, [&](unsigned l, unsigned, unsigned& flags) { return fp::widen(a.single(l), flags); });
}

// ---- memory
enum Extension { kSigned, kUnsigned, kBoxed };
template <Extension kExtension>
void load(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  if (!e.in_reach(w, i.rs1, i.imm)) return;
  e.narrow(i.op)(m, w, i);
  if (kExtension == kSigned)
    extend_sign(e, w, i);
  else
    e.fill_row(w, i.rd + kHighRow, kExtension == kBoxed ? ~0u : 0);
}
void store(Machine& m, Warp& w, const Inst& i) {
  if (engine(m).in_reach(w, i.rs1, i.imm)) engine(m).narrow(i.op)(m, w, i);
}

// Doublewords: the window all active lanes lie in, aligned; null if there is none.
Window* find(Machine& m, const Warp& w, const u32* address, bool write) {
  for (Window& window : m.windows) {
    if (address[w.hal] - window.begin >= window.size) continue;
    bool good = !write || window.write;
    for (unsigned l = 0; l < m.threads; ++l)
      good = good && (w.lane_mask[l] == 0 || ((address[l] & 7) == 0 && address[l] - window.begin <= window.size - 8));
    return good ? &window : nullptr;
  }
  return nullptr;
}
bool addresses(Machine& m, Warp& w, const Inst& i, u32* address) {
  if (!engine(m).in_reach(w, i.rs1, i.imm)) return false;
  const u32* base = engine(m).row(w, i.rs1);
  for (unsigned l = 0; l < m.threads; ++l) address[l] = base[l] + static_cast<u32>(i.imm);
  return true;
}
void load_double(Machine& m, Warp& w, const Inst& i) {
  u32 address[kMaxLanes];
  if (!addresses(m, w, i, address)) return;
  Window* window = find(m, w, address, false);
  if (window == nullptr) {
    m.slow_load(m, w, i, address);
    return;
  }
  ++m.loads;
  ++window->loads;
  set_ready(w, i, w.issue + window->latency);
  each(engine(m), w, i, [&](unsigned l) {
    u64 value;
    __builtin_memcpy(&value, window->memory + (address[l] - window->begin), 8);
    return value;
  });
}
void store_double(Machine& m, Warp& w, const Inst& i) {
  u32 address[kMaxLanes];
  if (!addresses(m, w, i, address)) return;
  Window* window = find(m, w, address, true);
  if (window == nullptr) {
    m.slow_store(m, w, i, address);
    return;
  }
  ++m.stores;
  ++window->stores;
  const Row from(engine(m), w, i.rs2);
  for (unsigned l = 0; l < m.threads; ++l) {  // ascending: of several lanes at one word the highest wins
    if (w.lane_mask[l] == 0) continue;
    const u64 value = from[l];
    __builtin_memcpy(window->memory + (address[l] - window->begin), &value, 8);
    if (((m.code_pages[address[l] >> 18] >> ((address[l] >> 12) & 63)) & 1) == 0) continue;
    m.code_written(m, address[l]);
    m.code_written(m, address[l] + 4);
  }
}

constexpr bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

Handler integer(Op op) {
  switch (op) {
    case Op::kLui: return lui;
    case Op::kAuipc: return auipc;
    case Op::kJal: return jal;
    case Op::kJalr: return jalr;
    case Op::kBeq: return branch<Eq, false>;
    case Op::kBne: return branch<Eq, true>;
    case Op::kBlt: return branch<Less, false>;
    case Op::kBge: return branch<Less, true>;
    case Op::kBltu: return branch<Below, false>;
    case Op::kBgeu: return branch<Below, true>;
    case Op::kAddi: return ri<Add>;
    case Op::kSlti: return ri<Slt>;
    case Op::kSltiu: return ri<Sltu>;
    case Op::kXori: return ri<Xor>;
    case Op::kOri: return ri<Or>;
    case Op::kAndi: return ri<And>;
    case Op::kSlli: return ri<Sll>;
    case Op::kSrli: return ri<Srl>;
    case Op::kSrai: return ri<Sra>;
    case Op::kAdd: return rr<Add>;
    case Op::kSub: return rr<Sub>;
    case Op::kSll: return rr<Sll>;
    case Op::kSlt: return rr<Slt>;
    case Op::kSltu: return rr<Sltu>;
    case Op::kXor: return rr<Xor>;
    case Op::kSrl: return rr<Srl>;
    case Op::kSra: return rr<Sra>;
    case Op::kOr: return rr<Or>;
    case Op::kAnd: return rr<And>;
    case Op::kAddiw: return ri_word<Add>;
    case Op::kSlliw: return ri_word<Sll>;
    case Op::kSrliw: return ri_word<Srl>;
    case Op::kSraiw: return ri_word<Sra>;
    case Op::kAddw: return rr_word<Add>;
    case Op::kSubw: return rr_word<Sub>;
    case Op::kSllw: return rr_word<Sll>;
    case Op::kSrlw: return rr_word<Srl>;
    case Op::kSraw: return rr_word<Sra>;
    case Op::kMul: return rr<Mul>;
    case Op::kMulh: return muldiv<Mulh>;
    case Op::kMulhsu: return muldiv<Mulhsu>;
    case Op::kMulhu: return muldiv<Mulhu>;
    case Op::kDiv: return muldiv<Div>;
    case Op::kDivu: return muldiv<Divu>;
    case Op::kRem: return muldiv<Rem>;
    case Op::kRemu: return muldiv<Remu>;
    case Op::kMulw: return rr_word<Mul>;
    case Op::kDivw: return muldiv_word<Div>;
    case Op::kDivuw: return muldiv_word<Divu>;
    case Op::kRemw: return muldiv_word<Rem>;
    case Op::kRemuw: return muldiv_word<Remu>;
    case Op::kCzeroEqz: return rr<CzeroEqz>;
    case Op::kCzeroNez: return rr<CzeroNez>;
    case Op::kVoteAll:
    case Op::kVoteAny:
    case Op::kVoteUni:
    case Op::kVoteBallot: return vote;
    case Op::kShflUp:
    case Op::kShflDown:
    case Op::kShflBfly:
    case Op::kShflIdx: return move_lanes<true>;
    case Op::kWgather: return move_lanes<false>;
    default: return nullptr;
  }
}

Handler memory_access(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLh:
    case Op::kLw: return load<kSigned>;
    case Op::kLbu:
    case Op::kLhu:
    case Op::kLwu: return load<kUnsigned>;
    case Op::kFlw: return load<kBoxed>;
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
    case Op::kFsw: return store;
    case Op::kLd:
    case Op::kFld: return load_double;
    case Op::kSd:
    case Op::kFsd: return store_double;
    default: return nullptr;
  }
}

Handler floating(Op op) {
  switch (op) {
    case Op::kFmvXW: return single<0, true>;
    case Op::kFcvtSW:
    case Op::kFcvtSWu:
    case Op::kFmvWX: return single<0, false>;
    case Op::kFsqrtS: return single<1, false>;
    case Op::kFcvtWS:
    case Op::kFcvtWuS:
    case Op::kFclassS: return single<1, true>;
    case Op::kFeqS:
    case Op::kFltS:
    case Op::kFleS: return single<2, true>;
    case Op::kFcvtLS: return to_int<fp::Single, 64, false>;
    case Op::kFcvtLuS: return to_int<fp::Single, 64, true>;
    case Op::kFcvtSL: return from_int<fp::Single, 64, false>;
    case Op::kFcvtSLu: return from_int<fp::Single, 64, true>;
    case Op::kFmaddD: return fused<false, false>;
    case Op::kFmsubD: return fused<false, true>;
    case Op::kFnmsubD: return fused<true, false>;
    case Op::kFnmaddD: return fused<true, true>;
    case Op::kFaddD: return binary<AddD>;
    case Op::kFsubD: return binary<SubD>;
    case Op::kFmulD: return binary<MulD>;
    case Op::kFdivD: return binary<DivD>;
    case Op::kFsqrtD: return root;
    case Op::kFsgnjD: return sign_inject<0>;
    case Op::kFsgnjnD: return sign_inject<1>;
    case Op::kFsgnjxD: return sign_inject<2>;
    case Op::kFminD: return compare<0>;
    case Op::kFmaxD: return compare<1>;
    case Op::kFeqD: return compare<2>;
    case Op::kFltD: return compare<3>;
    case Op::kFleD: return compare<4>;
    case Op::kFclassD: return classify;
    case Op::kFmvXD:
    case Op::kFmvDX: return move;
    case Op::kFcvtWD: return to_int<fp::Double, 32, false>;
    case Op::kFcvtWuD: return to_int<fp::Double, 32, true>;
    case Op::kFcvtLD: return to_int<fp::Double, 64, false>;
    case Op::kFcvtLuD: return to_int<fp::Double, 64, true>;
    case Op::kFcvtDW: return from_int<fp::Double, 32, false>;
    case Op::kFcvtDWu: return from_int<fp::Double, 32, true>;
    case Op::kFcvtDL: return from_int<fp::Double, 64, false>;
    case Op::kFcvtDLu: return from_int<fp::Double, 64, true>;
    case Op::kFcvtSD: return to_single;
    case Op::kFcvtDS: return to_double;
    default: break;
  }
  if (within(op, Op::kFmaddS, Op::kFnmaddS)) return single<3, false>;
  if (within(op, Op::kFaddS, Op::kFdivS) || within(op, Op::kFsgnjS, Op::kFmaxS)) return single<2, false>;
  return nullptr;
}

}  // namespace
}  // namespace gyre::core::wide

namespace gyre::core {

Handler wide_handler(riscv::Op op) {
  if (Handler h = wide::integer(op)) return h;
  if (Handler h = wide::memory_access(op)) return h;
  return wide::floating(op);
}

riscv::Op narrow_op(riscv::Op op) {
  using riscv::Op;
  if (op == Op::kLwu) return Op::kLw;
  if (op == Op::kLd || op == Op::kSd || op == Op::kFcvtLS || op == Op::kFcvtLuS || op == Op::kFcvtSL ||
      op == Op::kFcvtSLu)
    return Op::kIllegal;
  if (wide::within(op, Op::kLb, Op::kSd) || wide::within(op, Op::kFlw, Op::kFmvWX) ||
      wide::within(op, Op::kVoteAll, Op::kWgather))
    return op;
  return Op::kIllegal;
}

}  // namespace gyre::core
