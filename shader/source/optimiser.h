// The optimiser (csir.md §10): pure instructions nobody uses become NOP. The array is not compacted.
#pragma once

#include "csir.h"

namespace gyre::shader {

// Four passes, each on what the one before left. The shader must be verified; its results do not change.
void optimise(Shader* shader);

}  // namespace gyre::shader
