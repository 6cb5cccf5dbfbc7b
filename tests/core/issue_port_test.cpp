// The issue port against a plain set of taken cycles.
#include "issue_port.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <set>

using gyre::core::IssuePort;

BOOST_AUTO_TEST_SUITE(issue_port)

BOOST_AUTO_TEST_CASE(gives_every_cycle_once) {
  std::mt19937 random(7);
  IssuePort port;
  std::set<std::uint64_t> taken;
  std::uint64_t now = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    now += random() % 3;
    const std::uint64_t at = now + random() % 256;  // warps run ahead
    std::uint64_t expected = at;
    while (taken.count(expected) != 0) ++expected;
    const std::uint64_t given = port.first_free(at);
    BOOST_REQUIRE_EQUAL(given, expected);
    port.take(given);
    taken.insert(given);
  }
}

// Long ago: free, and a take there disturbs nothing newer.
BOOST_AUTO_TEST_CASE(forgets_what_lies_before_the_window) {
  IssuePort port;
  port.take(100'000);
  BOOST_TEST(port.first_free(100'000) == 100'001u);
  BOOST_TEST(port.first_free(5) == 5u);
  port.take(100'000 - 32 * 64);
  BOOST_TEST(port.first_free(100'000) == 100'001u);
}

BOOST_AUTO_TEST_SUITE_END()
