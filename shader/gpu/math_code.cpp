#include "math_code.h"

#include "math_routines.h"

namespace gyre::shader::gpu {

Function make_routine(Routine routine) {
  constexpr int kFa0 = 42, kFa1 = 43;
  Function f;
  f.name = routine_name(routine);
  Builder b(&f);
  MathRoutines<Builder> math(&b);
  const VReg x = b.param(true, kFa0);
  VReg result;
  switch (routine) {
    case kSinPrecise:
      result = math.precise_sin(x);
      break;
    case kCosPrecise:
      result = math.precise_cos(x);
      break;
    case kPowPrecise:
      result = math.precise_pow(x, b.param(true, kFa1));
      break;
    case kSinCompat:
      result = math.compat_sin(x);
      break;
    case kCosCompat:
      result = math.compat_cos(x);
      break;
    case kPowCompat:
      result = math.compat_pow(x, b.param(true, kFa1));
      break;
    case kRsqCompat:
      result = math.compat_rsq(x);
      break;
  }
  b.push(Kind::kReturn, {}, result);
  tidy(&f);
  return f;
}

}  // namespace gyre::shader::gpu
