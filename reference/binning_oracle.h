// Sequential oracle of the front end (frontend.md §14): no near clip, no cull, default viewport, OpenGL depth, touched
// bins only, headers by ascending (bin_x, bin_y).
#pragma once

#include <cstdint>
#include <vector>

#include "gfx.h"

namespace gyre::reference {

struct BinningResult {
  std::vector<gyre_bin_header> headers;
  std::vector<std::uint32_t> pids;  // ascending inside a bin
  std::vector<gyre_prim> prims;
};

// Triangles of three vertices each; the six extra lanes are taken as 0. Depth range [near_z, far_z]. More than 65,536
// visible primitives: prints an error, returns no headers.
BinningResult binning(const std::vector<gyre_setup_vertex>& verts, std::uint32_t width, std::uint32_t height,
                      float near_z, float far_z, std::uint32_t bin_log, std::uint32_t subpixel_bits = 0);

}  // namespace gyre::reference
