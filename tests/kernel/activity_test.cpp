// Accounts of a unit's time against a model that looks at every cycle.
#include "activity.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <vector>

using namespace gyre::kernel;

BOOST_AUTO_TEST_SUITE(activity)

BOOST_AUTO_TEST_CASE(a_ledger_books_every_cycle_once) {
  Ledger ledger;
  ledger.spend(Doing::kBusy, 10);
  ledger.wait_for_input(25);
  ledger.spend(Doing::kMemory, 20);  // past: nothing
  ledger.spend(Doing::kMemory, 31);
  ledger.spend(Doing::kOutput, 33);
  ledger.wait_for_input(5);
  ledger.spend(Doing::kBusy, 34);
  BOOST_TEST(ledger.activity().busy == 11u);
  BOOST_TEST(ledger.activity().memory == 6u);
  BOOST_TEST(ledger.activity().output == 2u);
}

// Callers out of order, within the window. Work never overlaps work here; waits overlap everything.
BOOST_DATA_TEST_CASE(waits_fill_what_work_leaves, boost::unit_test::data::xrange(20), seed) {
  std::mt19937 random(seed);
  constexpr unsigned kEnd = 60000, kBucket = ActivityMap::kBucketCycles;
  std::vector<bool> worked(kEnd + 1000), memory(kEnd + 1000), output(kEnd + 1000);
  ActivityMap map;
  for (unsigned base = 0; base < kEnd; base += 50) {
    const auto near = [&] { return base + random() % 8000 % (kEnd - base); };
    unsigned from = near(), to = from + random() % 90;
    if (std::find(worked.begin() + from, worked.begin() + to, true) == worked.begin() + to) {
      map.work(from, to - from);
      std::fill(worked.begin() + from, worked.begin() + to, true);
    }
    for (const Doing why : {Doing::kMemory, Doing::kOutput}) {
      from = near();
      to = from + random() % 300;
      map.wait(why, from, to);
      auto& bits = why == Doing::kMemory ? memory : output;
      std::fill(bits.begin() + from, bits.begin() + to, true);
    }
  }
  Activity expected;
  for (unsigned begin = 0; begin < worked.size(); begin += kBucket) {
    unsigned work = 0, for_memory = 0, for_output = 0;
    for (unsigned c = begin; c < std::min<std::size_t>(begin + kBucket, worked.size()); ++c) {
      work += worked[c];
      for_memory += memory[c];
      for_output += output[c] && !memory[c];
    }
    expected.busy += work;
    for_memory = std::min(for_memory, kBucket - work);
    expected.memory += for_memory;
    expected.output += std::min(for_output, kBucket - work - for_memory);
  }
  const Activity found = map.activity();
  BOOST_TEST(found.busy == expected.busy);
  BOOST_TEST(found.memory == expected.memory);
  BOOST_TEST(found.output == expected.output);
  BOOST_TEST(found.memory == map.activity().memory);  // asking changes nothing
}

// Work whose dates overlap (a calendar sees no order within its buckets) never makes more cycles than there are.
BOOST_AUTO_TEST_CASE(a_crowded_bucket_leaves_room_elsewhere_to_work) {
  ActivityMap map;
  constexpr unsigned kBucket = ActivityMap::kBucketCycles;
  for (int i = 0; i < 100; ++i) map.work(i % 2 == 0 ? 3 : kBucket + 3, 1);
  for (int i = 0; i < 60; ++i) map.work(5, 1);
  map.wait(Doing::kMemory, 0, 3 * kBucket);
  BOOST_TEST(map.activity().busy == 160u);
  BOOST_TEST(map.activity().sum() <= 3 * kBucket);
  BOOST_TEST(map.activity().memory == 3 * kBucket - 160);
}

BOOST_AUTO_TEST_CASE(work_known_elsewhere_counts_against_waits) {
  ActivityMap map;
  const auto half = [](Cycle) { return ActivityMap::kBucketCycles / 2; };
  map.wait(Doing::kOutput, 100, 300, half);
  // Whole buckets 128..192, 192..256; 28 of the first and 44 of the last, of which at most half is free.
  BOOST_TEST(map.activity(half).output == 28u + 32 + 32 + 32);
  BOOST_TEST(map.activity(half).busy == 0u);
}

BOOST_AUTO_TEST_CASE(waits_older_than_the_window_are_lost) {
  ActivityMap map;
  map.work(1'000'000, 10);
  const Cycle window = Cycle{ActivityMap::kBucketCycles} * ActivityMap::kBuckets;
  map.wait(Doing::kMemory, 1'000'000 - 2 * window, 1'000'000 - window - 64);
  map.work(1'000'000 - 2 * window, 5);
  BOOST_TEST(map.activity().busy == 15u);
  BOOST_TEST(map.activity().sum() >= 15u);
}

BOOST_AUTO_TEST_SUITE_END()
