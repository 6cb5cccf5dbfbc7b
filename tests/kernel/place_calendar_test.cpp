#include "place_calendar.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <array>
#include <random>
#include <vector>

using gyre::kernel::Cycle;
using gyre::kernel::PlaceCalendar;

BOOST_AUTO_TEST_SUITE(place_calendar)

BOOST_AUTO_TEST_CASE(free_places_are_taken_at_once) {
  PlaceCalendar places(2);
  BOOST_TEST(places.available(100) == 100u);
  places.hold(100, 160);
  BOOST_TEST(places.available(100) == 100u);
  places.hold(100, 160);
  BOOST_TEST(places.available(100) == 160u);
  BOOST_TEST(places.available(130) == 160u);
  BOOST_TEST(places.available(160) == 160u);
}

BOOST_AUTO_TEST_CASE(a_holder_of_the_future_is_not_in_the_way) {
  PlaceCalendar places(1);
  places.hold(5000, 5060);
  BOOST_TEST(places.available(100) == 100u);
  places.hold(100, 160);
  BOOST_TEST(places.available(120) == 160u);
}

BOOST_AUTO_TEST_CASE(long_waits_end) {
  PlaceCalendar places(1);
  places.hold(0, 100'000);  // longer than the window: what lies before it is forgotten
  const Cycle from = places.available(99'000);
  BOOST_TEST(from >= 99'990u);
  BOOST_TEST(from <= 100'016u);
}

// Holders of random length, agents out of order: on average never more holders than places.
BOOST_DATA_TEST_CASE(occupancy_stays_within_the_places, boost::unit_test::data::make({1u, 4u, 16u}), count) {
  std::mt19937 random(count);
  PlaceCalendar places(count);
  std::vector<unsigned> held(200'000);
  Cycle local[4] = {}, last = 0;
  std::uint64_t work = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    Cycle& now = *std::min_element(local, local + 4);
    const Cycle ahead = random() % 100, length = 20 + random() % 60;
    const Cycle from = places.available(now + ahead);
    BOOST_REQUIRE(from >= now + ahead);
    if (from + length >= held.size()) break;
    places.hold(from, from + length);
    for (Cycle c = from; c < from + length; ++c) ++held[c];
    work += length;
    now = std::max(now + 10 / count, from > 300 ? from - 300 : 0);
    last = std::max(last, from);
  }
  std::uint64_t over = 0;
  for (Cycle c = 0; c < last; ++c) over += held[c] > count ? held[c] - count : 0;
  BOOST_TEST_MESSAGE(count << " places: " << static_cast<double>(work) / static_cast<double>(last) << " held, "
                           << 100.0 * static_cast<double>(over) / static_cast<double>(work) << " % above");
  BOOST_TEST(static_cast<double>(over) <= 0.10 * static_cast<double>(work));
  BOOST_TEST(static_cast<double>(work) >= 0.6 * count * static_cast<double>(last));
}

// The same rules, a cycle at a time.
class PlainPlaces {
 public:
  explicit PlainPlaces(unsigned places) : capacity_(places * kCycles) {}
  Cycle available(Cycle at) const {
    if (at >= last_) return at;
    Cycle bucket = at / kCycles;
    for (unsigned looked = 0; looked < kStretch * PlaceCalendar::kStretches; ++looked, ++bucket) {
      const std::uint64_t used = used_in(bucket);
      if (used >= capacity_ || used_in(bucket + 1) + kCycles > capacity_) continue;
      return std::max(at, (bucket + 1) * kCycles - std::min<Cycle>(capacity_ - used, kCycles));
    }
    return std::max(at, bucket * kCycles);
  }
  void hold(Cycle from, Cycle to, unsigned places) {
    last_ = std::max(last_, to);
    for (; from < to; ++from) {
      const Cycle bucket = from / kCycles, stretch = bucket / kStretch;
      auto& [holds, used] = window_[stretch % PlaceCalendar::kStretches];
      if (holds > stretch) continue;
      if (holds < stretch) used.fill(0);
      holds = stretch;
      used[bucket % kStretch] += places;
    }
  }

 private:
  static constexpr unsigned kCycles = PlaceCalendar::kBucketCycles, kStretch = PlaceCalendar::kStretchCycles / kCycles;
  std::uint64_t used_in(Cycle bucket) const {
    const auto& [holds, used] = window_[bucket / kStretch % PlaceCalendar::kStretches];
    return holds == bucket / kStretch ? used[bucket % kStretch] : 0;
  }
  std::uint64_t capacity_;
  Cycle last_ = 0;
  std::array<std::pair<Cycle, std::array<std::uint64_t, kStretch>>, PlaceCalendar::kStretches> window_{};
};

BOOST_DATA_TEST_CASE(dates_are_those_of_the_plain_rules, boost::unit_test::data::make({1u, 4u, 16u}), count) {
  std::mt19937 random(count);
  PlaceCalendar places(count);
  PlainPlaces plain(count);
  Cycle base = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 3000 == 0) base += random() % (1u << (random() % 31));
    base += random() % (160 / count);
    const Cycle at = base + random() % 500, from = places.available(at);
    BOOST_REQUIRE_EQUAL(from, plain.available(at));
    const Cycle length = random() % 20 == 0 ? random() % 3000 : random() % 90;
    const unsigned held = 1 + random() % 3;
    places.hold(from, from + length, held);
    plain.hold(from, from + length, held);
  }
}

BOOST_AUTO_TEST_SUITE_END()
