#include <boost/test/unit_test.hpp>

#include "busy.h"
#include "fork_case.h"
#include "sim_time.h"
#include "simulate.h"

using namespace gyre::kernel;

namespace {

// A producer that runs ahead of kernel time and a consumer that waits for it, on clocks of different periods.
struct Pair : sc_core::sc_module {
  SC_HAS_PROCESS(Pair);
  Pair(sc_core::sc_module_name name, Picoseconds quantum)
      : sc_module(name), producer_clock(2500, quantum), consumer_clock(1000, quantum) {
    SC_THREAD(produce);
    SC_THREAD(consume);
  }
  void produce() {
    for (int i = 0; i < 100; ++i) {
      producer_clock.advance(97);
      if (producer_clock.quantum_spent()) producer_clock.sync();
    }
    stamp = producer_clock.now_ps();
    done = true;
    event.notify(sc_core::SC_ZERO_TIME);
  }
  void consume() {
    consumer_clock.advance(5);
    consumer_clock.wait_until(event, [this] { return done; });
    consumer_clock.advance_to(consumer_clock.from_ps(stamp));
    finish = consumer_clock.now_ps();
  }
  LocalClock producer_clock, consumer_clock;
  sc_core::sc_event event;
  bool done = false;
  Picoseconds stamp = 0, finish = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(local_time)

BOOST_AUTO_TEST_CASE(waiting_never_loses_local_time) {
  for (Picoseconds quantum : {10'000ull, 1'000'000ull, 100'000'000ull}) {
    gyre::test::run_forked([&] {
      Pair pair("pair", quantum);
      gyre::kernel::simulate();
      GYRE_CHECK_EQUAL(pair.stamp, Picoseconds{9700} * 2500);
      GYRE_CHECK(pair.finish >= pair.stamp);
      GYRE_CHECK(pair.finish < pair.stamp + 1000);
      return std::string();
    });
  }
}

BOOST_AUTO_TEST_CASE(busy_tree_is_idle_at_the_largest_stamp) {
  gyre::test::run_forked([] {
    BusyTree busy;
    const auto a = busy.add_node("a"), b = busy.add_node("b");
    busy.take(a);
    busy.take(b);
    busy.give(b, 500);
    GYRE_CHECK(!busy.idle());
    GYRE_CHECK_EQUAL(busy.describe(), std::string("a 1"));
    busy.give(a, 20);
    GYRE_CHECK(busy.idle());
    GYRE_CHECK_EQUAL(busy.last_stamp(), Cycle{500});
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
