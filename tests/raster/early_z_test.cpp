#include "early_z.h"

#include <boost/test/unit_test.hpp>
#include <random>

using namespace gyre::raster;

namespace {

bool passes(unsigned func, std::uint32_t a, std::uint32_t b) {
  switch (func) {
    case GYRE_CMP_ALWAYS:
      return true;
    case GYRE_CMP_NEVER:
      return false;
    case GYRE_CMP_LESS:
      return a < b;
    case GYRE_CMP_LEQUAL:
      return a <= b;
    case GYRE_CMP_EQUAL:
      return a == b;
    case GYRE_CMP_GEQUAL:
      return a >= b;
    case GYRE_CMP_GREATER:
      return a > b;
    default:
      return a != b;
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(early_z)

BOOST_AUTO_TEST_CASE(candidate_saturates_like_the_shader) {
  BOOST_TEST(depth_at({0, 0, -1}, 5, 5) == 0u);
  BOOST_TEST(depth_at({0, 0, 0x01000000}, 0, 0) == 0xFFFFFFu);
  BOOST_TEST(depth_at({0, 0, 0x00800000}, 64, 50) == 0x800000u);
  // frontend.md §15, triangle 2
  BOOST_TEST(depth_at({0x00013B8B, 0x00006117, 0x0023E32D}, 40, 30) == 0x609197u);
  // the sum wraps at 32 bits before it saturates
  BOOST_TEST(depth_at({0x7FFFFFFF, 0, 3}, 2, 0) == 1u);
}

// Nothing the authoritative test could still let through is dropped, however the stored depth moves towards the eye.
BOOST_AUTO_TEST_CASE(only_strictly_behind_pixels_are_dropped) {
  for (unsigned func = 0; func < 8; ++func)
    for (std::uint32_t candidate = 0; candidate < 6; ++candidate)
      for (std::uint32_t stored = 0; stored < 6; ++stored) {
        const bool dropped = strictly_behind(func, candidate, stored);
        if (dropped) {
          BOOST_TEST(can_cull(func));
          BOOST_TEST(!passes(func, candidate, stored));
        }
        if (candidate == stored) BOOST_TEST(!dropped);
        const bool ordered = func >= GYRE_CMP_LESS && func <= GYRE_CMP_GREATER && func != GYRE_CMP_EQUAL;
        if (ordered && candidate != stored) BOOST_TEST(dropped == !passes(func, candidate, stored));
        if (!ordered) BOOST_TEST(!dropped);
      }
}

BOOST_AUTO_TEST_CASE(mask_is_narrowed_per_covered_pixel) {
  const gyre_plane plane = {0x10, 0x100, 0x1000};
  Quad quad{7, 9, 0b1101, 0};
  unsigned reads = 0;
  const unsigned mask = early_z_mask(quad, plane, GYRE_CMP_LESS, [&](std::uint32_t x, std::uint32_t y) {
    ++reads;
    BOOST_TEST((x / 2 == 7 && y / 2 == 9));
    const std::uint32_t z = 0x10 * x + 0x100 * y + 0x1000;
    // behind at sub-pixel 2 only; equal elsewhere; the stencil byte must not count
    return (x == 14 && y == 19 ? z - 1 : z) | 0xAB000000u;
  });
  BOOST_TEST(reads == 3u);
  BOOST_TEST(mask == 0b1001u);
}

BOOST_AUTO_TEST_SUITE_END()
