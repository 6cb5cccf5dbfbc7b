// First half of a batch plan: CSIR becomes values, each made once (SSA). A temporary's lane is whatever value it holds
// at that point, so moves cost nothing; ENDIF chooses between the values of both parts.
#pragma once

#include "batch_plan.h"
#include "value_table.h"

namespace gyre::shader {

constexpr int kNoValue = -1;
using RowOperands = std::array<int, 8>;  // values, kNoValue behind the last
constexpr RowOperands kNoOperands = {{-1, -1, -1, -1, -1, -1, -1, -1}};

struct RowValue {
  RowOp op = RowOp::kConstant;
  RowOperands in = kNoOperands;
  int extra = 0;
  int target = kNoValue;  // skips and kEndLanes: the value to go on with
  bool once = false;      // the same in every lane of a draw
};

class RowBuilder {
 public:
  RowBuilder(const Shader& shader, const BatchInputs& in, const BatchOutputs& out);
  // In the order they are computed.
  std::vector<RowValue> build();

 private:
  static constexpr int kPosition = 4 * kMaxTemps, kColor = kPosition + 4, kStored = kColor + 4,
                       kLanes = kStored + 4 * kMaxVaryings;
  using Lanes = std::array<int, kLanes>;  // the value in each lane of each temporary and output
  struct Level {
    int condition, skip;  // values; the skip that waits for its target
    bool otherwise;       // in the ELSE part
    Lanes before, then;
  };

  int add(RowOp op, const RowOperands& in, int extra = 0);
  int constant(float value);
  int control(RowOp op, int x = kNoValue, int extra = 0);
  void instruction(const Instruction& ins);
  void component_wise(const Instruction& ins);
  int product(const Instruction& ins, int matrix, int lane, int vector);
  int dot(const Instruction& ins);
  void matrices(const Instruction& ins);
  void sample(const Instruction& ins);
  void load(const Instruction& ins);
  void store(int lane, const Instruction& ins);
  void begin_if(int temp);
  void begin_else();
  void end_if();
  void discard();
  void forget(std::size_t mark);
  int& lane(int temp, int k) { return lanes_[static_cast<std::size_t>(4 * temp + k)]; }

  const Shader& shader_;
  const BatchInputs& in_;
  const BatchOutputs& out_;
  std::vector<RowValue> values_;
  Lanes lanes_;
  std::vector<Level> levels_;
  std::vector<std::size_t> marks_;  // of each level, in order_
  std::vector<int> ends_;           // kEndLanes, which go on behind everything
  // What was computed before and still stands, and in which order it came.
  ValueTable known_;
  std::vector<int> order_;
};

}  // namespace gyre::shader
