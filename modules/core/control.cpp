// Instructions that act on the warp as a whole: control flow, barriers, traps, CSRs, TEX and export.
#include "csr.h"
#include "engine.h"
#include "op.h"

namespace gyre::core {
namespace {

using riscv::Op;

Engine& engine(Machine& m) { return static_cast<Engine&>(m); }

void illegal(Machine& m, Warp& w, const Inst& i) { m.illegal(m, w, i); }
void nothing(Machine&, Warp&, const Inst&) {}

// The instruction issues again when the warp is woken.
void stall_and_retry(Engine& e, Warp& w, const Inst& i, WarpState state) {
  w.next_pc = w.pc;
  --e.count.instructions;
  e.count.thread_instructions -= w.lanes;
  --e.count.unit[i.unit];
  if (i.unit == kUnitSfu) e.count.stalled -= e.interval[i.interval] - e.interval[kStraight];
  w.local = w.issue;
  e.set_state(w, state);
}

void leave(Engine& e, Warp& w) {
  if (w.depth != 0) e.lint_depth(w, "the warp ends");
  w.pc = w.next_pc;  // kept across retirement: the rewind rule counts from here
  e.retire(w);
}

void tmc(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t mask = e.scalar(w, i.rs1) & w.full;
  if (mask == 0)
    leave(e, w);
  else
    e.set_mask(w, mask);
}

void wspawn(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  if (e.active_mask != 1u << w.id) {
    stall_and_retry(e, w, i, WarpState::kAlone);
    return;
  }
  const std::uint32_t n = std::min<std::uint32_t>(e.scalar(w, i.rs1), static_cast<std::uint32_t>(e.warps.size()));
  if (!e.in_reach(w, e.wide_scalar(w, i.rs2))) return;
  const std::uint32_t pc = e.scalar(w, i.rs2);
  for (std::uint32_t id = 1; id < n; ++id) {
    Warp& spawned = e.warps[id];
    if (id == w.id) continue;
    spawned.pc = pc;
    spawned.mscratch = w.mscratch;
    spawned.cta = CtaRecord{};
    e.ctx.busy.take(e.busy_node);
    e.activate(spawned, WarpKind::kPlain, 1, w.local);
  }
}

// isa.md §5.2
void split(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t* cond = e.row(w, i.rs1);
  std::uint32_t then = 0;
  for (unsigned l = 0; l < e.threads; ++l) then |= ((cond[l] ^ static_cast<std::uint32_t>(i.imm)) & 1u) << l;
  then &= w.mask;
  const std::uint32_t other = w.mask & ~then;
  e.write_uniform(w, i.rd, w.depth);
  if (then == 0 || other == 0) return;
  const unsigned limit = std::max(1u, e.threads - 1);
  if (w.depth >= limit) {
    e.fault(w, GYRE_FAULT_IPDOM, 0, e.lint_depth(w, "SPLIT with a full stack"));
    return;
  }
  w.ipdom[w.depth++] = {w.mask, w.next_pc, false};
  ++e.count.splits;
  e.set_mask(w, __builtin_popcount(then) <= __builtin_popcount(other) ? then : other);
}

void join(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  if (e.scalar(w, i.rs1) == w.depth) return;
  if (w.depth == 0) {
    e.fault(w, GYRE_FAULT_IPDOM, 1, e.lint_depth(w, "JOIN with a token of another depth"));
    return;
  }
  if (e.scalar(w, i.rs1) + 1 != w.depth) e.lint_depth(w, "JOIN with a token of another depth");
  IpdomEntry& top = w.ipdom[w.depth - 1];
  if (!top.visited) {
    top.visited = true;
    w.next_pc = top.else_pc;
    e.set_mask(w, top.original & ~w.mask);
  } else {
    const std::uint32_t original = top.original;
    --w.depth;
    e.set_mask(w, original);
  }
}

void pred(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t* cond = e.row(w, i.rs1);
  std::uint32_t stay = 0;
  for (unsigned l = 0; l < e.threads; ++l) stay |= ((cond[l] ^ static_cast<std::uint32_t>(i.imm)) & 1u) << l;
  stay &= w.mask;
  const std::uint32_t mask = stay != 0 ? stay : e.scalar(w, i.rs2) & w.full;
  if (mask == 0)
    leave(e, w);
  else
    e.set_mask(w, mask);
}

// isa.md §6: which barrier an id names.
bool is_global(std::uint32_t id) { return (id >> 31) != 0; }
unsigned barrier_number(const Engine& e, std::uint32_t id) { return ((id >> 8) & 0x7FFFFF) % e.config.barriers; }
unsigned barrier_index(const Engine& e, std::uint32_t id) {
  const unsigned slot = (id & 0xFF) % e.config.warps;
  return slot * e.config.barriers + barrier_number(e, id);
}

void bar(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t id = e.scalar(w, i.rs1), participants = e.scalar(w, i.rs2);
  if (participants == 0) {
    e.fault(w, GYRE_FAULT_BARRIER_ZERO, id);
    return;
  }
  ++e.count.barriers;
  e.wait_for_results(w);
  if (is_global(id)) {
    e.arrive_global(w, barrier_number(e, id), participants, true);
    return;
  }
  const unsigned index = barrier_index(e, id);
  Barrier& b = e.barriers[index];
  bool completed = false;
  const std::uint32_t woken = b.arrive(participants, w.local, completed);
  if (completed) {
    e.wake(woken | 1u << w.id, e.barrier_opens(b.latest));
    b.latest = 0;
  } else {
    b.waiting |= 1u << w.id;
    w.barrier = index;
    w.global_barrier = false;
    e.set_state(w, WarpState::kBarrier);
  }
}

}  // namespace

// isa.md §6, global barriers: the core reports to the cluster when all its active warps have arrived.
void Engine::arrive_global(Warp& w, unsigned number, std::uint32_t cores, bool wait) {
  GlobalBarrier& b = global_barriers[number];
  b.arrived |= 1u << w.id;
  b.cores = cores;
  b.latest = std::max({b.latest, w.local, w.max_ready});
  if (wait) {
    b.waiting |= 1u << w.id;
    w.barrier = number;
    w.global_barrier = true;
    set_state(w, WarpState::kBarrier);
  }
  check_global(number);
}

void Engine::check_global(unsigned number) {
  GlobalBarrier& b = global_barriers[number];
  if (b.reported || b.events != 0 || (active_mask & ~b.arrived) != 0) return;
  b.reported = true;
  b.latest = barrier_opens(b.latest) - 1;
  if (cluster != nullptr)
    cluster->arrive(*this, number, b.cores, b.latest);
  else if (b.cores <= 1)
    barrier_opened(number, b.latest + 1);
}

void Engine::barrier_opened(unsigned number, kernel::Cycle stamp) {
  GlobalBarrier& b = global_barriers[number];
  const std::uint32_t woken = b.waiting;
  b = GlobalBarrier{0, 0, 0, 0, b.phase ^ 1, 0, false};
  wake(woken, stamp);
  notify_wake();
}

namespace {

void bar_arrive(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t id = e.scalar(w, i.rs1), participants = e.scalar(w, i.rs2);
  Barrier& b = e.barriers[barrier_index(e, id)];
  const std::uint32_t phase = is_global(id) ? e.global_barriers[barrier_number(e, id)].phase : b.phase;
  if (participants == 0) {
    e.fault(w, GYRE_FAULT_BARRIER_ZERO, id);
    return;
  }
  if ((participants >> 31) != 0) {  // EXPECT_TX: no arrival
    (is_global(id) ? e.global_barriers[barrier_number(e, id)].events : b.events) += participants & 0x7FFFFFFF;
  } else if (is_global(id)) {
    e.arrive_global(w, barrier_number(e, id), participants, false);
  } else {
    bool completed = false;
    const std::uint32_t woken = b.arrive(participants, std::max(w.local, w.max_ready), completed);
    if (completed) {
      e.wake(woken, e.barrier_opens(b.latest));
      b.latest = 0;
    }
  }
  ++e.count.barriers;
  e.write_uniform(w, i.rd, phase);
}

void bar_wait(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  const std::uint32_t id = e.scalar(w, i.rs1), phase = e.scalar(w, i.rs2) & 1;
  const bool global = is_global(id);
  const unsigned index = global ? barrier_number(e, id) : barrier_index(e, id);
  if ((global ? e.global_barriers[index].phase : e.barriers[index].phase) != phase) return;
  (global ? e.global_barriers[index].waiting : e.barriers[index].waiting) |= 1u << w.id;
  w.barrier = index;
  w.global_barrier = global;
  e.set_state(w, WarpState::kBarrier);
}

void drain(Machine& m, Warp& w, const Inst&) { engine(m).wait_for_results(w); }

void fence(Machine& m, Warp& w, const Inst&) {
  Engine& e = engine(m);
  e.wait_for_stores(w);
  if (e.config.fence_flush && e.lsu.dcache != nullptr) w.local = e.lsu.dcache->flush(w.local);
}

void fence_i(Machine& m, Warp& w, const Inst&) {
  Engine& e = engine(m);
  e.wait_for_stores(w);
  e.refetch();
  if (e.icache != nullptr) w.local = e.icache->flush(w.local);
}

void trap(Engine& e, Warp& w, std::uint32_t cause) {
  if ((w.mtvec & ~RegisterValue{3}) == 0) {
    e.fault(w, GYRE_FAULT_TRAP_NO_VECTOR, cause);
    return;
  }
  e.count.stalled += e.interval[kBranch] - e.interval[kStraight];
  if (!e.in_reach(w, w.mtvec)) return;
  w.mepc = w.pc;
  w.mcause = cause;
  w.mtval = 0;
  w.next_pc = static_cast<std::uint32_t>(w.mtvec) & ~3u;
}
void ecall(Machine& m, Warp& w, const Inst&) { trap(engine(m), w, 11); }
void ebreak(Machine& m, Warp& w, const Inst&) { trap(engine(m), w, 3); }
void mret(Machine& m, Warp& w, const Inst&) {
  engine(m).count.stalled += m.interval[kBranch] - m.interval[kStraight];
  if (!engine(m).in_reach(w, w.mepc)) return;
  w.next_pc = static_cast<std::uint32_t>(w.mepc);
}

template <Op kOp>
void csr(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  constexpr bool kImmediate = kOp == Op::kCsrrwi || kOp == Op::kCsrrsi || kOp == Op::kCsrrci;
  constexpr bool kSwap = kOp == Op::kCsrrw || kOp == Op::kCsrrwi;
  constexpr bool kSet = kOp == Op::kCsrrs || kOp == Op::kCsrrsi;
  const unsigned number = static_cast<unsigned>(i.imm);
  const unsigned field = (i.word >> 15) & 31;
  const RegisterValue operand = kImmediate ? field : e.wide_scalar(w, i.rs1);
  RegisterValue old[kMaxLanes];
  if (!e.csr_read(w, number, old)) {
    e.fault(w, GYRE_FAULT_BAD_CSR, number);
    return;
  }
  const RegisterValue before = old[w.hal];
  e.write_values(w, i.rd, old);
  if (kSwap)
    e.csr_write(w, number, operand);
  else if (field != 0)
    e.csr_write(w, number, kSet ? before | operand : before & ~operand);
}

void om_export(Machine& m, Warp& w, const Inst& i) {
  Engine& e = engine(m);
  if (i.imm == 0) return;  // no words
  if (w.older != 0 && e.guard_blocks(w)) {
    ++e.count.guard_stalls;
    stall_and_retry(e, w, i, WarpState::kGuard);
    return;
  }
  if (!e.in_reach(w, i.rs1, 0)) return;
  e.export_lanes(w, i);
  if (w.kind == WarpKind::kFragment && w.state == WarpState::kReady) e.export_issued(w);
}

void atomic(Machine& m, Warp& w, const Inst& i) { engine(m).atomic_lanes(w, i); }
void pack(Machine& m, Warp& w, const Inst& i) { engine(m).pack_lanes(w, i); }

void tex(Machine& m, Warp& w, const Inst& i) {
  if (!engine(m).sample(w, i)) illegal(m, w, i);
}

}  // namespace

Handler control_handler(unsigned op) {
  if (op >= static_cast<unsigned>(Op::kLrW) && op <= static_cast<unsigned>(Op::kAmomaxuD)) return atomic;
  switch (static_cast<Op>(op)) {
    case Op::kTmc:
      return tmc;
    case Op::kWspawn:
      return wspawn;
    case Op::kSplit:
      return split;
    case Op::kJoin:
      return join;
    case Op::kBar:
      return bar;
    case Op::kBarArrive:
      return bar_arrive;
    case Op::kBarWait:
      return bar_wait;
    case Op::kPred:
      return pred;
    case Op::kWsync:
      return drain;
    case Op::kFence:
      return fence;
    case Op::kFenceI:
      return fence_i;
    case Op::kEcall:
      return ecall;
    case Op::kEbreak:
      return ebreak;
    case Op::kMret:
      return mret;
    case Op::kUret:
    case Op::kSret:
      return nothing;
    case Op::kCsrrw:
      return csr<Op::kCsrrw>;
    case Op::kCsrrs:
      return csr<Op::kCsrrs>;
    case Op::kCsrrc:
      return csr<Op::kCsrrc>;
    case Op::kCsrrwi:
      return csr<Op::kCsrrwi>;
    case Op::kCsrrsi:
      return csr<Op::kCsrrsi>;
    case Op::kCsrrci:
      return csr<Op::kCsrrci>;
    case Op::kOmExport:
      return om_export;
    case Op::kTex:
      return tex;
    case Op::kPacklb:
    case Op::kPacklh:
      return pack;
    default:
      return illegal;
  }
}

}  // namespace gyre::core
