// What the checker knows at one instruction: the open SPLITs and, for every register and stack slot, which definition
// its value comes from and over which lanes it is equal.
//
// Equality is a level: level k means "equal in all lanes that were active when the k-th open SPLIT region (0 = the
// function) was entered". Constants, arguments and the like are level 0 anywhere; what depends on the path taken
// inside a region of depth d is level d. A JOIN back to depth d - 1 widens the active lanes, so values of level d
// become varying and smaller levels stay. A value that reaches the JOIN from two different definitions is a value of
// the path: level d. That is the kept-definition clause of simt_c.md §5 rule 5 in one rule.
#ifndef GYRE_TOOLS_SIMTCHECK_STATE_H
#define GYRE_TOOLS_SIMTCHECK_STATE_H

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "rv32.h"

namespace gyre::simtcheck {

//
// Ids are value numbers: an integer operation on values with known ids has an id of its own, made of the operation and
// those ids. So what the compiler computes once on each side of a region, from the same uniform values, is one value at
// the JOIN.

constexpr uint8_t kVarying = 255;

/// Every lane has its own stack, so a stack address always differs by lane; for the stack kinds the level speaks of the
/// distance from the entry sp instead. That makes the end test of a loop over a local array uniform.
enum class Kind : uint8_t {
  kPlain,
  kConstant,  // number
  kStack,     // entry sp + number
  kStackAny   // entry sp + something
};

struct Value {
  uint64_t id = 0;  // definition the value comes from; equal ids = equal values
  uint8_t level = kVarying;
  Kind kind = Kind::kPlain;
  int32_t number = 0;

  bool on_stack() const { return kind == Kind::kStack || kind == Kind::kStackAny; }
  bool operator==(const Value& o) const {
    return id == o.id && level == o.level && kind == o.kind && number == o.number;
  }
};

/// A place: register 0..63, or stack slot by its byte offset from the entry sp.
uint64_t definition_id(uint32_t address, unsigned reg);

/// Ids of operations on values. An expression lives as long as the values it is made of: when one of them gets a new
/// value under its old id, every expression on it means something else.
class Expressions {
 public:
  /// `shape`: the instruction word without its register fields. 0: too many values are involved to follow.
  uint64_t id(uint32_t shape, const Value& a, const Value& b);
  /// True if `id` is `base` or an expression on it.
  bool depends(uint64_t id, uint64_t base) const;

 private:
  static constexpr size_t kMaxBases = 8;
  using Key = std::array<uint64_t, 5>;  // shape; each operand: its id, or that it is a constant and which
  std::map<Key, size_t> index_;
  std::vector<std::vector<uint64_t>> bases_;  // ascending
};

class State {
 public:
  /// Everything varying but the argument registers of `uniform_args` (bit i = a_i, bit 8 + i = fa_i).
  /// `expressions` is shared by all states of a program and outlives them.
  static State at_entry(uint32_t uniform_args, Expressions& expressions);

  std::vector<uint32_t> open;  // addresses of open SPLITs, outermost first

  uint8_t depth() const { return static_cast<uint8_t>(open.size()); }
  const Value& reg(unsigned r) const { return regs_[r]; }
  /// Level of the register's value itself.
  uint8_t level(unsigned r) const { return regs_[r].on_stack() ? kVarying : regs_[r].level; }
  bool uniform(unsigned r) const { return level(r) != kVarying; }
  /// Level of the result of comparing two registers.
  uint8_t comparison_level(unsigned a, unsigned b) const;

  /// New value made by the instruction at `address`.
  void define(uint32_t address, unsigned rd, uint8_t level, Kind kind = Kind::kPlain, int32_t number = 0);
  /// The result of an integer operation without memory or state, see Expressions; `insn` reads no other registers.
  void define_expression(uint32_t address, const Insn& insn, uint8_t level, Kind kind = Kind::kPlain,
                         int32_t number = 0);
  /// rd takes the value of a register or slot unchanged.
  void copy(unsigned rd, const Value& value);

  const Value* slot(int32_t offset) const;
  void set_slot(int32_t offset, const Value& value) { slots_[offset] = value; }
  void drop_slot(int32_t offset) { slots_.erase(offset); }
  /// A store through an unknown pointer: slots at or above `first_exposed` may have changed.
  void expose_slots(int32_t first_exposed);

  void open_split(uint32_t address) { open.push_back(address); }
  void close_split();
  /// A call at `address` happened: argument and temporary registers are lost.
  void clobber_call(uint32_t address, uint8_t result_levels[4]);
  void forget_uniformity();

  /// Meet at the block that starts at `address`; both have the same open list. Places whose values come from different
  /// definitions join `phis`.
  void merge(const State& other, uint32_t address, std::set<uint64_t>& phis);
  /// Gives the places in `phis` of this block their own ids, before a second definition has even arrived: so ids never
  /// change while the levels settle.
  void name_phis(uint32_t address, const std::set<uint64_t>& phis);
  bool operator==(const State& o) const { return open == o.open && regs_ == o.regs_ && slots_ == o.slots_; }

 private:
  Value meet(const Value& a, const Value& b, uint64_t phi, std::set<uint64_t>& phis) const;
  void retire_id(uint64_t id, uint32_t address, unsigned except);

  Expressions* expressions_ = nullptr;
  std::array<Value, kRegisters> regs_;
  std::map<int32_t, Value> slots_;
};

}  // namespace gyre::simtcheck

#endif
