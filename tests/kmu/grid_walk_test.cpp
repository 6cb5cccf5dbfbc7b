#include "grid_walk.h"

#include <boost/test/unit_test.hpp>
#include <random>

using namespace gyre::kmu;

namespace {

struct Cta {
  Dim3 idx;
  bool first, last;
  bool operator==(const Cta& o) const { return idx == o.idx && first == o.first && last == o.last; }
};

// The picture of launch.md §3.2: clusters row-major over the grid, members row-major inside.
std::vector<Cta> brute_force(const Dim3& grid, const Dim3& cluster) {
  std::vector<Cta> ctas;
  for (std::uint32_t oz = 0; oz < grid[2]; oz += cluster[2])
    for (std::uint32_t oy = 0; oy < grid[1]; oy += cluster[1])
      for (std::uint32_t ox = 0; ox < grid[0]; ox += cluster[0]) {
        const std::size_t begin = ctas.size();
        for (std::uint32_t z = 0; z < cluster[2]; ++z)
          for (std::uint32_t y = 0; y < cluster[1]; ++y)
            for (std::uint32_t x = 0; x < cluster[0]; ++x) ctas.push_back({{ox + x, oy + y, oz + z}, false, false});
        ctas[begin].first = true;
        ctas.back().last = true;
      }
  return ctas;
}

std::vector<Cta> walked(const Dim3& grid, const Dim3& cluster, std::size_t limit) {
  std::vector<Cta> ctas;
  for (GridWalk walk(grid, cluster); !walk.done() && ctas.size() < limit; walk.next())
    ctas.push_back({walk.block_idx(), walk.first_of_cluster(), walk.last_of_cluster()});
  return ctas;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(grid_walk)

BOOST_AUTO_TEST_CASE(same_as_brute_force) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    Dim3 cluster, grid;
    for (unsigned axis = 0; axis < 3; ++axis) {
      cluster[axis] = 1 + random() % 3;
      grid[axis] = cluster[axis] * (1 + random() % 4);
    }
    const auto expected = brute_force(grid, cluster);
    BOOST_REQUIRE(expected.size() == volume(grid));
    BOOST_REQUIRE((walked(grid, cluster, expected.size() + 1) == expected));
  }
}

BOOST_AUTO_TEST_CASE(cluster_zero_is_one) {
  BOOST_TEST((walked({2, 2, 2}, {0, 0, 0}, 100) == brute_force({2, 2, 2}, {1, 1, 1})));
  BOOST_TEST((effective_cluster({0, 3, 0}) == Dim3{1, 3, 1}));
}

BOOST_AUTO_TEST_CASE(empty_grids_have_no_cta) {
  for (const Dim3& grid : {Dim3{0, 1, 1}, Dim3{1, 0, 1}, Dim3{1, 1, 0}, Dim3{0, 0, 0}})
    BOOST_TEST(walked(grid, {1, 1, 1}, 10).empty());
}

BOOST_AUTO_TEST_CASE(grids_as_wide_as_the_registers) {
  // The last row of the widest grid: x must carry, not wrap.
  GridWalk walk({0xFFFFFFFE, 2, 1}, {0x7FFFFFFF, 1, 1});
  for (std::uint64_t i = 0; i < 1000; ++i) walk.next();
  BOOST_TEST(walk.block_idx()[0] == 1000u);
  BOOST_TEST(volume({0xFFFFFFFF, 2, 1}) == 0x1FFFFFFFEull);
  GridWalk tall({1, 1, 0xFFFFFFFF}, {1, 1, 1});
  tall.next();
  BOOST_TEST((tall.block_idx() == Dim3{0, 0, 1}));
}

// WARP_STEP must advance the base index of a warp exactly as linear decomposition does (launch.md §6).
BOOST_AUTO_TEST_CASE(warp_step_is_linear_decomposition) {
  for (std::uint32_t threads : {1u, 2u, 4u, 8u, 16u, 32u})
    for (std::uint32_t bx = 1; bx <= 12; ++bx)
      for (std::uint32_t by = 1; by <= 6; ++by)
        for (std::uint32_t bz = 1; bz <= 4; ++bz) {
          const Dim3 step = warp_step({bx, by, bz}, threads);
          std::uint32_t x = 0, y = 0, z = 0;
          for (std::uint32_t warp = 0; warp * threads < bx * by * bz; ++warp) {
            const std::uint32_t linear = warp * threads;
            BOOST_REQUIRE(x == linear % bx);
            BOOST_REQUIRE(y == linear / bx % by);
            BOOST_REQUIRE(z == linear / (bx * by));
            x += step[0];
            const std::uint32_t carry_x = x >= bx;
            if (carry_x) x -= bx;
            y += step[1] + carry_x;
            const std::uint32_t carry_y = y >= by;
            if (carry_y) y -= by;
            z += step[2] + carry_y;
          }
        }
}

BOOST_AUTO_TEST_CASE(slots_and_alignment) {
  BOOST_TEST(align_lmem(0) == 0u);
  BOOST_TEST(align_lmem(1) == 64u);
  BOOST_TEST(align_lmem(0xFFFFFFFF) == 0x100000000ull);
  BOOST_TEST(usable_slots(0, 16384, 4) == 4u);
  BOOST_TEST(usable_slots(64, 16384, 4) == 4u);
  BOOST_TEST(usable_slots(8192, 16384, 4) == 2u);
  BOOST_TEST(usable_slots(8256, 16384, 4) == 1u);
  BOOST_TEST(usable_slots(1 << 20, 16384, 4) == 1u);
  BOOST_TEST(warps_per_block(1, 4) == 1u);
  BOOST_TEST(warps_per_block(16, 4) == 4u);
  BOOST_TEST(warps_per_block(17, 4) == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
