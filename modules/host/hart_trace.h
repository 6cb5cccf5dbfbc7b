// The instruction trace's ear at a hart. While there is one, blocks are built with a slot before every instruction that
// calls it; without one nothing of it is there. Cycles and the order of events are the same in both cases.
#pragma once

#include <cstdint>

namespace gyre::host {

class Hart;

class InsnListener {
 public:
  // The instruction at `pc` is about to execute; registers are as it finds them. `word`: its bits (of a compressed one
  // the upper half is 0). `cycle`: of its start.
  virtual void next(const Hart& hart, std::uint64_t pc, std::uint32_t word, std::uint64_t cycle) = 0;
  // A trap is taken at hart.pc(); `cause` as in mcause.
  virtual void trapped(const Hart& hart, std::uint64_t cause) = 0;

 protected:
  ~InsnListener() = default;
};

}  // namespace gyre::host
