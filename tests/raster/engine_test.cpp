#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "csr.h"
#include "early_z.h"
#include "engine_case.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(engine)

BOOST_DATA_TEST_CASE(any_machine_launches_the_same_pixels_in_the_same_order, data::xrange(20), seed) {
  static const Scene scene = Scene::random(4, 200, 140, 60);
  static const PixelOrder expected = expected_order(scene, keep_all);
  Setup setup;
  GpuConfig& gpu = setup.config.gpu;
  gpu.core.threads = 4u << (seed % 4);
  gpu.clusters = 1 + seed % 2;
  gpu.cores = 1 + seed % 3;
  gpu.raster.cores = 1 + seed / 2 % 3;
  gpu.raster.slices = 1 + seed % 4;
  gpu.raster.bin_log = 5 + seed % 3;
  gpu.raster.block_log = 2 + seed / 3 % 2;
  gpu.raster.quad_fifo = seed % 5 == 0 ? 4 : 32;
  gpu.raster.mem_fifo = seed % 7 == 0 ? 1 : 8;
  setup.config.sim.quantum_ps = (const std::uint64_t[]){10'000, 1'000'000, 100'000'000}[seed % 3];
  setup.dmi = seed % 4 != 1;
  setup.slowest = (const unsigned[]){0, 3, 60, 500}[seed / 2 % 4];
  render(setup, scene, expected);
}

BOOST_AUTO_TEST_CASE(slices_keep_the_order_within_a_bin) {
  const Scene scene = Scene::random(9, 128, 128, 150);  // one bin, heavy overlap
  const PixelOrder expected = expected_order(scene, keep_all);
  std::set<std::string> runs;
  for (unsigned slices = 1; slices <= 4; ++slices) {
    Setup setup;
    setup.config.gpu.raster.slices = slices;
    runs.insert(render(setup, scene, expected));
  }
  BOOST_TEST(runs.size() == 4u);  // and they really worked side by side
}

BOOST_AUTO_TEST_CASE(two_runs_are_equal_to_the_cycle) {
  const Scene scene = Scene::random(12, 160, 100, 40);
  const PixelOrder expected = expected_order(scene, keep_all);
  Setup setup;
  setup.config.gpu.raster.slices = 3;
  setup.config.gpu.raster.cores = 2;
  setup.slowest = 50;
  BOOST_TEST(render(setup, scene, expected) == render(setup, scene, expected));
}

// Without anybody pushing back the dates themselves do not depend on the quantum.
BOOST_AUTO_TEST_CASE(dates_do_not_depend_on_the_quantum) {
  const Scene scene = Scene::random(13, 160, 100, 40);
  const PixelOrder expected = expected_order(scene, keep_all);
  std::set<std::string> runs;
  for (std::uint64_t quantum : {10'000ull, 1'000'000ull, 100'000'000ull}) {
    Setup setup;
    setup.config.gpu.raster.slices = 2;
    setup.config.sim.quantum_ps = quantum;
    runs.insert(render(setup, scene, expected));
  }
  BOOST_TEST(runs.size() == 1u);
}

BOOST_DATA_TEST_CASE(early_z_drops_what_is_strictly_behind, data::xrange(6), seed) {
  const Scene scene = Scene::random(20 + seed, 96, 80, 40);
  const std::uint32_t func = (const std::uint32_t[]){GYRE_CMP_LESS,   GYRE_CMP_LEQUAL, GYRE_CMP_GREATER,
                                                     GYRE_CMP_GEQUAL, GYRE_CMP_LEQUAL, GYRE_CMP_EQUAL}[seed];
  const bool safe = seed != 4;
  const std::uint32_t pitch = 96 * 4 + 64;
  std::vector<std::uint32_t> depth(pitch / 4 * 80);
  std::mt19937 random(seed);
  for (std::uint32_t& word : depth) word = random();
  const PixelOrder expected = expected_order(scene, [&](int x, int y, unsigned pid) {
    const std::uint32_t stored = depth[static_cast<std::size_t>(y) * pitch / 4 + x] & 0xFFFFFF;
    return !safe || !raster::strictly_behind(func, raster::depth_at(scene.depths[pid], x, y), stored);
  });
  Setup setup;
  setup.config.gpu.raster.earlyz = true;
  setup.config.gpu.raster.slices = 1 + seed % 3;
  setup.dmi = seed % 2 == 0;
  setup.slowest = seed % 2 ? 20 : 0;
  RegisterWrites writes = scene.registers(7);
  writes.insert(writes.end(), {{GYRE_DCR_OM_ZBUF_ADDR, kDepthBuffer >> 6},
                               {GYRE_DCR_OM_ZBUF_PITCH, pitch},
                               {GYRE_DCR_OM_DEPTH_FUNC, func},
                               {GYRE_DCR_OM_EARLYZ_SAFE, safe}});
  run(
      setup, {writes},
      [&](std::vector<std::uint8_t>& memory) {
        scene.store(memory, 7);
        std::memcpy(memory.data() + kDepthBuffer, depth.data(), depth.size() * 4);
      },
      [&](const Bench& bench) {
        GYRE_CHECK(check_messages(bench) == expected);
        GYRE_CHECK((bench.counter("early_z_culled") != 0) == (safe && func != GYRE_CMP_EQUAL));
        GYRE_CHECK_EQUAL(kernel::warnings_logged(), 0u);
        return std::string();
      });
}

// Unreadable depth is a fault and culls nothing.
BOOST_AUTO_TEST_CASE(early_z_without_a_depth_buffer_keeps_the_pixels) {
  const Scene scene = Scene::random(30, 64, 64, 10);
  const PixelOrder expected = expected_order(scene, keep_all);
  Setup setup;
  setup.config.gpu.raster.earlyz = true;
  RegisterWrites writes = scene.registers(7);
  writes.insert(writes.end(), {{GYRE_DCR_OM_ZBUF_ADDR, 0x03000000},
                               {GYRE_DCR_OM_ZBUF_PITCH, 256},
                               {GYRE_DCR_OM_DEPTH_FUNC, GYRE_CMP_LESS},
                               {GYRE_DCR_OM_EARLYZ_SAFE, 1}});
  run(
      setup, {writes}, [&](std::vector<std::uint8_t>& memory) { scene.store(memory, 7); },
      [&](const Bench& bench) {
        GYRE_CHECK(check_messages(bench) == expected);
        GYRE_CHECK_EQUAL(bench.ctx.faults.first().cause, unsigned{GYRE_FAULT_UNIT_ACCESS});
        GYRE_CHECK((bench.ctx.faults.first().value & ~0xFFFFFu) == 0xC0000000u);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(registers_persist_and_frames_follow_each_other) {
  const Scene scene = Scene::random(31, 128, 96, 20);
  const PixelOrder once = expected_order(scene, keep_all);
  PixelOrder twice = once;
  for (auto& [pixel, pids] : twice) pids.insert(pids.end(), once.at(pixel).begin(), once.at(pixel).end());
  Setup setup;
  setup.slowest = 30;
  run(
      setup, {scene.registers(7), {}, {{GYRE_DCR_RASTER_TILE_COUNT, 0}}, {{0xFFF, 1}, {GYRE_DCR_TEX_STAGE, 9}}},
      [&](std::vector<std::uint8_t>& memory) { scene.store(memory, 7); },
      [&](const Bench& bench) {
        GYRE_CHECK(check_messages(bench) == twice);
        GYRE_CHECK_EQUAL(bench.drained.size(), std::size_t{4});
        GYRE_CHECK(bench.drained[1] > bench.drained[0]);
        GYRE_CHECK(bench.drained[2] <= bench.drained[1] + 2);  // no tiles: drains at once
        GYRE_CHECK_EQUAL(unsigned(bench.sinks[0]->taken.front().message.ctx_id), 5u);
        GYRE_CHECK_EQUAL(unsigned(bench.sinks[0]->taken.back().message.ctx_id), 6u);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(a_partial_wave_leaves_after_the_idle_time) {
  Scene scene;
  scene.width = scene.height = 128;
  const Point p[3] = {{10 * 32, 10 * 32}, {12 * 32, 10 * 32}, {10 * 32, 12 * 32}};
  Triangle triangle;
  BOOST_REQUIRE(exact_setup(p, 5, 128, 128, triangle));
  scene.triangles.push_back(triangle);
  scene.depths.push_back({});
  const PixelOrder expected = expected_order(scene, keep_all);
  BOOST_REQUIRE(!expected.empty());
  Cycle stamps[2];
  for (unsigned i = 0; i < 2; ++i) {
    Setup setup;
    setup.config.gpu.raster.packer_idle = 32 + 100 * i;
    std::istringstream text(render(setup, scene, expected));
    text >> stamps[i];
  }
  BOOST_TEST(stamps[1] == stamps[0] + 100);
}

BOOST_AUTO_TEST_CASE(back_pressure_costs_time) {
  const Scene scene = Scene::random(32, 128, 128, 30);
  const PixelOrder expected = expected_order(scene, keep_all);
  Setup fast, slow;
  slow.slowest = 400;
  auto field = [](const std::string& text, const std::string& key) {
    return std::stoull(text.substr(text.find(key) + key.size()));
  };
  const std::string quick = render(fast, scene, expected), held = render(slow, scene, expected);
  BOOST_TEST(field(quick, "raster0.stalls ") == 0u);
  BOOST_TEST(field(held, "raster0.stalls ") > 1000u);
  BOOST_TEST(field(held, "drained ") > 10 * field(quick, "drained "));
}

// Each knob moves the cycles, and only those, in the direction an architect expects.
BOOST_AUTO_TEST_CASE(knobs_change_the_time) {
  std::mt19937 random(33);
  Scene small = Scene::random(33, 128, 128, 0),
        mixed = small;  // small triangles walk more squares than they have quads
  while (small.triangles.size() < 120) {
    const Triangle triangle = random_triangle(random, 5, 128, 128);
    const bool tiny = triangle.box.right - triangle.box.left < 13 && triangle.box.bottom - triangle.box.top < 13;
    if (tiny) small.triangles.push_back(triangle), small.depths.push_back({});
    const bool wanted = (mixed.triangles.size() % 2 != 0) == tiny;
    if (wanted && mixed.triangles.size() < 40) mixed.triangles.push_back(triangle), mixed.depths.push_back({});
  }
  const PixelOrder small_order = expected_order(small, keep_all), mixed_order = expected_order(mixed, keep_all);
  auto cycles = [&](bool use_mixed, auto change) {
    Setup setup;
    change(setup.config.gpu);
    const std::string text = use_mixed ? render(setup, mixed, mixed_order) : render(setup, small, small_order);
    return std::stoull(text.substr(text.find("drained ") + 8));
  };
  const auto base = cycles(false, [](GpuConfig&) {});
  BOOST_TEST(cycles(false, [](GpuConfig& gpu) { gpu.raster.slices = 4; }) * 10 < base * 6);
  BOOST_TEST(cycles(false, [](GpuConfig& gpu) { gpu.raster.bin_log = 6; }) < base);  // fewer levels to descend
  auto fetch_bound = [&](unsigned mem_fifo, unsigned mem_queue) {
    return cycles(false, [&](GpuConfig& gpu) {
      gpu.raster.slices = 4;
      gpu.raster.mem_fifo = mem_fifo;
      gpu.raster.mem_queue = mem_queue;
    });
  };
  BOOST_TEST(fetch_bound(1, 4) > fetch_bound(8, 4));
  BOOST_TEST(fetch_bound(8, 1) > fetch_bound(8, 4));
  const auto wide = cycles(true, [](GpuConfig& gpu) { gpu.raster.quad_fifo = 8192; });
  BOOST_TEST(cycles(true, [](GpuConfig& gpu) { gpu.raster.quad_fifo = 4; }) > wide);
}

BOOST_AUTO_TEST_SUITE_END()
