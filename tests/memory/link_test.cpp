#include "link.h"

#include <boost/test/unit_test.hpp>

#include "flat_level.h"

using namespace gyre;
using kernel::Cycle;
using memory::Link;

BOOST_AUTO_TEST_SUITE(memory_link)

BOOST_AUTO_TEST_CASE(adds_its_way_there_and_back) {
  test::FlatLevel memory(50);
  Link link(memory, 1, 2, 1);
  BOOST_TEST(link.read({0x1000, 1}, 100) == 153u);
  BOOST_TEST(link.write({0x1000, 1}, 200) == 203u);  // posted: no way back
  BOOST_TEST(link.atomic(0x1000, 300) == 300u + 2 + 51 + 1);
  BOOST_TEST(link.read_io({0x100, 1}, 400) == 453u);
  BOOST_TEST(memory.calls[0].at == 102u);
  BOOST_TEST(link.requests() == 4u);
}

BOOST_AUTO_TEST_CASE(a_port_carries_a_block_a_cycle) {
  for (const unsigned ports : {1u, 2u, 4u}) {
    test::FlatLevel memory(50);
    Link link(memory, ports, 2, 1);
    Cycle done = 0;
    for (unsigned i = 0; i < 1024; ++i) done = std::max(done, link.read({64ull * i, 1}, 1024));
    BOOST_TEST(static_cast<double>(done - 1077) == 1024.0 / ports, boost::test_tools::tolerance(0.08));
    BOOST_TEST(link.stalls() > 0u);
  }
}

BOOST_AUTO_TEST_CASE(without_ports_nothing_waits) {
  test::FlatLevel memory(50);
  Link link(memory, 0, 1, 0);
  for (unsigned i = 0; i < 1024; ++i) BOOST_REQUIRE_EQUAL(link.read({64ull * i, 1}, 1000), 1051u);
}

BOOST_AUTO_TEST_SUITE_END()
