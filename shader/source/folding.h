// Arithmetic on constants, lane by lane, with the results the emitted instructions would give.
#pragma once

#include <string_view>

#include "emitter.h"

namespace gyre::shader {

// + - * / on two constants of the same lanes. Integer / truncates; no lane of a divisor may be 0.
Value fold_arithmetic(std::string_view op, Type type, const Value& a, const Value& b);
// % of two int constants, sign of the dividend; b is not 0.
Value fold_remainder(const Value& a, const Value& b);
Value fold_lanes(Type type, const Value& a, float (*function)(float));

}  // namespace gyre::shader
