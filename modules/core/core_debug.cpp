#include "core_debug.h"

#include <algorithm>

#include "engine.h"
#include "op.h"

namespace gyre::core {
namespace {

using riscv::Op;

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t pc) {
  return std::find(list.begin(), list.end(), pc) != list.end();
}

// Which memory an instruction touches, lane by lane: `pieces` of `bytes`, `stride` apart.
struct Access {
  unsigned bytes = 0;  // 0: none
  unsigned pieces = 1;
  bool read = false, write = false;
  bool offset = false;  // the address is rs1 + imm
};

Access access_of(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
      return {1, 1, true, false, true};
    case Op::kLh:
    case Op::kLhu:
      return {2, 1, true, false, true};
    case Op::kLw:
    case Op::kLwu:
    case Op::kFlw:
      return {4, 1, true, false, true};
    case Op::kLd:
    case Op::kFld:
      return {8, 1, true, false, true};
    case Op::kSb:
      return {1, 1, false, true, true};
    case Op::kSh:
      return {2, 1, false, true, true};
    case Op::kSw:
    case Op::kFsw:
      return {4, 1, false, true, true};
    case Op::kSd:
    case Op::kFsd:
      return {8, 1, false, true, true};
    case Op::kPacklb:
      return {1, 4, true, false, false};
    case Op::kPacklh:
      return {2, 2, true, false, false};
    case Op::kLrW:
      return {4, 1, true, false, false};
    case Op::kScW:
      return {4, 1, false, true, false};
    case Op::kLrD:
      return {8, 1, true, false, false};
    case Op::kScD:
      return {8, 1, false, true, false};
    default:
      break;
  }
  if (op > Op::kScW && op <= Op::kAmomaxuW) return {4, 1, true, true, false};
  if (op > Op::kScD && op <= Op::kAmomaxuD) return {8, 1, true, true, false};
  return {};
}

}  // namespace

CoreDebug::CoreDebug(Engine& engine, const StopPoints& points, TrapListener& listener)
    : engine_(engine),
      points_(points),
      listener_(listener),
      stepping_(engine.warps.size()),
      retry_(engine.warps.size()) {}

void CoreDebug::step(unsigned warp, std::uint32_t begin, std::uint32_t end, bool alone) {
  Stepping& s = stepping_[warp];
  lift(s);
  s = {true, alone, 0, begin, end};
  plant(s, engine_.warps[warp].pc);
}

void CoreDebug::forget_steps() {
  for (Stepping& s : stepping_) lift(s);
}

void CoreDebug::plant(Stepping& s, std::uint32_t pc) {
  s.at = pc;
  changed(pc);
}

void CoreDebug::lift(Stepping& s) {
  if (!s.on) return;
  s.on = false;
  changed(s.at);
}

void CoreDebug::changed(std::uint32_t pc) { engine_.decode_again(pc); }
void CoreDebug::watches_changed() { engine_.decode_all_again(); }

void CoreDebug::memory_written(std::uint32_t address, std::uint32_t bytes) {
  for (std::uint64_t a = address & ~3u; a < std::uint64_t{address} + bytes; a += 4)
    engine_.code.written(static_cast<std::uint32_t>(a));
}

bool CoreDebug::wants(std::uint32_t pc, const Inst& inst) const {
  if (contains(points_.breakpoints, pc)) return true;
  for (const Stepping& s : stepping_)
    if (s.on && s.at == pc) return true;
  return !points_.watches.empty() && access_of(static_cast<Op>(inst.op)).bytes != 0;
}

bool CoreDebug::find_watch(const Warp& w, const Inst& inst, Trap& trap) const {
  const Access access = access_of(static_cast<Op>(inst.op));
  if (access.bytes == 0 || points_.watches.empty()) return false;
  const std::uint32_t *base = w.reg + inst.rs1 * engine_.threads, *stride = w.reg + inst.rs2 * engine_.threads;
  for (const StopPoints::Watch& watch : points_.watches) {
    if (!(watch.read && access.read) && !(watch.write && access.write)) continue;
    trap.lanes = 0;
    for (unsigned l = 0; l < engine_.threads; ++l) {
      if (((w.mask >> l) & 1) == 0) continue;
      for (unsigned k = 0; k < access.pieces; ++k) {
        const std::uint32_t a =
            base[l] + (access.offset ? static_cast<std::uint32_t>(inst.imm) : 0) + (k == 0 ? 0 : k * stride[l]);
        if (std::uint64_t{a} + access.bytes <= watch.begin || a >= std::uint64_t{watch.begin} + watch.bytes) continue;
        if (trap.lanes == 0) trap.address = std::max(a, watch.begin);
        trap.lanes |= 1u << l;
      }
    }
    if (trap.lanes == 0) continue;
    trap.kind = Trap::Kind::kWatch;
    trap.write = access.write && watch.write;
    return true;
  }
  return false;
}

bool CoreDebug::find(const Warp& w, const Inst& inst, Trap& trap) const {
  const bool others = points_.only_core >= 0 && (points_.only_core != static_cast<int>(engine_.core_id) ||
                                                 points_.only_warp != static_cast<int>(w.id));
  if (others) return false;
  trap.lanes = w.mask;
  trap.kind = Trap::Kind::kBreakpoint;
  return contains(points_.breakpoints, w.pc) || find_watch(w, inst, trap);
}

void CoreDebug::report(Warp& w, const Trap& trap) {
  Engine::fold_flags(w);  // foreign code runs in the call
  listener_.trapped(engine_, w, trap);
  Engine::clear_host_flags();
}

void CoreDebug::trap(Machine& machine, Warp& w, const Inst& inst) {
  Engine& engine = static_cast<Engine&>(machine);
  CoreDebug& debug = *engine.debug;
  const std::uint32_t pc = w.pc, next = w.next_pc;
  Trap trap{};
  if (debug.retry_[w.id] == 0 && debug.find(w, inst, trap)) {
    debug.report(w, trap);
    if (w.state == WarpState::kInactive) return;
    if (w.pc != pc) {  // the debugger sent it elsewhere
      w.next_pc = w.pc;
      w.pc = pc;
      return;
    }
    w.next_pc = next;
  }
  debug.execute(w);
}

void CoreDebug::execute(Warp& w) {
  // Decoded again: the debugger may have written the code.
  const Inst inst = engine_.instruction(w.pc);
  w.next_pc = w.pc + inst.length;
  inst.run(engine_, w, inst);
  retry_[w.id] = w.state == WarpState::kGuard || w.state == WarpState::kAlone;
  Stepping& s = stepping_[w.id];
  if (!s.on || (retry_[w.id] != 0 && !s.alone)) return;
  if (w.next_pc >= s.begin && w.next_pc < s.end) {
    changed(s.at);
    plant(s, w.next_pc);
  } else {
    report_step(w);
  }
}

void CoreDebug::report_step(Warp& w) {
  Trap trap{};
  trap.kind = Trap::Kind::kStep;
  const std::uint32_t pc = w.pc, next = w.next_pc;
  w.pc = next;
  report(w, trap);
  if (w.pc != next) w.next_pc = w.pc;
  w.pc = pc;
}

void CoreDebug::faulted(Warp& w, unsigned cause, std::uint32_t value) {
  Trap trap{};
  trap.kind = Trap::Kind::kFault;
  trap.lanes = w.mask;
  trap.cause = cause;
  trap.value = value;
  report(w, trap);
}

void CoreDebug::retired(Warp& w) {
  retry_[w.id] = 0;
  if (!stepping_[w.id].on) return;
  Trap trap{};
  trap.kind = Trap::Kind::kStep;
  report(w, trap);
}

void CoreDebug::activated(Warp& w) {
  Stepping& s = stepping_[w.id];
  if (!s.on) return;
  changed(s.at);
  plant(s, w.pc);
}

}  // namespace gyre::core
