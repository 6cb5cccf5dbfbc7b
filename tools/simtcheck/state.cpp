#include "state.h"

#include <algorithm>

namespace gyre::simtcheck {
namespace {

// Ids: kind, instruction address, place.
enum class IdKind : uint64_t { kDefinition, kPhi, kOld, kEntry, kExpression };
constexpr unsigned kKindShift = 60;
constexpr int32_t kSlotBias = 1 << 20;

uint64_t make_id(IdKind kind, uint32_t address, uint64_t place) {
  return static_cast<uint64_t>(kind) << kKindShift | static_cast<uint64_t>(address) << 24 | place;
}
uint64_t slot_place(int32_t offset) { return static_cast<uint64_t>(offset + kSlotBias) & 0xFFFFFF; }

}  // namespace

uint64_t definition_id(uint32_t address, unsigned reg) { return make_id(IdKind::kDefinition, address, reg); }

uint64_t Expressions::id(uint32_t shape, const Value& a, const Value& b) {
  const auto constant = [](const Value& value) { return value.kind == Kind::kConstant; };
  const auto key = [&](const Value& value) { return constant(value) ? static_cast<uint32_t>(value.number) : value.id; };
  const auto [it, fresh] =
      index_.try_emplace(Key{shape, constant(a), key(a), constant(b), key(b)}, bases_.size());
  if (fresh) {
    std::set<uint64_t> all;
    for (const Value* value : {&a, &b}) {
      if (constant(*value)) continue;
      if (value->id >> kKindShift == static_cast<uint64_t>(IdKind::kExpression)) {
        const auto& of = bases_[value->id >> 24 & 0xFFFFFFFF];
        all.insert(of.begin(), of.end());
      } else {
        all.insert(value->id);
      }
    }
    if (all.size() > kMaxBases) all = {0};
    bases_.emplace_back(all.begin(), all.end());
  }
  const bool followed = bases_[it->second].empty() || bases_[it->second].front() != 0;
  return followed ? make_id(IdKind::kExpression, static_cast<uint32_t>(it->second), 0) : 0;
}

bool Expressions::depends(uint64_t id, uint64_t base) const {
  if (id == base) return true;
  if (id >> kKindShift != static_cast<uint64_t>(IdKind::kExpression)) return false;
  const auto& bases = bases_[id >> 24 & 0xFFFFFFFF];
  return std::binary_search(bases.begin(), bases.end(), base);
}

State State::at_entry(uint32_t uniform_args, Expressions& expressions) {
  State state;
  state.expressions_ = &expressions;
  for (unsigned r = 0; r < kRegisters; ++r) state.regs_[r] = {make_id(IdKind::kEntry, 0, r), kVarying, Kind::kPlain, 0};
  state.regs_[0] = {make_id(IdKind::kEntry, 0, 0), 0, Kind::kConstant, 0};
  state.regs_[kSp].level = 0;
  state.regs_[kSp].kind = Kind::kStack;
  for (unsigned i = 0; i < 8; ++i) {
    if (uniform_args >> i & 1) state.regs_[kA0 + i].level = 0;
    if (uniform_args >> (8 + i) & 1) state.regs_[kFa0 + i].level = 0;
  }
  return state;
}

// When a definition runs again, copies of its earlier value are no longer "the value of that definition".
void State::retire_id(uint64_t id, uint32_t address, unsigned except) {
  for (unsigned r = 1; r < kRegisters; ++r)
    if (r != except && expressions_->depends(regs_[r].id, id)) regs_[r].id = make_id(IdKind::kOld, address, r);
  for (auto& [offset, value] : slots_)
    if (expressions_->depends(value.id, id)) value.id = make_id(IdKind::kOld, address, slot_place(offset));
}

void State::define(uint32_t address, unsigned rd, uint8_t level, Kind kind, int32_t number) {
  if (rd == 0) return;
  const uint64_t id = definition_id(address, rd);
  retire_id(id, address, rd);
  regs_[rd] = {id, level, kind, number};
}

void State::define_expression(uint32_t address, const Insn& insn, uint8_t level, Kind kind, int32_t number) {
  constexpr uint32_t kOpImm = 0x13, kOp = 0x33;
  const uint32_t opcode = insn.word & 0x7F;
  constexpr uint32_t kRd = 0x1Fu << 7, kRs1 = 0x1Fu << 15, kRs2 = 0x1Fu << 20;
  uint64_t id = 0;
  if (opcode == kOpImm) id = expressions_->id(insn.word & ~(kRd | kRs1), regs_[insn.rs1], regs_[0]);
  if (opcode == kOp) id = expressions_->id(insn.word & ~(kRd | kRs1 | kRs2), regs_[insn.rs1], regs_[insn.rs2]);
  if (id == 0) return define(address, insn.rd, level, kind, number);
  if (insn.rd != 0) regs_[insn.rd] = {id, level, kind, number};
}

void State::copy(unsigned rd, const Value& value) {
  if (rd != 0) regs_[rd] = value;
}

const Value* State::slot(int32_t offset) const {
  const auto it = slots_.find(offset);
  return it == slots_.end() ? nullptr : &it->second;
}

void State::expose_slots(int32_t first_exposed) {
  // The id stays: it names a token's SPLIT, and the compiler never takes the address of a spill slot.
  for (auto it = slots_.lower_bound(first_exposed); it != slots_.end(); ++it) it->second.level = kVarying;
}

void State::close_split() {
  open.pop_back();
  for (auto& value : regs_)
    if (value.level > depth()) value.level = kVarying;
  for (auto& entry : slots_)
    if (entry.second.level > depth()) entry.second.level = kVarying;
}

void State::clobber_call(uint32_t address, uint8_t result_levels[4]) {
  auto lost = [&](unsigned first, unsigned last) {
    for (unsigned r = first; r <= last; ++r) define(address, r, kVarying);
  };
  lost(1, 1);    // ra
  lost(5, 7);    // t0-t2
  lost(10, 17);  // a0-a7
  lost(28, 39);  // t3-t6, ft0-ft7
  lost(42, 49);  // fa0-fa7
  lost(60, 63);  // ft8-ft11
  regs_[kA0].level = result_levels[0];
  regs_[kA0 + 1].level = result_levels[1];
  regs_[kFa0].level = result_levels[2];
  regs_[kFa0 + 1].level = result_levels[3];
}

uint8_t State::comparison_level(unsigned a, unsigned b) const {
  if (regs_[a].on_stack() && regs_[b].on_stack()) return std::max(regs_[a].level, regs_[b].level);
  return std::max(level(a), level(b));
}

void State::forget_uniformity() {
  auto forget = [](Value& value) {
    if (value.kind == Kind::kPlain || value.kind == Kind::kStackAny) value.level = kVarying;
  };
  for (auto& value : regs_) forget(value);
  for (auto& entry : slots_) forget(entry.second);
}

Value State::meet(const Value& a, const Value& b, uint64_t phi, std::set<uint64_t>& phis) const {
  Value out = a;
  const uint8_t level = std::max(a.level, b.level);
  const bool same_number = a.kind == b.kind && a.number == b.number;
  if (a.id == b.id) {
    out.level = level;
  } else {
    out.id = phi;
    phis.insert(phi);
    const bool known = same_number && (a.kind == Kind::kConstant || a.kind == Kind::kStack);
    out.level = level == kVarying ? kVarying : known ? level : depth();
  }
  if (same_number) return out;
  out.number = 0;
  out.kind = a.on_stack() && b.on_stack() ? Kind::kStackAny : Kind::kPlain;
  if (a.on_stack() != b.on_stack()) out.level = kVarying;
  return out;
}

void State::merge(const State& other, uint32_t address, std::set<uint64_t>& phis) {
  for (unsigned r = 1; r < kRegisters; ++r)
    regs_[r] = meet(regs_[r], other.regs_[r], make_id(IdKind::kPhi, address, r), phis);
  for (auto it = slots_.begin(); it != slots_.end();) {
    const Value* there = other.slot(it->first);
    if (there == nullptr) {
      it = slots_.erase(it);
    } else {
      it->second = meet(it->second, *there, make_id(IdKind::kPhi, address, slot_place(it->first)), phis);
      ++it;
    }
  }
}

void State::name_phis(uint32_t address, const std::set<uint64_t>& phis) {
  const auto begin = phis.lower_bound(make_id(IdKind::kPhi, address, 0));
  const auto end = phis.lower_bound(make_id(IdKind::kPhi, address + 1, 0));
  // A phi of this block found in another place is a copy of its value of the round before.
  for (auto phi = begin; phi != end; ++phi) retire_id(*phi, address, kRegisters);
  auto name = [&](Value& value, uint64_t phi) {
    const bool known = value.kind == Kind::kConstant || value.kind == Kind::kStack;
    value.id = phi;
    if (value.level != kVarying && !known) value.level = depth();
  };
  for (auto phi = begin; phi != end; ++phi) {
    const uint64_t place = *phi & 0xFFFFFF;
    if (place < kRegisters) name(regs_[place], *phi);
  }
  for (auto& [offset, value] : slots_) {
    const uint64_t phi = make_id(IdKind::kPhi, address, slot_place(offset));
    if (phis.count(phi) != 0) name(value, phi);
  }
}

}  // namespace gyre::simtcheck
