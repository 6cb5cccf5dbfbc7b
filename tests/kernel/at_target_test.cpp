// A timed function as an approximately-timed target, through a cable that checks the protocol.
#include <boost/test/unit_test.hpp>

#include <memory>

#include "at_initiators.h"
#include "at_target.h"
#include "fork_case.h"
#include "mem_attributes.h"
#include "protocol_checker.h"
#include "simulate.h"

using namespace gyre;
using namespace gyre::test;
using sc_core::sc_time;

namespace {

constexpr unsigned kBits = kernel::kMemoryBusBits;

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory, kBits> socket{"socket"};
  kernel::AtTarget at;
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(4096);
  std::mt19937 random{1};
  sc_time longest;
  bool steady = false;
  unsigned most = 0;

  Memory(sc_core::sc_module_name module_name, unsigned depth, sc_time latency)
      : sc_module(module_name),
        at(
            depth, [this](auto& payload, auto& delay) { serve(payload, delay); },
            [this](auto& payload, auto& phase, auto& delay) { return socket->nb_transport_bw(payload, phase, delay); }),
        longest(latency) {
    socket.register_nb_transport_fw(this, &Memory::forward);
    socket.register_b_transport(this, &Memory::serve);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
    return at.forward(payload, phase, delay);
  }
  void serve(tlm::tlm_generic_payload& payload, sc_time& delay) {
    most = std::max(most, at.inside());
    std::uint32_t& word = words.at(payload.get_address() / 4);
    if (payload.is_write())
      std::memcpy(&word, payload.get_data_ptr(), 4);
    else
      std::memcpy(payload.get_data_ptr(), &word, 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += steady ? longest : longest * (static_cast<double>(random() % 8) / 7);
  }
};

struct Bench {
  Memory memory;
  kernel::ProtocolChecker<kBits> cable{"cable"};
  AtInitiator<kBits> initiator{"initiator"};
  Bench(unsigned depth, sc_time latency, unsigned outstanding, sc_time think) : memory("memory", depth, latency) {
    initiator.socket.bind(cable.target);
    cable.initiator.bind(memory.socket);
    initiator.outstanding = outstanding;
    initiator.think = think;
  }
};

const sc_time kNs(1, sc_core::SC_NS);

}  // namespace

BOOST_AUTO_TEST_SUITE(at_target)

BOOST_AUTO_TEST_CASE(keeps_the_protocol_and_its_depth) {
  for (unsigned depth : {1u, 2u, 5u})
    for (unsigned outstanding : {1u, 3u, 8u})
      for (unsigned think : {0u, 3u})
        run_forked([=] {
          Bench bench(depth, 20 * kNs, outstanding, think * kNs);
          bench.initiator.script = random_script(depth * 64 + outstanding * 8 + think, 0, 256, 500, 20);
          kernel::simulate();
          GYRE_CHECK_EQUAL(bench.initiator.done, 500u);
          GYRE_CHECK_EQUAL(bench.initiator.wrong, 0u);
          GYRE_CHECK(bench.memory.most <= depth);
          GYRE_CHECK(bench.initiator.most <= outstanding);
          GYRE_CHECK_EQUAL(bench.memory.at.inside(), 0u);
          GYRE_CHECK_EQUAL(bench.cable.open(), 0u);
          GYRE_CHECK(bench.initiator.pool.all_home());
          GYRE_CHECK(bench.cable.violations.empty());
          return std::string();
        });
}

// Little's law: with a steady latency L and d inside, n requests take n * L / d.
BOOST_AUTO_TEST_CASE(depth_bounds_the_throughput) {
  for (unsigned depth : {1u, 2u, 4u, 8u})
    run_forked([=] {
      Bench bench(depth, 80 * kNs, 16, {});
      bench.memory.steady = true;
      constexpr unsigned kCount = 800;
      bench.initiator.script = random_script(depth, 0, 256, kCount, 20);
      kernel::simulate();
      GYRE_CHECK_EQUAL(bench.initiator.wrong, 0u);
      GYRE_CHECK(bench.cable.violations.empty());
      const double expected = 80.0 * kCount / depth, took = bench.initiator.finished / kNs;
      GYRE_CHECK(took >= expected * 0.999 && took <= expected * 1.02);
      return std::string();
    });
}

BOOST_AUTO_TEST_SUITE_END()
