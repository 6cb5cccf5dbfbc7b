#include <boost/test/unit_test.hpp>

#include "calendar.h"

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

BOOST_AUTO_TEST_SUITE_END()
