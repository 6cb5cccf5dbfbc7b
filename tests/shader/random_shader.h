// Random CSIR that passes the hardened verifier: every operation, nested control flow, partial writes, odd immediates.
#pragma once

#include <random>

#include "csir.h"

namespace gyre::test {

class RandomShader {
 public:
  // `temps` 0: 8 to 24.
  RandomShader(std::mt19937& random, shader::Stage stage, int temps = 0) : random_(random) {
    shader_.stage = stage;
    shader_.temps = temps;
  }

  shader::Shader make(int instructions = 40) {
    using namespace shader;
    if (shader_.temps == 0) shader_.temps = pick(8, 24);
    const int immediates = pick(4, 24);
    for (int i = 0; i < immediates; ++i) shader_.immediates.push_back(value());
    const bool vertex = shader_.stage == Stage::kVertex;
    if (vertex) entry("pos", Type::kVec4, 0, InterfaceKind::kAttribute);
    if (vertex) entry("extra", Type::kVec3, pick(1, 7), InterfaceKind::kAttribute);
    for (int i = 0, n = pick(0, 3); i < n; ++i) entry("v" + std::to_string(i), Type::kVec4, i, InterfaceKind::kVarying);
    entry("u", Type::kMat4, pick(0, 28), InterfaceKind::kUniform);
    if (!vertex) entry("s", Type::kSampler2D, pick(0, 3), InterfaceKind::kSampler);
    while (static_cast<int>(shader_.code.size()) < instructions) step();
    while (depth_ > 0) close();
    add(vertex ? Op::kStorePos : Op::kStoreColor).a = temp();
    return canonical(shader_);
  }

  // Mostly moderate, sometimes extreme.
  float value() {
    static constexpr float kOdd[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 1e-30f, 1e30f, -3e38f, 3.0f, 1e-42f, 7.0f};
    const int what = pick(0, 39);
    if (what == 0) return shader::float_from_bits(0x7F800000);
    if (what == 1) return shader::float_from_bits(0xFF800000);
    if (what == 2) return shader::float_from_bits(0x7FC00000);
    if (what < 15) return kOdd[what - 3];
    return static_cast<float>(pick(-4000, 4000)) / 1000.0f;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::int16_t temp(int span = 1) { return static_cast<std::int16_t>(pick(0, shader_.temps - span)); }

  void entry(const std::string& name, shader::Type type, int slot, shader::InterfaceKind kind) {
    shader_.interface.push_back({name, type, slot, kind});
  }
  shader::Instruction& add(shader::Op op) {
    shader_.code.emplace_back();
    shader_.code.back().op = static_cast<std::uint8_t>(op);
    return shader_.code.back();
  }
  void close() {
    add(shader::Op::kEndIf);
    --depth_;
    has_else_.pop_back();
  }

  void step() {
    using namespace shader;
    const auto op = static_cast<Op>(pick(0, kOpCount - 1));
    const bool vertex = shader_.stage == Stage::kVertex;
    switch (op) {
      case Op::kIf:
        if (depth_ == 12) return;
        add(op).a = temp();
        ++depth_;
        has_else_.push_back(false);
        return;
      case Op::kElse:
        if (depth_ == 0 || has_else_.back()) return;
        add(op);
        has_else_.back() = true;
        return;
      case Op::kEndIf:
        if (depth_ > 0) close();
        return;
      case Op::kDiscard:
        if (!vertex && depth_ > 0 && pick(0, 3) == 0) add(op);
        return;
      case Op::kStorePos: if (!vertex) return; break;
      case Op::kLoadAttr: case Op::kStoreVar: if (!vertex) return; break;
      case Op::kStoreColor: case Op::kLoadVar: case Op::kLoadFcoord: case Op::kSample: if (vertex) return; break;
      default: break;
    }
    operands(&add(op));
  }

  void operands(shader::Instruction* ins) {
    using namespace shader;
    const OpInfo& info = op_info(static_cast<Op>(ins->op));
    if (info.lanes) ins->ncomp = static_cast<std::uint8_t>(pick(1, 4));
    switch (info.aux) {
      case Aux::kImmediate: ins->aux = short_of(pick(0, static_cast<int>(shader_.immediates.size()) - ins->ncomp)); break;
      case Aux::kPattern: ins->aux = short_of(pick(0, 255)); break;
      case Aux::kLanes: ins->aux = short_of(pick(0, 3)); ins->aux2 = short_of(pick(0, 3)); break;
      case Aux::kWidth: ins->aux = short_of(pick(3, 4)); break;
      case Aux::kCompare: ins->aux = short_of(pick(kLess, kNotEqual)); break;
      case Aux::kSampler: ins->aux = short_of(pick(0, shader_.highest_slot(InterfaceKind::kSampler))); break;
      case Aux::kAttribute: ins->aux = short_of(pick(0, shader_.highest_slot(InterfaceKind::kAttribute))); break;
      case Aux::kVarying: ins->aux = short_of(pick(0, 7)); break;
      case Aux::kUniform: ins->aux = short_of(pick(0, 24)); ins->aux2 = short_of(pick(1, 4)); break;
      default: break;
    }
    if (info.dst) ins->dst = temp(dst_span(*ins));
    if (info.a) ins->a = temp(a_span(*ins));
    if (info.b) ins->b = temp(b_span(*ins));
    ins->ty = static_cast<std::uint8_t>(pick(0, kTypeCount - 1));
  }
  static std::int16_t short_of(int v) { return static_cast<std::int16_t>(v); }

  std::mt19937& random_;
  shader::Shader shader_;
  int depth_ = 0;
  std::vector<bool> has_else_;
};

}  // namespace gyre::test
