// The loops of the batched executor, compiled for every x86-64 and for x86-64-v3.
#pragma once

#include "batch_plan.h"

namespace gyre::shader {

// Executes `code` for lanes 0..n-1; n is a multiple of kBatchBlock. `live`: -1 for lanes that run, else 0.
using BatchRun = void (*)(const std::vector<BatchOp>& code, const float* immediates, const BatchInputs& in, const BatchOutputs& out,
                          float* registers, std::int32_t* live, int n);
namespace base {
void batch_run(const std::vector<BatchOp>& code, const float* immediates, const BatchInputs& in, const BatchOutputs& out, float* registers,
               std::int32_t* live, int n);
}
namespace v3 {
void batch_run(const std::vector<BatchOp>& code, const float* immediates, const BatchInputs& in, const BatchOutputs& out, float* registers,
               std::int32_t* live, int n);
}

// Does this processor run x86-64-v3? (Environment GYRE_ISA=base: act as if not.)
bool has_v3();

}  // namespace gyre::shader
