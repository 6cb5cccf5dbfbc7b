#include "binning_oracle.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "setup.h"

namespace gyre::reference {

BinningResult binning(const std::vector<gyre_setup_vertex>& verts, std::uint32_t width, std::uint32_t height,
                      float near_z, float far_z, std::uint32_t bin_log, std::uint32_t subpixel_bits) {
  gyre_pipe_arg arg{};
  arg.width = width;
  arg.height = height;
  arg.vp_minz = near_z;
  arg.vp_maxz = far_z;
  arg.bin_log = bin_log;
  arg.subpixel_bits = subpixel_bits;
  gyre_setup_config config;
  gyre_setup_configure(&config, &arg);

  BinningResult result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> bins;  // (bin_x, bin_y) -> pids
  for (std::size_t t = 0; t + 3 <= verts.size(); t += 3) {
    gyre_setup_vertex tri[3];
    for (int k = 0; k < 3; ++k) {
      tri[k] = verts[t + k];
      std::memset(tri[k].varying2, 0, sizeof tri[k].varying2);
    }
    const gyre_subtri whole = {{&tri[0], &tri[1], &tri[2]}};
    gyre_placed placed;
    if (!gyre_place(&config, &whole, &placed)) continue;
    const std::uint32_t pid = static_cast<std::uint32_t>(result.prims.size());
    if (pid == GYRE_MAX_PRIMS) {
      std::fprintf(stderr, "binning: more than %u visible primitives\n", GYRE_MAX_PRIMS);
      return {};
    }
    gyre_prim prim;
    gyre_setup_record(&config, &whole, &placed, &prim);
    result.prims.push_back(prim);
    const std::uint32_t bin = 1u << bin_log;
    for (std::uint32_t bx = placed.box.left >> bin_log; bx < (placed.box.right + bin - 1) >> bin_log; ++bx) {
      for (std::uint32_t by = placed.box.top >> bin_log; by < (placed.box.bottom + bin - 1) >> bin_log; ++by) {
        bins[{bx, by}].push_back(pid);
      }
    }
  }
  for (const auto& [at, pids] : bins) {
    result.headers.push_back({at.second << 16 | at.first, static_cast<std::uint32_t>(result.pids.size()),
                              static_cast<std::uint32_t>(pids.size())});
    result.pids.insert(result.pids.end(), pids.begin(), pids.end());
  }
  return result;
}

}  // namespace gyre::reference
