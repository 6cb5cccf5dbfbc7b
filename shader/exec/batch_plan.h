// The batched executor's form of a shader: what is to be done once a draw, once a batch, and how registers are laid out.
// Many vertices or fragments run side by side, one lane each; a lane gets the very bits exec_ir() computes for it.
#pragma once

#include <vector>

#include "interpreter.h"

namespace gyre::shader {

constexpr int kBatchLanes = 64;  // a multiple of kBatchBlock
constexpr int kBatchBlock = 16;  // loops run over whole blocks of lanes

struct BatchOp {
  Op op;
  std::uint8_t lanes;  // rows of dst that are written, 1..16
  std::uint8_t width;  // DOT, MULMV, MULMM: terms; CONST, SWZ: lanes that are not 0
  std::int16_t dst, a, b, aux, aux2;
  int target = 0;      // IF, ELSE: the operation that ends this part
  bool fresh = false;  // loads: dst holds nothing yet, so without a source it becomes 0
};

struct BatchPlan {
  std::vector<BatchOp> once;      // loads of constants and uniforms that nothing overwrites
  std::vector<BatchOp> code;      // without NOP
  std::vector<std::int16_t> zeroed;  // temporaries somebody reads before they are written
  std::vector<float> immediates;
  int temps = 0;
};

// `shader` must be verified.
BatchPlan make_batch_plan(const Shader& shader);

// Rows of kBatchLanes floats: row r begins at r * kBatchLanes. Null like in ExecInputs and ExecOutputs.
struct BatchInputs {
  const float* attributes = nullptr;  // 32 rows
  const float* varyings = nullptr;    // 32 rows
  const float* fragcoord = nullptr;   // 4 rows
  const std::int16_t* varying_map = nullptr;
  const float* uniforms = nullptr;    // 32 vec4, the same for all lanes
  const TextureView* texture = nullptr;
  Math math = Math::kPrecise;
};
struct BatchOutputs {
  float* position = nullptr;           // 4 rows, start as 0,0,0,1
  float* varyings = nullptr;           // 32 rows, only stored slots are written
  float* color = nullptr;              // 4 rows, start as 0
  std::int32_t* discard = nullptr;     // kBatchLanes words, 0 or -1
};

// Registers of one worker; to be used for one plan at a time, by one thread at a time.
class BatchMachine {
 public:
  // Forgets everything and runs the `once` part for `in`.
  void prepare(const BatchPlan& plan, const BatchInputs& in);
  // Lanes 0..count-1 run; the others may hold anything.
  void run(const BatchPlan& plan, const BatchInputs& in, const BatchOutputs& out, int count);

 private:
  std::vector<float> registers_;
};

}  // namespace gyre::shader
