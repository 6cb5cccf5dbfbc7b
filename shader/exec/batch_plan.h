// The batched executor's form of a shader. Many vertices or fragments run side by side, one lane each; a lane gets the
// very bits exec_ir() computes for it.
// A plan is straight-line code over rows: one float of every lane. Moves, swizzles and unused lanes are gone, what is
// the same in every lane is computed once a draw, and a branch is a choice between two rows.
#pragma once

#include <array>
#include <vector>

#include "interpreter.h"

namespace gyre::shader {

constexpr int kBatchLanes = 64;  // a multiple of kBatchBlock
constexpr int kBatchBlock = 16;  // loops run over whole blocks of lanes
constexpr int kBatchRow =
    kBatchLanes + kBatchBlock;  // floats from one row to the next; a caller may fill past the lanes

// Operations on rows; "in" lists their operands.
enum class RowOp : std::uint8_t {
  // where values come from
  kConstant,  // bits in extra
  kUniform,   // extra: float of the uniforms
  kInput,     // extra: a row of the caller
  // in: x
  kCopy,
  kAbs,
  kRcp,
  kRsq,
  kSin,
  kCos,
  kTrunc,
  kCompatRsq,
  kCompatSin,
  kCompatCos,
  kTexelLane,  // extra: 0..3 for r, g, b, a of the texel word x
  // in: x, y
  kAdd,
  kSub,
  kMul,
  kMax,
  kMin,
  kLess,
  kGreater,
  kLessEqual,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kPow,
  kCompatPow,
  kTexel,  // the texel word at u, v
  // in: x, y, z
  kMulAdd,  // x * y + z, rounded twice
  kSelect,  // x != 0 ? y : z
  kDot3,    // in: x0, y0, x1, y1, ...
  kDot4,
  // what has no result
  kSkipIfNone,  // in: x. Goes on at `target` when no lane's x is true
  kSkipIfAll,
  kMaskLive,    // mask = lanes that have not ended
  kMaskAnd,     // mask &= x != 0
  kMaskAndNot,  // mask &= x == 0
  kStore,       // row `extra` = x
  kStoreMasked,
  kEndLanes,    // the lanes of the mask end; at once when none is left
  kMaskedLive,  // kStore of what is live
};

// Registers are 0.., rows of the caller stand in these spaces.
enum RowSpace : int {
  kSpaceRegisters = 0,
  kSpaceAttributes,
  kSpaceVaryings,
  kSpaceFragcoord,
  kSpacePosition,
  kSpaceStored,
  kSpaceColor,
  kSpaces
};
constexpr std::int32_t row_name(int space, int row) { return space << 20 | row; }
constexpr int row_space(int name) { return name >> 20; }
constexpr int row_index(int name) { return name & 0xFFFFF; }

struct RowStep {
  RowOp op = RowOp::kCopy;
  std::int32_t dst = -1;  // names of rows
  std::array<std::int32_t, 8> in{{-1, -1, -1, -1, -1, -1, -1, -1}};
  std::int32_t extra = 0;
  std::int32_t target = 0;  // index of a step
};

struct BatchPlan {
  std::vector<RowStep> once;  // first the constants and uniforms, then what depends on nothing else
  std::vector<RowStep> code;
  int registers = 0;
  std::uint32_t attributes_read = 0, varyings_read = 0,
                varyings_stored = 0;  // bit r: row r, which is lane r % 4 of slot r / 4
  bool fragcoord_read = false;
  bool ends_lanes = false;  // is there a discard
};

// Rows of kBatchRow floats, row r begins at r * kBatchRow. Null like in ExecInputs and ExecOutputs.
struct BatchInputs {
  const float* attributes = nullptr;  // 32 rows
  const float* varyings = nullptr;    // 32 rows
  const float* fragcoord = nullptr;   // 4 rows
  const std::int16_t* varying_map = nullptr;
  const float* uniforms = nullptr;  // 32 vec4, the same for all lanes
  const TextureView* texture = nullptr;
  Math math = Math::kPrecise;
};
struct BatchOutputs {
  float* position = nullptr;        // 4 rows, start as 0,0,0,1
  float* varyings = nullptr;        // 32 rows, only stored slots are written
  float* color = nullptr;           // 4 rows, start as 0
  std::int32_t* discard = nullptr;  // kBatchLanes words, 0 or -1
};

// `shader` must be verified. Of `in` and `out` counts what is null, the varying map and the mathematics.
BatchPlan make_batch_plan(const Shader& shader, const BatchInputs& in, const BatchOutputs& out);

struct BoundStep;

// Registers of one worker, for one thread at a time.
class BatchMachine {
 public:
  BatchMachine();
  ~BatchMachine();
  BatchMachine(BatchMachine&&) noexcept;
  BatchMachine& operator=(BatchMachine&&) noexcept;

  // Takes a plan that was made for these inputs and outputs, which must stay where they are, and reads the uniforms.
  void prepare(const BatchPlan& plan, const BatchInputs& in, const BatchOutputs& out);
  // Lanes 0..count-1 run on what the input rows hold now; the others may hold anything.
  void run(int count);

 private:
  float* row(int name) const;
  BoundStep bound(const RowStep& step) const;

  std::vector<float> memory_;
  float* registers_ = nullptr;  // in memory_, on a cache line
  std::vector<BoundStep> code_;
  BatchInputs in_;
  BatchOutputs out_;
  TextureView texture_;
  bool ends_lanes_ = false;
};

}  // namespace gyre::shader
