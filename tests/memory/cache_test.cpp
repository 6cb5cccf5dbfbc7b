// Dates of a cache: what the memory model says of hits, misses, chains, banks, MSHRs, write policies and flushes.
#include "cache.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "flat_level.h"
#include "geometry.h"

using namespace gyre;
using kernel::Cycle;
using memory::Cache;
using memory::CacheSetup;

namespace {

constexpr Cycle kMemory = 50;
constexpr Cycle kHit = 2;
constexpr Cycle kMiss = kHit + 2 + kMemory + 2;  // lookup, tag and MSHR, memory, fill and replay

struct Bench {
  test::FlatLevel level{kMemory};
  Cache cache;
  explicit Bench(const CacheSetup& setup) : cache(setup, level) {}
};

CacheSetup setup_of(unsigned banks = 1, unsigned mshr = 16) {
  CacheSetup setup;
  setup.geometry.latency = 2;
  setup.geometry.write = WritePolicy::kThrough;
  setup.geometry.banks = banks;
  setup.geometry.mshr = mshr;
  return setup;
}
CacheSetup write_back() {
  CacheSetup setup = setup_of();
  setup.geometry.write = WritePolicy::kBack;
  return setup;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_cache)

BOOST_AUTO_TEST_CASE(hit_and_miss_take_the_documented_cycles) {
  Bench b(setup_of());
  BOOST_TEST(b.cache.read({0x1000, 1}, 100) == 100 + kMiss);
  BOOST_TEST(b.cache.read({0x103C, 1}, 1000) == 1000 + kHit);
  BOOST_TEST(b.cache.read({0x1040, 1}, 2000) == 2000 + kMiss);
  BOOST_TEST(b.cache.counters().read_hits == 1u);
  BOOST_TEST(b.cache.counters().read_misses == 2u);
  BOOST_TEST(b.level.calls[0].at == 100 + kHit + 2);
}

// Bank cycles by hand: two misses with one entry, far from bucket borders.
BOOST_AUTO_TEST_CASE(a_bank_is_busy_or_waits_for_an_entry) {
  Bench b(setup_of(1, 1));
  const Cycle first = b.cache.read({0x1000, 1}, 6400);
  BOOST_TEST(b.cache.activity().busy == 3u);  // lookup, fill, replay
  BOOST_TEST(b.cache.activity().memory == 0u);
  b.cache.read({0x2000, 1}, 6410);
  const kernel::Activity a = b.cache.activity();
  BOOST_TEST(a.busy == 7u);  // the second one enters again when the entry is free
  // It waits until the entry is free again, found in steps of a bucket; fill and replay of the first are work.
  BOOST_TEST(a.memory >= first - 6410 - 2);
  BOOST_TEST(a.memory <= first - 6410 + kernel::PlaceCalendar::kBucketCycles);
  BOOST_TEST(a.memory <= b.cache.counters().mshr_stalls);
  BOOST_TEST(a.output == 0u);
  b.cache.read({0x2000, 4}, 9000);
  BOOST_TEST(b.cache.activity().busy == 11u);
  b.cache.flush(10000);
  BOOST_TEST(b.cache.activity().busy == 11 + 64u);  // a set a cycle
}

// Words of one line that come together wait for each other; over many requests so do those that come alone.
BOOST_AUTO_TEST_CASE(a_bank_serves_one_request_a_cycle) {
  Bench one(setup_of(1)), four(setup_of(4));
  for (Bench* b : {&one, &four})
    for (unsigned line = 0; line < 4; ++line) b->cache.read({0x40 * line, 1}, 0);
  BOOST_TEST(four.cache.read({0, 4}, 1000) == 1000 + kHit + 3);
  constexpr unsigned kRequests = 256;
  Cycle last_one = 0, last_four = 0;
  for (unsigned i = 0; i < kRequests; ++i) {
    last_one = std::max(last_one, one.cache.read({0x40 * (i % 4), 1}, 2000));
    last_four = std::max(last_four, four.cache.read({0x40 * (i % 4), 1}, 2000));
  }
  for (const auto& [last, cycles] : {std::pair(last_one, kRequests), std::pair(last_four, kRequests / 4)}) {
    BOOST_TEST(last <= 2000 + kHit + cycles - 1);
    BOOST_TEST(last + kernel::Calendar::kBucketCycles > 2000 + kHit + cycles - 1);
  }
  BOOST_TEST(one.cache.counters().bank_stalls > 3 * four.cache.counters().bank_stalls);
}

BOOST_AUTO_TEST_CASE(later_misses_of_a_sector_chain_to_the_fill) {
  Bench b(setup_of());
  const Cycle first = b.cache.read({0x1000, 1}, 100);
  const Cycle second = b.cache.read({0x1010, 1}, 110);
  const Cycle third = b.cache.read({0x1020, 1}, 120);
  BOOST_TEST(second >= first);  // replays share the bank by the bucket of 16 cycles
  BOOST_TEST(third <= first + 2);
  BOOST_TEST(b.cache.read({0x2000, 3}, 1000) == 1000 + 2 + kMiss + 2);  // together: in line behind each other, twice
  BOOST_TEST(b.cache.counters().fills == 2u);
  BOOST_TEST(b.cache.counters().merges == 4u);
  BOOST_TEST(b.cache.counters().read_misses == 6u);
}

// One miss a cycle against few entries. They go in batches: fills and replays come before requests, so the next batch
// waits for those of all entries.
BOOST_DATA_TEST_CASE(throughput_of_misses_is_limited_by_the_mshrs, boost::unit_test::data::make({1u, 2u, 4u, 8u, 16u}),
                     entries) {
  Bench b(setup_of(1, entries));
  constexpr unsigned kMisses = 400;
  Cycle done = 0, answer[kMisses];
  for (unsigned i = 0; i < kMisses; ++i) {  // 32 requests are under way, more than entries
    const Cycle at = i < 32 ? i : std::max<Cycle>(i, answer[i - 32]);
    done = std::max(done, answer[i] = b.cache.read({0x40ull * i, 1}, at));
  }
  const double expected = static_cast<double>(kMisses) * (static_cast<double>(kMiss) + 2 * entries) / entries;
  BOOST_TEST_MESSAGE(entries << " entries: " << done << " cycles, closed form " << expected);
  BOOST_TEST(static_cast<double>(done) > 0.85 * expected);
  BOOST_TEST(static_cast<double>(done) < 1.10 * expected);
  BOOST_TEST(b.cache.counters().mshr_stalls > 0u);
}

// An agent that is simulated later but lives earlier neither waits for the other's future nor profits from it.
BOOST_AUTO_TEST_CASE(an_agent_that_lags_behind_sees_its_own_time) {
  Bench b(setup_of(1, 1));
  BOOST_TEST(b.cache.read({0x1000, 1}, 5000) == 5000 + kMiss);
  BOOST_TEST(b.cache.read({0x2000, 1}, 100) == 100 + kMiss);  // the only entry is free then
  BOOST_TEST(b.cache.read({0x1000, 1}, 300) == 300 + kMiss);  // its fill has not been asked for yet
  BOOST_TEST(b.cache.counters().fills == 3u);
  BOOST_TEST(b.cache.read({0x1000, 1}, 600) == 600 + kHit);
}

BOOST_AUTO_TEST_CASE(write_through_forwards_and_does_not_allocate) {
  Bench b(setup_of());
  BOOST_TEST(b.cache.write({0x1000, 2}, 100) == 100 + 1 + kHit + 1);
  BOOST_TEST(b.level.requests('w') == 2u);
  BOOST_TEST(b.level.requests('r') == 0u);
  b.cache.read({0x1000, 1}, 200);
  b.cache.write({0x1000, 1}, 400);
  const auto& c = b.cache.counters();
  BOOST_TEST(c.write_misses == 2u);
  BOOST_TEST(c.write_hits == 1u);
  BOOST_TEST(c.read_misses == 1u);
  BOOST_TEST(c.forwards == 3u);
  BOOST_TEST(c.write_backs == 0u);
}

BOOST_AUTO_TEST_CASE(write_back_allocates_and_writes_dirty_lines_when_they_leave) {
  Bench b(write_back());
  BOOST_TEST(b.cache.write({0x1000, 1}, 100) == 101u);  // posted
  BOOST_TEST(b.level.requests('w') == 0u);
  BOOST_TEST(b.level.requests('r') == 1u);
  for (unsigned i = 1; i <= 4; ++i) b.cache.read({0x1000 + 0x1000ull * i, 1}, 1000 * i);  // same set, four ways
  BOOST_TEST(b.level.requests('w') == 1u);
  BOOST_TEST(b.cache.counters().evictions == 1u);
  BOOST_TEST(b.cache.counters().write_backs == 1u);
  // The write leaves first, the fill is asked for a cycle later.
  const auto& calls = b.level.calls;
  BOOST_TEST(calls[calls.size() - 2].kind == 'w');
  BOOST_TEST(calls.back().at == calls[calls.size() - 2].at + 1);
}

BOOST_AUTO_TEST_CASE(sectors_are_filled_and_written_back_alone) {
  CacheSetup setup = write_back();
  setup.geometry.line = 128;
  Bench b(setup);
  b.cache.write({0x1000, 1}, 100);
  b.cache.read({0x1040, 1}, 1000);  // the other half of the line: its own fill
  BOOST_TEST(b.cache.counters().fills == 2u);
  b.cache.flush(2000);
  BOOST_TEST(b.cache.counters().write_backs == 1u);
  BOOST_TEST(b.level.calls.back().address == 0x1000u);
}

BOOST_AUTO_TEST_CASE(flush_walks_sets_and_with_write_back_ways) {
  Bench through(setup_of(2));  // 64 sets in 2 banks
  BOOST_TEST(through.cache.flush(100) == 100u + 32);
  CacheSetup setup = write_back();
  setup.geometry.banks = 2;
  Bench back(setup);
  BOOST_TEST(back.cache.flush(100) == 100u + 128);
  for (unsigned i = 0; i < 8; ++i) back.cache.write({0x80ull * i, 1}, 1000 + 100 * i);  // bank 0
  const Cycle done = back.cache.flush(5000);
  BOOST_TEST(done == 5000u + 128 + 8);
  BOOST_TEST(back.level.requests('w') == 8u);
  BOOST_TEST(back.cache.flush(9000) == 9000u + 128);  // nothing dirty is left
  BOOST_TEST(back.cache.read({0, 1}, 20000) == 20000 + kMiss);
}

BOOST_AUTO_TEST_CASE(flush_waits_for_misses_under_way) {
  Bench b(setup_of());
  const Cycle answer = b.cache.read({0x1000, 1}, 100);
  BOOST_TEST(b.cache.flush(110) == answer + 64);
  // A request during the walk waits for its end.
  BOOST_TEST(b.cache.read({0x1000, 1}, answer + 10) >= answer + 64 - kernel::Calendar::kBucketCycles + kMiss);
}

BOOST_AUTO_TEST_CASE(atomics_run_at_the_last_level) {
  Bench upper(setup_of());
  upper.cache.read({0x1000, 1}, 0);
  BOOST_TEST(upper.cache.atomic(0x1000, 1000) == 1000 + kHit + 2 + kMemory + 1 + 1);
  BOOST_TEST(upper.cache.read({0x1000, 1}, 2000) == 2000 + kMiss);  // the line had to go

  CacheSetup setup = write_back();
  setup.last_level = true;
  Bench last(setup);
  BOOST_TEST(last.cache.atomic(0x1000, 0) == kMiss + 1);
  BOOST_TEST(last.cache.atomic(0x1000, 1000) == 1000 + kHit + 1);
  BOOST_TEST(last.level.requests('a') == 0u);
  last.cache.flush(2000);
  BOOST_TEST(last.level.requests('w') == 1u);
}

BOOST_AUTO_TEST_CASE(an_upper_atomic_writes_a_dirty_line_first) {
  Bench b(write_back());
  b.cache.write({0x1000, 1}, 0);
  b.cache.atomic(0x1000, 1000);
  const auto& calls = b.level.calls;
  BOOST_TEST(calls[calls.size() - 2].kind == 'w');
  BOOST_TEST(calls.back().kind == 'a');
  BOOST_TEST(calls.back().at > calls[calls.size() - 2].at);
}

BOOST_AUTO_TEST_CASE(io_passes_every_time) {
  Bench b(setup_of());
  for (Cycle at : {100u, 200u}) {
    BOOST_TEST(b.cache.read_io({0x100, 1}, at) == at + kHit + kMemory + 1);
    b.cache.write_io({0x100, 1}, at + 10);
  }
  BOOST_TEST(b.cache.counters().bypasses == 4u);
  BOOST_TEST(b.level.requests('R') == 2u);
  BOOST_TEST(b.level.requests('W') == 2u);
  BOOST_TEST(b.cache.counters().reads == 0u);
}

BOOST_AUTO_TEST_CASE(two_levels_add_up) {
  test::FlatLevel memory{kMemory};
  GpuConfig gpu;
  CacheSetup large;
  large.geometry = memory::with_geometry(gpu).l2;
  Cache l2(large, memory);
  Cache l1(setup_of(), l2);
  const Cycle cold = l1.read({0x1000, 1}, 0);
  BOOST_TEST(cold == kHit + 2 + (4 + kMemory + 2) + 2);
  BOOST_TEST(l1.read({0x1000, 1}, 1000) == 1000 + kHit);
  l1.flush(2000);
  BOOST_TEST(l1.read({0x1000, 1}, 3000) == 3000 + kHit + 2 + 4 + 2);
}

BOOST_AUTO_TEST_SUITE_END()
