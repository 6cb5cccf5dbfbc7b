#include "exec.h"

namespace gyre::core {
namespace {
bool forced_baseline = false;

bool use_v3() {
  static const bool supported =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return supported && !forced_baseline;
}
}  // namespace

void use_baseline_executors(bool force) { forced_baseline = force; }
const char* executor_name() { return use_v3() ? "x86-64-v3" : "x86-64"; }

Handler lane_handler(riscv::Op op, unsigned threads) {
  const bool fast = use_v3();
  if (Handler h = fast ? v3::int_handler(op, threads) : base::int_handler(op, threads)) return h;
  if (Handler h = fast ? v3::fp_handler(op, threads) : base::fp_handler(op, threads)) return h;
  return fast ? v3::mem_handler(op, threads) : base::mem_handler(op, threads);
}

}  // namespace gyre::core
