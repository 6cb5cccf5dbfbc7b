// The cache that works cycle by cycle, against the one that works with dates, and against what must always hold.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <deque>
#include <map>
#include <ostream>
#include <random>
#include <set>

#include "cache_pipeline.h"
#include "flat_level.h"

using namespace gyre;
using kernel::Cycle;
using memory::CachePipeline;
using memory::CacheSetup;

namespace {

struct Shape {
  const char* name;
  WritePolicy write;
  Replacement replacement;
  unsigned line, ways, banks, mshr;
};
std::ostream& operator<<(std::ostream& out, const Shape& s) { return out << s.name; }
const Shape kShapes[] = {
    {"write-through", WritePolicy::kThrough, Replacement::kFifo, 64, 4, 2, 4},
    {"write-through, sectors", WritePolicy::kThrough, Replacement::kPlru, 128, 2, 1, 4},
    {"write-through, allocate", WritePolicy::kThroughAllocate, Replacement::kFifo, 64, 2, 4, 2},
    {"write-back", WritePolicy::kBack, Replacement::kFifo, 64, 4, 2, 8},
    {"write-back, sectors", WritePolicy::kBack, Replacement::kRandom, 256, 1, 2, 4},
    {"write-back, one entry", WritePolicy::kBack, Replacement::kPlru, 128, 4, 1, 1},
    {"write-back, around", WritePolicy::kBackAround, Replacement::kFifo, 128, 8, 1, 4},
};

CacheSetup setup_of(const Shape& s) {
  CacheSetup setup;
  setup.geometry.bytes = 4096;
  setup.geometry.line = s.line;
  setup.geometry.ways = s.ways;
  setup.geometry.banks = s.banks;
  setup.geometry.mshr = s.mshr;
  setup.geometry.latency = 2;
  setup.geometry.miss = 2;
  setup.geometry.write = s.write;
  setup.geometry.replacement = s.replacement;
  return setup;
}

constexpr Cycle kBelow = 20;  // the next level answers a read after this

// Clocks a pipeline: clients at its ports, a next level that takes one request a cycle while `open`.
struct Clocked {
  CachePipeline cache;
  Cycle now = 0;
  std::multimap<Cycle, std::uint64_t> below;
  std::multimap<Cycle, unsigned> answers;  // by date
  std::vector<Cycle> answered;             // by tag; kNever: not yet
  std::uint64_t fills = 0, writes = 0;
  std::vector<unsigned> taken;

  Clocked(const CacheSetup& setup, unsigned ports, unsigned queue) : cache(setup, ports, queue) {}

  void answer(Cycle at, unsigned tag) {
    BOOST_REQUIRE(tag < answered.size());
    BOOST_REQUIRE_MESSAGE(answered[tag] == CachePipeline::kNever, "answered twice");
    answered[tag] = at;
  }
  unsigned tag() {
    answered.push_back(CachePipeline::kNever);
    return static_cast<unsigned>(answered.size()) - 1;
  }
  void cycle(bool open = true) {
    while (!below.empty() && below.begin()->first <= now) {
      cache.filled(below.begin()->second);
      below.erase(below.begin());
    }
    taken.clear();
    std::vector<CachePipeline::Answer> list;
    cache.step(now, taken, list);
    for (const auto& a : list) answer(a.at, a.tag);
    if (const auto* down = cache.down(); open && down != nullptr && down->at <= now) {
      if (down->write)
        ++writes;
      else
        ++fills, below.emplace(now + kBelow, down->address);
      if (down->answers) answer(now, down->tag);
      cache.pop();
    }
    ++now;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_pipeline)

// One request at a time: the same hits, the same victims, and the same dates as Cache.
BOOST_DATA_TEST_CASE(serial_requests_equal_the_dated_cache, boost::unit_test::data::make(kShapes), shape) {
  test::FlatLevel memory(kBelow);
  memory::Cache dated(setup_of(shape), memory);
  Clocked clocked(setup_of(shape), 1, 16);
  std::mt19937 random(5);
  for (unsigned i = 0; i < 4000; ++i) {
    const std::uint64_t address = (random() % 4 == 0 ? random() % 16384 : random() % 4096) & ~3ull;
    const bool write = random() % 3 == 0;
    const unsigned tag = clocked.tag();
    const Cycle at = clocked.now;
    clocked.cache.offer(0, {address, write, tag}, at);
    while (!clocked.cache.idle()) clocked.cycle();
    const Cycle expected = write ? dated.write({address, 1}, at) : dated.read({address, 1}, at);
    if (!write) BOOST_REQUIRE_EQUAL(clocked.answered[tag] - at, expected - at);
    BOOST_REQUIRE(clocked.answered[tag] != CachePipeline::kNever);
    clocked.now += 50;
  }
  using C = memory::CacheCounters;
  for (const auto field : {&C::reads, &C::writes, &C::read_hits, &C::read_misses, &C::write_hits, &C::write_misses, &C::fills,
                           &C::merges, &C::forwards, &C::evictions, &C::write_backs, &C::bank_stalls, &C::mshr_stalls})
    BOOST_TEST((clocked.cache.counters().*field) == (dated.counters().*field));
}

// Everybody at once, with a next level that stops now and then.
BOOST_DATA_TEST_CASE(crowded_requests_keep_the_laws, boost::unit_test::data::make(kShapes), shape) {
  constexpr unsigned kPorts = 3, kCount = 3000;
  Clocked clocked(setup_of(shape), kPorts, 4);
  std::mt19937 random(7);
  std::vector<std::uint64_t> served(kPorts);
  unsigned sent = 0;
  while (sent < kCount || !clocked.cache.idle()) {
    for (unsigned p = 0; p < kPorts && sent < kCount; ++p) {
      if (!clocked.cache.free(p) || random() % 4 == 0) continue;
      clocked.cache.offer(p, {(random() % 8192) & ~3ull, random() % 3 == 0, clocked.tag()}, clocked.now);
      ++sent;
    }
    clocked.cycle(random() % 4 != 0);
    for (const unsigned p : clocked.taken) ++served[p];
    BOOST_REQUIRE_MESSAGE(clocked.now < 1'000'000, "stuck");
  }
  for (const Cycle at : clocked.answered) BOOST_REQUIRE(at != CachePipeline::kNever);
  const memory::CacheCounters& c = clocked.cache.counters();
  BOOST_TEST(c.reads + c.writes == kCount);
  BOOST_TEST(c.reads == c.read_hits + c.read_misses);
  BOOST_TEST(c.writes == c.write_hits + c.write_misses);
  const bool allocates = shape.write == WritePolicy::kBack || shape.write == WritePolicy::kThroughAllocate;
  BOOST_TEST(c.fills + c.merges == c.read_misses + (allocates ? c.write_misses : 0));
  BOOST_TEST(clocked.fills == c.fills);
  BOOST_TEST(clocked.writes == c.forwards + c.write_backs);
  // Turns are fair.
  for (const std::uint64_t n : served) BOOST_TEST(n > kCount / kPorts * 9 / 10);
}

// Misses to different lines of one bank, as many at a time as there are entries. Fills and replays go before new requests,
// so they come in batches: the way down and back once a batch, two cycles of the bank a miss.
BOOST_AUTO_TEST_CASE(misses_are_bound_by_the_entries) {
  for (unsigned entries : {1u, 2u, 4u, 8u}) {
    Shape shape = kShapes[0];
    shape.banks = 1;
    shape.mshr = entries;
    Clocked clocked(setup_of(shape), 1, 16);
    constexpr unsigned kCount = 200;
    for (unsigned i = 0; i < kCount;) {
      if (clocked.cache.free(0)) clocked.cache.offer(0, {std::uint64_t{i++} * 64, false, clocked.tag()}, clocked.now);
      clocked.cycle();
    }
    while (!clocked.cache.idle()) clocked.cycle();
    const double batch = 2 + 2 + kBelow + 2 * entries;  // lookup, miss, next level, fills and replays
    const double expected = batch * kCount / entries, took = static_cast<double>(clocked.answered.back());
    BOOST_TEST(took > expected * 0.98);
    BOOST_TEST(took < expected * 1.02);
  }
}

BOOST_AUTO_TEST_CASE(one_hit_a_cycle_and_bank) {
  for (unsigned banks : {1u, 2u, 4u}) {
    Shape shape = kShapes[0];
    shape.banks = banks;
    Clocked clocked(setup_of(shape), 4, 16);
    constexpr unsigned kLines = 16;
    for (unsigned i = 0; i < kLines; ++i) {  // warm
      clocked.cache.offer(0, {std::uint64_t{i} * 64, false, clocked.tag()}, clocked.now);
      while (!clocked.cache.idle()) clocked.cycle();
    }
    const Cycle begin = clocked.now;
    constexpr unsigned kCount = 4000;
    unsigned sent = 0, next[4] = {0, 1, 2, 3};
    while (sent < kCount) {
      for (unsigned& line : next) {
        const unsigned p = static_cast<unsigned>(&line - next);
        if (!clocked.cache.free(p)) continue;
        clocked.cache.offer(p, {std::uint64_t{line} * 64, false, clocked.tag()}, clocked.now);
        line = (line + 4) % kLines;  // each client stays in its bank, if there are four
        ++sent;
      }
      clocked.cycle();
    }
    while (!clocked.cache.idle()) clocked.cycle();
    const double rate = kCount / static_cast<double>(clocked.now - begin);
    BOOST_TEST(rate > banks * 0.99);
    BOOST_TEST(rate < banks * 1.01);
  }
}

BOOST_AUTO_TEST_SUITE_END()
