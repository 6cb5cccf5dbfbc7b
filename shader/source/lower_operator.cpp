// Operators: there is no divide, no logic and no negation in CSIR, they are made of what there is.
#include "folding.h"
#include "lowering.h"

namespace gyre::shader {
namespace {

struct Comparison {
  std::string_view text;
  Compare code;
};
constexpr Comparison kComparisons[] = {{"<", kLess}, {">", kGreater}, {"<=", kLessEqual}, {">=", kGreaterEqual}, {"==", kEqual}, {"!=", kNotEqual}};

bool holds(Compare code, float a, float b) {
  switch (code) {
    case kLess: return a < b;
    case kGreater: return a > b;
    case kLessEqual: return a <= b;
    case kGreaterEqual: return a >= b;
    case kEqual: return a == b;
    default: return a != b;
  }
}

std::string types_of(const Value& a, const Value& b) { return std::string(type_name(a.type)) + " and " + type_name(b.type); }

}  // namespace

Value Lowering::unary(const Node& node) {
  const Value operand = expression(node.child);
  emit_.place = node.place;
  if (node.op == "!") {
    if (operand.type != Type::kBool) fail(node.place, std::string("! of a ") + type_name(operand.type));
    if (operand.constant) return constant_of(Type::kBool, operand.lanes[0] == 0.0f ? 1.0f : 0.0f);
    return two(Op::kSub, Type::kBool, constant_of(Type::kBool, 1), operand);
  }
  if (operand.type == Type::kBool || is_matrix(operand.type)) fail(node.place, std::string("- of a ") + type_name(operand.type));
  if (operand.constant) return fold_lanes(operand.type, operand, [](float x) { return -x; });
  return two(Op::kMul, operand.type, operand, constant_of(operand.type, -1, -1, -1, -1));
}

Value Lowering::binary(const Node& node) {
  const Value left = expression(node.child);
  const Value right = expression(tree_[node.child].next);
  emit_.place = node.place;
  if (node.op == "&&" || node.op == "||") return logical(node, left, right);
  for (const Comparison& comparison : kComparisons)
    if (comparison.text == node.op) return compare(node, left, right);
  if (node.op == "%") return remainder(node, left, right);
  if (is_matrix(left.type) || is_matrix(right.type)) return matrix_product(node, left, right);
  return arithmetic(node, left, right);
}

Value Lowering::logical(const Node& node, const Value& left, const Value& right) {
  if (left.type != Type::kBool || right.type != Type::kBool) fail(node.place, std::string(node.op) + " of " + types_of(left, right) + ", bools are needed");
  const bool both = node.op == "&&";
  if (left.constant && right.constant) {
    const bool a = left.lanes[0] != 0.0f, b = right.lanes[0] != 0.0f;
    return constant_of(Type::kBool, (both ? a && b : a || b) ? 1.0f : 0.0f);
  }
  return two(both ? Op::kMul : Op::kMax, Type::kBool, left, right);
}

Value Lowering::compare(const Node& node, const Value& left, const Value& right) {
  auto code = kEqual;
  for (const Comparison& comparison : kComparisons)
    if (comparison.text == node.op) code = comparison.code;
  if (!is_scalar(left.type) || !is_scalar(right.type)) fail(node.place, "only scalars can be compared, not " + types_of(left, right));
  const bool bools = left.type == Type::kBool || right.type == Type::kBool;
  if (bools && (left.type != right.type || (code != kEqual && code != kNotEqual)))
    fail(node.place, "comparison " + std::string(node.op) + " of " + types_of(left, right));
  if (left.constant && right.constant) return constant_of(Type::kBool, holds(code, left.lanes[0], right.lanes[0]) ? 1.0f : 0.0f);
  Value out = two(Op::kCmp, Type::kBool, left, right);
  emit_.shader().code.back().aux = code;
  return out;
}

Value Lowering::remainder(const Node& node, const Value& left, const Value& right) {
  if (left.type != Type::kInt || right.type != Type::kInt || !left.constant || !right.constant)
    fail(node.place, "% is for integer constants only");
  if (right.lanes[0] == 0.0f) fail(node.place, "division by zero");
  return fold_remainder(left, right);
}

Value Lowering::matrix_product(const Node& node, const Value& left, const Value& right) {
  const int n = type_lanes(left.type);
  if (node.op != "*" || !is_matrix(left.type) || (right.type != left.type && right.type != float_vector(n)))
    fail(node.place, "operator " + std::string(node.op) + " of " + types_of(left, right) + " is not supported");
  if (right.type != left.type) {
    const int vector = emit_.in_temp(right);
    return emit_.make(Op::kMulMv, right.type, left.temp, vector, n);
  }
  Value out;
  out.type = left.type;
  out.temp = emit_.allocate(n);
  emit_.emit(Op::kMulMm, left.type, out.temp, left.temp, right.temp, n);
  return out;
}

Value Lowering::arithmetic(const Node& node, Value left, Value right) {
  const std::string op(node.op);
  if (left.type == Type::kBool || right.type == Type::kBool) fail(node.place, "operator " + op + " of " + types_of(left, right));
  const int a = type_lanes(left.type), b = type_lanes(right.type), lanes = a > b ? a : b;
  if (a != b && a != 1 && b != 1) fail(node.place, "operator " + op + " of " + types_of(left, right));
  const bool integer = is_integer_like(left.type) && is_integer_like(right.type);
  const Type type = integer ? int_vector(lanes) : float_vector(lanes);
  if (op == "/" && right.constant)
    for (int k = 0; k < b; ++k)
      if (right.lanes[k] == 0.0f) fail(node.place, "division by zero");
  if (a != lanes) left = broadcast(left, lanes);
  if (b != lanes) right = broadcast(right, lanes);
  if (left.constant && right.constant) return fold_arithmetic(node.op, type, left, right);
  left.type = right.type = type;
  if (op == "/") return divide(node, left, right);
  return two(op == "+" ? Op::kAdd : op == "-" ? Op::kSub : Op::kMul, type, left, right);
}

// a / b = a * RCP b. A known divisor is inverted here.
Value Lowering::divide(const Node&, const Value& left, const Value& right) {
  const Type type = right.type;
  Value inverse;
  if (right.constant) {
    inverse = fold_lanes(type, right, [](float x) { return 1.0f / x; });
  } else {
    inverse = emit_.make(Op::kRcp, type, right.temp);
  }
  const Value quotient = two(Op::kMul, type, left, inverse);
  if (!is_integer_like(type)) return quotient;
  // Integers round toward zero. The product may fall just short of a whole quotient; a quotient that is not whole is
  // farther than this factor from the next one as long as the dividend is below a million.
  constexpr float kAbove = 1.0f + 2.0f / 8388608.0f;
  const Value lifted = two(Op::kMul, type, quotient, constant_of(type, kAbove, kAbove, kAbove, kAbove));
  return truncated(lifted, type);
}

}  // namespace gyre::shader
