// RV64: lane-parallel instructions for any number of lanes (isa.md §1). Integers are done lane by lane with the
// semantics of int_ops.h on 64-bit words; memory accesses of up to a word, votes and shuffles are the RV32 executors on
// the low rows plus what happens to the high ones.
#include "exec_wide.h"

namespace gyre::core::wide {
namespace {

// ---- integers
struct Integers {
  template <class O>
  static void rr(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
    each(engine(m), w, i, [&](unsigned l) { return O::template f<u64, s64>(a[l], b[l]); });
  }
  template <class O>
  static void ri(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1);
    const u64 b = extended(static_cast<u32>(i.imm));
    each(engine(m), w, i, [&](unsigned l) { return O::template f<u64, s64>(a[l], b); });
  }
  template <class O>
  static void rr_word(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
    each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32, s32>(a.low[l], b.low[l])); });
  }
  template <class O>
  static void ri_word(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1);
    const u32 b = static_cast<u32>(i.imm);
    each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32, s32>(a.low[l], b)); });
  }
  template <class O>
  static void scalar(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
    each(engine(m), w, i, [&](unsigned l) { return O::template f<u64>(a[l], b[l]); });
  }
  template <class O>
  static void scalar_word(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
    each(engine(m), w, i, [&](unsigned l) { return extended(O::template f<u32>(a.low[l], b.low[l])); });
  }

  static void lui(Machine& m, Warp& w, const Inst& i) {
    each(engine(m), w, i, [&](unsigned) { return extended(static_cast<u32>(i.imm)); });
  }
  static void auipc(Machine& m, Warp& w, const Inst& i) {
    each(engine(m), w, i, [&](unsigned) { return w.pc + extended(static_cast<u32>(i.imm)); });
  }
  static void jal(Machine& m, Warp& w, const Inst& i) {
    each(engine(m), w, i, [&](unsigned) { return u64{w.next_pc}; });
    w.next_pc = w.pc + static_cast<u32>(i.imm);
    ++m.branches;
  }
  static void jalr(Machine& m, Warp& w, const Inst& i) {
    Engine& e = engine(m);
    const u64 target = (e.wide_scalar(w, i.rs1) + extended(static_cast<u32>(i.imm))) & ~u64{1};
    if (!e.in_reach(w, target)) return;
    each(e, w, i, [&](unsigned) { return u64{w.next_pc}; });
    w.next_pc = static_cast<u32>(target);
    ++m.branches;
  }
  template <class C, bool kNegate>
  static void branch(Machine& m, Warp& w, const Inst& i) {
    const Row a(engine(m), w, i.rs1), b(engine(m), w, i.rs2);
    const bool hit = C::s(a[w.hal], b[w.hal]);
    bool differ = false;
    for (unsigned l = 0; l < m.threads; ++l) differ = differ || (w.lane_mask[l] != 0 && C::s(a[l], b[l]) != hit);
    if (differ) m.divergent_branch(m, w, i);
    if (hit != kNegate) w.next_pc = w.pc + static_cast<u32>(i.imm);
    ++m.branches;
  }
};

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
  if (window->timed_lanes)
    m.load_lanes_time(m, w, i, address, 8);
  else
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
  if (window->timed_lanes) m.store_lanes_time(m, w, address, 8);
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

Handler integer(Op op) {
  switch (op) {
    case Op::kSlli:
      return Integers::ri<Sll>;
    case Op::kSrli:
      return Integers::ri<Srl>;
    case Op::kSrai:
      return Integers::ri<Sra>;
    case Op::kAddiw:
      return Integers::ri_word<Add>;
    case Op::kSlliw:
      return Integers::ri_word<Sll>;
    case Op::kSrliw:
      return Integers::ri_word<Srl>;
    case Op::kSraiw:
      return Integers::ri_word<Sra>;
    case Op::kAddw:
      return Integers::rr_word<Add>;
    case Op::kSubw:
      return Integers::rr_word<Sub>;
    case Op::kSllw:
      return Integers::rr_word<Sll>;
    case Op::kSrlw:
      return Integers::rr_word<Srl>;
    case Op::kSraw:
      return Integers::rr_word<Sra>;
    case Op::kMulw:
      return Integers::rr_word<Mul>;
    case Op::kDivw:
      return Integers::scalar_word<Div>;
    case Op::kDivuw:
      return Integers::scalar_word<Divu>;
    case Op::kRemw:
      return Integers::scalar_word<Rem>;
    case Op::kRemuw:
      return Integers::scalar_word<Remu>;
    case Op::kVoteAll:
    case Op::kVoteAny:
    case Op::kVoteUni:
    case Op::kVoteBallot:
      return vote;
    case Op::kShflUp:
    case Op::kShflDown:
    case Op::kShflBfly:
    case Op::kShflIdx:
      return move_lanes<true>;
    case Op::kWgather:
      return move_lanes<false>;
    default:
      return common_integer<Integers>(op);
  }
}

Handler memory_access(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
      return load<kSigned>;
    case Op::kLbu:
    case Op::kLhu:
    case Op::kLwu:
      return load<kUnsigned>;
    case Op::kFlw:
      return load<kBoxed>;
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
    case Op::kFsw:
      return store;
    case Op::kLd:
    case Op::kFld:
      return load_double;
    case Op::kSd:
    case Op::kFsd:
      return store_double;
    default:
      return nullptr;
  }
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
