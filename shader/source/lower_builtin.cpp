// texture dot cross length normalize abs sin cos min max clamp mix pow reflect, made of CSIR operations (csir.md §11).
#include "folding.h"
#include "lowering.h"

namespace gyre::shader {
namespace {

struct Builtin {
  std::string_view name;
  std::size_t arguments;
};
constexpr Builtin kBuiltins[] = {{"texture", 2}, {"dot", 2}, {"cross", 2}, {"length", 1}, {"normalize", 1}, {"abs", 1}, {"sin", 1},
                                 {"cos", 1},     {"min", 2}, {"max", 2},   {"clamp", 3},  {"mix", 3},       {"pow", 2}, {"reflect", 2}};

constexpr int kYzx = 1 | 2 << 2 | 0 << 4, kZxy = 2 | 0 << 2 | 1 << 4;

}  // namespace

bool Lowering::is_builtin(std::string_view name) const {
  for (const Builtin& builtin : kBuiltins)
    if (builtin.name == name) return true;
  return false;
}

Value Lowering::texture(const Node& node, const std::vector<int>& arguments) {
  if (arguments.size() != 2) fail(node.place, "texture takes a sampler2D and a vec2");
  const Node& sampler = tree_[arguments[0]];
  const Symbol* const symbol = sampler.kind == NodeKind::kName ? find(sampler.text) : nullptr;
  if (symbol == nullptr || symbol->kind != Symbol::kSampler) fail(sampler.place, "the first argument of texture is a uniform sampler2D");
  const int slot = symbol->slot;
  const Value at = converted(expression(arguments[1]), Type::kVec2, tree_[arguments[1]].place);
  return emit_.make(Op::kSample, Type::kVec4, emit_.in_temp(at), -1, slot);
}

// All arguments become vectors (or scalars) of one type; those from `first_scalar` on may be scalars beside vectors.
void Lowering::unify(const Node& node, std::vector<Value>* arguments, std::size_t first_scalar) {
  int lanes = 1;
  bool integer = true;
  for (const Value& value : *arguments) {
    if (value.type == Type::kBool || is_matrix(value.type)) fail(node.place, std::string(node.text) + " of a " + type_name(value.type));
    if (type_lanes(value.type) > lanes) lanes = type_lanes(value.type);
    integer &= is_integer_like(value.type);
  }
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    Value& value = (*arguments)[i];
    const int own = type_lanes(value.type);
    if (own != lanes && !(own == 1 && i >= first_scalar))
      fail(node.place, std::string(node.text) + ": a " + type_name(value.type) + " beside vectors of " + std::to_string(lanes));
    if (own != lanes) value = broadcast(value, lanes);
    value.type = integer ? int_vector(lanes) : float_vector(lanes);
  }
}

Value Lowering::dot(const Value& a, const Value& b) {
  const int lanes = type_lanes(a.type), x = emit_.in_temp(a), y = emit_.in_temp(b);
  if (lanes >= 3) return emit_.make(Op::kDot, Type::kFloat, x, y, lanes);
  const Value product = emit_.make(Op::kMul, a.type, x, y);
  if (lanes == 1) return product;
  const Value second = lane(product, 1);
  return two(Op::kAdd, Type::kFloat, product, second);
}

Value Lowering::length(const Value& a) {
  const Value inverse = emit_.make(Op::kRsq, Type::kFloat, dot(a, a).temp);
  return emit_.make(Op::kRcp, Type::kFloat, inverse.temp);
}

Value Lowering::scaled(const Value& vector, const Value& scalar) {
  return two(Op::kMul, vector.type, vector, broadcast(scalar, type_lanes(vector.type)));
}

Value Lowering::cross(const Value& a, const Value& b) {
  const int x = emit_.in_temp(a), y = emit_.in_temp(b);
  const auto turned = [this](int temp, int pattern) { return emit_.make(Op::kSwz, Type::kVec3, temp, -1, pattern); };
  const Value first = two(Op::kMul, Type::kVec3, turned(x, kYzx), turned(y, kZxy));
  const Value second = two(Op::kMul, Type::kVec3, turned(x, kZxy), turned(y, kYzx));
  return two(Op::kSub, Type::kVec3, first, second);
}

// POW knows lane x only.
Value Lowering::power(const Value& a, const Value& b) {
  const int lanes = type_lanes(a.type);
  Value x = a, y = b;
  x.temp = emit_.in_temp(a);
  y.temp = emit_.in_temp(b);
  x.constant = y.constant = false;
  if (lanes == 1) return emit_.make(Op::kPow, a.type, x.temp, y.temp);
  Value out = emit_.make(Op::kMov, a.type, x.temp);
  for (int k = 0; k < lanes; ++k) {
    const int mark = emit_.mark();
    const Value base = lane(x, k), exponent = lane(y, k);
    const Value one = emit_.make(Op::kPow, Type::kFloat, base.temp, exponent.temp);
    emit_.emit(Op::kSetLane, Type::kFloat, out.temp, one.temp, -1, k, 0);
    emit_.release(mark);
  }
  return out;
}

Value Lowering::builtin(const Node& node, const std::vector<Value>& given) {
  const std::string name(node.text);
  for (const Builtin& known : kBuiltins)
    if (known.name == node.text && known.arguments != given.size())
      fail(node.place, name + " takes " + std::to_string(known.arguments) + " arguments, not " + std::to_string(given.size()));
  std::vector<Value> v = given;
  const bool scalars_allowed = name == "min" || name == "max" || name == "clamp" || name == "mix";
  unify(node, &v, name == "mix" ? 2 : scalars_allowed ? 1 : 3);
  const bool keeps_integers = name == "abs" || name == "min" || name == "max" || name == "clamp";
  if (!keeps_integers)
    for (Value& value : v) value.type = float_vector(type_lanes(value.type));
  const Type type = v[0].type;
  const int lanes = type_lanes(type);
  if (name == "cross" && lanes != 3) fail(node.place, "cross takes two vec3");
  if ((name == "dot" || name == "length" || name == "normalize" || name == "reflect") && lanes == 1)
    fail(node.place, name + " takes vectors");
  if (name == "dot") return dot(v[0], v[1]);
  if (name == "cross") return cross(v[0], v[1]);
  if (name == "length") return length(v[0]);
  if (name == "normalize") {
    v[0].temp = emit_.in_temp(v[0]);
    v[0].constant = false;
    return scaled(v[0], emit_.make(Op::kRsq, Type::kFloat, dot(v[0], v[0]).temp));
  }
  if (name == "reflect") {  // i - 2 dot(n, i) n
    const Value twice = two(Op::kMul, Type::kFloat, dot(v[1], v[0]), constant_of(Type::kFloat, 2));
    return two(Op::kSub, type, v[0], scaled(v[1], twice));
  }
  if (name == "mix") {  // a (1 - t) + b t
    const Value rest = two(Op::kSub, type, constant_of(type, 1, 1, 1, 1), v[2]);
    const Value first = two(Op::kMul, type, v[0], rest);
    return two(Op::kAdd, type, first, two(Op::kMul, type, v[1], v[2]));
  }
  if (name == "clamp") return two(Op::kMin, type, two(Op::kMax, type, v[0], v[1]), v[2]);
  if (name == "min" || name == "max") return two(name == "min" ? Op::kMin : Op::kMax, type, v[0], v[1]);
  if (name == "pow") return power(v[0], v[1]);
  return emit_.make(name == "abs" ? Op::kAbs : name == "sin" ? Op::kSin : Op::kCos, type, emit_.in_temp(v[0]));
}

}  // namespace gyre::shader
