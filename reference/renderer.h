// CPU reference renderer: plays a draw package with the host-compiled front end and fragment arithmetic and the pure
// hearts of RASTER, TEX and OM. Colour and depth/stencil words are those the machine must leave in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "package_view.h"

namespace gyre::reference {

struct Options {
  std::uint32_t subpixel_bits = 0;  // 0: the rule of frontend.md §6.2; else 4..8
  std::uint32_t bin_log = 7;        // 1..15; has no influence on the frame up to 7
  std::uint32_t block_log = 3;      // of RASTER, 1..bin_log; no influence on the frame
};

struct Stats {
  std::uint64_t triangles = 0;   // submitted
  std::uint64_t primitives = 0;  // after clip and cull
  std::uint64_t quads = 0;       // with at least one covered pixel
  std::uint64_t fragments = 0;   // covered pixels
  std::uint64_t passed = 0;      // survived depth and stencil
  std::uint64_t texels = 0;      // texture samples of covered pixels
};

struct Frame {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> color;          // A8R8G8B8, frame-buffer row 0 first
  std::vector<std::uint32_t> depth_stencil;  // {stencil[31:24], depth[23:0]}
  Stats stats;
};

// UserError for options out of range.
Frame render(const scene::PackageView& package, const Options& options = {});

}  // namespace gyre::reference
