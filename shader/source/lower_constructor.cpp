// Constructors: one CONST for what is known, one MOV where the first argument fits as it is, SETLANE for the rest.
#include "folding.h"
#include "lowering.h"

namespace gyre::shader {

Value Lowering::construct(const Node& node, Type type, const std::vector<Value>& arguments) {
  if (arguments.empty()) fail(node.place, std::string(type_name(type)) + "() needs arguments");
  if (is_scalar(type)) {
    if (arguments.size() != 1 || is_matrix(arguments[0].type)) fail(node.place, std::string(type_name(type)) + "() takes one scalar or vector");
    return construct_scalar(lane(arguments[0], 0), type);
  }
  return is_matrix(type) ? construct_matrix(node, type, arguments) : construct_vector(node, type, arguments);
}

Value Lowering::construct_scalar(const Value& value, Type type) {
  Value out = value;
  out.type = type;
  if (type == Type::kInt && value.type == Type::kFloat) return truncated(value, type);
  if (type != Type::kBool || value.type == Type::kBool) return out;
  if (value.constant) return constant_of(Type::kBool, value.lanes[0] != 0.0f ? 1.0f : 0.0f);
  out = two(Op::kCmp, Type::kBool, value, constant_of(Type::kFloat, 0));
  emit_.shader().code.back().aux = kNotEqual;
  return out;
}

Value Lowering::construct_vector(const Node& node, Type type, const std::vector<Value>& arguments) {
  const int lanes = type_lanes(type);
  const std::string name = type_name(type);
  int given = 0;
  bool constant = true, integers = true;
  for (const Value& argument : arguments) {
    if (is_matrix(argument.type)) fail(node.place, name + "() of a matrix");
    if (given >= lanes) fail(node.place, name + "() has too many arguments");
    given += type_lanes(argument.type);
    constant &= argument.constant;
    integers &= argument.type == Type::kBool || is_integer_like(argument.type);
  }
  const bool spread = arguments.size() == 1 && is_scalar(arguments[0].type);
  if (given < lanes && !spread) fail(node.place, name + "() has too few components: " + std::to_string(given));
  Value out = constant_of(type, 0);
  int at = 0;
  for (const Value& argument : arguments)
    for (int k = 0; k < type_lanes(argument.type) && at < lanes; ++k) out.lanes[at++] = argument.constant ? argument.lanes[k] : 0.0f;
  if (spread) out = broadcast(arguments[0], lanes);
  out.type = type;
  const bool truncate = is_integer_like(type) && !integers;
  if (constant || spread) return truncate ? truncated(out, type) : out;
  if (arguments.size() == 1) {  // a longer vector
    const Value cut = emit_.make(Op::kMov, type, arguments[0].temp);
    return truncate ? truncated(cut, type) : cut;
  }
  const Value base = out;
  out.constant = false;
  out.temp = emit_.allocate(1);
  emit_.load_constant(base, out.temp);
  at = 0;
  for (const Value& argument : arguments) {
    const int count = type_lanes(argument.type) < lanes - at ? type_lanes(argument.type) : lanes - at;
    if (!argument.constant && at == 0) {
      emit_.emit_lanes(Op::kMov, float_vector(count), out.temp, argument.temp);
    } else if (!argument.constant) {
      for (int k = 0; k < count; ++k) emit_.emit(Op::kSetLane, Type::kFloat, out.temp, argument.temp, -1, at + k, k);
    }
    at += count;
  }
  return truncate ? truncated(out, type) : out;
}

// mat(f) is a diagonal, mat(mat) cuts or completes with the identity, else columns or single components.
Value Lowering::construct_matrix(const Node& node, Type type, const std::vector<Value>& arguments) {
  const int n = type_lanes(type);
  const std::string name = type_name(type);
  Value out;
  out.type = type;
  out.temp = emit_.allocate(n);
  const Value& first = arguments[0];
  if (arguments.size() == 1 && !is_vector(first.type)) {
    const int from = is_matrix(first.type) ? type_lanes(first.type) : 0;
    for (int column = 0; column < n; ++column) {
      Value base = constant_of(float_vector(n), 0);
      base.lanes[column] = from != 0 ? 1.0f : first.constant ? first.lanes[0] : 0.0f;
      emit_.load_constant(base, out.temp + column);
      if (from == 0 && !first.constant) emit_.emit(Op::kSetLane, Type::kFloat, out.temp + column, first.temp, -1, column, 0);
      if (column < from)
        emit_.emit_lanes(Op::kMov, float_vector(from < n ? from : n), out.temp + column, first.temp + column);
    }
    return out;
  }
  int given = 0;
  for (const Value& argument : arguments) {
    if (is_matrix(argument.type)) fail(node.place, name + "() takes one matrix alone");
    given += type_lanes(argument.type);
  }
  if (given != n * n) fail(node.place, name + "() has " + std::to_string(given) + " components, it needs " + std::to_string(n * n));
  // Known components first, all columns, then the others where they belong.
  float known[16] = {};
  int at = 0;
  for (const Value& argument : arguments)
    for (int k = 0; k < type_lanes(argument.type); ++k) known[at++] = argument.constant ? argument.lanes[k] : 0.0f;
  for (int column = 0; column < n; ++column) {
    const float* const lanes = known + n * column;
    emit_.load_constant(constant_of(float_vector(n), lanes[0], lanes[1], lanes[2], n == 4 ? lanes[3] : 0), out.temp + column);
  }
  at = 0;
  for (const Value& argument : arguments) {
    const int count = type_lanes(argument.type);
    if (!argument.constant && at % n == 0 && count == n) {
      emit_.emit_lanes(Op::kMov, float_vector(n), out.temp + at / n, argument.temp);
    } else if (!argument.constant) {
      for (int k = 0; k < count; ++k) emit_.emit(Op::kSetLane, Type::kFloat, out.temp + (at + k) / n, argument.temp, -1, (at + k) % n, k);
    }
    at += count;
  }
  return out;
}

}  // namespace gyre::shader
