// Verified CSIR -> machine IR: the body of a kernel, between the entry's loads and its stores (entry.h).
//
// Every lane of a temporary is a value of its own. Outside branches a write makes a new virtual register, so moves,
// swizzles and constructors cost nothing. A branch region keeps every lane it writes in one register, its home, for
// both sides and what follows. Small regions become predicated writes (Zicond selects), others SPLIT and JOIN.
#pragma once

#include <array>
#include <vector>

#include "builder.h"
#include "csir.h"
#include "interpreter.h"
#include "port.h"

namespace gyre::shader::gpu {

struct Results {
  std::array<VReg, 4> position, color;
  std::array<std::array<VReg, 4>, kMaxVaryings> varyings;  // 0 where the shader does not store
  std::array<bool, kMaxVaryings> stored{};
  VReg alive;  // 1, or 0 after DISCARD
};

// The shader must have passed the hardened verifier.
Results lower(const Shader& shader, Math math, Port* port, Builder* builder);

}  // namespace gyre::shader::gpu
