#include "row_schedule.h"

namespace gyre::shader {
namespace {

// A part of a branch this short runs rather than being asked about.
constexpr int kWorthSkipping = 5;

bool is_skip(RowOp op) { return op == RowOp::kSkipIfNone || op == RowOp::kSkipIfAll; }
bool has_result(RowOp op) { return op < RowOp::kSkipIfNone; }

class Scheduler {
 public:
  explicit Scheduler(std::vector<RowValue> values)
      : values_(std::move(values)), uses_(values_.size(), 0), row_(values_.size(), -1) {}

  BatchPlan run() {
    find_needed();
    join_products();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].once && uses_[i] > 0) once(i);
    claim_outputs();
    find_last_uses();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      position_.push_back(static_cast<int>(plan_.code.size()));
      if (!values_[i].once && uses_[i] > 0) emit(i);
    }
    position_.push_back(static_cast<int>(plan_.code.size()));
    for (RowStep& step : plan_.code)
      if (is_skip(step.op) || step.op == RowOp::kEndLanes)
        step.target = position_[static_cast<std::size_t>(step.target)];
    return std::move(plan_);
  }

 private:
  static std::size_t at(int value) { return static_cast<std::size_t>(value); }

  void need(std::size_t value) {
    std::vector<std::size_t> open{value};
    while (!open.empty()) {
      const std::size_t now = open.back();
      open.pop_back();
      if (uses_[now]++ > 0) continue;
      for (const int x : values_[now].in)
        if (x != kNoValue) open.push_back(at(x));
    }
  }

  // uses_: how often a value is an operand of something needed; 1 for what has no result.
  void find_needed() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!has_result(values_[i].op) && !is_skip(values_[i].op)) need(i);
    for (std::size_t i = values_.size(); i-- > 0;) {
      if (!is_skip(values_[i].op)) continue;
      int steps = 0;
      for (std::size_t k = i + 1; k < at(values_[i].target); ++k)
        steps += uses_[k] > 0 && !values_[k].once && values_[k].op != RowOp::kInput;
      if (steps >= kWorthSkipping) need(i);
    }
  }

  void join_products() {
    for (RowValue& sum : values_) {
      if (sum.op != RowOp::kAdd || sum.once || uses_[static_cast<std::size_t>(&sum - values_.data())] == 0) continue;
      for (int side = 0; side < 2; ++side) {
        const std::size_t product = at(sum.in[static_cast<std::size_t>(side)]);
        if (values_[product].op != RowOp::kMul || values_[product].once || uses_[product] != 1) continue;
        const int other = sum.in[static_cast<std::size_t>(1 - side)];
        sum.op = RowOp::kMulAdd;
        sum.in = {{values_[product].in[0], values_[product].in[1], other, -1, -1, -1, -1, -1}};
        uses_[product] = 0;
        break;
      }
    }
  }

  RowStep step_of(std::size_t i) {
    const RowValue& value = values_[i];
    RowStep step;
    step.op = value.op;
    step.extra = value.extra;
    step.target = value.target;
    for (std::size_t k = 0; k < 8 && value.in[k] != kNoValue; ++k) {
      const RowValue& from = values_[at(value.in[k])];
      step.in[k] = from.op == RowOp::kInput ? from.extra : row_[at(value.in[k])];
      note_read(step.in[k]);
    }
    return step;
  }
  void note_read(int name) {
    if (row_space(name) == kSpaceAttributes) plan_.attributes_read |= 1u << row_index(name);
    if (row_space(name) == kSpaceVaryings) plan_.varyings_read |= 1u << row_index(name);
    if (row_space(name) == kSpaceFragcoord) plan_.fragcoord_read = true;
  }

  void once(std::size_t i) {
    RowStep step = step_of(i);
    row_[i] = step.dst = plan_.registers++;
    plan_.once.push_back(step);
  }

  // A value that is stored in the end and nowhere else is computed where it is stored.
  void claim_outputs() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      RowValue& store = values_[i];
      if (store.op != RowOp::kStore) continue;
      if (row_space(store.extra) == kSpaceStored) plan_.varyings_stored |= 1u << row_index(store.extra);
      const std::size_t from = at(store.in[0]);
      if (values_[from].once || values_[from].op == RowOp::kInput || row_[from] >= 0) continue;
      row_[from] = store.extra;
      uses_[i] = 0;
    }
  }

  void find_last_uses() {
    last_use_.assign(values_.size(), -1);
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!values_[i].once && uses_[i] > 0)
        for (const int x : values_[i].in)
          if (x != kNoValue) last_use_[at(x)] = static_cast<int>(i);
  }

  void emit(std::size_t i) {
    const RowValue& value = values_[i];
    if (value.op == RowOp::kInput) return;
    RowStep step = step_of(i);
    // Lane i of a result depends on lane i of the operands only, so it may take the row of one of them.
    for (std::size_t k = 0; k < 8 && value.in[k] != kNoValue; ++k) {
      const std::size_t from = at(value.in[k]);
      if (last_use_[from] != static_cast<int>(i) || values_[from].once || values_[from].op == RowOp::kInput) continue;
      if (row_space(row_[from]) == kSpaceRegisters) free_.push_back(row_[from]);
      last_use_[from] = -1;  // an operand may stand there twice
    }
    if (has_result(value.op)) {
      if (row_[i] < 0) {
        if (free_.empty()) free_.push_back(plan_.registers++);
        row_[i] = free_.back();
        free_.pop_back();
      }
      step.dst = row_[i];
    }
    plan_.ends_lanes |= value.op == RowOp::kEndLanes;
    plan_.code.push_back(step);
  }

  std::vector<RowValue> values_;
  std::vector<int> uses_, row_, last_use_, position_, free_;
  BatchPlan plan_;
};

}  // namespace

BatchPlan schedule(std::vector<RowValue> values) { return Scheduler(std::move(values)).run(); }

}  // namespace gyre::shader
