#include "folding.h"

#include "fixed.h"

namespace gyre::shader {
namespace {

float folded(std::string_view op, bool integer, float a, float b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (!integer) return a * (1.0f / b);  // as RCP and MUL
  const std::int64_t quotient = static_cast<std::int64_t>(gyre_f32_to_i32_sat(a)) / gyre_f32_to_i32_sat(b);
  return static_cast<float>(quotient);
}

}  // namespace

Value fold_arithmetic(std::string_view op, Type type, const Value& a, const Value& b) {
  Value out = constant_of(type, 0);
  for (int k = 0; k < type_lanes(type); ++k) out.lanes[k] = folded(op, is_integer_like(type), a.lanes[k], b.lanes[k]);
  return out;
}

Value fold_remainder(const Value& a, const Value& b) {
  const std::int64_t x = gyre_f32_to_i32_sat(a.lanes[0]), y = gyre_f32_to_i32_sat(b.lanes[0]);
  return constant_of(Type::kInt, static_cast<float>(x % y));
}

Value fold_lanes(Type type, const Value& a, float (*function)(float)) {
  Value out = constant_of(type, 0);
  for (int k = 0; k < type_lanes(type); ++k) out.lanes[k] = function(a.lanes[k]);
  return out;
}

}  // namespace gyre::shader
