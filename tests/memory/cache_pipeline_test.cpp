// The cache that works cycle by cycle, against the one that works with dates, and against what must always hold.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <map>
#include <ostream>
#include <random>
#include <string>

#include "cache_pipeline.h"
#include "flat_level.h"

using namespace gyre;
using kernel::Cycle;
using memory::CachePipeline;
using memory::CacheSetup;
using Kind = memory::CachePipeline::Kind;

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

// Clocks a pipeline: clients at its ports, a next level that takes one request a cycle and way while `open`, answers
// reads after kBelow cycles, atomics after one more, writes in the next cycle.
struct Clocked {
  CachePipeline cache;
  Cycle now = 0;
  std::multimap<Cycle, CachePipeline::Downward> below;
  std::vector<Cycle> answered;  // by tag; kNever: not yet
  std::uint64_t sent[5] = {};   // to the next level, words by kind
  std::vector<unsigned> served;
  Cycle flushed = CachePipeline::kNever;

  Clocked(const CacheSetup& setup, unsigned ports, unsigned queue, unsigned ways = 1)
      : cache(setup, ports, ways, queue), served(ports) {}

  void answer(Cycle at, unsigned tag) {
    BOOST_REQUIRE(tag < answered.size());
    BOOST_REQUIRE_MESSAGE(answered[tag] == CachePipeline::kNever, "answered twice");
    answered[tag] = at;
  }
  // Requires a free port. The request's tag.
  unsigned offer(unsigned port, std::uint64_t address, Kind kind, unsigned count = 1) {
    answered.push_back(CachePipeline::kNever);
    const unsigned tag = static_cast<unsigned>(answered.size()) - 1;
    served[port] += cache.offer(port, {address, kind, count, tag}, now);
    return tag;
  }
  void answers() {
    while (cache.answers().next() <= now) {
      const Cycle at = cache.answers().next();
      answer(at, cache.answers().pop());
    }
  }
  void cycle(bool open = true) {
    while (!below.empty() && below.begin()->first <= now) {
      const CachePipeline::Downward d = below.begin()->second;
      below.erase(below.begin());
      cache.answered(d.after, d.address, d.tag, now);
    }
    cache.step(now);
    for (const unsigned p : cache.taken()) ++served[p];
    answers();
    for (unsigned way = 0; open && way < cache.ways(); ++way) {
      const auto* down = cache.down(way);
      if (down == nullptr || down->at > now) continue;
      const auto d = *down;
      BOOST_REQUIRE_EQUAL(d.address / 64 % cache.ways(), way);
      cache.pop(way);
      sent[static_cast<unsigned>(d.kind)] += d.count;
      const bool writes = d.kind == Kind::kWrite || d.kind == Kind::kWriteIo;
      below.emplace(now + (writes ? 1 : kBelow + (d.kind == Kind::kAtomic)), d);
      if (d.after == CachePipeline::After::kWhenTaken) answer(now, d.tag);
    }
    if (cache.go_on(now)) flushed = now;
    ++now;
  }
  void drain() {
    const Cycle limit = now + 1'000'000;
    while (!cache.idle()) {
      cycle();
      BOOST_REQUIRE_MESSAGE(now < limit, "stuck");
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_pipeline)

// One request at a time, of any kind and size, and flushes between: the same counters, and the dates of Cache. A write
// that is passed on is over when the next level has taken it, a cycle before Cache's date of acceptance.
BOOST_DATA_TEST_CASE(serial_requests_equal_the_dated_cache,
                     boost::unit_test::data::make(kShapes) * boost::unit_test::data::make({false, true}), shape, last) {
  CacheSetup setup = setup_of(shape);
  setup.last_level = last;
  test::FlatLevel memory(kBelow);
  memory::Cache dated(setup, memory);
  Clocked clocked(setup, 1, 16, shape.banks);
  std::mt19937 random(5);
  for (unsigned i = 0; i < 6000; ++i) {
    const std::uint64_t address = (random() % 4 == 0 ? random() % 16384 : random() % 4096) & ~3ull;
    const unsigned count = random() % 3 == 0 ? 1 + static_cast<unsigned>(random() % 6) : 1;
    const Cycle at = clocked.now;
    const unsigned roll = random() % 100;
    if (roll == 0) {
      clocked.cache.flush(at);
      clocked.flushed = CachePipeline::kNever;
      const std::uint64_t writes = dated.counters().write_backs;
      clocked.drain();
      const Cycle expected = dated.flush(at);
      // Banks share the ways down.
      const std::uint64_t shared = shape.banks == 1 ? 0 : dated.counters().write_backs - writes;
      BOOST_REQUIRE(clocked.flushed >= expected);
      BOOST_REQUIRE(clocked.flushed <= expected + shared);
    } else {
      const Kind kind = roll < 10 ? Kind::kAtomic : roll < 15 ? Kind::kReadIo : roll < 20 ? Kind::kWriteIo : roll < 45 ? Kind::kWrite : Kind::kRead;
      const std::uint64_t before = dated.counters().forwards;
      Cycle expected = 0;
      switch (kind) {
        case Kind::kRead: expected = dated.read({address, count}, at); break;
        case Kind::kWrite: expected = dated.write({address, count}, at); break;
        case Kind::kAtomic: expected = dated.atomic(address, at); break;
        case Kind::kReadIo: expected = dated.read_io({address, count}, at); break;
        case Kind::kWriteIo: expected = dated.write_io({address, count}, at); break;
      }
      const bool passed = kind == Kind::kWriteIo || (kind == Kind::kWrite && dated.counters().forwards != before);
      const unsigned tag = clocked.offer(0, address, kind, kind == Kind::kAtomic ? 1 : count);
      clocked.drain();
      BOOST_TEST_CONTEXT("request " << i << " kind " << static_cast<int>(kind) << " count " << count)
      BOOST_REQUIRE_EQUAL(clocked.answered[tag] + passed - at, expected - at);
    }
    clocked.now += 50;
  }
  for (const auto& [label, field] : memory::kCacheCounters) {
    if (std::string(label) == "flush_cycles" && shape.banks != 1) continue;
    BOOST_TEST((clocked.cache.counters().*field) == (dated.counters().*field), label);
  }
  BOOST_TEST(clocked.cache.counters().flushes != 0u);
  for (const auto& [kind, letter] : {std::pair{Kind::kRead, 'r'}, {Kind::kWrite, 'w'}, {Kind::kAtomic, 'a'}, {Kind::kReadIo, 'R'}, {Kind::kWriteIo, 'W'}})
    BOOST_TEST(clocked.sent[static_cast<unsigned>(kind)] == memory.requests(letter), letter);
}

// Everybody at once, with a next level that stops now and then, and a flush in the middle.
BOOST_DATA_TEST_CASE(crowded_requests_keep_the_laws,
                     boost::unit_test::data::make(kShapes) * boost::unit_test::data::make({false, true}), shape, last) {
  constexpr unsigned kPorts = 3, kCount = 3000;
  CacheSetup setup = setup_of(shape);
  setup.last_level = last;
  Clocked clocked(setup, kPorts, 4, 2);
  std::mt19937 random(7);
  std::uint64_t words[5] = {};
  unsigned sent = 0;
  bool flushed = false;
  while (sent < kCount || !clocked.cache.idle()) {
    for (unsigned p = 0; p < kPorts && sent < kCount; ++p) {
      if (!clocked.cache.free(p) || random() % 4 == 0) continue;
      const unsigned roll = random() % 100;
      const Kind kind = roll < 5 ? Kind::kAtomic : roll < 8 ? Kind::kReadIo : roll < 10 ? Kind::kWriteIo : roll < 40 ? Kind::kWrite : Kind::kRead;
      const unsigned count = kind != Kind::kAtomic && random() % 8 == 0 ? 3 : 1;
      clocked.offer(p, (random() % 8192) & ~3ull, kind, count);
      words[static_cast<unsigned>(kind)] += count;
      ++sent;
    }
    if (sent > kCount / 2 && !flushed) {
      clocked.cache.flush(clocked.now);
      flushed = true;
    }
    clocked.cycle(random() % 4 != 0);
    BOOST_REQUIRE_MESSAGE(clocked.now < 1'000'000, "stuck");
  }
  for (const Cycle at : clocked.answered) BOOST_REQUIRE(at != CachePipeline::kNever);
  const memory::CacheCounters& c = clocked.cache.counters();
  const bool allocates = shape.write == WritePolicy::kBack || shape.write == WritePolicy::kThroughAllocate;
  BOOST_TEST(c.reads == words[0]);
  BOOST_TEST(c.writes == words[1]);
  BOOST_TEST(c.atomics == words[2]);
  BOOST_TEST(c.bypasses == words[3] + words[4]);
  BOOST_TEST(c.reads == c.read_hits + c.read_misses);
  BOOST_TEST(c.writes == c.write_hits + c.write_misses);
  BOOST_TEST(c.fills + c.merges == c.read_misses + c.atomic_misses + (allocates ? c.write_misses : 0));
  BOOST_TEST(clocked.sent[0] == c.fills);
  BOOST_TEST(clocked.sent[1] == c.forwards + c.write_backs);
  BOOST_TEST(clocked.sent[2] == (last ? 0 : c.atomics));
  BOOST_TEST(clocked.sent[3] + clocked.sent[4] == c.bypasses);
  BOOST_TEST(c.flushes == 1u);
  // Turns are fair.
  for (const unsigned n : clocked.served) BOOST_TEST(n > kCount / kPorts * 9 / 10);
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
      if (clocked.cache.free(0)) clocked.offer(0, std::uint64_t{i++} * 64, Kind::kRead);
      clocked.cycle();
    }
    clocked.drain();
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
      clocked.offer(0, std::uint64_t{i} * 64, Kind::kRead);
      clocked.drain();
    }
    const Cycle begin = clocked.now;
    constexpr unsigned kCount = 4000;
    unsigned sent = 0, next[4] = {0, 1, 2, 3};
    while (sent < kCount) {
      for (unsigned& line : next) {
        const unsigned p = static_cast<unsigned>(&line - next);
        if (!clocked.cache.free(p)) continue;
        clocked.offer(p, std::uint64_t{line} * 64, Kind::kRead);
        line = (line + 4) % kLines;  // each client stays in its bank, if there are four
        ++sent;
      }
      clocked.cycle();
    }
    clocked.drain();
    const double rate = kCount / static_cast<double>(clocked.now - begin);
    BOOST_TEST(rate > banks * 0.99);
    BOOST_TEST(rate < banks * 1.01);
  }
}

BOOST_AUTO_TEST_SUITE_END()
