// Coalescing of packets (memory.md §5.2) and banks of local memory (§6): how many words, how many cycles.
#include "lsu_timing.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "../memory/flat_level.h"
#include "device_map.h"
#include "geometry.h"

using namespace gyre;
using core::LsuTiming;

namespace {

struct Bench {
  GpuConfig gpu;
  test::FlatLevel below;
  memory::Cache cache;
  LsuTiming lsu;
  using Tweak = std::function<void(GpuConfig&)>;
  static GpuConfig of(unsigned lanes, unsigned word, unsigned lmem_banks, const Tweak& tweak) {
    GpuConfig gpu;
    if (tweak) tweak(gpu);
    gpu.core.threads = lanes;
    gpu.core.dcache_word = word;
    gpu.core.lmem_banks = lmem_banks;
    return memory::with_geometry(gpu);
  }
  explicit Bench(unsigned lanes, unsigned word = 0, unsigned lmem_banks = 0, const Tweak& tweak = nullptr)
      : gpu(of(lanes, word, lmem_banks, tweak)), cache({gpu.dcache, false, 1}, below), lsu(gpu) {
    lsu.dcache = &cache;
  }
};

// Words asked for and cycles of the coalescer, counted with sets.
std::pair<std::uint64_t, std::uint64_t> naive(const GpuConfig& gpu, const std::vector<std::uint32_t>& address,
                                              std::uint32_t mask, unsigned bytes) {
  const unsigned lanes = gpu.core.threads, word = gpu.core.dcache_word;
  const unsigned channels = std::max(1u, lanes * 4 / word), group = lanes / channels;
  std::uint64_t words = 0, most = 1;
  for (unsigned c = 0; c < channels; ++c) {
    std::set<std::uint32_t> seen;
    for (unsigned l = c * group; l < (c + 1) * group; ++l)
      if ((mask >> l & 1) != 0)
        for (unsigned b = 0; b < bytes; ++b) seen.insert((address[l] + b) / word);
    words += seen.size();
    most = std::max<std::uint64_t>(most, seen.size());
  }
  return {words, most};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lsu_timing)

BOOST_DATA_TEST_CASE(packets_ask_for_the_words_sets_say, boost::unit_test::data::make({1u, 2u, 4u, 8u, 16u, 32u}), lanes) {
  std::mt19937 random(lanes);
  for (const unsigned word : {0u, 4u, 8u, 64u}) {
    Bench bench(lanes, word);
    const std::uint32_t full = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (int round = 0; round < 400; ++round) {
      const unsigned kind = random() % 5;
      const std::uint32_t first = 0x20000 + (random() % 4096) * 4;
      std::vector<std::uint32_t> address(lanes);
      for (unsigned l = 0; l < lanes; ++l)
        address[l] = kind == 0   ? first + 4 * l
                     : kind == 1 ? first
                     : kind == 2 ? first + (random() % 64) * 4
                     : kind == 3 ? first + 256 * l
                                 : first + (lanes - l) * 4;
      std::uint32_t mask = random() % 2 == 0 ? full : random() & full;
      if (mask == 0) mask = 1;
      if (kind == 0) mask = full;
      const auto [words, cycles] = naive(bench.gpu, address, mask, 4);
      const std::uint64_t reads = bench.cache.counters().reads, extra = bench.lsu.counters().coalescer_misses;
      const kernel::Cycle at = 1000ull * (round + 1);
      if (kind == 0)
        bench.lsu.load_row(first, 4, mask, at);
      else if (kind == 1 && random() % 2 == 0)
        bench.lsu.load_row(first, 0, mask, at);
      else
        bench.lsu.load_lanes(address.data(), mask, 4, at);
      BOOST_REQUIRE_EQUAL(bench.cache.counters().reads - reads, words);
      BOOST_REQUIRE_EQUAL(bench.lsu.counters().coalescer_misses - extra, cycles - 1);
    }
  }
}

// A row and the same lanes one by one: the same words of the same lines.
BOOST_DATA_TEST_CASE(rows_touch_the_lines_of_their_lanes, boost::unit_test::data::make({1u, 4u, 8u, 16u, 32u}), lanes) {
  for (std::uint32_t first = 0x20000; first < 0x20100; first += 4) {
    Bench by_row(lanes), by_lane(lanes);
    std::vector<std::uint32_t> address(lanes);
    for (unsigned l = 0; l < lanes; ++l) address[l] = first + 4 * l;
    by_row.lsu.store_row(first, 4, 1000);
    by_lane.lsu.store_lanes(address.data(), lanes == 32 ? ~0u : (1u << lanes) - 1, 4, 1000);
    std::map<std::uint64_t, unsigned> row, lane;
    for (const auto& call : by_row.below.calls) row[call.address / 64] += call.count;
    for (const auto& call : by_lane.below.calls) lane[call.address / 64] += call.count;
    if (by_row.gpu.total_cores() == 1) {  // write-back: look at the fills
      BOOST_REQUIRE_EQUAL(row.size(), lane.size());
      for (const auto& [line, count] : lane) BOOST_REQUIRE_EQUAL(row[line], count);
    }
    BOOST_REQUIRE_EQUAL(by_row.cache.counters().writes, by_lane.cache.counters().writes);
  }
}

BOOST_AUTO_TEST_CASE(a_hit_takes_the_documented_cycles) {
  Bench bench(4);
  bench.lsu.load_row(0x20000, 4, 0xF, 0);
  // Four words: two channels at one bank.
  BOOST_TEST(bench.lsu.load_row(0x20000, 4, 0xF, 1000) == 1000u + 11 + 5 + 1);
  BOOST_TEST(bench.lsu.load_lanes(std::vector<std::uint32_t>(4, 0x20000).data(), 1, 4, 2000) == 2000u + 11 + 5);
  // A lane a line, two words a channel: a coalescer cycle and a bank cycle more.
  const std::uint32_t apart[] = {0x20000, 0x20040, 0x20080, 0x200C0};
  bench.lsu.load_lanes(apart, 0xF, 4, 3000);
  BOOST_TEST(bench.lsu.load_lanes(apart, 0xF, 4, 4000) == 4000u + 11 + 5 + 1);
}

BOOST_AUTO_TEST_CASE(local_memory_serves_a_word_a_bank) {
  Bench bench(8);
  std::uint32_t address[8];
  const auto stride = [&](unsigned words) {
    for (unsigned l = 0; l < 8; ++l) address[l] = GYRE_DEV_LMEM_BASE + 4 * words * l;
    return bench.lsu.local_conflicts(address, 0xFF);
  };
  BOOST_TEST(stride(1) == 0u);
  BOOST_TEST(stride(2) == 1u);
  BOOST_TEST(stride(4) == 3u);
  BOOST_TEST(stride(8) == 7u);
  BOOST_TEST(stride(3) == 0u);
  BOOST_TEST(stride(0) == 0u);  // one word: a broadcast
  BOOST_TEST(bench.lsu.counters().local_bank_stalls == 11u);
  Bench few(8, 0, 2);
  for (unsigned l = 0; l < 8; ++l) address[l] = GYRE_DEV_LMEM_BASE + 4 * l;
  BOOST_TEST(few.lsu.rows_conflict());
  BOOST_TEST(few.lsu.local_conflicts(address, 0xFF) == 3u);
}

BOOST_AUTO_TEST_CASE(loads_wait_for_a_place_in_the_pool) {
  Bench bench(4);  // 8 places
  for (std::uint32_t i = 0; i < 8; ++i) {
    bench.lsu.load_row(0x20000 + 64 * i, 0, 0xF, 1000 + i);
    BOOST_TEST(bench.lsu.waited() == 0u);
  }
  bench.lsu.load_row(0x30000, 0, 0xF, 1008);
  BOOST_TEST(bench.lsu.waited() > 30u);
}

// Loads of a line a lane, more of them at once than there are MSHR entries. By Little's law a load stays as long as loads
// under way over loads served a cycle: hundreds of cycles. That, less the way itself, is what is counted as waiting for an
// entry: by each load at least once, by each of its words at most.
BOOST_DATA_TEST_CASE(waits_for_an_entry_follow_littles_law,
                     boost::unit_test::data::make({8u, 32u}) * boost::unit_test::data::make({16u, 32u}) *
                         boost::unit_test::data::make({4u, 16u}),
                     lanes, pool, entries) {
  constexpr unsigned kLoads = 2000;
  Bench bench(lanes, 0, 0, [&](GpuConfig& gpu) {
    gpu.core.lsu_pending = pool;
    gpu.dcache.mshr = entries;
  });
  std::vector<std::uint32_t> address(lanes);
  kernel::Cycle now = 1000, last = 0;
  for (unsigned i = 0; i < kLoads; ++i) {
    for (unsigned l = 0; l < lanes; ++l) address[l] = 0x100000 + (i * lanes + l) * 64;
    last = bench.lsu.load_lanes(address.data(), lanes == 32 ? ~0u : (1u << lanes) - 1, 4, now);
    now += 1 + bench.lsu.waited();
  }
  const double stay = pool * static_cast<double>(last - 1000) / kLoads;
  const double way = static_cast<double>(bench.below.latency) + 30 + lanes;  // and the packet's own words
  const double waits = static_cast<double>(bench.cache.counters().mshr_stalls) / kLoads;
  BOOST_TEST(stay > 250);
  BOOST_TEST(waits >= stay - way);
  BOOST_TEST(waits <= stay * lanes);
}

BOOST_AUTO_TEST_SUITE_END()
