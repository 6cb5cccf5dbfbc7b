// The stale-line lint against caches that carry data: random reads, writes, flushes and DMA on several hierarchies. A
// word is old exactly where a cache with data would have returned something else than was written last.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "geometry.h"
#include "hierarchy.h"

using namespace gyre;
using memory::Cache;
using memory::Hierarchy;
using memory::LineWatch;
using memory::WatchedCache;

namespace {

struct Shape {
  const char* name;
  unsigned clusters, sockets;
  bool l2, l3;
};
std::ostream& operator<<(std::ostream& out, const Shape& s) { return out << s.name; }
const Shape kShapes[] = {{"one core, write-back dcache", 1, 1, false, false},
                         {"two sockets", 1, 2, false, false},
                         {"two sockets, L2 write-back", 1, 2, true, false},
                         {"two clusters, L2", 2, 1, true, false},
                         {"two clusters, L3", 2, 2, false, true},
                         {"two clusters, L2, L3", 2, 1, true, true}};

GpuConfig gpu_of(const Shape& shape) {
  GpuConfig gpu;
  gpu.clusters = shape.clusters;
  gpu.sockets = shape.sockets;
  gpu.icache.bytes = gpu.dcache.bytes = gpu.tcache.bytes = gpu.rcache.bytes = gpu.ocache.bytes = 512;
  gpu.dcache.ways = gpu.icache.ways = 2;
  gpu.l2.enabled = shape.l2;
  gpu.l3.enabled = shape.l3;
  gpu.l2.bytes = 2048;
  gpu.l3.bytes = 4096;
  gpu.l2.ways = gpu.l3.ways = 2;
  return memory::with_geometry(gpu);
}

using Block = std::array<std::uint32_t, 16>;  // the number of the write each word comes from

// What the caches would hold. Which sectors they hold is theirs to say; dirty words are written back one by one.
struct Model {
  struct Copy {
    Block words{};
    std::uint16_t dirty = 0;
  };
  std::map<std::uint32_t, Block> memory;
  std::map<const WatchedCache*, std::map<std::uint32_t, Copy>> caches;

  // Sectors that have gone: what is dirty goes down, upper levels first.
  void settle(const std::vector<const WatchedCache*>& order) {
    for (const WatchedCache* cache : order) {
      auto& copies = caches[cache];
      for (auto it = copies.begin(); it != copies.end();) {
        const auto [block, copy] = *it;
        if (cache->held(block) != nullptr) {
          ++it;
          continue;
        }
        it = copies.erase(it);
        for (unsigned i = 0; i < 16; ++i) {
          if ((copy.dirty >> i & 1) == 0) continue;
          const WatchedCache* to = cache->below();
          while (to != nullptr && caches[to].count(block) == 0) to = to->below();
          if (to == nullptr) {
            memory[block][i] = copy.words[i];
          } else {
            caches[to][block].words[i] = copy.words[i];
            caches[to][block].dirty |= to->write_back() ? 1u << i : 0u;
          }
        }
      }
    }
  }
  // The sector has been looked at through `cache`: where it was not held before, it has been filled.
  const Block& fill(const WatchedCache* cache, std::uint32_t block) {
    if (cache == nullptr) return memory[block];
    auto& copies = caches[cache];
    if (copies.count(block) == 0) copies[block] = {fill(cache->below(), block), 0};
    return caches[cache][block].words;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(line_watch)

BOOST_AUTO_TEST_CASE(words_of_a_range) {
  BOOST_TEST(LineWatch::words_of(0x1000, 64) == 0xFFFFu);
  BOOST_TEST(LineWatch::words_of(0x103C, 4) == 0x8000u);
  BOOST_TEST(LineWatch::words_of(0x1006, 1) == 0x0002u);
  BOOST_TEST(LineWatch::words_of(0x1008, 8) == 0x000Cu);
}

BOOST_DATA_TEST_CASE(old_words_are_those_of_caches_with_data, boost::unit_test::data::make(kShapes), shape) {
  unsigned found = 0, found_below = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const GpuConfig gpu = gpu_of(shape);
    BOOST_REQUIRE(memory::check_caches(gpu) == "");
    memory::Dram dram(memory::resolve(gpu.dram, gpu.period_ps()));
    Hierarchy caches(gpu, dram);
    caches.watch_lines();
    LineWatch& watch = *caches.lines();
    const unsigned cores = gpu.total_cores();
    std::vector<Cache*> readers;
    std::vector<const WatchedCache*> order;
    for (unsigned c = 0; c < cores; ++c)
      for (Cache* cache : {caches.dcache(c), caches.icache(c), caches.tcache(c, 0)}) readers.push_back(cache);
    for (unsigned c = 0; c < gpu.clusters; ++c)
      for (Cache* cache : {caches.rcache(c, 0), caches.ocache(c, 0)}) readers.push_back(cache);
    for (const WatchedCache* cache : readers) order.push_back(cache);
    for (const WatchedCache* cache : readers)
      if (cache->below() != nullptr) order.push_back(cache->below());
    for (const WatchedCache* cache : readers)
      if (cache->below() != nullptr && cache->below()->below() != nullptr) order.push_back(cache->below()->below());

    Model model;
    std::map<std::uint32_t, Block> latest;
    std::uint32_t writes = 0;
    memory::Cycle now = 0;
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (unsigned step = 0; step < 3000; ++step) {
      now += 200;  // every fill is there before the next request
      const std::uint32_t block = 0x10000 + 64 * pick(40);
      const unsigned first = pick(16), count = 1 + pick(16 - first);
      const std::uint32_t address = block + 4 * first;
      const std::uint16_t words = LineWatch::words_of(address, 4 * count);
      const unsigned what = seed % 2 == 1 && pick(6) == 0 ? 16 : pick(20);  // with many flushes most caches are fresh
      if (what < 10) {  // a read
        Cache* cache = readers[pick(static_cast<unsigned>(readers.size()))];
        cache->read({address, 1}, now);
        const unsigned old = watch.read(*cache, address, words);
        model.settle(order);
        const Block& seen = model.fill(cache, block);
        unsigned expected = 0;
        for (unsigned i = 0; i < 16; ++i)
          if ((words >> i & 1) != 0 && seen[i] != latest[block][i]) expected |= 1u << i;
        BOOST_REQUIRE_MESSAGE(old == expected, "seed " << seed << " step " << step << ": " << old << ", not " << expected
                                                       << " in " << watch.name_of(*cache));
        found += old != 0;
        if (old != 0) {
          const std::string story = watch.story(*cache, block + 4 * static_cast<unsigned>(__builtin_ctz(old)));
          BOOST_REQUIRE(story.find(" wrote") != std::string::npos);
        }
      } else if (what < 16) {  // a write of a core, or of a merger
        const bool merger = pick(3) == 0;
        const unsigned who = pick(merger ? gpu.clusters : cores);
        Cache* first_level = merger ? caches.ocache(who, 0) : caches.dcache(who);
        // Not beside a dirty line of somebody else, whose write-back would undo it.
        bool beside = false;
        for (const WatchedCache* cache : order) {
          bool passed = false;
          for (const WatchedCache* c = first_level; c != nullptr; c = c->below()) passed = passed || c == cache;
          beside = beside || (!passed && cache->dirty(block));
        }
        if (beside) continue;
        const WatchedCache* before[3] = {};
        unsigned levels = 0;
        for (const WatchedCache* c = first_level; c != nullptr; c = c->below()) before[levels++] = c->held(block) ? c : nullptr;
        first_level->write({address, 1}, now);
        watch.written(first_level, address, words, merger ? caches.merger_writer(who) : caches.core_writer(who));
        model.settle(order);
        ++writes;
        bool through = true;
        levels = 0;
        for (const WatchedCache* c = first_level; c != nullptr && through; c = c->below()) {
          const bool held = before[levels++] != nullptr;
          if (c->held(block) == nullptr) continue;  // it has passed by
          if (!held) model.fill(c, block);
          Model::Copy& copy = model.caches[c][block];
          for (unsigned i = 0; i < 16; ++i)
            if ((words >> i & 1) != 0) copy.words[i] = writes;
          if (c->write_back()) {
            copy.dirty |= words;
            through = false;
          }
        }
        for (unsigned i = 0; i < 16; ++i)
          if ((words >> i & 1) != 0) {
            latest[block][i] = writes;
            if (through) model.memory[block][i] = writes;
          }
      } else if (what == 16) {
        caches.flush(pick(cores), now);
        model.settle(order);
      } else if (what == 17) {  // DMA out
        std::uint32_t where = 0;
        const bool old = watch.read_below(address, 4 * count, where);
        unsigned expected = 0;
        for (unsigned i = 0; i < 16; ++i)
          if ((words >> i & 1) != 0 && model.memory[block][i] != latest[block][i]) expected |= 1u << i;
        BOOST_REQUIRE(old == (expected != 0));
        if (old) BOOST_REQUIRE(where == block + 4 * static_cast<unsigned>(__builtin_ctz(expected)));
        found_below += old;
      } else {  // DMA in, not under a dirty line: that would be lost
        bool dirty = false;
        for (const WatchedCache* cache : order) dirty = dirty || cache->dirty(block);
        if (dirty) continue;
        watch.written(address, 4 * count);
        ++writes;
        for (unsigned i = 0; i < 16; ++i)
          if ((words >> i & 1) != 0) model.memory[block][i] = latest[block][i] = writes;
      }
    }
  }
  BOOST_TEST(found > 60u);
  BOOST_TEST((found_below > 20u) == (shape.l3 || (shape.clusters == 1 && (shape.l2 || shape.sockets == 1))));
}

// A block whose home was first a cache that did not hold it, because a write had passed by.
BOOST_DATA_TEST_CASE(copies_made_after_the_owners_write_are_watched, boost::unit_test::data::make(kShapes), shape) {
  const GpuConfig gpu = gpu_of(shape);
  memory::Dram dram(memory::resolve(gpu.dram, gpu.period_ps()));
  Hierarchy caches(gpu, dram);
  caches.watch_lines();
  LineWatch& watch = *caches.lines();
  Cache* const mine = caches.dcache(0);
  Cache* const others = caches.ocache(0, 0);
  const auto write = [&](Cache* cache, unsigned writer, memory::Cycle at) {
    cache->write({0x10000, 1}, at);
    watch.written(cache, 0x10000, 1, writer);
  };
  write(mine, caches.core_writer(0), 0);
  mine->read({0x10000, 1}, 1000);
  BOOST_TEST(watch.read(*mine, 0x10000, 1) == 0u);
  write(others, caches.merger_writer(0), 2000);
  mine->read({0x10000, 1}, 3000);
  BOOST_TEST(watch.read(*mine, 0x10000, 1) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
