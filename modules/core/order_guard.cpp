// The order guard of launch.md §5.3: exports of one pixel leave the core in launch order.
#include "engine.h"

namespace gyre::core {
namespace {

constexpr std::uint32_t kCovered = 0x80000000u;

// Lane of `w` that covers the pixel, or -1. A pixel occurs once in a wave: the packer flushes before a second time.
int covering_lane(const Warp& w, unsigned threads, std::uint32_t pixel) {
  for (unsigned l = 0; l < threads; ++l)
    if (w.thread_id[0][l] == (pixel | kCovered)) return static_cast<int>(l);
  return -1;
}

}  // namespace

void Engine::find_older(Warp& w) {
  w.older = 0;
  for (std::uint32_t left = active_mask & ~(1u << w.id); left != 0; left &= left - 1) {
    const Warp& other = warps[static_cast<unsigned>(__builtin_ctz(left))];
    if (other.kind != WarpKind::kFragment) continue;
    bool shares = false;
    for (unsigned a = 0; a < threads && !shares; a += 4)
      for (unsigned b = 0; b < threads && !shares; b += 4)
        shares = ((w.full_quads >> (a / 4)) & (other.full_quads >> (b / 4)) & 1) != 0 &&
                 ((w.thread_id[0][a] ^ other.thread_id[0][b]) & ~kCovered) == 0;
    if (shares) w.older |= 1u << other.id;
  }
}

bool Engine::guard_blocks(const Warp& w) const {
  for (std::uint32_t left = w.older; left != 0; left &= left - 1) {
    const Warp& other = warps[static_cast<unsigned>(__builtin_ctz(left))];
    for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(lanes));
      const int match = covering_lane(other, threads, w.thread_id[0][l] & ~kCovered);
      if (match >= 0 && other.exports[match] <= w.exports[l]) return true;
    }
  }
  return false;
}

void Engine::export_issued(Warp& w) {
  for (unsigned l = 0; l < threads; ++l) w.exports[l] += w.lane_mask[l] & 1;
  const std::uint32_t bit = 1u << w.id;
  for (Warp& other : warps)
    if (other.state == WarpState::kGuard && (other.older & bit) != 0) wake(1u << other.id, w.issue + 1);
}

}  // namespace gyre::core
