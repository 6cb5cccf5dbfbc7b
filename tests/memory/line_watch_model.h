// Caches that carry data, beside the caches of either style, whose stale-line lint has to say what they say: a word is
// old exactly where a cache with data would have returned something else than was written last.
#pragma once

#include <array>
#include <map>
#include <ostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cache_tree.h"
#include "geometry.h"

namespace gyre::test {

using memory::LineWatch;
using memory::WatchedCache;

struct WatchShape {
  const char* name;
  unsigned clusters, sockets;
  bool l2, l3;
  WritePolicy dcache = WritePolicy::kAuto;
};
inline std::ostream& operator<<(std::ostream& out, const WatchShape& s) { return out << s.name; }
inline const WatchShape kWatchShapes[] = {{"one core, write-back dcache", 1, 1, false, false},
                                          {"one core, write-back dcache without allocation", 1, 1, false, false, WritePolicy::kBackAround},
                                          {"one core, write-back dcache and L2", 1, 1, true, false, WritePolicy::kBack},
                                          {"two sockets", 1, 2, false, false},
                                          {"two sockets, L2 write-back", 1, 2, true, false},
                                          {"two clusters, L2", 2, 1, true, false},
                                          {"two clusters, L3", 2, 2, false, true},
                                          {"two clusters, L2, L3", 2, 1, true, true}};
inline bool has_write_back(const WatchShape& s) { return s.l3 || (s.clusters == 1 && (s.l2 || s.sockets == 1)); }

inline GpuConfig gpu_of(const WatchShape& shape) {
  GpuConfig gpu;
  gpu.clusters = shape.clusters;
  gpu.sockets = shape.sockets;
  gpu.icache.bytes = gpu.dcache.bytes = gpu.tcache.bytes = gpu.rcache.bytes = gpu.ocache.bytes = 512;
  gpu.dcache.ways = gpu.icache.ways = 2;
  gpu.dcache.write = shape.dcache;
  gpu.l2.enabled = shape.l2;
  gpu.l3.enabled = shape.l3;
  gpu.l2.bytes = 2048;
  gpu.l3.bytes = 4096;
  gpu.l2.ways = gpu.l3.ways = 2;
  return gpu;
}

using Block = std::array<std::uint32_t, 16>;  // the number of the write each word comes from

// What the caches would hold. Which sectors they hold is theirs to say; dirty words are written back one by one.
struct DataCaches {
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
        for (unsigned i = 0; i < 16; ++i)
          if ((copy.dirty >> i & 1) != 0) put(cache->below(), block, i, copy.words[i]);
      }
    }
  }
  // A word goes down to the first write-back cache that has its sector.
  void put(const WatchedCache* to, std::uint32_t block, unsigned word, std::uint32_t value) {
    for (; to != nullptr; to = to->below()) {
      if (to->write_back() && to->held(block) != nullptr) fill(to, block);
      const auto copy = caches[to].find(block);
      if (copy == caches[to].end()) continue;
      copy->second.words[word] = value;
      if (!to->write_back()) continue;
      copy->second.dirty |= static_cast<std::uint16_t>(1u << word);
      return;
    }
    memory[block][word] = value;
  }
  // What a read through `cache` would return.
  Block seen(const WatchedCache* cache, std::uint32_t block) {
    for (; cache != nullptr; cache = cache->below())
      if (const auto copy = caches[cache].find(block); copy != caches[cache].end()) return copy->second.words;
    return memory[block];
  }
  // The sector has been looked at through `cache`: where it was not held before, it has been filled.
  const Block& fill(const WatchedCache* cache, std::uint32_t block) {
    if (cache == nullptr) return memory[block];
    auto& copies = caches[cache];
    if (copies.count(block) == 0) copies[block] = {fill(cache->below(), block), 0};
    return caches[cache][block].words;
  }
  bool dirty(const WatchedCache* cache, std::uint32_t block) {
    const auto copy = caches[cache].find(block);
    return copy != caches[cache].end() && copy->second.dirty != 0;
  }
};

// Every first-level cache of a device, and all caches, upper levels first.
template <class Tree>
auto first_levels(Tree& tree, const GpuConfig& gpu) {
  std::vector<decltype(tree.dcache(0))> list;
  for (unsigned c = 0; c < gpu.total_cores(); ++c)
    for (auto* cache : {tree.dcache(c), tree.icache(c), tree.tcache(c, 0)}) list.push_back(cache);
  for (unsigned c = 0; c < gpu.clusters; ++c)
    for (auto* cache : {tree.rcache(c, 0), tree.ocache(c, 0)}) list.push_back(cache);
  return list;
}
template <class Cache>
std::vector<const WatchedCache*> all_levels(const std::vector<Cache*>& first) {
  std::vector<const WatchedCache*> list;
  for (Cache* cache : first) list.push_back(&watched_by_lint(*cache));
  for (unsigned level = 0; level < 2; ++level)
    for (Cache* cache : first) {
      const WatchedCache* below = watched_by_lint(*cache).below();
      if (level == 1 && below != nullptr) below = below->below();
      if (below != nullptr) list.push_back(below);
    }
  return list;
}

struct Found {
  unsigned reads = 0, below = 0;
};

// Random reads, writes, flushes and DMA, one after the other. Device: `tree`, and read(cache, address), write(cache,
// address), flush(core), which are over when they return. kAhead: the lint hears of an access before the cache.
template <class Device>
Found random_accesses(Device& device, const GpuConfig& gpu, unsigned seed) {
  std::mt19937 random(seed);
  LineWatch& watch = *device.tree.lines();
  const unsigned cores = gpu.total_cores();
  const auto readers = first_levels(device.tree, gpu);
  const std::vector<const WatchedCache*> order = all_levels(readers);
  DataCaches model;
  std::map<std::uint32_t, Block> latest;
  std::uint32_t writes = 0;
  Found found;
  const auto pick = [&](std::size_t n) { return static_cast<unsigned>(random() % n); };
  for (unsigned step = 0; step < 3000; ++step) {
    const std::uint32_t block = 0x80010000 + 64 * pick(40);
    const unsigned first = pick(16), count = 1 + pick(16 - first);
    const std::uint32_t address = block + 4 * first;
    const std::uint16_t words = LineWatch::words_of(address, 4 * count);
    const auto each = [words](auto f) {
      for (unsigned i = 0; i < 16; ++i)
        if ((words >> i & 1) != 0) f(i);
    };
    const auto require = [&](unsigned got, unsigned expected, const std::string& who) {
      if (got == expected) return;
      std::ostringstream text;
      text << "seed " << seed << " step " << step << ": " << got << ", not " << expected << " in " << who;
      throw std::runtime_error(text.str());
    };
    const unsigned what = seed % 2 == 1 && pick(6) == 0 ? 16 : pick(20);  // with many flushes most caches are fresh
    if (what < 10) {
      auto* const cache = readers[pick(readers.size())];
      const WatchedCache& watched = watched_by_lint(*cache);
      const Block seen = model.seen(&watched, block);
      unsigned expected = 0;
      each([&](unsigned i) { expected |= seen[i] != latest[block][i] ? 1u << i : 0u; });
      if (Device::kAhead) require(watch.expect(watched, address, words), expected, watch.name_of(watched));
      device.read(*cache, address);
      require(Device::kAhead ? watch.expect(watched, address, words) : watch.read(watched, address, words), expected,
              watch.name_of(watched));
      model.settle(order);
      model.fill(&watched, block);
      if (expected == 0) continue;
      ++found.reads;
      const std::string story = watch.story(watched, block + 4 * static_cast<unsigned>(__builtin_ctz(expected)));
      if (story.find(" wrote") == std::string::npos) throw std::runtime_error(story);
    } else if (what < 16) {  // a write of a core, or of a merger
      const bool merger = pick(3) == 0;
      const unsigned who = pick(merger ? gpu.clusters : cores);
      auto* const cache = merger ? device.tree.ocache(who, 0) : device.tree.dcache(who);
      WatchedCache& watched = watched_by_lint(*cache);
      const auto record = [&] {
        watch.written(&watched, address, words, merger ? device.tree.merger_writer(who) : device.tree.core_writer(who));
      };
      // Not beside a dirty line of somebody else, whose write-back would undo it.
      bool beside = false;
      for (const WatchedCache* other : order) {
        bool passed = false;
        for (const WatchedCache* c = &watched; c != nullptr; c = c->below()) passed = passed || c == other;
        beside = beside || (!passed && model.dirty(other, block));
      }
      if (beside) continue;
      const WatchedCache* before[3] = {};
      unsigned levels = 0;
      for (const WatchedCache* c = &watched; c != nullptr; c = c->below()) before[levels++] = c->held(block) ? c : nullptr;
      if (Device::kAhead) record();
      device.write(*cache, address);
      if (!Device::kAhead) record();
      model.settle(order);
      ++writes;
      bool through = true;
      levels = 0;
      for (const WatchedCache* c = &watched; c != nullptr && through; c = c->below()) {
        const bool held = before[levels++] != nullptr;
        if (c->held(block) == nullptr) continue;  // it has passed by
        if (!held) model.fill(c, block);
        DataCaches::Copy& copy = model.caches[c][block];
        each([&](unsigned i) { copy.words[i] = writes; });
        if (c->write_back()) {
          copy.dirty |= words;
          through = false;
        }
      }
      each([&](unsigned i) {
        latest[block][i] = writes;
        if (through) model.memory[block][i] = writes;
      });
    } else if (what == 16) {
      device.flush(pick(cores));
      model.settle(order);
    } else if (what == 17) {  // DMA out
      std::uint32_t where = 0;
      const bool old = watch.read_below(address, 4 * count, where);
      unsigned expected = 0;
      each([&](unsigned i) { expected |= model.memory[block][i] != latest[block][i] ? 1u << i : 0u; });
      require(old, expected != 0, "memory");
      if (old) require(where, block + 4 * static_cast<unsigned>(__builtin_ctz(expected)), "memory");
      found.below += old;
    } else {  // DMA in, not under a dirty line: that would be lost
      bool dirty = false;
      for (const WatchedCache* cache : order) dirty = dirty || model.dirty(cache, block);
      if (dirty) continue;
      watch.written(address, 4 * count);
      ++writes;
      each([&](unsigned i) { model.memory[block][i] = latest[block][i] = writes; });
    }
  }
  return found;
}

}  // namespace gyre::test
