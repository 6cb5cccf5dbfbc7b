// What one instruction does to the state: values, tokens, open SPLITs.
#include <algorithm>

#include "checker.h"
#include "csr.h"

namespace gyre::simtcheck {
namespace {

uint8_t level_of(const Insn& insn, const State& state) {
  return std::max({state.level(insn.rs1), state.level(insn.rs2), state.level(insn.rs3)});
}

enum class CsrClass { kFixed, kNow, kPerLane };

CsrClass classify(int32_t number) {
  switch (number) {
    case GYRE_CSR_THREAD_ID:
    case GYRE_CSR_MHARTID:
    case GYRE_CSR_CTA_THREAD_ID_X:
    case GYRE_CSR_CTA_THREAD_ID_Y:
    case GYRE_CSR_CTA_THREAD_ID_Z:
    case GYRE_CSR_FRAG_POS:
    case GYRE_CSR_FRAG_PID:
      return CsrClass::kPerLane;
    case GYRE_CSR_MSCRATCH:
    case GYRE_CSR_MISA:
    case GYRE_CSR_WARP_ID:
    case GYRE_CSR_CORE_ID:
    case GYRE_CSR_CTA_ID:
    case GYRE_CSR_CTA_RANK:
    case GYRE_CSR_CTA_SIZE:
    case GYRE_CSR_CTA_BLOCK_ID_X:
    case GYRE_CSR_CTA_BLOCK_ID_Y:
    case GYRE_CSR_CTA_BLOCK_ID_Z:
    case GYRE_CSR_CTA_BLOCK_DIM_X:
    case GYRE_CSR_CTA_BLOCK_DIM_Y:
    case GYRE_CSR_CTA_BLOCK_DIM_Z:
    case GYRE_CSR_CTA_GRID_DIM_X:
    case GYRE_CSR_CTA_GRID_DIM_Y:
    case GYRE_CSR_CTA_GRID_DIM_Z:
    case GYRE_CSR_CTA_LMEM_ADDR:
    case GYRE_CSR_CTA_CLUSTER_SIZE:
    case GYRE_CSR_CTA_ENTRY:
    case GYRE_CSR_NUM_THREADS:
    case GYRE_CSR_NUM_WARPS:
    case GYRE_CSR_NUM_CORES:
    case GYRE_CSR_LOCAL_MEM_BASE:
    case GYRE_CSR_NUM_BARRIERS:
      return CsrClass::kFixed;
    default:
      return CsrClass::kNow;  // one value for the warp, but it changes while the warp runs
  }
}

}  // namespace

void Checker::call(Function& caller, uint32_t pc, uint32_t target, State& state) {
  uint8_t levels[4] = {kVarying, kVarying, kVarying, kVarying};
  const auto it = functions_.find(target);
  if (it != functions_.end()) {
    Function& callee = it->second;
    uint32_t uniform = 0;
    for (unsigned i = 0; i < 8; ++i) {
      uniform |= static_cast<uint32_t>(state.uniform(kA0 + i)) << i;
      uniform |= static_cast<uint32_t>(state.uniform(kFa0 + i)) << (8 + i);
    }
    if (!callee.called || (callee.uniform_args & ~uniform) != 0) changed_ = true;
    callee.called = true;
    callee.uniform_args &= uniform;
    for (unsigned i = 0; i < 4; ++i)
      if (callee.uniform_results >> i & 1) levels[i] = state.depth();
  } else if (reporting_ && target != 0) {
    find(0, caller, pc, "calls " + hex(target) + ", not a function");
  }
  state.clobber_call(pc, levels);
  state.expose_slots(caller.first_exposed);
}

void Checker::step(Function& function, uint32_t pc, const Insn& insn, State& state) {
  switch (insn.op) {
    case Op::kLoad:
    case Op::kStore:
      return step_memory(function, pc, insn, state);
    case Op::kCsr:
      return step_csr(pc, insn, state);
    case Op::kVote:
      return state.define(pc, insn.rd, state.depth());
    case Op::kShuffle:
    case Op::kGather:
    case Op::kTex:
      return state.define(pc, insn.rd, kVarying);
    case Op::kSplit:
      if (reporting_) check_split(function, pc, insn);
      state.define(pc, insn.rd, state.depth());
      return state.open_split(pc);
    case Op::kJoin:
      return step_join(function, pc, insn, state);
    case Op::kPred:
      if (reporting_ && !allow_pred_) find(4, function, pc, "PRED in compiled code");
      return state.forget_uniformity();
    case Op::kBar:
      if (reporting_ && !state.open.empty() && !waived_(pc))
        find(5, function, pc, "a barrier inside a divergent region: every pass of the warp would arrive");
      if (insn.rd != 0) state.define(pc, insn.rd, state.depth());
      return;
    case Op::kUnknown:
      if (reporting_) find(0, function, pc, "unknown instruction: " + describe(insn, pc));
      return;
    case Op::kNothing:
    case Op::kTrap:
    case Op::kWspawn:
    case Op::kExport:
      return;
    default:
      return step_arithmetic(function, pc, insn, state);
  }
}

void Checker::step_arithmetic(Function& function, uint32_t pc, const Insn& insn, State& state) {
  const Value a = state.reg(insn.rs1), b = state.reg(insn.rs2);
  const uint8_t level = level_of(insn, state);
  // The result is a stack address: a + number when that is known, else something uniform away from sp or not.
  auto stack = [&](bool known, int32_t offset) {
    if (known && insn.rd != kSp) function.first_exposed = std::min(function.first_exposed, offset);
    state.define(pc, insn.rd, known ? 0 : std::max(a.level, b.level), known ? Kind::kStack : Kind::kStackAny,
                 known ? offset : 0);
  };
  switch (insn.op) {
    case Op::kMove:
      return state.copy(insn.rd, a);
    case Op::kLui:
      return state.define(pc, insn.rd, 0, Kind::kConstant, insn.imm);
    case Op::kAddImm: {
      const auto sum = static_cast<int32_t>(static_cast<uint32_t>(a.number) + static_cast<uint32_t>(insn.imm));
      if (a.on_stack()) return stack(a.kind == Kind::kStack, sum);
      return state.define_expression(pc, insn, level, a.kind, a.kind == Kind::kConstant ? sum : 0);
    }
    case Op::kAdd:
      if (a.on_stack() != b.on_stack()) {
        const bool known = (a.kind == Kind::kStack && b.kind == Kind::kConstant) ||
                           (b.kind == Kind::kStack && a.kind == Kind::kConstant);
        return stack(known, a.number + b.number);
      }
      break;
    case Op::kSub:
      if (a.on_stack() && !b.on_stack())
        return stack(a.kind == Kind::kStack && b.kind == Kind::kConstant, a.number - b.number);
      return state.define_expression(pc, insn, state.comparison_level(insn.rs1, insn.rs2));
    case Op::kCompare:
      return state.define_expression(pc, insn, state.comparison_level(insn.rs1, insn.rs2));
    default:
      break;
  }
  state.define_expression(pc, insn, level);
}

void Checker::step_memory(Function& function, uint32_t pc, const Insn& insn, State& state) {
  const Value base = state.reg(insn.rs1);
  const int32_t offset = base.number + insn.imm;
  const bool stack = base.kind == Kind::kStack;  // otherwise some pointer, perhaps into an array on the stack
  if (insn.op == Op::kStore) {
    if (!stack) return state.expose_slots(function.first_exposed);
    if (insn.is_word_access() && (offset & 3) == 0) return state.set_slot(offset, state.reg(insn.rs2));
    return state.drop_slot(offset & ~3);
  }
  if (stack && insn.is_word_access())
    if (const Value* value = state.slot(offset)) return state.copy(insn.rd, *value);
  // Memory may change between the two passes of a region, so a load is a value of this pass.
  state.define(pc, insn.rd, state.uniform(insn.rs1) ? state.depth() : kVarying);
}

void Checker::step_csr(uint32_t pc, const Insn& insn, State& state) {
  const CsrClass kind = insn.writes_csr ? CsrClass::kNow : classify(insn.imm);
  state.define(pc, insn.rd, kind == CsrClass::kPerLane ? kVarying : kind == CsrClass::kFixed ? 0 : state.depth());
}

void Checker::step_join(Function& function, uint32_t pc, const Insn& insn, State& state) {
  if (state.open.empty()) {
    if (reporting_) find(3, function, pc, "JOIN with no open SPLIT");
    return;
  }
  const uint32_t split = state.open.back();
  if (reporting_) {
    if (state.reg(insn.rs1).id != definition_id(split, at(split)->rd))
      find(
          3, function, pc,
          register_name(insn.rs1) + " does not hold the token of the innermost SPLIT " + hex(split) + " on every path");
    joins_[split].push_back(pc);
  }
  state.close_split();
}

}  // namespace gyre::simtcheck
