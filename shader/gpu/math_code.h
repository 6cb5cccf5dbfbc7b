// The mathematics as device code.
#pragma once

#include "machine_ir.h"
#include "math_table.h"

namespace gyre::shader::gpu {

// Arguments in fa0 and fa1, result in fa0; uses caller-saved registers only.
Function make_routine(Routine routine);

}  // namespace gyre::shader::gpu
