#include "calendar.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <array>
#include <map>
#include <random>

using gyre::kernel::Calendar;
using gyre::kernel::Cycle;

BOOST_AUTO_TEST_SUITE(calendar)

BOOST_AUTO_TEST_CASE(idle_resource_serves_at_once) {
  Calendar calendar;
  BOOST_TEST(calendar.take(100, 1) == 101u);
  BOOST_TEST(calendar.take(1000, 20) == 1020u + 8 - 8);
}

BOOST_AUTO_TEST_CASE(full_buckets_push_work_later) {
  Calendar calendar;
  for (int i = 0; i < 16; ++i) calendar.take(0, 1);
  BOOST_TEST(calendar.take(0, 1) == 17u);
}

BOOST_AUTO_TEST_CASE(late_caller_does_not_delay_an_early_one) {
  Calendar calendar;
  calendar.take(5000, 16);
  BOOST_TEST(calendar.take(10, 1) == 11u);
}

// A resource offered more than it can serve: the backlog grows past the window and stays exact and cheap.
BOOST_AUTO_TEST_CASE(saturation_has_no_horizon) {
  Calendar calendar;
  Cycle finish = 0;
  for (Cycle i = 0; i < 200'000; ++i) finish = std::max(finish, calendar.take(100 + i, 2));
  BOOST_TEST(finish >= 100u + 400'000 - 2 * Calendar::kBucketCycles);
  BOOST_TEST(finish <= 100u + 400'000 + Calendar::kBucketCycles);
}

// Every cycle that was offered is served exactly once, in whatever order agents come.
BOOST_AUTO_TEST_CASE(nothing_is_served_twice) {
  std::mt19937 random(1);
  Calendar calendar;
  std::map<Cycle, unsigned> load;  // bucket of the finish date -> single cycles
  Cycle base = 1000;
  for (int i = 0; i < 20'000; ++i) {
    base += random() % 2;
    const Cycle at = base + random() % 2000;
    const Cycle finish = calendar.take(at, 1);
    BOOST_REQUIRE(finish > at);
    const Cycle start = finish - 1;
    ++load[start / Calendar::kBucketCycles];
  }
  for (const auto& [bucket, count] : load) BOOST_REQUIRE_MESSAGE(count <= Calendar::kBucketCycles, bucket);
}

// The same rules without laps, runs and short cuts: a date for every bucket of the window.
class PlainCalendar {
 public:
  Cycle take(Cycle at, Cycle work) {
    Cycle finish = at;
    for (Cycle bucket = at / Calendar::kBucketCycles; work > 0; ++bucket) {
      auto& [holds, used] = slots_[bucket % Calendar::kBuckets];
      if (holds > bucket) return std::max(finish, bucket * Calendar::kBucketCycles) + work;
      if (holds < bucket) used = 0;
      holds = bucket;
      const Cycle part = std::min<Cycle>(Calendar::kBucketCycles - used, work);
      used += static_cast<unsigned>(part);
      work -= part;
      if (part > 0) finish = std::max(finish, bucket * Calendar::kBucketCycles) + part;
    }
    return finish;
  }

 private:
  std::array<std::pair<Cycle, unsigned>, Calendar::kBuckets> slots_{};
};

// Light and heavy loads, agents out of order, pauses of many windows; the backlog stays inside the window.
BOOST_DATA_TEST_CASE(dates_are_those_of_the_plain_rules, boost::unit_test::data::make({3u, 8u, 14u}), load) {
  std::mt19937 random(load);
  Calendar calendar;
  PlainCalendar plain;
  Cycle base = 0;
  for (int i = 0; i < 200'000; ++i) {
    if (random() % 5000 == 0) base += random() % (1u << (random() % 31));
    base += random() % 7;
    const Cycle at = base + random() % 3000, work = random() % (load + 1) * (random() % 20 == 0 ? 10 : 1) / 4;
    BOOST_REQUIRE_EQUAL(calendar.take(at, work), plain.take(at, work));
  }
}

BOOST_AUTO_TEST_SUITE_END()
