// Lane-parallel executors, one per instruction and thread count, built for baseline x86-64 and for x86-64-v3.
#pragma once

#include "machine.h"
#include "op.h"

namespace gyre::core {

// The executor of `op` for warps of `threads` lanes (1, 2, 4, 8, 16, 32), for the best instruction set this machine
// has; null for operations that are not lane-parallel (control.h) or do not exist on the core.
Handler lane_handler(riscv::Op op, unsigned threads);

// For tests: forces the baseline build. Call before the first core is made.
void use_baseline_executors(bool force);
const char* executor_name();

namespace base {
Handler int_handler(riscv::Op op, unsigned threads);
Handler fp_handler(riscv::Op op, unsigned threads);
Handler mem_handler(riscv::Op op, unsigned threads);
}  // namespace base
namespace v3 {
Handler int_handler(riscv::Op op, unsigned threads);
Handler fp_handler(riscv::Op op, unsigned threads);
Handler mem_handler(riscv::Op op, unsigned threads);
}  // namespace v3

}  // namespace gyre::core
