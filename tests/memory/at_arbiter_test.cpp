// Arbiters between initiators somebody else could have written and a slow target.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>

#include "at_arbiter.h"
#include "at_initiators.h"
#include "at_target.h"
#include "fork_case.h"
#include "protocol_checker.h"
#include "simulate.h"

namespace data = boost::unit_test::data;
using namespace gyre;
using namespace gyre::test;
using memory::AtArbiter;

namespace {

constexpr unsigned kBits = kernel::kMemoryBusBits;
constexpr kernel::Picoseconds kPeriod = 1000;
using Cable = kernel::ProtocolChecker<kBits>;

// Serves `depth` requests of a way at a time, `cycles` each.
struct Slow : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<Slow, kBits> socket{"socket"};
  std::vector<std::unique_ptr<kernel::AtTarget>> ways;
  std::vector<std::uint64_t> served;
  unsigned depth, cycles;
  std::uint32_t words[1024] = {};

  Slow(sc_core::sc_module_name module_name, unsigned places, unsigned cycles_each)
      : sc_module(module_name), depth(places), cycles(cycles_each) {
    socket.register_nb_transport_fw(this, &Slow::forward);
  }
  void end_of_elaboration() override {
    served.resize(socket.size());
    for (int way = 0; way < static_cast<int>(socket.size()); ++way)
      ways.push_back(std::make_unique<kernel::AtTarget>(
          depth,
          [this, way](auto& payload, auto& delay) {
            ++served[static_cast<unsigned>(way)];
            std::uint32_t& word = words[payload.get_address() / 4];
            std::memcpy(payload.is_write() ? static_cast<void*>(&word) : payload.get_data_ptr(),
                        payload.is_write() ? payload.get_data_ptr() : reinterpret_cast<unsigned char*>(&word), 4);
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            delay += sc_core::sc_time::from_value(cycles * kPeriod);
          },
          [this, way](auto&... args) { return socket[way]->nb_transport_bw(args...); }));
  }
  tlm::tlm_sync_enum forward(int way, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return ways[static_cast<unsigned>(way)]->forward(payload, phase, delay);
  }
};

struct Bench {
  Slow target;
  AtArbiter arbiter;
  std::vector<std::unique_ptr<Cable>> cables;
  std::vector<std::unique_ptr<AtInitiator<kBits>>> clients;

  Bench(AtArbiter::Policy policy, unsigned count, unsigned ways, unsigned there, unsigned back, unsigned depth, unsigned cycles)
      : target("target", depth, cycles), arbiter("arbiter", policy, there, back, kPeriod) {
    for (unsigned i = 0; i < ways + count; ++i) cables.push_back(std::make_unique<Cable>(("cable" + std::to_string(i)).c_str()));
    for (unsigned w = 0; w < ways; ++w) {
      arbiter.out.bind(cables[w]->target);
      cables[w]->initiator.bind(target.socket);
    }
    for (unsigned i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<AtInitiator<kBits>>(("client" + std::to_string(i)).c_str()));
      clients[i]->socket.bind(cables[ways + i]->target);
      cables[ways + i]->initiator.bind(arbiter.in);
    }
  }
  double cycles(unsigned client) const { return clients[client]->finished / sc_core::sc_time::from_value(kPeriod); }
  void check() {
    std::uint64_t sent = 0, served = 0;
    for (const auto& c : cables) {
      GYRE_CHECK(c->violations.empty());
      GYRE_CHECK_EQUAL(c->open(), 0u);
    }
    for (const auto& c : clients) {
      GYRE_CHECK_EQUAL(c->done, c->script.size());
      GYRE_CHECK_EQUAL(c->wrong, 0u);
      GYRE_CHECK(c->pool.all_home());
      sent += c->script.size();
    }
    for (const std::uint64_t n : target.served) served += n;
    GYRE_CHECK_EQUAL(served, sent);
    GYRE_CHECK_EQUAL(arbiter.requests(), sent);
    GYRE_CHECK(arbiter.most() <= arbiter.depth());
    GYRE_CHECK(arbiter.idle());
  }
};

std::vector<Access> reads(unsigned count, std::uint64_t address = 0) { return std::vector<Access>(count, {false, address, 0}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(at_arbiter)

// Data, order rules and counts whatever the depth of the target and the cycles of the way.
BOOST_DATA_TEST_CASE(everything_arrives, data::make({1u, 2u}) * data::make({0u, 1u, 3u}) * data::make({1u, 4u}), ways, there, depth) {
  run_forked([=, ways = ways, there = there, depth = depth] {
    Bench bench(AtArbiter::Policy::kRoundRobin, 3, ways, there, 1, depth, 5);
    for (unsigned i = 0; i < 3; ++i) bench.clients[i]->script = random_script(i, 1024 * i, 256, 500, 8);
    kernel::simulate();
    bench.check();
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(an_empty_way_costs_its_cycles) {
  for (unsigned there : {0u, 1u, 2u, 5u})
    for (unsigned back : {0u, 1u, 3u})
      run_forked([=] {
        Bench bench(AtArbiter::Policy::kFixed, 1, 1, there, back, 4, 7);
        bench.clients[0]->outstanding = 1;
        bench.clients[0]->script = reads(100);
        kernel::simulate();
        bench.check();
        GYRE_CHECK_EQUAL(bench.cycles(0), 100.0 * (there + 7 + back));
        return std::string();
      });
}

// One request a cycle and way, also through more cycles than places of a plain register.
BOOST_AUTO_TEST_CASE(a_way_carries_one_request_a_cycle) {
  for (unsigned there : {1u, 2u, 6u})
    run_forked([=] {
      Bench bench(AtArbiter::Policy::kRoundRobin, 4, 1, there, 1, 64, 3);
      for (const auto& client : bench.clients) {
        client->outstanding = 32;
        client->script = reads(1000);
      }
      kernel::simulate();
      bench.check();
      GYRE_CHECK(bench.cycles(0) >= 4000);
      GYRE_CHECK(bench.cycles(0) < 4000 * 1.02);
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(turns_are_fair_and_priorities_are_not) {
  for (const auto policy : {AtArbiter::Policy::kRoundRobin, AtArbiter::Policy::kFixed})
    run_forked([=] {
      Bench bench(policy, 3, 1, 1, 0, 2, 2);  // one a cycle
      for (const auto& client : bench.clients) {
        client->outstanding = 16;
        client->script = reads(600);
      }
      kernel::simulate();
      bench.check();
      if (policy == AtArbiter::Policy::kRoundRobin) {
        for (unsigned i = 0; i < 3; ++i) GYRE_CHECK(bench.cycles(i) > 1800 - 20);
        return std::string();
      }
      // The first two leave nothing to the last; it only comes when they are through.
      GYRE_CHECK(bench.cycles(0) < bench.cycles(1));
      GYRE_CHECK(bench.cycles(1) < bench.cycles(2));
      GYRE_CHECK(bench.cycles(0) < 1300);
      return std::string();
    });
}

// A target that is slow holds the clients back: no more than the slice, and what is inside, is ever under way.
BOOST_AUTO_TEST_CASE(a_slow_target_is_felt_by_the_clients) {
  run_forked([] {
    Bench bench(AtArbiter::Policy::kRoundRobin, 2, 1, 2, 1, 1, 20);
    for (const auto& client : bench.clients) {
      client->outstanding = 16;
      client->script = reads(100);
    }
    kernel::simulate();
    bench.check();
    GYRE_CHECK_EQUAL(bench.arbiter.most(), bench.arbiter.depth());
    GYRE_CHECK(bench.cycles(0) >= 200 * 20 - 40);
    GYRE_CHECK(bench.cycles(0) < 200 * 20 * 1.02);
    // Each client has at most one at the arbiter and its share of the two in the slice and the one inside.
    for (const auto& client : bench.clients) GYRE_CHECK(client->most <= 1 + 3 + 1);
    GYRE_CHECK(bench.arbiter.stalls() > 0);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
