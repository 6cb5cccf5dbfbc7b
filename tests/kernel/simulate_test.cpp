// Time passes in slices, and the program's own stack stays usable between them, also to the address sanitizer.
#include "simulate.h"

#include <boost/test/unit_test.hpp>

#include "deep_throw.h"
#include "fork_case.h"

using namespace gyre::kernel;

namespace {

struct Ticker : sc_core::sc_module {
  SC_HAS_PROCESS(Ticker);
  explicit Ticker(sc_core::sc_module_name name) : sc_module(name) {
    SC_THREAD(run);
  }
  void run() {
    for (;;) {
      wait(sc_core::sc_time::from_value(1000));
      ++ticks;
    }
  }
  unsigned ticks = 0;
};

bool throws(unsigned depth) {
  try {
    char here[8] = {};
    gyre::test::deep_throw(depth, here);
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulate_slices)

BOOST_AUTO_TEST_CASE(exceptions_between_slices) {
  gyre::test::run_forked([] {
    Ticker ticker("ticker");
    simulate(0);
    for (unsigned slice = 1; slice <= 20; ++slice) {
      simulate(10'470);
      GYRE_CHECK_EQUAL(kernel_now(), Picoseconds{10'470} * slice);
      for (unsigned depth = 0; depth < 60; ++depth) GYRE_CHECK(throws(depth));
    }
    GYRE_CHECK_EQUAL(ticker.ticks, 209u);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
