// One lane of the simple operations (csir.md §5), shared by every executor.
#pragma once

#include "csir.h"
#include "fixed.h"

namespace gyre::shader {

inline float op_max(float a, float b) { return a > b ? a : b; }
inline float op_min(float a, float b) { return a < b ? a : b; }
inline float op_abs(float a) { return a < 0.0f ? -a : a; }
// Zero gives zero, not infinity.
inline float op_rcp(float a) { return a != 0.0f ? 1.0f / a : 0.0f; }
// Toward zero; saturates at the range of int, NaN gives 0.
inline float op_trunc(float a) { return a != a ? 0.0f : static_cast<float>(gyre_f32_to_i32_sat(a)); }

inline float op_compare(int how, float a, float b) {
  bool result;
  switch (how) {
    case kLess: result = a < b; break;
    case kGreater: result = a > b; break;
    case kLessEqual: result = a <= b; break;
    case kGreaterEqual: result = a >= b; break;
    case kEqual: result = a == b; break;
    default: result = a != b; break;
  }
  return result ? 1.0f : 0.0f;
}

}  // namespace gyre::shader
