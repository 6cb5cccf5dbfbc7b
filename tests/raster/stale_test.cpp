// Lint stale-line of RASTER and early-Z, in both timing styles: what somebody has written under their caches is named, with
// the register of its buffer.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "at_client.h"
#include "at_hierarchy.h"
#include "bench_machine.h"
#include "device_memory.h"
#include "fork_case.h"
#include "geometry.h"
#include "hierarchy.h"
#include "scene.h"
#include "simulate.h"

namespace data = boost::unit_test::data;
using namespace gyre;
using namespace gyre::test;

namespace {

constexpr unsigned kBinLog = 5;

struct Written {
  const char* what;
  std::uint32_t address;
  const char* subject;  // of the finding
};
std::ostream& operator<<(std::ostream& out, const Written& w) { return out << w.what; }
const Written kWritten[] = {{"nothing", 0, ""},
                            {"a bin's header", kTileBuffer, "DCR 0x060 (RASTER_TBUF_ADDR)"},
                            {"a pid", kTileBuffer + sizeof(gyre_bin_header), "DCR 0x060 (RASTER_TBUF_ADDR)"},
                            {"an edge of a primitive", kPrimBuffer + 4, "DCR 0x062 (RASTER_PBUF_ADDR)"},
                            {"the part of a primitive that RASTER does not read", kPrimBuffer + sizeof(gyre_prim) - 4, ""},
                            {"depth", kDepthBuffer + 8, "DCR 0x083 (OM_ZBUF_ADDR)"},
                            {"depth outside the draw", kDepthBuffer + 4 * 40, ""}};

// One triangle that covers the only bin, 32 pixels square.
Scene one_bin() {
  Scene scene;
  scene.width = scene.height = 1 << kBinLog;
  const Point corners[3] = {{300 * 32, -100 * 32}, {300 * 32, 300 * 32}, {-4000 * 32, 100 * 32}};
  Triangle triangle;
  GYRE_CHECK(exact_setup(corners, 5, scene.width, scene.height, triangle));
  scene.triangles = {triangle};
  scene.depths.resize(1);
  return scene;
}

std::string draw_over(const Written& written, Timing style, bool flushed) {
  MachineConfig config;
  config.sim.timing = style;
  config.gpu.raster.bin_log = kBinLog;
  config.gpu.raster.earlyz = true;
  const GpuConfig resolved = memory::with_geometry(config.gpu);
  const Scene scene = one_bin();
  RegisterWrites registers = scene.registers(kBinLog);
  registers.insert(registers.end(), {{GYRE_DCR_OM_ZBUF_ADDR, kDepthBuffer >> 6},
                                     {GYRE_DCR_OM_ZBUF_PITCH, 256},
                                     {GYRE_DCR_OM_DEPTH_FUNC, GYRE_CMP_LESS},
                                     {GYRE_DCR_OM_EARLYZ_SAFE, 1}});
  kernel::Context ctx{config, {}, {}, {}};
  Bench bench("bench", ctx, kMemoryBytes, true, 0, {registers});
  bench.first_kick = 10'000;
  scene.store(bench.memory.data, kBinLog);
  // Blocks that the caches hold from before the write.
  const std::uint32_t held[] = {kTileBuffer, kPrimBuffer, kPrimBuffer + 64, kDepthBuffer, kDepthBuffer + 128};

  memory::Dram dram(memory::resolve(resolved.dram, resolved.period_ps()));
  memory::DeviceMemory dates("dates", ctx);
  kernel::Cables cables{false};
  memory::Hierarchy loose(resolved, dram);
  memory::AtHierarchy travelling("caches", resolved, dates.target, cables);
  memory::LineWatch* watch = nullptr;
  std::unique_ptr<kernel::AtClient> fetch, depth;
  if (style == Timing::kLoose) {
    loose.watch_lines();
    watch = loose.lines();
    for (const std::uint32_t block : held)
      (block < kDepthBuffer ? loose.rcache(0, 0) : loose.ocache(0, 0))->read({block, 1}, 0);
    bench.engines[0]->set_caches(loose.rcache(0, 0), loose.ocache(0, 0));
  } else {
    travelling.watch_lines();
    watch = travelling.lines();
  }
  memory::AtCache &rcache = *travelling.rcache(0, 0), &ocache = *travelling.ocache(0, 0);
  const auto client = [&](const char* name, memory::AtCache& cache, kernel::MemSource source) {
    auto made = std::make_unique<kernel::AtClient>(name, cache.banks(), memory::log2_of(cache.line_bytes()),
                                                   resolved.period_ps(), source);
    made->bind(cache.in);
    return made;
  };
  fetch = client("fetch", rcache, kernel::MemSource::kRaster);
  depth = client("depth", ocache, kernel::MemSource::kEarlyZ);
  if (style == Timing::kApproximate) {
    for (const std::uint32_t block : held) {
      const memory::MemoryAccess access{block, 1};
      (block < kDepthBuffer ? fetch : depth)->read(&access, 1, 1, [](Cycle) {});
    }
    bench.engines[0]->set_clients(fetch.get(), [&](std::uint64_t at) { return rcache.probe(at); }, depth.get(),
                                  rcache.lines(), ocache.lines());
  }
  kernel::simulate(5000 * resolved.period_ps());
  if (written.address != 0) watch->written(written.address, 4);  // DMA
  if (flushed && style == Timing::kLoose) loose.flush(0, 5000);
  if (flushed && style == Timing::kApproximate) travelling.flush(0, [] {});
  kernel::simulate();
  GYRE_CHECK(ctx.busy.idle() && !ctx.faults.valid());
  GYRE_CHECK(bench.counter("early_z_reads") == 1024u);
  std::string text;
  for (const auto& [key, finding] : ctx.lints.findings()) text += finding.subject;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(raster_stale)

BOOST_DATA_TEST_CASE(old_words_are_named, data::make(kWritten) * data::make({false, true}), written, approximate) {
  const Timing style = approximate ? Timing::kApproximate : Timing::kLoose;
  BOOST_TEST(run_forked([&] { return draw_over(written, style, false); }) == written.subject);
  BOOST_TEST(run_forked([&] { return draw_over(written, style, true); }) == "");
}

BOOST_AUTO_TEST_SUITE_END()
