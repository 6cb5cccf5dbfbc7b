// The shaders of a linked program as stages of a draw: the vertex shader as the front end's stage 0 (frontend.md §1),
// the fragment shader as FRAG_ENTRY (§12, §13).
#pragma once

#include <string>
#include <vector>

#include "linker.h"
#include "machine_ir.h"

namespace gyre::shader::gpu {

// Varyings as they travel: the front end carries 12 scalars a vertex, in this order.
struct CarriedVarying {
  int vertex_slot, fragment_slot, lanes;  // lanes 1..4; the others read 0
};
struct VaryingPlan {
  static constexpr int kMaxLanes = 12;
  std::vector<CarriedVarying> varyings;  // ascending by fragment slot; only those the fragment shader reads
  int lanes() const;
  // Bytes of a VS record.
  int record_bytes() const { return 16 * (1 + static_cast<int>(varyings.size())); }
};
// False, with a reason, when the fragment shader reads more than 12 scalars.
bool plan_varyings(const Program& program, VaryingPlan* plan, std::string* error);

// Who answers SAMPLE: the seed's sampler (nearest, clamp, base level) as code that reads the words of
// GYRE_CONST_TEXTURE, or the TEX unit's stage 1 with its own filter and wrap, at a level computed from the quad (tex.md
// §12).
enum class Sampling { kSoftware, kTexUnit };

// Argument: gyre_vs_arg. One vertex a thread; threads beyond the last vertex repeat it.
Function vertex_kernel(const std::string& name, const Program& program, const VaryingPlan& plan, bool precise);
// Argument: the u64 slots of frontend.md §12. Colour is clamped to [0, 1], nearest 1/255, NaN is 0.
Function fragment_kernel(const std::string& name, const Program& program, const VaryingPlan& plan, bool precise,
                         Sampling sampling);

}  // namespace gyre::shader::gpu
