// Tags against a second model written another way: a list of lines a set, in the order replacement wants.
#include "cache_tags.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <list>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace gyre;
using memory::CacheTags;

namespace {

struct Shape {
  unsigned sets, ways;
  Replacement replacement;
};
std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.sets << " sets, " << s.ways << " ways, replacement " << static_cast<int>(s.replacement);
}

const std::vector<Shape> kShapes = {
    {1, 1, Replacement::kFifo},  {1, 4, Replacement::kFifo},   {32, 2, Replacement::kFifo},
    {8, 3, Replacement::kFifo},  {64, 8, Replacement::kFifo},  {4, 64, Replacement::kFifo},
    {1, 2, Replacement::kPlru},  {16, 4, Replacement::kPlru},  {8, 16, Replacement::kPlru},
    {2, 64, Replacement::kPlru}, {16, 4, Replacement::kRandom}, {4, 7, Replacement::kRandom},
};

// A binary tree of halves, as nested objects: each node knows which half was used last.
struct Half {
  unsigned low, high;
  bool upper_last = true;  // a fresh tree names way 0 first
  std::vector<Half> children;
  Half(unsigned from, unsigned to) : low(from), high(to) {
    if (to - from > 1) {
      const unsigned middle = (from + to) / 2;
      children = {Half(from, middle), Half(middle, to)};
    }
  }
  void use(unsigned way) {
    if (children.empty()) return;
    upper_last = way >= (low + high) / 2;
    children[upper_last].use(way);
  }
  unsigned victim() const { return children.empty() ? low : children[!upper_last].victim(); }
};

// Who leaves: given the ways of a set.
struct NaiveSet {
  explicit NaiveSet(unsigned ways) : content(ways), tree(0, ways) {}
  std::vector<std::pair<bool, std::uint32_t>> content;
  std::list<unsigned> arrival;
  Half tree;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_tags)

BOOST_DATA_TEST_CASE(random_streams_hold_the_lines_the_naive_model_holds, boost::unit_test::data::make(kShapes), shape) {
  std::mt19937 random(7);
  CacheTags tags(shape.sets, shape.ways, shape.replacement, 3);
  std::vector<NaiveSet> naive(shape.sets, NaiveSet(shape.ways));
  const std::uint32_t lines = shape.sets * shape.ways * 2 + 1;
  unsigned hits = 0, evictions = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t line = random() % 3 == 0 ? random() % lines : random() % (lines / 4 + 1);
    NaiveSet& set = naive[line % shape.sets];
    unsigned way = 0;
    while (way < shape.ways && set.content[way] != std::pair(true, line)) ++way;
    const unsigned slot = tags.find(line);
    BOOST_REQUIRE_EQUAL(slot != CacheTags::kNone, way < shape.ways);
    if (way < shape.ways) {
      ++hits;
      BOOST_REQUIRE_EQUAL(slot, line % shape.sets * shape.ways + way);
      if (random() % 16 == 0) {
        tags.drop(slot);
        set.content[way].first = false;
        set.arrival.remove(way);
        continue;
      }
      tags.touch(slot);
      set.tree.use(way);
      continue;
    }
    CacheTags::Victim victim;
    const unsigned got = tags.allocate(line, victim);
    BOOST_REQUIRE_EQUAL(got / shape.ways, line % shape.sets);
    const unsigned got_way = got % shape.ways;
    unsigned empty = 0;
    while (empty < shape.ways && set.content[empty].first) ++empty;
    BOOST_REQUIRE_EQUAL(victim.valid, empty == shape.ways);
    if (empty < shape.ways) {
      BOOST_REQUIRE_EQUAL(got_way, empty);
    } else {
      ++evictions;
      BOOST_REQUIRE_EQUAL(victim.line, set.content[got_way].second);
      if (shape.replacement == Replacement::kFifo) BOOST_REQUIRE_EQUAL(got_way, set.arrival.front());
      if (shape.replacement == Replacement::kPlru) BOOST_REQUIRE_EQUAL(got_way, set.tree.victim());
      set.arrival.remove(got_way);
    }
    set.content[got_way] = {true, line};
    set.arrival.push_back(got_way);
    set.tree.use(got_way);
  }
  BOOST_TEST(hits > 1000u);
  BOOST_TEST(evictions > 500u);
}

BOOST_AUTO_TEST_CASE(random_replacement_is_repeatable_and_follows_its_seed) {
  const auto ways = [](std::uint64_t seed) {
    CacheTags tags(1, 8, Replacement::kRandom, seed);
    std::vector<unsigned> list;
    CacheTags::Victim victim;
    for (std::uint32_t line = 0; line < 400; ++line) list.push_back(tags.allocate(line, victim));
    return list;
  };
  BOOST_TEST(ways(1) == ways(1), boost::test_tools::per_element());
  BOOST_TEST((ways(1) != ways(2)));
  std::map<unsigned, unsigned> used;
  for (unsigned way : ways(1)) ++used[way];
  for (unsigned way = 0; way < 8; ++way) BOOST_TEST(used[way] > 20u);
}

BOOST_AUTO_TEST_CASE(sectors_are_valid_and_dirty_alone) {
  CacheTags tags(2, 1, Replacement::kFifo);
  CacheTags::Victim victim;
  const unsigned slot = tags.allocate(4, victim);
  BOOST_TEST(!tags.valid(slot, 0));
  tags.set_valid(slot, 1);
  tags.set_dirty(slot, 1);
  BOOST_TEST(!tags.valid(slot, 0));
  BOOST_TEST(tags.valid(slot, 1));
  BOOST_TEST(tags.allocate(6, victim) == slot);
  BOOST_TEST((victim.valid && victim.line == 4 && victim.valid_sectors == 2 && victim.dirty_sectors == 2));
  BOOST_TEST(!tags.valid(slot, 1));
  BOOST_TEST(int{tags.dirty_sectors(slot)} == 0);
  tags.clear();
  BOOST_TEST(tags.find(6) == CacheTags::kNone);
}

BOOST_AUTO_TEST_SUITE_END()
