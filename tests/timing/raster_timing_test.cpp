// The tile engine of RASTER takes a square a cycle, the packer a quad (timing.md §2.3).
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <memory>
#include <string>

#include "../raster/bench_machine.h"
#include "../raster/scene.h"
#include "../support/fork_case.h"
#include "at_client.h"
#include "at_hierarchy.h"
#include "device_memory.h"
#include "geometry.h"
#include "hierarchy.h"
#include "simulate.h"
#include "table.h"

using namespace gyre;
using namespace gyre::test;

namespace {

// Records of one bin, all alike: a triangle whose sides are far outside but for its right one, at `right` pixels.
struct Draw {
  int right = 300;
  int scissor = 128;  // pixels from the left and from the top
  unsigned slices = 1;
};

// The engine between its caches and consumers that take a message whenever there is one. Data is in the bench's memory.
Cycle drained_after(const Draw& draw, unsigned records, Timing style) {
  const std::string text = run_forked([&] {
    MachineConfig config;
    config.sim.timing = style;
    config.gpu.core.threads = 32;
    config.gpu.raster.slices = draw.slices;
    const GpuConfig resolved = memory::with_geometry(config.gpu);
    const unsigned bin_log = config.gpu.raster.bin_log;
    Scene scene;
    scene.width = scene.height = 1 << bin_log;
    const Point corners[3] = {{draw.right * 32, -100 * 32}, {draw.right * 32, 300 * 32}, {-4000 * 32, 100 * 32}};
    Triangle triangle;
    GYRE_CHECK(exact_setup(corners, 5, scene.width, scene.height, triangle));
    scene.triangles.assign(records, triangle);
    scene.depths.resize(records);
    RegisterWrites registers = scene.registers(bin_log);
    for (auto& [number, value] : registers)
      if (number == GYRE_DCR_RASTER_SCISSOR_X || number == GYRE_DCR_RASTER_SCISSOR_Y)
        value = static_cast<std::uint32_t>(draw.scissor) << 16;

    kernel::Context ctx{config, {}, {}, {}};
    Bench bench("bench", ctx, kMemoryBytes, true, 0, {registers});
    scene.store(bench.memory.data, bin_log);
    memory::Dram dram(memory::resolve(resolved.dram, resolved.period_ps()));
    std::unique_ptr<memory::DeviceMemory> dates;
    std::unique_ptr<memory::Hierarchy> caches;
    kernel::Cables cables{false};
    std::unique_ptr<memory::AtHierarchy> at_caches;
    std::unique_ptr<kernel::AtClient> fetch, depth;
    if (style == Timing::kLoose) {
      caches = std::make_unique<memory::Hierarchy>(resolved, dram);
      bench.engines[0]->set_caches(caches->rcache(0, 0), caches->ocache(0, 0));
    } else {
      dates = std::make_unique<memory::DeviceMemory>("dates", ctx);
      at_caches = std::make_unique<memory::AtHierarchy>("caches", resolved, dates->target, cables);
      const auto client = [&](const char* name, memory::AtCache& cache, kernel::MemSource source) {
        auto made = std::make_unique<kernel::AtClient>(name, cache.banks(), memory::log2_of(cache.line_bytes()),
                                                       resolved.period_ps(), source);
        made->bind(cache.in);
        return made;
      };
      memory::AtCache& rcache = *at_caches->rcache(0, 0);
      fetch = client("fetch", rcache, kernel::MemSource::kRaster);
      depth = client("depth", *at_caches->ocache(0, 0), kernel::MemSource::kEarlyZ);
      bench.engines[0]->set_clients(fetch.get(), [&](std::uint64_t at) { return rcache.probe(at); }, depth.get());
    }
    kernel::simulate();
    GYRE_CHECK(ctx.busy.idle() && !ctx.faults.valid());
    return std::to_string(bench.drained.at(0));
  });
  return std::strtoull(text.c_str(), nullptr, 10);
}

// Items a cycle, `items` a record; what a draw costs once is taken out.
void expect_rate(const std::string& what, const Draw& draw, double items, double closed_form) {
  constexpr unsigned kFew = 4, kMany = 20;
  double rate[2];
  for (const Timing style : {Timing::kLoose, Timing::kApproximate})
    rate[style == Timing::kApproximate] =
        (kMany - kFew) * items / static_cast<double>(drained_after(draw, kMany, style) - drained_after(draw, kFew, style));
  expect_styles(what, closed_form, rate[0], rate[1]);
}

// Of a bin of 128 pixels that all survive, down to blocks of 4: a square of each size splits into four.
constexpr double kSquares = 1 + 4 + 16 + 64 + 256 + 1024;

}  // namespace

BOOST_AUTO_TEST_SUITE(raster_timing)

// Fetching is hidden: a record is three words of three edges, a line or two, and eight are under way.
BOOST_AUTO_TEST_CASE(a_square_a_cycle) {
  // The window keeps two by two blocks: 16 quads a record, and the walk is the limit.
  Draw covered;
  covered.scissor = 8;
  expect_rate("RASTER, bin covered: squares a cycle", covered, kSquares, 1);
  // The bin, its quarters, and all of the left two; those on the right are tested and dropped.
  Draw half = covered;
  half.right = 62;
  expect_rate("RASTER, left half covered: squares a cycle", half, 1 + 2 + 2 * (kSquares - 1) / 4, 1);
  Draw two = covered;
  two.slices = 2;
  expect_rate("RASTER, two slices: squares a cycle", two, kSquares, 2);
}

// Nothing is clipped: three quads for every square, so the packer is the limit, and the quad buffer holds up the walk. It scans
// a quad a cycle, and a wave of 8 is offered in a cycle more (launch.md §11).
BOOST_AUTO_TEST_CASE(a_quad_a_cycle) {
  expect_rate("RASTER, every quad covered: quads a cycle", Draw{}, 64 * 64, 8 / 9.0);
}

BOOST_AUTO_TEST_SUITE_END()
