// Drawing the triangles of one call into a surface, in order.
#pragma once

#include "soft_stage.h"
#include "triangle_setup.h"

namespace gyre::shader {

struct Surface {
  std::uint32_t* color = nullptr;
  float* depth = nullptr;
  int width = 0, height = 0;  // pixels, rows without gaps, row 0 on top
};

struct FragmentSource {
  const Program* program = nullptr;    // linked
  const TextureView* texture = nullptr;  // or null
  Math math = Math::kPrecise;
};

// One fragment after the other through exec_ir: the reference. Returns the fragments shaded.
std::uint64_t raster_interpreted(const Surface& surface, const TriangleList& list, const FragmentSource& source);

// Batches of fragments, bins on `threads` threads (1: the caller's): the same pixels, faster.
std::uint64_t raster_batched(const Surface& surface, const TriangleList& list, const FragmentSource& source, int threads);

// Vertex slots the fragment shader reads, each once, ascending; only these need to be interpolated.
std::vector<int> varying_slots_read(const Program& program);

}  // namespace gyre::shader
