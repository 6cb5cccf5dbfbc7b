// What every level of the memory system can stream, against closed forms (timing.md §2.2, memory.md §3, §8).
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <string>

#include "../support/fork_case.h"
#include "at_client.h"
#include "at_hierarchy.h"
#include "device_memory.h"
#include "geometry.h"
#include "hierarchy.h"
#include "simulate.h"
#include "table.h"

using namespace gyre;
using kernel::Cycle;
using test::expect;
using test::expect_styles;

namespace {

using Tweak = std::function<void(GpuConfig&)>;

GpuConfig machine(const Tweak& tweak) {
  GpuConfig gpu;
  gpu.cores = 4;
  tweak(gpu);
  const GpuConfig resolved = memory::with_geometry(gpu);
  BOOST_REQUIRE_EQUAL(memory::check_caches(resolved), "");
  return resolved;
}

constexpr unsigned kLines = 4096;

// Lines a cycle when `ask(line, at)` is called for consecutive lines, eight a cycle: more than any level serves.
double streamed(const std::function<Cycle(unsigned, Cycle)>& ask, Cycle begin) {
  Cycle done = begin;
  for (unsigned i = 0; i < kLines; ++i) done = std::max(done, ask(i, begin + i / 8));
  return kLines / static_cast<double>(done - begin);
}

constexpr Cycle kBegin = 1 << 20;  // what has been read before is over

// Through the data cache: lines of `bytes` a cycle, after a pass that has brought them in, if `warm`.
double loose_through_dcache(unsigned bytes, bool warm, const Tweak& tweak) {
  const GpuConfig gpu = machine(tweak);
  memory::Dram dram(memory::resolve(gpu.dram, gpu.period_ps()));
  memory::Hierarchy caches(gpu, dram);
  const unsigned lines = bytes / 64;
  const auto ask = [&](unsigned line, Cycle at) { return caches.dcache(0)->read({std::uint64_t{line % lines} * 64, 1}, at); };
  if (warm) streamed(ask, 1024);
  return streamed(ask, kBegin);
}

double approximate_through_dcache(unsigned bytes, bool warm, const Tweak& tweak) {
  const std::string text = test::run_forked([&] {
    MachineConfig config;
    config.sim.timing = Timing::kApproximate;
    config.gpu = machine(tweak);
    kernel::Context ctx{config, {}, {}, {}};
    memory::DeviceMemory memory("memory", ctx);
    kernel::Cables cables(false);
    memory::AtHierarchy caches("caches", config.gpu, memory.target, cables);
    memory::AtCache& dcache = *caches.dcache(0);
    kernel::AtClient client("client", dcache.banks(), memory::log2_of(dcache.line_bytes()), config.gpu.period_ps(),
                            kernel::MemSource::kLsu);
    client.bind(dcache.in);
    Cycle last = 0;
    const auto stream = [&](Cycle begin) {
      for (unsigned i = 0; i < kLines; ++i) {
        const kernel::MemoryAccess line{std::uint64_t{i % (bytes / 64)} * 64, 1};
        client.read(&line, 1, begin + i / 8, [&](Cycle back) { last = std::max(last, back); });
      }
    };
    sc_core::sc_spawn([&] {
      if (warm) stream(1024);
      stream(kBegin);
    });
    kernel::simulate();
    return std::to_string(kLines / static_cast<double>(last - kBegin));
  });
  return std::strtod(text.c_str(), nullptr);
}

// A line of the table.
void expect_stream(const std::string& what, double closed_form, unsigned bytes, bool warm, const Tweak& tweak) {
  expect_styles(what + ": lines a cycle", closed_form, loose_through_dcache(bytes, warm, tweak),
                approximate_through_dcache(bytes, warm, tweak));
}

// A row of device memory, which both styles share: blocks a cycle between the 4,096th and the 65,536th of a stream that
// offers a twentieth more than memory can take.
void expect_dram(const std::string& what, const DramConfig& config, double closed_form) {
  memory::Dram dram(memory::resolve(config, 2500));
  constexpr unsigned kFirst = 4096, kLast = 65536;
  Cycle first = 0, done = 0;
  for (unsigned block = 0; block < kLast; ++block) {
    const Cycle at = kBegin + static_cast<Cycle>(block / (1.05 * closed_form));
    done = std::max(done, dram.read({std::uint64_t{block} * 64, 1}, at));
    if (block + 1 == kFirst) first = done;
  }
  expect(what + ": blocks a cycle", (kLast - kFirst) / static_cast<double>(done - first), closed_form, 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_timing)

BOOST_AUTO_TEST_CASE(streaming_by_level) {
  // Hits: a word a bank and cycle.
  for (const unsigned banks : {1u, 2u, 4u})
    expect_stream("dcache hits, " + std::to_string(banks) + " banks", banks, 8192, true,
                  [=](GpuConfig& g) { g.dcache.banks = banks; });
  // Misses take their bank three times (lookup, fill, replay) and the trunk once.
  const auto l2 = [](GpuConfig& g) {
    g.l2.enabled = true;
    g.dcache.banks = 2;
    g.dcache.mshr = 64;
  };
  expect_stream("L2 hits behind 2 banks", 2 / 3.0, 256 << 10, true, l2);
  expect_stream("L2 hits behind 4 banks, one trunk port", 1, 256 << 10, true, [&](GpuConfig& g) {
    l2(g);
    g.dcache.banks = 4;
    g.link.l1_ports = 1;
  });
  expect_stream("L3 hits behind a small L2, one bank", 1 / 3.0, 1 << 20, true, [&](GpuConfig& g) {
    l2(g);
    g.dcache.banks = 1;
    g.l2.bytes = 64 << 10;
    g.l2.banks = 8;  // each of its misses takes its bank three times too
    g.l3.enabled = true;
  });
  // Memory behind the data cache. With every entry taken, fills and replays go before requests (memory.md §4.1), so misses
  // go in batches: as many as there are entries go in, the first is back after 58 cycles, and each takes its bank twice,
  // for its fill and its replay, before the next batch begins.
  for (const unsigned mshr : {4u, 8u, 12u, 16u})
    expect_stream("memory, MSHR 2 x " + std::to_string(mshr), 2.0 * mshr / (58 + 2 * mshr), 1 << 20, false, [=](GpuConfig& g) {
      g.dcache.banks = 2;
      g.dcache.mshr = mshr;
      g.l2.enabled = false;
    });
  expect_stream("memory, a block 8 cycles on each of 2 buses", 2 / 8.0, 1 << 20, false, [](GpuConfig& g) {
    g.dcache.mshr = 64;
    g.dram.burst = 8;
  });
}

BOOST_AUTO_TEST_CASE(streaming_of_device_memory) {
  DramConfig c;
  for (const unsigned banks : {1u, 2u, 4u}) {
    c.banks = banks;
    expect_dram("flat, " + std::to_string(banks) + " buses", c, banks);
  }
  c = {};
  c.kind = DramKind::kOpenRow;
  // 32 blocks a row and bus; activations hide behind the other row banks.
  expect_dram("open rows", c, 2);
  c.row_banks = 1;
  c.burst = 4;
  // One row bank: precharge and activate after each row's 32 blocks.
  expect_dram("open rows, one bank", c, 2 * 32 / (32 * 4 + 40.0));
  c = {};
  c.kind = DramKind::kLpddr4;  // 64 bytes in 10 ns, 180 of 3904 ns refresh
  expect_dram("lpddr4", c, 2 / 4.0 * (1 - 180 / 3904.0));
  c.kind = DramKind::kHbm2;  // 64 bytes in 2 ns, taken for a whole cycle of 2.5 ns; 260 of 3900 ns refresh
  expect_dram("hbm2", c, 2 * (1 - 260 / 3900.0));
}

BOOST_AUTO_TEST_SUITE_END()
