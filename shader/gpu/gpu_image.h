// A device image of compiled shaders: kernels, the routines they call, their tables.
#pragma once

#include "emit.h"
#include "machine_ir.h"

namespace gyre::shader::gpu {

// Adds what the kernels call and lays everything out from `base` on. Throws std::runtime_error when a kernel keeps too
// many values at once for the lane's stack.
Image link_image(std::uint32_t base, const std::vector<Function>& kernels);

}  // namespace gyre::shader::gpu
