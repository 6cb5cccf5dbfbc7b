// Verifier (csir.md §9, §18): every rule, at its limit and one beyond; base rules and hardened rules.
#include <boost/test/unit_test.hpp>

#include "random_shader.h"
#include "verifier.h"

namespace {

using namespace gyre::shader;

Instruction ins(Op op, int dst = -1, int a = -1, int b = -1, int aux = 0, int aux2 = 0, int lanes = 0) {
  Instruction out;
  out.op = static_cast<std::uint8_t>(op);
  out.ncomp = static_cast<std::uint8_t>(lanes);
  out.dst = static_cast<std::int16_t>(dst);
  out.a = static_cast<std::int16_t>(a);
  out.b = static_cast<std::int16_t>(b);
  out.aux = static_cast<std::int16_t>(aux);
  out.aux2 = static_cast<std::int16_t>(aux2);
  return out;
}

struct Verdict {
  bool base, hardened;
};

Verdict judge(const Shader& shader) {
  Diagnostics base, hardened;
  const Verdict out{verify(shader, &base, VerifyRules::kBase), verify(shader, &hardened)};
  BOOST_TEST((out.base || !out.hardened));  // hardened rules only add
  return out;
}

Shader make(Stage stage, std::vector<Instruction> code, int temps = 8) {
  Shader shader;
  shader.stage = stage;
  shader.temps = temps;
  shader.immediates.assign(8, 1.0f);
  shader.code = std::move(code);
  return shader;
}

void both(const Instruction& one, bool good, Stage stage = Stage::kFragment) {
  const Verdict v = judge(make(stage, {one}));
  BOOST_TEST(v.base == good);
  BOOST_TEST(v.hardened == good);
}
void only_hardened(const Instruction& one, Stage stage = Stage::kFragment) {
  const Verdict v = judge(make(stage, {one}));
  BOOST_TEST(v.base);
  BOOST_TEST(!v.hardened);
}

BOOST_AUTO_TEST_SUITE(verifier)

BOOST_AUTO_TEST_CASE(operation_and_counts) {
  Instruction bad;
  bad.op = 33;
  both(bad, false);
  bad.op = 255;
  both(bad, false);
  both(ins(Op::kNop), true);
  Shader shader = make(Stage::kVertex, {}, 96);
  BOOST_TEST(judge(shader).hardened);
  shader.temps = 97;
  BOOST_TEST(!judge(shader).base);
  shader.temps = 96;
  shader.code.assign(384, ins(Op::kNop));
  BOOST_TEST(judge(shader).hardened);
  shader.code.push_back(ins(Op::kNop));
  BOOST_TEST(!judge(shader).base);
  shader.code.clear();
  shader.immediates.assign(160, 0);
  BOOST_TEST(judge(shader).hardened);
  shader.immediates.push_back(0);
  BOOST_TEST(judge(shader).base);
  BOOST_TEST(!judge(shader).hardened);
  shader.immediates.clear();
  shader.stage = static_cast<Stage>(2);  // geometry
  BOOST_TEST(!judge(shader).base);
  shader.stage = static_cast<Stage>(3);
  BOOST_TEST(!judge(shader).base);
}

BOOST_AUTO_TEST_CASE(operands) {
  both(ins(Op::kMov, 7, 7), true);
  both(ins(Op::kMov, 8, 7), false);
  both(ins(Op::kMov, 7, 8), false);
  both(ins(Op::kAdd, 0, 1, 8), false);
  only_hardened(ins(Op::kMov, -1, 0));
  only_hardened(ins(Op::kMov, 0, -1));
  only_hardened(ins(Op::kAdd, 0, 0, -1));
  both(ins(Op::kAdd, 0, 0, 0, 0, 0, 4), true);
  only_hardened(ins(Op::kAdd, 0, 0, 0, 0, 0, 5));
  Instruction odd_type = ins(Op::kMov, 0, 0);
  odd_type.ty = 14;
  only_hardened(odd_type);
}

BOOST_AUTO_TEST_CASE(matrix_spans) {
  both(ins(Op::kMulMm, 0, 4, 4, 4), true);
  both(ins(Op::kMulMm, 5, 0, 0, 4), false);
  only_hardened(ins(Op::kMulMm, 0, 5, 0, 4));
  only_hardened(ins(Op::kMulMm, 0, 0, 5, 4));
  both(ins(Op::kMulMm, 5, 5, 5, 3), true);
  both(ins(Op::kMulMm, 0, 0, 0, 2), false);
  both(ins(Op::kMulMm, 0, 0, 0, 0), false);
  both(ins(Op::kMulMv, 0, 4, 0, 0), true);  // 0 means 4
  only_hardened(ins(Op::kMulMv, 0, 5, 0, 0));
  both(ins(Op::kMulMv, 0, 5, 0, 3), true);
  only_hardened(ins(Op::kMulMv, 0, 0, 0, 5));
  only_hardened(ins(Op::kMulMv, 0, 0, -1, 4));
}

BOOST_AUTO_TEST_CASE(immediates) {
  both(ins(Op::kConst, 0, -1, -1, 4, 0, 4), true);
  both(ins(Op::kConst, 0, -1, -1, 5, 0, 4), false);
  both(ins(Op::kConst, 0, -1, -1, -1, 0, 1), false);
  only_hardened(ins(Op::kConst, 0, -1, -1, 0, 0, 0));
  only_hardened(ins(Op::kConst, 0, -1, -1, 0, 0, 5));
}

BOOST_AUTO_TEST_CASE(slots) {
  Shader shader = make(Stage::kVertex, {ins(Op::kLoadAttr, 0, -1, -1, 3)});
  BOOST_TEST(!judge(shader).base);
  shader.interface = {{"a", Type::kVec4, 3, InterfaceKind::kAttribute}};
  BOOST_TEST(judge(shader).hardened);
  shader.code[0].aux = -1;
  BOOST_TEST(!judge(shader).base);
  shader = make(Stage::kFragment, {ins(Op::kSample, 0, 0, -1, 1)});
  BOOST_TEST(!judge(shader).base);
  shader.interface = {{"s", Type::kSampler2D, 1, InterfaceKind::kSampler}};
  BOOST_TEST(judge(shader).hardened);
  both(ins(Op::kLoadVar, 0, -1, -1, 7), true);
  both(ins(Op::kLoadVar, 0, -1, -1, 8), false);
  both(ins(Op::kStoreVar, -1, 0, -1, 8), false, Stage::kVertex);
  both(ins(Op::kLoadUni, 4, -1, -1, 0, 4), true);
  both(ins(Op::kLoadUni, 5, -1, -1, 0, 4), false);
  both(ins(Op::kLoadUni, 4, -1, -1, 0, 0), false);
  both(ins(Op::kLoadUni, 4, -1, -1, 0, 32767), false);
  both(ins(Op::kLoadUni, 4, -1, -1, 28, 4), true);
  only_hardened(ins(Op::kLoadUni, 4, -1, -1, 29, 4));
  only_hardened(ins(Op::kLoadUni, 4, -1, -1, -1, 4));
  only_hardened(ins(Op::kLoadUni, 4, -1, -1, 32767, 1));
}

BOOST_AUTO_TEST_CASE(modes) {
  both(ins(Op::kCmp, 0, 0, 0, 6), true);
  only_hardened(ins(Op::kCmp, 0, 0, 0, 0));
  only_hardened(ins(Op::kCmp, 0, 0, 0, 7));
  for (const int width : {0, 3, 4}) both(ins(Op::kDot, 0, 0, 0, width), true);
  for (const int width : {1, 2, 5, -1}) only_hardened(ins(Op::kDot, 0, 0, 0, width));
}

BOOST_AUTO_TEST_CASE(stages) {
  both(ins(Op::kStorePos, -1, 0), true, Stage::kVertex);
  both(ins(Op::kStorePos, -1, 0), false, Stage::kFragment);
  both(ins(Op::kStoreColor, -1, 0), false, Stage::kVertex);
  both(ins(Op::kDiscard), false, Stage::kVertex);
  both(ins(Op::kDiscard), true, Stage::kFragment);
  only_hardened(ins(Op::kLoadAttr, 0), Stage::kFragment);
  only_hardened(ins(Op::kStoreVar, -1, 0), Stage::kFragment);
  only_hardened(ins(Op::kLoadVar, 0), Stage::kVertex);
  only_hardened(ins(Op::kLoadFcoord, 0), Stage::kVertex);
}

BOOST_AUTO_TEST_CASE(control_flow) {
  const Instruction open = ins(Op::kIf, -1, 0), other = ins(Op::kElse), close = ins(Op::kEndIf);
  const auto good = [](std::vector<Instruction> code) {
    const Verdict v = judge(make(Stage::kFragment, std::move(code)));
    BOOST_TEST(v.base == v.hardened);
    return v.hardened;
  };
  BOOST_TEST(good({open, close}));
  BOOST_TEST(good({open, other, close}));
  BOOST_TEST(!good({open}));
  BOOST_TEST(!good({close}));
  BOOST_TEST(!good({other}));
  BOOST_TEST(!good({open, other, other, close}));
  BOOST_TEST(!good({open, close, close}));
  BOOST_TEST(!good({ins(Op::kIf, -1, -1), close}));
  for (const int depth : {32, 33}) {
    std::vector<Instruction> code(static_cast<std::size_t>(depth), open);
    code.insert(code.end(), static_cast<std::size_t>(depth), close);
    BOOST_TEST(good(code) == (depth == 32));
  }
}

BOOST_AUTO_TEST_CASE(interface) {
  const auto good = [](std::vector<InterfaceEntry> entries, Stage stage = Stage::kVertex) {
    Shader shader = make(stage, {});
    shader.interface = std::move(entries);
    Diagnostics out;
    return verify(shader, &out);
  };
  const auto uniform = InterfaceKind::kUniform;
  BOOST_TEST(good({{"m", Type::kMat4, 28, uniform}}));
  BOOST_TEST(!good({{"m", Type::kMat4, 29, uniform}}));
  BOOST_TEST(!good({{"m", Type::kMat4, 0, uniform}, {"v", Type::kVec4, 3, uniform}}));
  BOOST_TEST(good({{"m", Type::kMat4, 0, uniform}, {"v", Type::kVec4, 4, uniform}}));
  BOOST_TEST(!good({{"v", Type::kVec4, 0, uniform}, {"v", Type::kVec4, 4, uniform}}));
  BOOST_TEST(!good({{"v", Type::kSampler2D, 0, uniform}}));
  BOOST_TEST(!good({{"v", Type::kVec4, 0, uniform}, {"a", Type::kVec4, 0, InterfaceKind::kAttribute}}));
  BOOST_TEST(!good({{"a", Type::kVec4, 8, InterfaceKind::kAttribute}}));
  BOOST_TEST(!good({{"a", Type::kVec4, 0, InterfaceKind::kAttribute}}, Stage::kFragment));
  BOOST_TEST(!good({{"s", Type::kSampler2D, 4, InterfaceKind::kSampler}}));
  BOOST_TEST(good({{std::string(39, 'n'), Type::kVec4, 0, uniform}}));
  for (const std::string& name : {std::string(40, 'n'), std::string(), std::string("1a"), std::string("a b"), std::string("a\0b", 3)})
    BOOST_TEST(!good({{name, Type::kVec4, 0, uniform}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
