// Caches as TLM-2.0 components: initiators somebody else could have written, a checker on every cable, one memory.
#include <boost/test/unit_test.hpp>

#include <memory>

#include "at_cache.h"
#include "at_initiators.h"
#include "at_target.h"
#include "device_memory.h"
#include "fork_case.h"
#include "protocol_checker.h"
#include "simulate.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr unsigned kBits = kernel::kMemoryBusBits;
constexpr kernel::Picoseconds kPeriod = 1000;
constexpr unsigned kLatency = 50;

using Cable = kernel::ProtocolChecker<kBits>;

// Answers reads after kLatency cycles, as many at a time as it is deep.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory, kBits> socket{"socket"};
  kernel::AtTarget at;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 20);
  std::uint64_t reads = 0, writes = 0;

  Memory(sc_core::sc_module_name module_name, unsigned depth)
      : sc_module(module_name),
        at(
            depth,
            [this](auto& payload, auto& delay) {
              ++(payload.is_write() ? writes : reads);
              debug(payload);
              delay += sc_core::sc_time::from_value(payload.is_write() ? kPeriod : kLatency * kPeriod);
            },
            [this](auto&... args) { return socket->nb_transport_bw(args...); }) {
    socket.register_nb_transport_fw(this, &Memory::forward);
    socket.register_transport_dbg(this, &Memory::debug);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return at.forward(payload, phase, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.get_address() + payload.get_data_length() > bytes.size()) return 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.get_byte_enable_ptr() != nullptr) return 0;  // dates only
    unsigned char* const here = &bytes[payload.get_address()];
    std::memcpy(payload.is_write() ? here : payload.get_data_ptr(), payload.is_write() ? payload.get_data_ptr() : here,
                payload.get_data_length());
    return payload.get_data_length();
  }
};

memory::CacheSetup setup(std::uint64_t bytes, unsigned line, unsigned banks, unsigned latency, WritePolicy write) {
  memory::CacheSetup s;
  s.geometry.bytes = bytes;
  s.geometry.ways = 4;
  s.geometry.line = line;
  s.geometry.banks = banks;
  s.geometry.mshr = 8;
  s.geometry.latency = latency;
  s.geometry.miss = 2;
  s.geometry.write = write;
  return s;
}

// First-level caches, a second level, memory.
struct Bench {
  std::vector<std::unique_ptr<Cable>> cables;
  Memory memory;
  memory::AtCache l2;
  std::vector<std::unique_ptr<memory::AtCache>> l1;
  std::vector<std::unique_ptr<AtInitiator<kBits>>> initiators;
  std::vector<std::unique_ptr<LtInitiator<kBits>>> loose;

  // `caches`: of the first level.
  Bench(unsigned depth, WritePolicy first, WritePolicy second, unsigned caches = 2)
      : memory("memory", depth), l2("l2", setup(8192, 128, 2, 4, second), kPeriod) {
    cable(l2.out).initiator.bind(memory.socket);
    for (unsigned i = 0; i < caches; ++i) {
      l1.push_back(std::make_unique<memory::AtCache>(("l1_" + std::to_string(i)).c_str(), setup(1024, 64, 2, 2, first), kPeriod));
      cable(l1.back()->out).initiator.bind(l2.in);
    }
  }
  template <class Socket>
  Cable& cable(Socket& from) {
    cables.push_back(std::make_unique<Cable>(("cable" + std::to_string(cables.size())).c_str()));
    from.bind(cables.back()->target);
    return *cables.back();
  }
  AtInitiator<kBits>& client(unsigned cache) {
    initiators.push_back(std::make_unique<AtInitiator<kBits>>(("at" + std::to_string(initiators.size())).c_str()));
    cable(initiators.back()->socket).initiator.bind(l1[cache]->in);
    return *initiators.back();
  }
  LtInitiator<kBits>& loose_client(unsigned cache) {
    loose.push_back(std::make_unique<LtInitiator<kBits>>(("lt" + std::to_string(loose.size())).c_str()));
    cable(loose.back()->socket).initiator.bind(l1[cache]->in);
    return *loose.back();
  }
  // Everything came, came right, and nothing is left over.
  void check() {
    for (const auto& c : cables) {
      GYRE_CHECK(c->violations.empty());
      GYRE_CHECK_EQUAL(c->open(), 0u);
    }
    for (const auto& i : initiators) {
      GYRE_CHECK_EQUAL(i->done, i->script.size());
      GYRE_CHECK_EQUAL(i->wrong, 0u);
      GYRE_CHECK(i->pool.all_home());
    }
    for (const auto& i : loose) {
      GYRE_CHECK_EQUAL(i->done, i->script.size());
      GYRE_CHECK_EQUAL(i->wrong, 0u);
    }
    GYRE_CHECK(l2.idle());
    std::uint64_t down = 0;
    for (const auto& c : l1) {
      GYRE_CHECK(c->idle());
      const auto& n = c->counters();
      GYRE_CHECK_EQUAL(n.reads, n.read_hits + n.read_misses);
      down += n.fills + n.forwards + n.write_backs;
    }
    const auto& n = l2.counters();
    GYRE_CHECK_EQUAL(n.reads + n.writes, down);
    GYRE_CHECK_EQUAL(memory.reads, n.fills);
    GYRE_CHECK_EQUAL(memory.writes, n.forwards + n.write_backs);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(at_cache)

BOOST_AUTO_TEST_CASE(four_phases_through_two_levels) {
  const std::pair<WritePolicy, WritePolicy> policies[] = {{WritePolicy::kThrough, WritePolicy::kThrough},
                                                          {WritePolicy::kThrough, WritePolicy::kBack},
                                                          {WritePolicy::kBack, WritePolicy::kBack}};
  for (const auto& [first, second] : policies)
    for (unsigned depth : {1u, 4u})
      for (unsigned outstanding : {1u, 6u})
        run_forked([=, first = first, second = second] {
          Bench bench(depth, first, second);
          for (unsigned i = 0; i < 4; ++i) {
            auto& client = bench.client(i / 2);
            client.outstanding = outstanding;
            client.script = random_script(i + 10 * depth, 0x10000 * (i + 1), 2048, 600, 20);
          }
          kernel::simulate();
          bench.check();
          return std::string();
        });
}

// Loosely and approximately timed initiators on one memory system.
BOOST_AUTO_TEST_CASE(blocking_clients_among_others) {
  run_forked([] {
    Bench bench(4, WritePolicy::kThrough, WritePolicy::kBack);
    auto& a = bench.client(0);
    auto& b = bench.loose_client(0);
    auto& c = bench.loose_client(1);
    a.script = random_script(1, 0x10000, 1024, 800, 20);
    b.script = random_script(2, 0x20000, 1024, 800, 0);
    c.script = random_script(3, 0x30000, 1024, 800, 0);
    kernel::simulate();
    bench.check();
    return std::string();
  });
}

// Pointer chases: every level costs what it says.
BOOST_AUTO_TEST_CASE(chases_cost_the_sum_of_the_levels) {
  struct Chase {
    const char* name;
    unsigned bytes, stride, rounds;
    double cycles;
  };
  constexpr double kL1 = 2, kL1Miss = 2 + 2 + 2, kL2 = 4, kL2Miss = 4 + 2 + 2;
  const Chase chases[] = {{"first level", 512, 64, 40, kL1},
                          {"second level", 4096, 64, 10, kL1Miss + kL2},
                          {"memory", 131072, 128, 1, kL1Miss + kL2Miss + kLatency}};
  for (const Chase& chase : chases)
    run_forked([&] {
      Bench bench(8, WritePolicy::kThrough, WritePolicy::kThrough, 1);
      auto& client = bench.client(0);
      client.outstanding = 1;
      const unsigned places = chase.bytes / chase.stride;
      for (unsigned round = 0; round <= chase.rounds; ++round)  // the first one warms
        for (unsigned i = 0; i < places; ++i) client.script.push_back({false, std::uint64_t{i} * chase.stride, 0});
      kernel::simulate();
      bench.check();
      const double total = client.finished / sc_core::sc_time::from_value(kPeriod);
      const double warm = places * (kL1Miss + kL2Miss + kLatency) * (chase.rounds > 1 ? 1 : 0);
      const double each = (total - warm) / (places * (chase.rounds > 1 ? chase.rounds : 2));
      if (each < chase.cycles * 0.98 || each > chase.cycles * 1.02)
        throw std::runtime_error(std::string(chase.name) + ": " + std::to_string(each) + " cycles, not " + std::to_string(chase.cycles));
      return std::string();
    });
}

// Several clients of one bank get the same share.
BOOST_AUTO_TEST_CASE(clients_take_turns) {
  run_forked([] {
    Bench bench(8, WritePolicy::kThrough, WritePolicy::kThrough, 1);
    for (unsigned i = 0; i < 4; ++i) {
      auto& client = bench.client(0);
      for (unsigned k = 0; k < 500; ++k) client.script.push_back({false, 0, 0});
    }
    kernel::simulate();
    bench.check();
    const auto last = bench.initiators[0]->finished;
    for (const auto& client : bench.initiators) {
      GYRE_CHECK(client->finished > last - sc_core::sc_time::from_value(8 * kPeriod));
      GYRE_CHECK(client->finished < last + sc_core::sc_time::from_value(8 * kPeriod));
    }
    // One hit a cycle.
    const double cycles = last / sc_core::sc_time::from_value(kPeriod);
    GYRE_CHECK(cycles > 2000);
    GYRE_CHECK(cycles < 2000 * 1.02 + 100);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(requests_that_cannot_be_served) {
  run_forked([] {
    Bench bench(4, WritePolicy::kThrough, WritePolicy::kThrough, 1);
    auto& client = bench.client(0);
    client.script = {{false, 1 << 20, 0}, {true, 0x7fffffff0, 1}, {false, 62, 0}, {false, 0, 0}};
    kernel::simulate();
    GYRE_CHECK_EQUAL(client.done, 4u);
    GYRE_CHECK_EQUAL(client.wrong, 3u);
    GYRE_CHECK(client.pool.all_home());
    GYRE_CHECK_EQUAL(bench.l1[0]->counters().reads, 1u);
    for (const auto& c : bench.cables) GYRE_CHECK(c->violations.empty());
    return std::string();
  });
}

// The device's own memory, bare and behind caches, with clients of both kinds.
BOOST_AUTO_TEST_CASE(device_memory_takes_both_kinds_of_initiators) {
  for (bool caches : {false, true})
    run_forked([=] {
      MachineConfig config;
      config.gpu.dram.kind = DramKind::kOpenRow;
      config.gpu.dram.queue = 4;
      kernel::Context ctx{config};
      memory::DeviceMemory memory("memory", ctx);
      const kernel::Picoseconds period = config.gpu.period_ps();
      memory::AtCache l1("l1", setup(4096, 64, 2, 2, WritePolicy::kBack), period);
      Cable below("below"), a("a"), b("b");
      AtInitiator<kBits> at("at");
      LtInitiator<kBits> lt("lt");
      at.socket.bind(a.target);
      lt.socket.bind(b.target);
      l1.out.bind(below.target);
      below.initiator.bind(memory.target);
      AtInitiator<kBits> other("other");  // the cache has a client in any case
      other.socket.bind(l1.in);
      if (caches) {
        a.initiator.bind(l1.in);
        b.initiator.bind(l1.in);
      } else {
        a.initiator.bind(memory.target);
        b.initiator.bind(memory.target);
      }
      at.script = random_script(1, 0x80000000, 4096, 2000, 20);
      lt.script = random_script(2, 0x90000000, 4096, 2000, 0);
      kernel::simulate();
      GYRE_CHECK_EQUAL(at.done + lt.done, 4000u);
      GYRE_CHECK_EQUAL(at.wrong + lt.wrong, 0u);
      for (const Cable* cable : {&below, &a, &b}) {
        GYRE_CHECK(cable->violations.empty());
        GYRE_CHECK_EQUAL(cable->open(), 0u);
      }
      GYRE_CHECK(at.pool.all_home());
      return std::string();
    });
}

BOOST_AUTO_TEST_SUITE_END()
