// The instruction trace's ear at a core. As with stop points (core_debug.h) a traced instruction is one whose executor
// has been replaced when it was decoded: code that is not traced runs as it always does, and no cycle changes.
#pragma once

#include <cstdint>

#include "machine.h"

namespace gyre::core {

class Engine;

struct Executed {
  const Warp& warp;  // after the instruction
  std::uint32_t pc, word;
  std::uint32_t mask;   // lanes that were active
  std::uint64_t cycle;  // of its issue
  bool faulted;
};

class InsnListener {
 public:
  // Asked when the instruction at `pc` is decoded.
  virtual bool wants(const Engine& engine, std::uint32_t pc) = 0;
  // The instruction has executed; one that has to wait for other warps first is reported when it did. Must not let time
  // pass.
  virtual void executed(const Engine& engine, const Executed& done) = 0;

 protected:
  ~InsnListener() = default;
};

}  // namespace gyre::core
