#include "batch_plan.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "batch_run.h"

namespace gyre::shader {
namespace {

// Rows of dst that one operation writes, from its first row on; SETLANE: that one row.
int rows_written(const Instruction& ins) {
  switch (static_cast<Op>(ins.op)) {
    case Op::kConst: case Op::kSwz: case Op::kMulMv: case Op::kSample: case Op::kLoadAttr: case Op::kLoadVar: case Op::kLoadFcoord: return 4;
    case Op::kLoadUni: return 4 * ins.aux2;
    case Op::kMulMm: return 4 * ins.aux;
    default: return op_info(static_cast<Op>(ins.op)).lanes ? lanes_of(ins) : op_info(static_cast<Op>(ins.op)).dst ? 1 : 0;
  }
}

// Lanes of dst that are written, bit k for lane k; of the temporary dst + i when several are.
int write_mask(const Instruction& ins) {
  const auto op = static_cast<Op>(ins.op);
  if (op == Op::kSetLane) return 1 << (ins.aux & 3);
  if (op == Op::kMulMm) return (1 << ins.aux) - 1;
  const int rows = rows_written(ins);
  return rows >= 4 ? 15 : (1 << rows) - 1;
}

// Lanes an operand is read in.
int read_mask(const Instruction& ins) {
  const auto op = static_cast<Op>(ins.op);
  switch (op) {
    case Op::kSwz: {
      int mask = 0;
      for (int k = 0; k < lanes_of(ins); ++k) mask |= 1 << (ins.aux >> (2 * k) & 3);
      return mask;
    }
    case Op::kSetLane: return 1 << (ins.aux2 & 3);
    case Op::kDot: case Op::kMulMv: case Op::kMulMm: return (1 << width_of(ins)) - 1;
    case Op::kSample: return 3;
    case Op::kStorePos: case Op::kStoreVar: case Op::kStoreColor: return 15;
    default: return op_info(op).lanes ? (1 << lanes_of(ins)) - 1 : 1;
  }
}

bool is_flow(const Instruction& ins) {
  const auto op = static_cast<Op>(ins.op);
  return op == Op::kIf || op == Op::kElse || op == Op::kEndIf;
}

bool reads(const Instruction& ins, int temp, int lanes) {
  const OpInfo& info = op_info(static_cast<Op>(ins.op));
  const bool a = info.a && temp >= ins.a && temp < ins.a + a_span(ins), b = info.b && temp >= ins.b && temp < ins.b + b_span(ins);
  return (a || b) && (read_mask(ins) & lanes) != 0;
}

// A CONST whose readers all stand behind it in straight-line code gets a register of its own, which is loaded once a draw.
class ConstantForwarder {
 public:
  explicit ConstantForwarder(Shader* shader) : shader_(*shader) {}

  void run() {
    for (std::size_t i = 0; i < shader_.code.size(); ++i) {
      if (static_cast<Op>(shader_.code[i].op) != Op::kConst || !movable(i)) continue;
      const Instruction constant = shader_.code[i];
      const int to = home(constant);
      rename(i, to);
      shader_.code[i] = Instruction{};
    }
    shader_.code.insert(shader_.code.begin(), homes_.begin(), homes_.end());
  }

 private:
  // Visits readers until nothing of the constant is left; false: it must stay where it is.
  template <class Reader>
  bool walk(std::size_t from, Reader reader) {
    const int temp = shader_.code[from].dst;
    int held = 15;
    for (std::size_t i = from + 1; i < shader_.code.size() && held != 0; ++i) {
      Instruction& ins = shader_.code[i];
      const OpInfo& info = op_info(static_cast<Op>(ins.op));
      if (is_flow(ins)) {
        if (info.a && ins.a == temp && (held & 1) != 0) return false;
        for (; i < shader_.code.size(); ++i)
          if (reads(shader_.code[i], temp, held)) return false;
        return true;
      }
      if (reads(ins, temp, 15) && !reader(&ins, temp, held)) return false;
      if (info.dst && temp >= ins.dst && temp < ins.dst + dst_span(ins)) {
        // A load may have no source, and then writes nothing.
        const auto op = static_cast<Op>(ins.op);
        if (op == Op::kLoadUni || op == Op::kLoadAttr || op == Op::kLoadVar || op == Op::kLoadFcoord) return false;
        held &= ~write_mask(ins);
      }
    }
    return true;
  }

  bool movable(std::size_t at) {
    return walk(at, [](Instruction* ins, int temp, int held) {
      // Matrices are read by their first column; those stay.
      if ((a_span(*ins) > 1 && temp >= ins->a && temp < ins->a + a_span(*ins)) || (b_span(*ins) > 1 && temp >= ins->b && temp < ins->b + b_span(*ins))) return false;
      const int wanted = read_mask(*ins);
      return (wanted & held) == wanted || (wanted & held) == 0;
    });
  }
  void rename(std::size_t at, int to) {
    walk(at, [to](Instruction* ins, int temp, int held) {
      if ((read_mask(*ins) & held) == 0) return true;
      const OpInfo& info = op_info(static_cast<Op>(ins->op));
      if (info.a && ins->a == temp) ins->a = static_cast<std::int16_t>(to);
      if (info.b && ins->b == temp) ins->b = static_cast<std::int16_t>(to);
      return true;
    });
  }

  int home(const Instruction& constant) {
    for (const Instruction& known : homes_)
      if (known.aux == constant.aux && known.ncomp == constant.ncomp) return known.dst;
    homes_.push_back(constant);
    homes_.back().dst = static_cast<std::int16_t>(shader_.temps);
    return shader_.temps++;
  }

  Shader& shader_;
  std::vector<Instruction> homes_;
};

class Planner {
 public:
  explicit Planner(const Shader& shader) : shader_(shader) {
    ConstantForwarder(&shader_).run();
    writers_.resize(static_cast<std::size_t>(shader_.temps));
    written_.resize(writers_.size());
    zero_.resize(writers_.size());
  }

  BatchPlan plan() {
    out_.temps = shader_.temps;
    out_.immediates = shader_.immediates;
    count_writers();
    for (const Instruction& ins : shader_.code) add(ins);
    for (int t = 0; t < shader_.temps; ++t)
      if (zero_[at(t)]) out_.zeroed.push_back(static_cast<std::int16_t>(t));
    return std::move(out_);
  }

 private:
  void count_writers() {
    for (const Instruction& ins : shader_.code)
      if (op_info(static_cast<Op>(ins.op)).dst)
        for (int t = ins.dst; t < ins.dst + dst_span(ins); ++t) ++writers_[at(t)];
  }

  void need(int temp, int lanes) {
    if ((written_[at(temp)] & lanes) != lanes) zero_[at(temp)] = true;
  }

  // An absent source leaves the temporary as it was, so a load counts as a reader of what was there.
  void track(const Instruction& ins, BatchOp* out) {
    const OpInfo& info = op_info(static_cast<Op>(ins.op));
    if (info.a) for (int t = ins.a; t < ins.a + a_span(ins); ++t) need(t, read_mask(ins));
    if (info.b) for (int t = ins.b; t < ins.b + b_span(ins); ++t) need(t, read_mask(ins));
    if (!info.dst) return;
    const auto op = static_cast<Op>(ins.op);
    const bool load = op == Op::kLoadAttr || op == Op::kLoadVar || op == Op::kLoadUni || op == Op::kLoadFcoord;
    out->fresh = load && depth_ == 0;
    for (int t = ins.dst; t < ins.dst + dst_span(ins); ++t) out->fresh &= written_[at(t)] == 0 && !zero_[at(t)];
    for (int t = ins.dst; t < ins.dst + dst_span(ins); ++t) {
      if ((load && !out->fresh) || depth_ > 0) need(t, write_mask(ins));
      else written_[at(t)] |= write_mask(ins);
    }
  }

  bool invariant(const Instruction& ins) const {
    const auto op = static_cast<Op>(ins.op);
    if (op != Op::kConst && op != Op::kLoadUni) return false;
    for (int t = ins.dst; t < ins.dst + dst_span(ins); ++t)
      if (writers_[at(t)] != 1 || zero_[at(t)] || depth_ > 0) return false;
    return true;
  }

  void add(const Instruction& ins) {
    const auto op = static_cast<Op>(ins.op);
    if (op == Op::kNop) return;
    BatchOp out{op, static_cast<std::uint8_t>(std::min(rows_written(ins), 16)), 0, ins.dst, ins.a, ins.b, ins.aux, ins.aux2};
    const bool listed = op == Op::kConst || op == Op::kSwz;
    if (listed || op_info(op).aux == Aux::kWidth) out.width = static_cast<std::uint8_t>(listed ? lanes_of(ins) : width_of(ins));
    // Nothing read it before and nothing else writes it: its value is the same in every batch.
    if (invariant(ins)) {
      for (int t = ins.dst; t < ins.dst + dst_span(ins); ++t) written_[at(t)] = 15;
      out_.once.push_back(out);
      return;
    }
    track(ins, &out);
    const int here = static_cast<int>(out_.code.size());
    if (op == Op::kElse || op == Op::kEndIf) {
      out_.code[static_cast<std::size_t>(open_.back())].target = here;
      open_.pop_back();
      if (op == Op::kEndIf) --depth_;
    }
    if (op == Op::kIf) ++depth_;
    if (op == Op::kIf || op == Op::kElse) open_.push_back(here);
    out_.code.push_back(out);
  }

  static std::size_t at(int temp) { return static_cast<std::size_t>(temp); }

  Shader shader_;  // a copy: constants move
  BatchPlan out_;
  std::vector<int> open_;
  int depth_ = 0;
  std::vector<int> writers_, written_;  // instructions; lanes that hold something of this run
  std::vector<bool> zero_;
};

BatchRun chosen_run() {
  static const BatchRun run = has_v3() ? v3::batch_run : base::batch_run;
  return run;
}

void fill_rows(float* rows, int row, float value, int n) { std::fill(rows + row * kBatchLanes, rows + row * kBatchLanes + n, value); }

}  // namespace

bool has_v3() {
  static const bool found = [] {
    const char* const wish = std::getenv("GYRE_ISA");
    return __builtin_cpu_supports("x86-64-v3") && !(wish != nullptr && std::strcmp(wish, "base") == 0);
  }();
  return found;
}

BatchPlan make_batch_plan(const Shader& shader) { return Planner(shader).plan(); }

void BatchMachine::prepare(const BatchPlan& plan, const BatchInputs& in) {
  registers_.assign(static_cast<std::size_t>(plan.temps) * 4 * kBatchLanes, 0.0f);
  std::int32_t live[kBatchLanes];
  std::fill(live, live + kBatchLanes, -1);
  chosen_run()(plan.once, plan.immediates.data(), in, {}, registers_.data(), live, kBatchLanes);
}

void BatchMachine::run(const BatchPlan& plan, const BatchInputs& in, const BatchOutputs& out, int count) {
  const int n = (count + kBatchBlock - 1) / kBatchBlock * kBatchBlock;
  for (const std::int16_t temp : plan.zeroed)
    for (int lane = 0; lane < 4; ++lane) fill_rows(registers_.data(), 4 * temp + lane, 0.0f, n);
  if (out.position != nullptr)
    for (int lane = 0; lane < 4; ++lane) fill_rows(out.position, lane, lane == 3 ? 1.0f : 0.0f, n);
  if (out.color != nullptr)
    for (int lane = 0; lane < 4; ++lane) fill_rows(out.color, lane, 0.0f, n);
  if (out.discard != nullptr) std::fill(out.discard, out.discard + n, 0);
  std::int32_t live[kBatchLanes];
  for (int i = 0; i < n; ++i) live[i] = i < count ? -1 : 0;
  chosen_run()(plan.code, plan.immediates.data(), in, out, registers_.data(), live, n);
}

}  // namespace gyre::shader
