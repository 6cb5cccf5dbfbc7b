// The proof renderer: one triangle through both shaders, always with the seed's behaviour (csir.md §13).
#pragma once

#include "soft_stage.h"

namespace gyre::shader {

constexpr int kProofSide = 128;

// Draws into `pixels` (width * height words A<<24|R<<16|G<<8|B, row 0 on top); sides 1..128. `v0`..`v2`: 8 vec4 of
// attributes each; `attr_stride`: at least 4, without meaning beyond that. A depth buffer of this call alone, cleared to
// 1.0, so calls do not hide each other. 0; -1 for an argument out of range, an unlinked program, or |W| < 1e-4.
int soft_triangle(const Program& program, const float* v0, const float* v1, const float* v2, int attr_stride,
                  std::uint32_t* pixels, int width, int height, const TextureView* texture, Math math = Math::kCompat);

}  // namespace gyre::shader
