// One vertex and one fragment of a linked program (csir.md §13). Coverage, depth and packing are the caller's.
#pragma once

#include "interpreter.h"
#include "linker.h"

namespace gyre::shader {

// `attributes`: 8 vec4. `position`: 4 floats. `varyings`: 8 vec4 or null; slots the shader does not store keep what they hold.
// 0, or -1 when the program is not linked or a required pointer is null.
int soft_vs(const Program& program, const float* attributes, float* position, float* varyings, Math math);

// `varyings`: 8 vec4 in vertex slots. `fragcoord`, `texture`: may be null.
int soft_fs(const Program& program, const float* varyings, const float* fragcoord, const TextureView* texture, float* color,
            bool* discard, Math math);

}  // namespace gyre::shader
