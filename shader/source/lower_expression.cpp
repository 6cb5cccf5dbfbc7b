// Names, components, conversions and calls.
#include "folding.h"
#include "lowering.h"
#include "scalar_fold.h"

namespace gyre::shader {

// Temporaries above the result are free again afterwards.
Value Lowering::expression(int index) {
  const int mark = emit_.mark();
  const Value value = expression_of(index);
  return emit_.settle(value, mark);
}

Value Lowering::expression_of(int index) {
  const Node& node = tree_[index];
  emit_.place = node.place;
  switch (node.kind) {
    case NodeKind::kNumber: return constant_of(node.type, node.number);
    case NodeKind::kName: return name_value(node);
    case NodeKind::kUnary: return unary(node);
    case NodeKind::kBinary: return binary(node);
    case NodeKind::kCall: return call(node);
    case NodeKind::kMember: return member(node);
    case NodeKind::kIndex: return index_value(node);
    default: fail(node.place, "an expression stands here");
  }
}

Value Lowering::name_value(const Node& node) {
  const Symbol* const symbol = find(node.text);
  const std::string name(node.text);
  if (symbol == nullptr) fail(node.place, name + " is not declared");
  if (symbol->kind == Symbol::kFunction) fail(node.place, name + " is a function, call it: " + name + "(...)");
  if (symbol->kind == Symbol::kSampler) fail(node.place, "a sampler can only be the first argument of texture()");
  return symbol->value;
}

// Lane `lane` as a scalar in lane x.
Value Lowering::lane(const Value& vector, int lane) {
  const Type type = is_integer_like(vector.type) ? Type::kInt : vector.type == Type::kBool ? Type::kBool : Type::kFloat;
  if (vector.constant) return constant_of(type, vector.lanes[lane]);
  if (is_scalar(vector.type)) return vector;
  return emit_.make(Op::kSwz, type, vector.temp, -1, lane);
}

Value Lowering::broadcast(const Value& scalar, int lanes) {
  const Type type = is_integer_like(scalar.type) ? int_vector(lanes) : float_vector(lanes);
  if (scalar.constant) return constant_of(type, scalar.lanes[0], scalar.lanes[0], scalar.lanes[0], scalar.lanes[0]);
  if (lanes == 1) return scalar;
  return emit_.make(Op::kSwz, type, scalar.temp, -1, 0);
}

Value Lowering::member(const Node& node) {
  static constexpr std::string_view kSets[] = {"xyzw", "rgba", "stpq"};
  const Value from = expression(node.child);
  const int lanes = type_lanes(from.type);
  if (!is_vector(from.type)) fail(node.place, std::string("invalid swizzle: a ") + type_name(from.type) + " has no components");
  const auto size = node.text.size();
  int pattern = 0;
  bool good = size >= 1 && size <= 4;
  for (const std::string_view set : kSets) {
    if (!good || set.find(node.text[0]) == std::string_view::npos) continue;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t at = set.find(node.text[k]);
      good &= at < static_cast<std::size_t>(lanes);
      pattern |= good ? static_cast<int>(at) << (2 * k) : 0;
    }
    if (good) {
      const int n = static_cast<int>(size);
      const Type type = is_integer_like(from.type) ? int_vector(n) : float_vector(n);
      if (!from.constant) return emit_.make(Op::kSwz, type, from.temp, -1, pattern);
      Value out = constant_of(type, 0);
      for (int k = 0; k < n; ++k) out.lanes[k] = from.lanes[pattern >> (2 * k) & 3];
      return out;
    }
  }
  fail(node.place, "invalid swizzle ." + quoted(node.text) + " of a " + type_name(from.type));
}

Value Lowering::index_value(const Node& node) {
  const Value from = expression(node.child);
  const int index_node = tree_[node.child].next;
  const Value index = expression(index_node);
  const Place place = tree_[index_node].place;
  if (!is_vector(from.type) && !is_matrix(from.type)) fail(node.place, std::string("a ") + type_name(from.type) + " has no elements");
  const int size = is_matrix(from.type) ? type_columns(from.type) : type_lanes(from.type);
  if (!index.constant || index.type != Type::kInt) fail(place, "an index is a constant int");
  if (!(index.lanes[0] >= 0.0f && index.lanes[0] < static_cast<float>(size)))
    fail(place, "the index of a " + std::string(type_name(from.type)) + " is 0 to " + std::to_string(size - 1));
  int at = 0;
  while (static_cast<float>(at) != index.lanes[0]) ++at;
  if (is_vector(from.type)) return lane(from, at);
  Value column;
  column.type = float_vector(size);
  column.temp = from.temp + at;
  return column;
}

// What may stand where a `to` is wanted: the type itself, an int for a float, an ivec for a vec.
Value Lowering::converted(const Value& value, Type to, Place place) {
  Value out = value;
  out.type = to;
  if (value.type == to) return out;
  if (is_integer_like(value.type) && !is_integer_like(to) && to != Type::kBool && !is_matrix(to) && type_lanes(value.type) == type_lanes(to))
    return out;
  fail(place, std::string("a ") + type_name(value.type) + " stands where a " + type_name(to) + " is needed");
}

// Toward zero, lane by lane: TRUNC knows lane x only.
Value Lowering::truncated(const Value& value, Type to) {
  const int lanes = type_lanes(to);
  if (value.constant) return fold_lanes(to, value, [](float x) { return truncated_constant(x); });
  if (lanes == 1) return emit_.make(Op::kTrunc, to, value.temp);
  Value out = emit_.make(Op::kMov, to, value.temp);
  for (int k = 0; k < lanes; ++k) {
    const int mark = emit_.mark();
    const Value one = emit_.make(Op::kTrunc, Type::kInt, lane(value, k).temp);
    emit_.emit(Op::kSetLane, to, out.temp, one.temp, -1, k, 0);
    emit_.release(mark);
  }
  return out;
}

Value Lowering::two(Op op, Type type, const Value& a, const Value& b) {
  const int x = emit_.in_temp(a);
  const int y = emit_.in_temp(b);
  return emit_.make(op, type, x, y);
}

Value Lowering::call(const Node& node) {
  std::vector<int> arguments;
  for (int i = node.child; i != kNoNode; i = tree_[i].next) arguments.push_back(i);
  Type type = Type::kNone;
  const bool constructor = type_from_name(std::string(node.text), &type);
  if (constructor && (type == Type::kVoid || type == Type::kSampler2D)) fail(node.place, std::string(node.text) + " has no constructor");
  if (!constructor && node.text == "texture") return texture(node, arguments);
  Symbol* const symbol = constructor || is_builtin(node.text) ? nullptr : find(node.text);
  if (symbol != nullptr && symbol->kind == Symbol::kFunction) return call_function(symbol, node, arguments);
  if (!constructor && !is_builtin(node.text)) fail(node.place, std::string(node.text) + " is no function");
  std::vector<Value> values;
  for (const int argument : arguments) values.push_back(expression(argument));
  emit_.place = node.place;
  return constructor ? construct(node, type, values) : builtin(node, values);
}

}  // namespace gyre::shader
