// The loops of the batched executor, compiled for x86-64, x86-64-v3 and x86-64-v4 and chosen at start.
#pragma once

#include "batch_plan.h"

namespace gyre::shader {

// A step with the addresses of its rows.
struct BoundStep {
  RowOp op = RowOp::kCopy;
  std::int32_t extra = 0, target = 0;
  float* dst = nullptr;
  const float* in[8] = {};
};

struct BatchState {
  const TextureView* texture;
  std::int32_t* discard;  // or null
  std::int32_t* live;     // -1 for lanes that run, else 0; null when no lane can end
};

// Executes code[0..size) for lanes 0..n-1; n is a multiple of kBatchBlock.
using BatchRun = void (*)(const BoundStep* code, int size, const BatchState& state, int n);
namespace base {
void batch_run(const BoundStep* code, int size, const BatchState& state, int n);
}
namespace v3 {
void batch_run(const BoundStep* code, int size, const BatchState& state, int n);
}
namespace v4 {
void batch_run(const BoundStep* code, int size, const BatchState& state, int n);
}

enum class Isa { kBase, kV3, kV4 };
// The best this processor runs; environment GYRE_ISA=base or v3: at most that.
Isa chosen_isa();

template <class T>
T for_isa(T base, T v3, T v4) {
  return chosen_isa() == Isa::kV4 ? v4 : chosen_isa() == Isa::kV3 ? v3 : base;
}

}  // namespace gyre::shader
