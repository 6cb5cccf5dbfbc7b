// exec_ir: the plain scalar executor of verified CSIR (csir.md §3, §5..§8), one vertex or one fragment a call. It is the
// meaning of the IR; faster executors are compared with it bit by bit.
// Everything it needs stands in the call: no shared state, any number may run at once.
#pragma once

#include "csir.h"
#include "texture.h"

namespace gyre::shader {

// Which SIN, COS, POW and RSQ (§6): the seed's own series, or accurate ones.
enum class Math { kCompat, kPrecise };

// Null: the source is absent, loads from it leave the temporary as it was.
struct ExecInputs {
  const float* attributes = nullptr;         // 8 vec4
  const float* varyings = nullptr;           // 8 vec4
  const std::int16_t* varying_map = nullptr;  // 8 slots, -1: keep the slot
  const float* uniforms = nullptr;           // 32 vec4
  const float* fragcoord = nullptr;          // x, y, z, w
  const TextureView* texture = nullptr;      // null: SAMPLE gives 0,0,0,0; one texture serves all sampler slots
  Math math = Math::kPrecise;
};

// Null: the result is not wanted.
struct ExecOutputs {
  float* position = nullptr;  // 4 floats, starts as 0,0,0,1
  float* varyings = nullptr;  // 8 vec4, only stored slots are written
  float* color = nullptr;     // 4 floats, starts as 0
  bool* discard = nullptr;    // starts as false
};

// `shader` must have passed the hardened verifier, but for its control flow: malformed ELSE and ENDIF or more than 32
// nested IF end the run with -1. Else 0.
int exec_ir(const Shader& shader, const ExecInputs& in, const ExecOutputs& out);

}  // namespace gyre::shader
