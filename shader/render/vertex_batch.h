// Vertices through the batched executor.
#pragma once

#include "batch_plan.h"
#include "linker.h"
#include "triangle_setup.h"

namespace gyre::shader {

// The vertex stage of a linked program, for as long as its uniforms stay.
class VertexBatch {
 public:
  VertexBatch(const Program& program, Math math);
  // Where the 8 vec4 of attributes of lane 0..kBatchLanes-1 go: lane k of attribute a is row 4 * a + k.
  void set(int lane, const float* attributes);
  void run(int count) { machine_.run(count); }
  // What exec_ir() would have made of lane `lane`; slots the shader does not store are 0.
  void get(int lane, ShadedVertex* out) const;

 private:
  std::vector<float> attributes_, position_, varyings_;
  std::vector<int> read_, stored_;  // rows
  BatchMachine machine_;
};

}  // namespace gyre::shader
