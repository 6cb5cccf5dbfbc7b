#include "state.h"

#include <algorithm>

namespace gyre::simtcheck {
namespace {

// Ids: kind, instruction address, place.
enum class IdKind : uint64_t { kDefinition, kPhi, kOld, kEntry };
constexpr int32_t kSlotBias = 1 << 20;

uint64_t make_id(IdKind kind, uint32_t address, uint64_t place) {
  return static_cast<uint64_t>(kind) << 62 | static_cast<uint64_t>(address) << 24 | place;
}
uint64_t slot_place(int32_t offset) { return static_cast<uint64_t>(offset + kSlotBias) & 0xFFFFFF; }

}  // namespace

uint64_t definition_id(uint32_t address, unsigned reg) { return make_id(IdKind::kDefinition, address, reg); }

State State::at_entry(uint32_t uniform_args) {
  State state;
  for (unsigned r = 0; r < kRegisters; ++r) state.regs_[r] = {make_id(IdKind::kEntry, 0, r), kVarying, Kind::kPlain, 0};
  state.regs_[0] = {make_id(IdKind::kEntry, 0, 0), 0, Kind::kConstant, 0};
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
    if (r != except && regs_[r].id == id) regs_[r].id = make_id(IdKind::kOld, address, r);
  for (auto& [offset, value] : slots_)
    if (value.id == id) value.id = make_id(IdKind::kOld, address, slot_place(offset));
}

void State::define(uint32_t address, unsigned rd, uint8_t level, Kind kind, int32_t number) {
  if (rd == 0) return;
  const uint64_t id = definition_id(address, rd);
  retire_id(id, address, rd);
  regs_[rd] = {id, level, kind, number};
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
  lost(1, 1);     // ra
  lost(5, 7);     // t0-t2
  lost(10, 17);   // a0-a7
  lost(28, 39);   // t3-t6, ft0-ft7
  lost(42, 49);   // fa0-fa7
  lost(60, 63);   // ft8-ft11
  regs_[kA0].level = result_levels[0];
  regs_[kA0 + 1].level = result_levels[1];
  regs_[kFa0].level = result_levels[2];
  regs_[kFa0 + 1].level = result_levels[3];
}

void State::forget_uniformity() {
  for (unsigned r = 1; r < kRegisters; ++r) regs_[r].level = kVarying;
  for (auto& entry : slots_) entry.second.level = kVarying;
}

Value State::meet(const Value& a, const Value& b, uint64_t phi) const {
  Value out = a;
  if (a.id == b.id) {
    out.level = std::max(a.level, b.level);
  } else {
    const bool same_constant = a.kind == Kind::kConstant && b.kind == Kind::kConstant && a.number == b.number;
    out.id = phi;
    out.level = a.level == kVarying || b.level == kVarying ? kVarying : same_constant ? 0 : depth();
  }
  if (a.kind != b.kind || a.number != b.number) {
    out.kind = Kind::kPlain;
    out.number = 0;
  }
  return out;
}

void State::merge(const State& other, uint32_t address) {
  for (unsigned r = 1; r < kRegisters; ++r)
    regs_[r] = meet(regs_[r], other.regs_[r], make_id(IdKind::kPhi, address, r));
  for (auto it = slots_.begin(); it != slots_.end();) {
    const Value* there = other.slot(it->first);
    if (there == nullptr) {
      it = slots_.erase(it);
    } else {
      it->second = meet(it->second, *there, make_id(IdKind::kPhi, address, slot_place(it->first)));
      ++it;
    }
  }
  // A phi of this block found in another place is a copy of its value of the round before.
  for (unsigned r = 1; r < kRegisters; ++r)
    if (regs_[r].id == make_id(IdKind::kPhi, address, r)) retire_id(regs_[r].id, address, r);
  for (auto& [offset, value] : slots_) {
    const uint64_t id = make_id(IdKind::kPhi, address, slot_place(offset));
    if (value.id != id) continue;
    retire_id(id, address, kRegisters);
    value.id = id;
  }
}

}  // namespace gyre::simtcheck
