#include "optimiser.h"

namespace gyre::shader {
namespace {

constexpr int kPasses = 4;

void count(int* uses, int first, int span) {
  for (int t = first; t < first + span; ++t)
    if (t >= 0 && t < kMaxTemps) ++uses[t];
}

void count_uses(const Shader& shader, int* uses) {
  for (const Instruction& ins : shader.code) {
    const OpInfo& info = op_info(static_cast<Op>(ins.op));
    if (info.a) count(uses, ins.a, a_span(ins));
    if (info.b) count(uses, ins.b, b_span(ins));
    // A partial write needs what was there before.
    if (static_cast<Op>(ins.op) == Op::kSetLane) count(uses, ins.dst, 1);
  }
}

}  // namespace

void optimise(Shader* shader) {
  for (int pass = 0; pass < kPasses; ++pass) {
    int uses[kMaxTemps] = {};
    count_uses(*shader, uses);
    for (Instruction& ins : shader->code)
      if (op_info(static_cast<Op>(ins.op)).pure && uses[ins.dst] == 0) ins = Instruction{};
  }
}

}  // namespace gyre::shader
