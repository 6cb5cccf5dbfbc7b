// SAMPLE through the TEX unit.
#pragma once

#include <array>

#include "builder.h"

namespace gyre::shader::gpu {

// Texel of stage 1 at float coordinates, as r, g, b, a. `descriptor`: address of its gyre_tex_desc. The level is that
// of tex.md §12, the same in the four lanes of a quad, at most the last of the chain; `divergent`: level 0, as
// neighbours may stand aside.
std::array<VReg, 4> sample_tex_unit(Builder& b, VReg descriptor, VReg u, VReg v, bool divergent);

// r, g, b, a of a word A8R8G8B8.
std::array<VReg, 4> texel_lanes(Builder& b, VReg texel);

}  // namespace gyre::shader::gpu
