// Linear-scan register allocation over one function; what does not fit lives on the lane's stack.
//
//   x0 zero  x1 ra  x2 sp            x29-x31 (t4-t6), f30, f31 (ft10, ft11): never allocated, carry spilled values
//   x18-x25 (s2-s9): tokens of the open SPLITs, by nesting depth; deeper ones stand on the stack. Unused ones join the
//   rest other caller-saved registers: values no call stands between; callee-saved: any value
//
// A kernel owns all registers, so nothing is saved for its caller; routines use caller-saved registers only.
#pragma once

#include <vector>

#include "machine_ir.h"

namespace gyre::shader::gpu {

constexpr int kTokenRegister = 18, kTokenRegisters = 8;
constexpr int kScratchInt = 29, kScratchFloat = 30;

struct Location {
  bool spilled = false;
  int place = -1;  // register number of its file, or slot; -1: never written
};

struct Allocation {
  std::vector<Location> of;  // by virtual register
  int slots = 0;             // words of stack for spilled values
  int spilled = 0;           // virtual registers that have one
  int depth = 0;             // deepest nesting of branches
  bool calls = false;
};

Allocation allocate(const Function& function);

}  // namespace gyre::shader::gpu
