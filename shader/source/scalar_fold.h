// TRUNC of a known value.
#pragma once

#include "fixed.h"

namespace gyre::shader {

inline float truncated_constant(float x) { return x != x ? 0.0f : static_cast<float>(gyre_f32_to_i32_sat(x)); }

}  // namespace gyre::shader
