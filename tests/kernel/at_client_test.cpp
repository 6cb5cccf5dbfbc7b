// The initiator side of the approximate style: lists of requests, in the order of their dates, one call back each.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <memory>
#include <vector>

#include "at_client.h"
#include "at_target.h"
#include "fork_case.h"
#include "protocol_checker.h"
#include "simulate.h"

namespace data = boost::unit_test::data;
using namespace gyre;
using kernel::Cycle;
using kernel::MemoryAccess;
using test::run_forked;

namespace {

constexpr kernel::Picoseconds kPeriod = 1000;
constexpr unsigned kLatency = 10;

struct Seen {
  int port;
  Cycle at;
  std::uint64_t address;
  kernel::MemAttributes attributes;
};

// Serves every port on its own, `depth` requests at a time.
struct Banks : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<Banks, kernel::kMemoryBusBits> in{"in"};
  std::vector<std::unique_ptr<kernel::AtTarget>> ports;
  std::vector<Seen> seen;
  unsigned depth;

  Banks(sc_core::sc_module_name module_name, unsigned places) : sc_module(module_name), depth(places) {
    in.register_nb_transport_fw(this, &Banks::forward);
  }
  void end_of_elaboration() override {
    for (int port = 0; port < static_cast<int>(in.size()); ++port)
      ports.push_back(std::make_unique<kernel::AtTarget>(
          depth,
          [this, port](auto& payload, auto& delay) {
            seen.push_back({port, kernel::kernel_now() / kPeriod, payload.get_address(),
                            *payload.template get_extension<kernel::MemAttributes>()});
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            delay = sc_core::sc_time::from_value(kLatency * kPeriod);
          },
          [this, port](auto&... args) { return in[port]->nb_transport_bw(args...); }));
  }
  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return ports[static_cast<unsigned>(port)]->forward(payload, phase, delay);
  }
};

struct Rig {
  using Cable = kernel::ProtocolChecker<kernel::kMemoryBusBits>;
  Banks target;
  kernel::AtClient client;
  std::vector<std::unique_ptr<Cable>> cables;

  Rig(unsigned banks, unsigned depth) : target("target", depth), client("client", banks, 6, kPeriod, kernel::MemSource::kLsu, 3) {
    for (unsigned i = 0; i < banks; ++i) {
      cables.push_back(std::make_unique<Cable>(("cable" + std::to_string(i)).c_str()));
      client.socket(i).bind(cables[i]->target);
      cables[i]->initiator.bind(target.in);
    }
  }
  void run() {
    kernel::simulate();
    GYRE_CHECK_EQUAL(client.open(), 0u);
    GYRE_CHECK_EQUAL(client.waiting(), 0u);
    for (const auto& cable : cables) {
      GYRE_CHECK(cable->violations.empty());
      GYRE_CHECK_EQUAL(cable->open(), 0u);
    }
  }
};

}  // namespace

// A list is done when its last word is; a bank takes the next request as soon as it has a place.
BOOST_DATA_TEST_CASE(a_list_is_done_with_its_last_word, data::make({1u, 2u, 4u}) * data::make({1u, 2u, 8u}), banks, depth) {
  run_forked([=, banks = banks, depth = depth] {
    Rig rig(banks, depth);
    std::vector<Cycle> done;
    MemoryAccess list[8];
    for (unsigned i = 0; i < 8; ++i) list[i] = {i * 64, i + 1};
    unsigned taken = 0;
    rig.client.taken = [&] { ++taken; };
    rig.client.read(list, 8, 5, [&](Cycle at) { done.push_back(at); });
    rig.run();
    GYRE_CHECK_EQUAL(done.size(), 1u);
    GYRE_CHECK_EQUAL(taken, 1u);
    const unsigned rounds = (8 / banks + depth - 1) / depth;
    GYRE_CHECK_EQUAL(done[0], 5 + rounds * kLatency);
    GYRE_CHECK_EQUAL(rig.target.seen.size(), 8u);
    for (const Seen& seen : rig.target.seen) {
      GYRE_CHECK_EQUAL(static_cast<unsigned>(seen.port), seen.address / 64 % banks);
      GYRE_CHECK_EQUAL(seen.attributes.words, seen.address / 64 + 1);
      GYRE_CHECK(seen.attributes.dates_only);
      GYRE_CHECK_EQUAL(seen.attributes.core, 3u);
    }
    return std::string();
  });
}

// Dates order the requests of a bank, not the calls; equal dates keep the order of the calls.
BOOST_AUTO_TEST_CASE(requests_leave_in_the_order_of_their_dates) {
  run_forked([] {
    Rig rig(1, 16);
    std::vector<unsigned> order;
    const Cycle at[] = {30, 10, 20, 10, 5, 30};
    for (unsigned i = 0; i < 6; ++i) {
      const MemoryAccess access{i * 64, 1};
      rig.client.write(&access, 1, at[i], [&order, i](Cycle) { order.push_back(i); });
    }
    rig.run();
    GYRE_CHECK(order == (std::vector<unsigned>{4, 1, 3, 2, 0, 5}));
    for (const Seen& seen : rig.target.seen) GYRE_CHECK_EQUAL(seen.at, at[seen.address / 64]);
    return std::string();
  });
}

// A call back may ask again: a chase.
BOOST_AUTO_TEST_CASE(a_call_back_may_send_the_next_request) {
  run_forked([] {
    Rig rig(2, 1);
    unsigned left = 100;
    Cycle last = 0;
    std::function<void(Cycle)> next = [&](Cycle at) {
      last = at;
      if (left-- == 0) return;
      const std::uint32_t address = left * 64;
      rig.client.atomic(&address, 1, at, next);
    };
    next(1);
    rig.run();
    GYRE_CHECK_EQUAL(last, 1 + 100u * kLatency);
    for (const Seen& seen : rig.target.seen) GYRE_CHECK(seen.attributes.atomic);
    return std::string();
  });
}
