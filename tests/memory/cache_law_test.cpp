// Random streams: counters against a model of sets and lists, and the laws that hold whatever the dates.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "cache.h"
#include "flat_level.h"

using namespace gyre;
using kernel::Cycle;
using memory::Cache;
using memory::CacheSetup;

namespace {

struct Policy {
  bool write_back, write_allocate;
  unsigned line, ways;
};
std::ostream& operator<<(std::ostream& out, const Policy& p) {
  return out << (p.write_back ? "write-back" : "write-through") << (p.write_allocate ? " allocate" : "") << " line "
             << p.line << " ways " << p.ways;
}
const std::vector<Policy> kPolicies = {{false, false, 64, 4}, {false, false, 128, 2}, {false, true, 64, 2},
                                       {true, true, 64, 4},   {true, true, 256, 1},   {true, false, 128, 8}};

CacheSetup setup_of(const Policy& p) {
  CacheSetup setup;
  setup.geometry.bytes = 4096;
  setup.geometry.line = p.line;
  setup.geometry.ways = p.ways;
  setup.geometry.banks = 2;
  setup.geometry.mshr = 4;
  setup.geometry.latency = 2;
  setup.geometry.write = p.write_back ? (p.write_allocate ? WritePolicy::kBack : WritePolicy::kBackAround)
                                      : (p.write_allocate ? WritePolicy::kThroughAllocate : WritePolicy::kThrough);
  return setup;
}

// FIFO sets of lines; a line knows its valid and dirty sectors.
struct Naive {
  struct Line {
    std::uint64_t number;
    std::map<unsigned, bool> sectors;  // valid -> dirty
  };
  Policy policy;
  std::map<std::uint64_t, std::deque<Line>> sets;
  std::uint64_t read_hits = 0, read_misses = 0, write_hits = 0, write_misses = 0, fills = 0, evictions = 0,
                write_backs = 0, forwards = 0;

  void access(std::uint64_t address, bool write) {
    const std::uint64_t number = address / policy.line;
    const unsigned sector = static_cast<unsigned>(address % policy.line / 64);
    auto& set = sets[number % (4096 / policy.line / policy.ways)];
    auto line = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.number == number; });
    const bool hit = line != set.end() && line->sectors.count(sector) != 0;
    ++(write ? (hit ? write_hits : write_misses) : (hit ? read_hits : read_misses));
    if (!hit && (!write || policy.write_allocate)) {
      ++fills;
      if (line == set.end()) {
        if (set.size() == policy.ways) {
          ++evictions;
          for (const auto& [s, dirty] : set.front().sectors) write_backs += dirty;
          set.pop_front();
        }
        set.push_back({number, {}});
        line = set.end() - 1;
      }
      line->sectors[sector] = false;
    }
    if (!write) return;
    const bool here = line != set.end() && line->sectors.count(sector) != 0;
    if (policy.write_back && here)
      line->sectors[sector] = true;
    else
      ++forwards;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_laws)

BOOST_DATA_TEST_CASE(counters_equal_the_naive_model, boost::unit_test::data::make(kPolicies), policy) {
  std::mt19937 random(11);
  test::FlatLevel memory;
  Cache cache(setup_of(policy), memory);
  Naive naive{policy, {}};
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::uint64_t address = (random() % 4 == 0 ? random() % 16384 : random() % 4096) & ~3ull;
    const bool write = random() % 3 == 0;
    naive.access(address, write);
    if (write)
      cache.write({address, 1}, 200ull * i);
    else
      cache.read({address, 1}, 200ull * i);
  }
  const auto& c = cache.counters();
  BOOST_TEST(c.read_hits == naive.read_hits);
  BOOST_TEST(c.read_misses == naive.read_misses);
  BOOST_TEST(c.write_hits == naive.write_hits);
  BOOST_TEST(c.write_misses == naive.write_misses);
  BOOST_TEST(c.fills == naive.fills);
  BOOST_TEST(c.evictions == naive.evictions);
  BOOST_TEST(c.write_backs == naive.write_backs);
  BOOST_TEST(c.forwards == naive.forwards);
  BOOST_TEST(c.merges == 0u);
  BOOST_TEST(naive.read_hits > 1000u);
  BOOST_TEST(naive.evictions > 100u);
}

// Several agents out of time order, many words at once, atomics, flushes.
BOOST_DATA_TEST_CASE(conservation, boost::unit_test::data::make(kPolicies) * boost::unit_test::data::make({0, 1}), policy,
                     last) {
  std::mt19937 random(5);
  test::FlatLevel memory;
  CacheSetup setup = setup_of(policy);
  setup.last_level = last != 0;
  Cache cache(setup, memory);
  std::uint64_t reads = 0, writes = 0, atomics = 0, io = 0;
  Cycle local[4] = {};
  for (unsigned i = 0; i < 40'000; ++i) {
    Cycle& now = local[random() % 4];
    now += random() % 12;
    const std::uint64_t address = random() % 16384 & ~3ull;
    const unsigned count = 1 + random() % 4;
    switch (random() % 32) {
      case 0:
        ++atomics;
        BOOST_REQUIRE(cache.atomic(address, now) > now);
        break;
      case 1:
        io += count;
        BOOST_REQUIRE(cache.read_io({address, count}, now) > now);
        break;
      case 2:
        if (random() % 64 == 0) BOOST_REQUIRE(cache.flush(now) >= now);
        break;
      default:
        if (random() % 3 == 0) {
          writes += count;
          BOOST_REQUIRE(cache.write({address, count}, now) > now);
        } else {
          reads += count;
          BOOST_REQUIRE(cache.read({address, count}, now) >= now + setup.geometry.latency);
        }
    }
  }
  const auto& c = cache.counters();
  BOOST_TEST(c.reads == reads);
  BOOST_TEST(c.writes == writes);
  BOOST_TEST(c.atomics == atomics);
  BOOST_TEST(c.reads == c.read_hits + c.read_misses);
  BOOST_TEST(c.writes == c.write_hits + c.write_misses);
  BOOST_TEST(c.fills + c.merges == c.read_misses + c.atomic_misses + (policy.write_allocate ? c.write_misses : 0));
  BOOST_TEST(memory.requests('r') == c.fills);
  BOOST_TEST(memory.requests('w') == c.write_backs + c.forwards);
  BOOST_TEST(memory.requests('a') == (last != 0 ? 0 : atomics));
  BOOST_TEST(memory.requests('R') == io);
  if (policy.write_back)
    BOOST_TEST(c.write_backs <= c.writes + c.atomics);
  else
    BOOST_TEST(c.forwards == c.writes + (last != 0 ? atomics : 0));
  BOOST_TEST(c.merges > 0u);
  BOOST_TEST(c.mshr_stalls > 0u);
}

// Light load costs the same however far the agents run ahead of each other (design §4: resource calendars).
BOOST_DATA_TEST_CASE(light_agents_do_not_pay_for_the_quantum, boost::unit_test::data::make({1u, 10u, 100u, 1000u}),
                     quantum) {
  test::FlatLevel memory;
  CacheSetup setup = setup_of(kPolicies[0]);
  setup.geometry.mshr = 16;
  Cache cache(setup, memory);
  constexpr unsigned kAgents = 8, kEach = 2000;
  Cycle local[kAgents] = {}, total = 0;
  unsigned done[kAgents] = {};
  for (Cycle slice = quantum; *std::min_element(done, done + kAgents) < kEach; slice += quantum)
    for (unsigned a = 0; a < kAgents; ++a)
      while (done[a] < kEach && local[a] < slice) {
        const Cycle start = local[a];
        const Cycle answer = cache.read({0x10000ull * (a + 1) + 256ull * a + done[a] % 4 * 64, 1}, start);
        total += answer - start;
        local[a] = answer + 18;  // 5 % load
        ++done[a];
      }
  const double mean = static_cast<double>(total) / (kAgents * kEach);
  BOOST_TEST_MESSAGE("quantum " << quantum << ": " << mean << " cycles an access");
  BOOST_TEST(mean < 3.0);  // a hit is 2
}

BOOST_AUTO_TEST_SUITE_END()
