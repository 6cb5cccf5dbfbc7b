#include "launch_registers.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace gyre::kmu;

namespace {

const CoreLimits kCore{4, 4, 16384};

// A launch the checks accept without a word: 6 blocks of 4x2 threads.
LaunchRegisters good() {
  LaunchRegisters r;
  const std::uint32_t values[] = {0x80000000, 0, 0x80001000, 0, 0x10000, 0,  // addresses
                                  4,          2, 1,          3, 2,       1, 100, 8, 0, 1, 0, 1, 1, 1};
  for (unsigned i = 0; i < 20; ++i) r.write(LaunchRegisters::kFirst + i, values[i]);
  return r;
}

StartCheck after(std::initializer_list<std::pair<unsigned, std::uint32_t>> writes, const CoreLimits& core = kCore) {
  LaunchRegisters r = good();
  for (const auto& [reg, value] : writes) r.write(reg, value);
  return r.check(core);
}
bool refused(std::initializer_list<std::pair<unsigned, std::uint32_t>> writes) {
  const StartCheck check = after(writes);
  BOOST_TEST((check.kind == StartKind::kRefused) == !check.refusal.empty());
  return check.kind == StartKind::kRefused;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(launch_registers)

BOOST_AUTO_TEST_CASE(a_good_launch) {
  const StartCheck check = good().check(kCore);
  BOOST_TEST((check.kind == StartKind::kGrid));
  BOOST_TEST(check.warnings.empty());
  const LaunchParameters p = good().parameters();
  BOOST_TEST(p.pc == 0x80000000u);
  BOOST_TEST(p.entry == 0x80001000u);
  BOOST_TEST(p.param == 0x10000u);
  BOOST_TEST((p.block == Dim3{4, 2, 1}));
  BOOST_TEST((p.grid == Dim3{3, 2, 1}));
  BOOST_TEST(p.lmem == 100u);
  BOOST_TEST(p.block_size == 8u);
  BOOST_TEST((p.step == Dim3{0, 1, 0}));
  BOOST_TEST((p.cluster == Dim3{1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(refusals) {
  BOOST_TEST(refused({{GYRE_DCR_CLUSTER_DIM_X, 2}}));  // 3 mod 2
  BOOST_TEST(!refused({{GYRE_DCR_CLUSTER_DIM_X, 3}}));
  BOOST_TEST(!refused({{GYRE_DCR_CLUSTER_DIM_Y, 0}}));  // 0 is 1
  BOOST_TEST(refused({{GYRE_DCR_BLOCK_SIZE, 7}}));      // not the product
  BOOST_TEST(refused({{GYRE_DCR_BLOCK_SIZE, 17}, {GYRE_DCR_BLOCK_DIM_X, 17}, {GYRE_DCR_BLOCK_DIM_Y, 1}}));
  BOOST_TEST(!refused({{GYRE_DCR_BLOCK_SIZE, 16}, {GYRE_DCR_BLOCK_DIM_X, 8}}));
  BOOST_TEST(!refused({{GYRE_DCR_LMEM_SIZE, 16384}}));
  BOOST_TEST(refused({{GYRE_DCR_LMEM_SIZE, 16385}}));
}

BOOST_AUTO_TEST_CASE(lost_bits) {  // launch.md §1.1 for 16 threads, 4 warps, 16 KiB
  for (unsigned axis = 0; axis < 3; ++axis) {
    BOOST_TEST(refused({{GYRE_DCR_BLOCK_DIM_X + axis, 32}}));
    BOOST_TEST(refused({{GYRE_DCR_WARP_STEP_X + axis, 16}}));
    BOOST_TEST(!refused({{GYRE_DCR_WARP_STEP_X + axis, 15}}));
    BOOST_TEST(refused({{GYRE_DCR_CLUSTER_DIM_X + axis, 8}}));
  }
  // Truncated to their widths these would look like the good values.
  BOOST_TEST(refused({{GYRE_DCR_BLOCK_SIZE, 8 + 32}}));
  BOOST_TEST(refused({{GYRE_DCR_LMEM_SIZE, 100 + 32768}}));
  BOOST_TEST(refused({{GYRE_DCR_BLOCK_DIM_X, 4u | 1u << 31}}));
  BOOST_TEST(!refused({{GYRE_DCR_STARTUP_ADDR1, ~0u}, {GYRE_DCR_KERNEL_ENTRY1, ~0u}, {GYRE_DCR_STARTUP_ARG1, ~0u}}));
  // The value at the start counts, not what was there before.
  BOOST_TEST(!refused({{GYRE_DCR_BLOCK_SIZE, 40}, {GYRE_DCR_BLOCK_SIZE, 8}}));
}

BOOST_AUTO_TEST_CASE(a_kick_is_not_checked) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    const StartCheck check = after({{GYRE_DCR_GRID_DIM_X + axis, 0},
                                    {GYRE_DCR_BLOCK_SIZE, 12345678},
                                    {GYRE_DCR_CLUSTER_DIM_X, 99},
                                    {GYRE_DCR_LMEM_SIZE, ~0u}});
    BOOST_TEST((check.kind == StartKind::kKick));
    BOOST_TEST(check.warnings.empty());
  }
  BOOST_TEST((LaunchRegisters().check(kCore).kind == StartKind::kKick));
}

BOOST_AUTO_TEST_CASE(accepted_with_a_warning) {
  StartCheck check = after({{GYRE_DCR_BLOCK_SIZE, 0}});
  BOOST_TEST((check.kind == StartKind::kNothing));
  BOOST_TEST(check.warnings.size() == 1u);
  check = after({{GYRE_DCR_WARP_STEP_Y, 2}});
  BOOST_TEST((check.kind == StartKind::kGrid));
  BOOST_TEST(check.warnings.size() == 1u);
  check = after({{GYRE_DCR_CLUSTER_DIM_X, 3}});  // 3 CTAs of 2 warps on 4 warps
  BOOST_TEST((check.kind == StartKind::kGrid));
  BOOST_TEST(check.warnings.size() == 1u);
  check = after({{GYRE_DCR_CLUSTER_DIM_Y, 2}, {GYRE_DCR_LMEM_SIZE, 9000}});  // two do not fit local memory
  BOOST_TEST(check.warnings.size() == 1u);
  check = after({{GYRE_DCR_CLUSTER_DIM_Y, 2}});
  BOOST_TEST(check.warnings.empty());
}

BOOST_AUTO_TEST_CASE(unset_registers_are_named) {
  LaunchRegisters r;
  r.write(GYRE_DCR_GRID_DIM_X, 1);
  r.write(GYRE_DCR_GRID_DIM_Y, 1);
  r.write(GYRE_DCR_GRID_DIM_Z, 1);
  const StartCheck check = r.check(kCore);
  const auto named = [&](unsigned reg) {
    return std::find(check.unset.begin(), check.unset.end(), reg) != check.unset.end();
  };
  BOOST_TEST(check.unset.size() == 11u);
  BOOST_TEST(named(GYRE_DCR_STARTUP_ADDR0));
  BOOST_TEST(named(GYRE_DCR_WARP_STEP_Z));
  BOOST_TEST(!named(GYRE_DCR_GRID_DIM_X));
  BOOST_TEST(!named(GYRE_DCR_CLUSTER_DIM_X));  // has a reset value
  BOOST_TEST(after({}).unset.empty());
}

// A start is a draw kick by a dimension that is 0: somebody must have meant it.
BOOST_AUTO_TEST_CASE(a_kick_by_accident) {
  LaunchRegisters r;
  BOOST_TEST(r.check(kCore).unset.size() == 3u);
  r.write(GYRE_DCR_GRID_DIM_X, 1);
  BOOST_TEST((r.check(kCore).unset == std::vector<unsigned>{GYRE_DCR_GRID_DIM_Y, GYRE_DCR_GRID_DIM_Z}));
  r.write(GYRE_DCR_GRID_DIM_Y, 0);
  BOOST_TEST(r.check(kCore).unset.empty());
}

BOOST_AUTO_TEST_CASE(other_registers_are_ignored) {
  LaunchRegisters r = good();
  for (unsigned reg : {0x000u, 0x00Fu, 0x024u, 0x080u, 0xFFFu}) r.write(reg, 0xFFFFFFFF);
  BOOST_TEST((r.check(kCore).kind == StartKind::kGrid));
}

BOOST_AUTO_TEST_SUITE_END()
