#include "vertex_batch.h"

#include <algorithm>

namespace gyre::shader {
namespace {

std::vector<int> rows_of(std::uint32_t bits) {
  std::vector<int> out;
  for (; bits != 0; bits &= bits - 1) out.push_back(__builtin_ctz(bits));
  return out;
}

}  // namespace

VertexBatch::VertexBatch(const Program& program, Math math)
    : attributes_(32 * kBatchRow), position_(4 * kBatchRow), varyings_(32 * kBatchRow) {
  BatchInputs in;
  in.attributes = attributes_.data();
  in.uniforms = program.words(Stage::kVertex);
  in.math = math;
  BatchOutputs out;
  out.position = position_.data();
  out.varyings = varyings_.data();
  const BatchPlan plan = make_batch_plan(program.vertex(), in, out);
  read_ = rows_of(plan.attributes_read);
  stored_ = rows_of(plan.varyings_stored);
  machine_.prepare(plan, in, out);
}

void VertexBatch::set(int lane, const float* attributes) {
  for (const int row : read_) attributes_[static_cast<std::size_t>(row * kBatchRow + lane)] = attributes[row];
}

void VertexBatch::get(int lane, ShadedVertex* out) const {
  for (int k = 0; k < 4; ++k) out->position[k] = position_[static_cast<std::size_t>(k * kBatchRow + lane)];
  std::fill(out->varyings, out->varyings + 32, 0.0f);
  for (const int row : stored_) out->varyings[row] = varyings_[static_cast<std::size_t>(row * kBatchRow + lane)];
}

}  // namespace gyre::shader
