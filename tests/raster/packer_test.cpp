#include "packer.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "owner.h"

using namespace gyre::raster;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(packer)

// Random streams: arrival order per pixel is kept, no wave mixes owners or holds a quad twice, waves are as full as
// the rules allow.
BOOST_DATA_TEST_CASE(rules_hold_on_random_streams, data::xrange(40), seed) {
  std::mt19937 random(seed);
  const unsigned capacity = 1u << (seed % 4), cores = 1 + seed % 5, bin_log = 2 + seed % 3;
  std::vector<Quad> stream(600);
  for (std::size_t i = 0; i < stream.size(); ++i)
    stream[i] = {static_cast<std::uint16_t>(random() % 9), static_cast<std::uint16_t>(random() % 7),
                 static_cast<std::uint8_t>(1 + random() % 15), static_cast<std::uint16_t>(i)};

  std::vector<Wave> waves;
  Packer packer(capacity);
  for (const Quad& quad : stream) {
    const std::uint32_t owner = owner_core(quad.x, quad.y, bin_log, cores);
    if (packer.conflicts(quad, owner)) {
      waves.push_back(packer.wave());
      packer.clear();
      BOOST_TEST(!packer.conflicts(quad, owner));
    }
    packer.append(quad, owner);
  }
  if (!packer.empty()) waves.push_back(packer.wave());

  std::vector<Quad> out;
  for (std::size_t w = 0; w < waves.size(); ++w) {
    const Wave& wave = waves[w];
    BOOST_REQUIRE(wave.count >= 1u);
    BOOST_REQUIRE(wave.count <= capacity);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (unsigned i = 0; i < wave.count; ++i) {
      const Quad& quad = wave.quads[i];
      BOOST_TEST(owner_core(quad.x, quad.y, bin_log, cores) == wave.owner);
      BOOST_TEST((seen.insert({quad.x, quad.y}).second));
      out.push_back(quad);
    }
    // A wave ended early only because its successor could not join it.
    if (wave.count < capacity && w + 1 < waves.size()) {
      const Quad& next = waves[w + 1].quads[0];
      BOOST_TEST((waves[w + 1].owner != wave.owner || seen.count({next.x, next.y}) != 0));
    }
  }
  BOOST_TEST((out == stream));
}

BOOST_AUTO_TEST_SUITE_END()
