// The stale-line lint of the loose style against caches that carry data.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "hierarchy.h"
#include "line_watch_model.h"

using namespace gyre;
using namespace gyre::test;
using memory::Cache;
using memory::Hierarchy;

namespace gyre::test {

struct Dated {
  static constexpr bool kAhead = false;
  memory::Dram dram;
  Hierarchy tree;
  memory::Cycle now = 0;

  explicit Dated(const GpuConfig& gpu) : dram(memory::resolve(gpu.dram, gpu.period_ps())), tree(gpu, dram) {
    tree.watch_lines();
  }
  // Every fill is there before the next request.
  void read(Cache& cache, std::uint32_t address) { cache.read({address, 1}, now += 200); }
  void write(Cache& cache, std::uint32_t address) { cache.write({address, 1}, now += 200); }
  void flush(unsigned core) { tree.flush(core, now += 200); }
};

}  // namespace gyre::test

BOOST_AUTO_TEST_SUITE(line_watch)

BOOST_AUTO_TEST_CASE(words_of_a_range) {
  BOOST_TEST(LineWatch::words_of(0x1000, 64) == 0xFFFFu);
  BOOST_TEST(LineWatch::words_of(0x103C, 4) == 0x8000u);
  BOOST_TEST(LineWatch::words_of(0x1006, 1) == 0x0002u);
  BOOST_TEST(LineWatch::words_of(0x1008, 8) == 0x000Cu);
}

BOOST_DATA_TEST_CASE(old_words_are_those_of_caches_with_data, boost::unit_test::data::make(kWatchShapes), shape) {
  const GpuConfig gpu = memory::with_geometry(gpu_of(shape));
  BOOST_REQUIRE(memory::check_caches(gpu) == "");
  Found found;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Dated device(gpu);
    const Found here = random_accesses(device, gpu, seed);
    found.reads += here.reads;
    found.below += here.below;
  }
  BOOST_TEST(found.reads > 60u);
  BOOST_TEST((found.below > 0u) == has_write_back(shape));
}

// A block whose home was first a cache that did not hold it, because a write had passed by.
BOOST_DATA_TEST_CASE(copies_made_after_the_owners_write_are_watched, boost::unit_test::data::make(kWatchShapes), shape) {
  const GpuConfig gpu = memory::with_geometry(gpu_of(shape));
  Dated device(gpu);
  LineWatch& watch = *device.tree.lines();
  Cache* const mine = device.tree.dcache(0);
  Cache* const others = device.tree.ocache(0, 0);
  const auto write = [&](Cache* cache, unsigned writer) {
    device.write(*cache, 0x10000);
    watch.written(cache, 0x10000, 1, writer);
  };
  write(mine, device.tree.core_writer(0));
  device.read(*mine, 0x10000);
  BOOST_TEST(watch.read(*mine, 0x10000, 1) == 0u);
  write(others, device.tree.merger_writer(0));
  device.read(*mine, 0x10000);
  BOOST_TEST(watch.read(*mine, 0x10000, 1) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
