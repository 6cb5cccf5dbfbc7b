#include "batch_plan.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "batch_run.h"
#include "row_schedule.h"

namespace gyre::shader {

Isa chosen_isa() {
  static const Isa found = [] {
    const char* const text = std::getenv("GYRE_ISA");
    const std::string_view wish = text != nullptr ? text : "";
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (wish == "base" || !v3) return Isa::kBase;
    return wish == "v3" || !v4 ? Isa::kV3 : Isa::kV4;
  }();
  return found;
}

namespace {

constexpr std::size_t kCacheLine = 64;

BatchRun chosen_run() {
  static const BatchRun run = for_isa<BatchRun>(base::batch_run, v3::batch_run, v4::batch_run);
  return run;
}

}  // namespace

BatchPlan make_batch_plan(const Shader& shader, const BatchInputs& in, const BatchOutputs& out) {
  return schedule(RowBuilder(shader, in, out).build());
}

BatchMachine::BatchMachine() = default;
BatchMachine::~BatchMachine() = default;
BatchMachine::BatchMachine(BatchMachine&&) noexcept = default;
BatchMachine& BatchMachine::operator=(BatchMachine&&) noexcept = default;

float* BatchMachine::row(int name) const {
  // Inputs are never a step's destination.
  float* const spaces[kSpaces] = {registers_,
                                  const_cast<float*>(in_.attributes),
                                  const_cast<float*>(in_.varyings),
                                  const_cast<float*>(in_.fragcoord),
                                  out_.position,
                                  out_.varyings,
                                  out_.color};
  return spaces[row_space(name)] + static_cast<std::size_t>(row_index(name)) * kBatchRow;
}

BoundStep BatchMachine::bound(const RowStep& step) const {
  BoundStep out;
  out.op = step.op;
  out.extra = step.extra;
  out.target = step.target;
  const bool stores = step.op == RowOp::kStore || step.op == RowOp::kStoreMasked || step.op == RowOp::kMaskedLive;
  if (stores)
    out.dst = row(step.extra);
  else if (step.dst >= 0)
    out.dst = row(step.dst);
  for (std::size_t k = 0; k < 8 && step.in[k] >= 0; ++k) out.in[k] = row(step.in[k]);
  return out;
}

void BatchMachine::prepare(const BatchPlan& plan, const BatchInputs& in, const BatchOutputs& out) {
  in_ = in;
  out_ = out;
  if (in.texture != nullptr) texture_ = *in.texture;
  ends_lanes_ = plan.ends_lanes;
  memory_.assign(static_cast<std::size_t>(plan.registers) * kBatchRow + kCacheLine / sizeof(float), 0.0f);
  void* start = memory_.data();
  std::size_t space = memory_.size() * sizeof(float);
  registers_ = static_cast<float*>(std::align(kCacheLine, 1, start, space));
  code_.clear();
  for (const RowStep& step : plan.once) {
    if (step.op == RowOp::kConstant || step.op == RowOp::kUniform) {
      const float value = step.op == RowOp::kConstant ? float_from_bits(static_cast<std::uint32_t>(step.extra))
                                                      : in.uniforms[step.extra];
      std::fill_n(row(step.dst), kBatchLanes, value);
    } else {
      code_.push_back(bound(step));
    }
  }
  const BatchState state{&texture_, nullptr, nullptr};
  chosen_run()(code_.data(), static_cast<int>(code_.size()), state, kBatchLanes);
  code_.clear();
  for (const RowStep& step : plan.code) code_.push_back(bound(step));
}

void BatchMachine::run(int count) {
  const int n = (count + kBatchBlock - 1) / kBatchBlock * kBatchBlock;
  if (out_.discard != nullptr) std::fill(out_.discard, out_.discard + n, 0);
  alignas(kCacheLine) std::int32_t live[kBatchLanes];
  if (ends_lanes_)
    for (int i = 0; i < n; ++i) live[i] = i < count ? -1 : 0;
  const BatchState state{&texture_, out_.discard, live};
  chosen_run()(code_.data(), static_cast<int>(code_.size()), state, n);
}

}  // namespace gyre::shader
