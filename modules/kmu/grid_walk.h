// The order in which the KMU visits the CTAs of a grid (launch.md §3.2), and the launch arithmetic of §2. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace gyre::kmu {

using Dim3 = std::array<std::uint32_t, 3>;  // x, y, z

inline bool any_zero(const Dim3& dim) { return dim[0] == 0 || dim[1] == 0 || dim[2] == 0; }
inline std::uint64_t volume(const Dim3& dim) { return std::uint64_t{dim[0]} * dim[1] * dim[2]; }

// CLUSTER_DIM 0 means 1.
inline Dim3 effective_cluster(Dim3 cluster) {
  for (auto& axis : cluster)
    if (axis == 0) axis = 1;
  return cluster;
}

// Thread-index advance from one warp of `threads` lanes to the next inside a block. No dimension may be 0.
inline Dim3 warp_step(const Dim3& block, std::uint32_t threads) {
  const std::uint64_t plane = std::uint64_t{block[0]} * block[1];
  return {threads % block[0], threads / block[0] % block[1], static_cast<std::uint32_t>(threads / plane % block[2])};
}

inline std::uint32_t warps_per_block(std::uint32_t block_size, std::uint32_t threads) {
  return (block_size + threads - 1) / threads;
}

inline std::uint64_t align_lmem(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// CTAs of `stride` bytes of local memory that can be resident on a core of `slots` slots (launch.md §7.1).
inline std::uint32_t usable_slots(std::uint64_t stride, std::uint32_t lmem_bytes, std::uint32_t slots) {
  if (stride == 0) return slots;
  const std::uint64_t fit = lmem_bytes / stride;
  return static_cast<std::uint32_t>(fit < 1 ? 1 : fit > slots ? slots : fit);
}

// Clusters in row-major order, the CTAs of a cluster in row-major order inside it.
// Every grid dimension must be a multiple of the cluster's, or the walk would never end: checked before.
class GridWalk {
 public:
  GridWalk(const Dim3& grid, const Dim3& cluster) : cluster_(effective_cluster(cluster)) {
    for (unsigned axis = 0; axis < 3; ++axis) grid_[axis] = grid[axis];
    done_ = any_zero(grid);
  }

  bool done() const { return done_; }
  Dim3 block_idx() const {
    Dim3 idx;
    for (unsigned axis = 0; axis < 3; ++axis) idx[axis] = static_cast<std::uint32_t>(origin_[axis] + intra_[axis]);
    return idx;
  }
  bool first_of_cluster() const { return intra_[0] == 0 && intra_[1] == 0 && intra_[2] == 0; }
  bool last_of_cluster() const {
    return intra_[0] + 1 == cluster_[0] && intra_[1] + 1 == cluster_[1] && intra_[2] + 1 == cluster_[2];
  }

  void next() {
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (++intra_[axis] < cluster_[axis]) return;
      intra_[axis] = 0;
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      origin_[axis] += cluster_[axis];
      if (origin_[axis] < grid_[axis]) return;
      origin_[axis] = 0;
    }
    done_ = true;
  }

 private:
  std::array<std::uint64_t, 3> grid_{};  // 64 bits: origin + cluster may pass 2^32
  std::array<std::uint64_t, 3> origin_{};
  Dim3 cluster_;
  Dim3 intra_{};
  bool done_;
};

}  // namespace gyre::kmu
