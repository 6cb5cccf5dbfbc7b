#include "coverage.h"

#include <algorithm>
#include <limits>

namespace gyre::raster {

BinEdges at_bin(const gyre_edge edges[3], std::uint32_t x, std::uint32_t y, unsigned bin_log) {
  BinEdges bin;
  bin.x = x;
  bin.y = y;
  bin.bin_log = bin_log;
  bin.exact = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const std::int32_t a = edges[k].a, b = edges[k].b;
    bin.a[k] = a;
    bin.b[k] = b;
    bin.origin[k] = evaluate(a, b, edges[k].c, x, y);
    bin.extent[k] = wrap_add(wrap_shl(std::max(a, 0), bin_log), wrap_shl(std::max(b, 0), bin_log));
    bin.limit[k] = top_left(a, b) ? -1 : 0;
    bin.fall[k] = std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0);
    // With an extent that fits, a square whose values would wrap upwards fails the overlap test (the sum goes
    // negative), and one whose lowest value is known to be positive cannot wrap downwards.
    const std::int64_t rise =
        (std::max<std::int64_t>(a, 0) + std::max<std::int64_t>(b, 0)) * (std::int64_t{1} << bin_log);
    if (rise <= std::numeric_limits<std::int32_t>::max()) bin.exact |= 1u << k;
  }
  return bin;
}

}  // namespace gyre::raster
