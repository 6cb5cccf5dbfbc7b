// A verified shader at the generator's limits: nesting beyond the token registers, bodies beyond the reach of a branch,
// more values than registers.
#pragma once

#include "csir.h"

namespace gyre::test {

inline shader::Shader extreme_shader() {
  using namespace shader;
  Shader shader;
  shader.stage = Stage::kFragment;
  shader.temps = 96;
  shader.immediates = {0.25f};
  shader.interface.push_back({"v", Type::kVec4, 0, InterfaceKind::kVarying});
  auto add = [&](Op op, int dst, int a, int b, int lanes, int aux = 0) {
    Instruction i;
    i.op = static_cast<std::uint8_t>(op);
    i.dst = static_cast<std::int16_t>(dst), i.a = static_cast<std::int16_t>(a), i.b = static_cast<std::int16_t>(b);
    i.ncomp = static_cast<std::uint8_t>(lanes), i.aux = static_cast<std::int16_t>(aux);
    shader.code.push_back(i);
  };
  for (int t = 0; t < 8; ++t) add(Op::kLoadVar, t, -1, -1, 0, t);
  for (int t = 8; t < 96; ++t) add(Op::kSub, t, t - 8, t - 7, 4);
  for (int d = 0; d < 32; ++d) {
    add(Op::kCmp, 95, d + 8, d + 9, 0, kLess);
    add(Op::kIf, -1, 95, -1, 0);
    add(Op::kAdd, 2 * d, 2 * d + 1, 94 - d, 4);
  }
  for (int d = 0; d < 32; ++d) {
    add(Op::kElse, -1, -1, -1, 0);
    add(Op::kSub, 94 - d, 2 * d, d, 4);
    add(Op::kMulMm, 4, 20, 40, 0, 4);
    add(Op::kEndIf, -1, -1, -1, 0);
  }
  for (int t = 0; t < 64; ++t) add(Op::kMax, t + 1, t, t + 1, 4);
  add(Op::kStoreColor, -1, 64, -1, 0);
  return canonical(shader);
}

}  // namespace gyre::test
