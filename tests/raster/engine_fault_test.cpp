// Guest-visible errors, lints and user errors of the engine (launch.md §5.4).
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "csr.h"
#include "dcr_names.h"
#include "engine_case.h"
#include "error.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(engine_faults)

namespace {

struct FaultCase {
  const char* name;
  unsigned cause;
  std::uint32_t value;
  bool draws;  // the rest of the frame still comes out
};
const FaultCase kFaultCases[] = {
    {"stride not a multiple of 4", GYRE_FAULT_UNIT_STATE, GYRE_DCR_RASTER_PBUF_STRIDE, false},
    {"bin origin outside the stamp", GYRE_FAULT_UNIT_STATE, GYRE_DCR_RASTER_TBUF_ADDR, true},
    {"record outside memory", GYRE_FAULT_UNIT_ACCESS, kPrimBuffer + 0xF000 * sizeof(gyre_prim), true},
    {"pid list outside memory", GYRE_FAULT_UNIT_ACCESS, kTileBuffer + 2 * sizeof(gyre_bin_header) + 4 * 0x10000000u,
     true},
    {"headers outside memory", GYRE_FAULT_UNIT_ACCESS, 0xC0000000u, false},
    {"headers outside the address space", GYRE_FAULT_UNIT_ACCESS, 0x40u, false},
};

}  // namespace

BOOST_DATA_TEST_CASE(guest_errors_are_faults_and_the_engine_drains, data::xrange(6), index) {
  BOOST_TEST_MESSAGE(kFaultCases[index].name);
  const unsigned cause = kFaultCases[index].cause;
  const std::uint32_t value = kFaultCases[index].value;
  const Scene scene = Scene::random(40, 128, 128, 12);
  const PixelOrder expected = kFaultCases[index].draws ? expected_order(scene, keep_all) : PixelOrder{};
  Setup setup;
  RegisterWrites writes = scene.registers(7);
  if (index == 0) writes.push_back({GYRE_DCR_RASTER_PBUF_STRIDE, 214});
  if (index >= 1 && index <= 3) writes.push_back({GYRE_DCR_RASTER_TILE_COUNT, 2});
  if (index == 4)
    writes.insert(writes.end(), {{GYRE_DCR_RASTER_TBUF_ADDR, 0x03000000}, {GYRE_DCR_RASTER_TILE_COUNT, 9}});
  if (index == 5)
    writes.insert(writes.end(), {{GYRE_DCR_RASTER_TBUF_ADDR, 0x04000001}, {GYRE_DCR_RASTER_TILE_COUNT, 0xFFFFFFFF}});
  run(
      setup, {writes},
      [&](std::vector<std::uint8_t>& memory) {
        scene.store(memory, 7);
        if (index < 1 || index > 3) return;
        // A broken bin in front of the good one; the pid array moves by one header.
        std::uint8_t* tiles = memory.data() + kTileBuffer;
        gyre_bin_header good, bad{};
        std::memcpy(&good, tiles, sizeof good);
        std::vector<std::uint32_t> pids(good.pids_count + 1);
        std::memcpy(pids.data(), tiles + sizeof good, 4 * good.pids_count);
        pids.back() = 0xF000;
        if (index == 1) bad = {256u << 16, 0, good.pids_count};
        if (index == 2) bad = {0, good.pids_count, 1};
        if (index == 3) bad = {0, 0x10000000, 3};
        std::memcpy(tiles, &bad, sizeof bad);
        std::memcpy(tiles + sizeof bad, &good, sizeof good);
        std::memcpy(tiles + 2 * sizeof good, pids.data(), 4 * pids.size());
      },
      [&](const Bench& bench) {
        GYRE_CHECK(check_messages(bench) == expected);
        GYRE_CHECK(bench.ctx.faults.valid());
        const kernel::Fault& first = bench.ctx.faults.first();
        GYRE_CHECK_EQUAL(first.cause, cause);
        GYRE_CHECK_EQUAL(first.value, value);
        GYRE_CHECK_EQUAL(first.core, 0xFFFFu);
        GYRE_CHECK_EQUAL(first.warp, unsigned{GYRE_MPM_RASTER});
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(wide_pids_alias_with_a_warning) {
  const Scene scene = Scene::random(41, 128, 128, 1);
  const PixelOrder expected = expected_order(scene, keep_all);
  run(
      Setup(), {scene.registers(7)},
      [&](std::vector<std::uint8_t>& memory) {
        scene.store(memory, 7);
        const std::uint32_t pid = 0x30000;
        std::memcpy(memory.data() + kTileBuffer + sizeof(gyre_bin_header), &pid, 4);
      },
      [&](const Bench& bench) {
        GYRE_CHECK(check_messages(bench) == expected);
        GYRE_CHECK_EQUAL(kernel::warnings_logged(), 1u);
        GYRE_CHECK_EQUAL(bench.counter("pid_alias"), 1u);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(unwritten_registers_are_named_once) {
  const Scene scene = Scene::random(42, 128, 128, 4);
  RegisterWrites writes = scene.registers(7);
  writes.erase(writes.begin());  // STARTUP_ADDR0
  writes.pop_back();             // FRAG_PARAM_LO
  Setup setup;
  setup.config.gpu.raster.cores = 2;
  setup.config.gpu.raster.earlyz = true;  // adds OM_EARLYZ_SAFE; the depth registers do not matter while it is 0
  run(
      setup, {writes, {}}, [&](std::vector<std::uint8_t>& memory) { scene.store(memory, 7); },
      [&](const Bench& bench) {
        GYRE_CHECK_EQUAL(kernel::warnings_logged(), 3u);
        const auto& lints = bench.ctx.lints;
        GYRE_CHECK_EQUAL(lints.findings().size(), std::size_t{3});
        for (const unsigned reg : {GYRE_DCR_STARTUP_ADDR0, GYRE_DCR_RASTER_FRAG_PARAM_LO, GYRE_DCR_OM_EARLYZ_SAFE}) {
          const auto found = lints.findings().find({kernel::Lint::kDcrUnset, reg});
          GYRE_CHECK(found != lints.findings().end());
          GYRE_CHECK_EQUAL(found->second.count, std::uint64_t{2});  // draws
          GYRE_CHECK(found->second.subject.find("(" + kernel::dcr_name(reg) + ")") != std::string::npos);
        }
        GYRE_CHECK(!bench.sinks[0]->taken.empty());
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(impossible_configurations_are_user_errors) {
  for (unsigned index = 0; index < 4; ++index) {
    Setup setup;
    GpuConfig& gpu = setup.config.gpu;
    if (index == 0) gpu.core.threads = 6;
    if (index == 1) gpu.raster.block_log = 8;
    if (index == 2) gpu.raster.slices = 0;
    if (index == 3) gpu.raster.bin_log = 0;
    const std::string text = run_forked([&] {
      kernel::Context ctx{setup.config, {}, {}, {}};
      try {
        raster::RasterEngine engine("raster", ctx, 0, 0);
      } catch (const UserError& error) {
        return std::string(error.what());
      }
      throw std::runtime_error("accepted");
    });
    BOOST_TEST(text.find("gpu.") == 0u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
