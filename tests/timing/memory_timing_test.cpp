// What every level of the memory system can stream, against closed forms (timing.md §2.2, memory.md §3, §8).
#include <boost/test/unit_test.hpp>

#include <functional>

#include "geometry.h"
#include "hierarchy.h"
#include "table.h"

using namespace gyre;
using kernel::Cycle;
using test::expect;

namespace {

struct Machine {
  GpuConfig gpu;
  memory::Dram dram;
  memory::Hierarchy caches;

  explicit Machine(const std::function<void(GpuConfig&)>& tweak)
      : gpu(make(tweak)), dram(memory::resolve(gpu.dram, gpu.period_ps())), caches(gpu, dram) {}
  static GpuConfig make(const std::function<void(GpuConfig&)>& tweak) {
    GpuConfig gpu;
    gpu.cores = 4;
    tweak(gpu);
    const GpuConfig resolved = memory::with_geometry(gpu);
    BOOST_REQUIRE_EQUAL(memory::check_caches(resolved), "");
    return resolved;
  }
};

constexpr unsigned kLines = 4096;

// Lines a cycle when `ask(line, at)` is called for consecutive lines, eight a cycle: more than any level serves.
double streamed(const std::function<Cycle(unsigned, Cycle)>& ask, Cycle begin) {
  Cycle done = begin;
  for (unsigned i = 0; i < kLines; ++i) done = std::max(done, ask(i, begin + i / 8));
  return kLines / static_cast<double>(done - begin);
}

// Through the data cache: `passes` over `bytes`, the last one measured.
double through_dcache(unsigned bytes, bool warm, const std::function<void(GpuConfig&)>& tweak) {
  Machine m(tweak);
  memory::Cache& dcache = *m.caches.dcache(0);
  const unsigned lines = bytes / 64;
  const auto ask = [&](unsigned line, Cycle at) { return dcache.read({std::uint64_t{line % lines} * 64, 1}, at); };
  if (warm) streamed(ask, 1024);
  return streamed(ask, 1 << 20);
}

double from_dram(const DramConfig& config) {
  memory::Dram dram(memory::resolve(config, 2500));
  return streamed([&](unsigned line, Cycle at) { return dram.read({std::uint64_t{line} * 64, 1}, at); }, 1 << 20);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_timing)

BOOST_AUTO_TEST_CASE(streaming_by_level) {
  // Hits: a word a bank and cycle.
  for (const unsigned banks : {1u, 2u, 4u})
    expect("dcache hits, " + std::to_string(banks) + " banks: lines a cycle",
           through_dcache(8192, true, [=](GpuConfig& g) { g.dcache.banks = banks; }), banks);
  // Misses take their bank three times (lookup, fill, replay) and the trunk once.
  const auto l2 = [](GpuConfig& g) {
    g.l2.enabled = true;
    g.dcache.banks = 2;
    g.dcache.mshr = 64;
  };
  expect("L2 hits behind 2 banks: lines a cycle", through_dcache(256 << 10, true, l2), 2 / 3.0);
  expect("L2 hits behind 4 banks, one trunk port: lines a cycle", through_dcache(256 << 10, true, [&](GpuConfig& g) {
           l2(g);
           g.dcache.banks = 4;
           g.link.l1_ports = 1;
         }), 1);
  expect("L3 hits behind a small L2: lines a cycle", through_dcache(1 << 20, true, [&](GpuConfig& g) {
           l2(g);
           g.l2.bytes = 64 << 10;
           g.l3.enabled = true;
         }), 2 / 3.0);
  // Memory behind the data cache: latency over entries, until banks or buses are the limit.
  expect("memory, MSHR 2 x 16: lines a cycle", through_dcache(1 << 20, false, [](GpuConfig& g) {
           g.dcache.banks = 2;
           g.l2.enabled = false;
         }), 32 / 60.0, 30);  // a full MSHR holds up its bank, and a miss that waited enters it once more
  expect("memory, MSHR 2 x 4: lines a cycle", through_dcache(1 << 20, false, [](GpuConfig& g) {
           g.dcache.banks = 2;
           g.dcache.mshr = 4;
         }), 8 / 60.0);
  expect("memory, MSHR 2 x 8: lines a cycle", through_dcache(1 << 20, false, [](GpuConfig& g) {
           g.dcache.banks = 2;
           g.dcache.mshr = 8;
         }), 16 / 60.0);
  expect("memory, a block 8 cycles on each of 2 buses: lines a cycle", through_dcache(1 << 20, false, [](GpuConfig& g) {
           g.dcache.mshr = 64;
           g.dram.burst = 8;
         }), 2 / 8.0);
}

BOOST_AUTO_TEST_CASE(streaming_of_device_memory) {
  DramConfig c;
  for (const unsigned banks : {1u, 2u, 4u}) {
    c.banks = banks;
    expect("flat, " + std::to_string(banks) + " buses: blocks a cycle", from_dram(c), banks);
  }
  c = {};
  c.kind = DramKind::kOpenRow;
  // 32 blocks a row and bus; activations hide behind the other row banks.
  expect("open rows: blocks a cycle", from_dram(c), 2);
  c.row_banks = 1;
  c.burst = 4;
  // One row bank: precharge and activate after each row's 32 blocks.
  expect("open rows, one bank: blocks a cycle", from_dram(c), 2 * 32 / (32 * 4 + 40.0));
  c = {};
  c.kind = DramKind::kLpddr4;  // 64 bytes in 10 ns, 180 of 3904 ns refresh
  expect("lpddr4: blocks a cycle", from_dram(c), 2 / 4.0 * (1 - 180 / 3904.0));
  c.kind = DramKind::kHbm2;  // 64 bytes in 2 ns, taken for a whole cycle of 2.5 ns; 260 of 3900 ns refresh
  expect("hbm2: blocks a cycle", from_dram(c), 2 * (1 - 260 / 3900.0));
}

BOOST_AUTO_TEST_SUITE_END()
