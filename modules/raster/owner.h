// Which core of the cluster shades a quad (Rasterizer §9.1).
#pragma once

#include <cstdint>

namespace gyre::raster {

// `quad_x`, `quad_y` in quads; `cores` per cluster. Same pixel, same bin, same core, always.
inline std::uint32_t owner_core(std::uint32_t quad_x, std::uint32_t quad_y, unsigned bin_log, std::uint32_t cores) {
  return ((quad_x >> (bin_log - 1)) + (quad_y >> (bin_log - 1))) % cores;
}

}  // namespace gyre::raster
