// Lightly loading initiators cost the same at every quantum: calendars, not one date from which a resource is free.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>
#include <sstream>
#include <systemc>
#include <vector>

#include "../support/fork_case.h"
#include "geometry.h"
#include "hierarchy.h"
#include "sim_time.h"
#include "simulate.h"
#include "table.h"

using namespace gyre;
using kernel::Cycle;

namespace {

constexpr kernel::Picoseconds kPeriod = 2500;
constexpr unsigned kAccesses = 3000;

// Asks for a line of its own every 40 cycles of computing or so, and waits for it.
struct Initiator : sc_core::sc_module {
  SC_HAS_PROCESS(Initiator);
  Initiator(sc_core::sc_module_name name, kernel::MemoryLevel& level, unsigned index, kernel::Picoseconds quantum)
      : sc_module(name), memory(level), number(index), clock(kPeriod, quantum) {
    SC_THREAD(run);
  }
  void run() {
    std::mt19937 random(number);
    for (unsigned i = 0; i < kAccesses; ++i) {
      clock.advance(30 + random() % 21);
      const std::uint64_t address = (std::uint64_t{number} << 24) + (random() % 4096) * 64;
      const Cycle at = clock.now(), back = memory.read({address, 1}, at);
      spent += back - at;
      clock.advance_to(back);
      if (clock.quantum_spent()) clock.sync();
    }
  }
  kernel::MemoryLevel& memory;
  unsigned number;
  kernel::LocalClock clock;
  std::uint64_t spent = 0;
};

enum class Shared { kBus, kCache };

// Mean cycles of an access.
double mean(unsigned initiators, kernel::Picoseconds quantum, Shared shared) {
  const std::string text = test::run_forked([=] {
    DramConfig config;
    config.banks = 1;
    if (shared == Shared::kBus) config.latency = 20;
    memory::Dram dram(config);
    memory::CacheSetup setup;
    setup.geometry.latency = 4;
    setup.geometry.write = WritePolicy::kThrough;
    setup.geometry.mshr = 64;
    memory::Cache cache(setup, dram);
    kernel::MemoryLevel& level = shared == Shared::kBus ? static_cast<kernel::MemoryLevel&>(dram) : cache;
    std::vector<std::unique_ptr<Initiator>> all;
    for (unsigned i = 0; i < initiators; ++i)
      all.push_back(std::make_unique<Initiator>(("initiator" + std::to_string(i)).c_str(), level, i, quantum));
    kernel::simulate();
    std::uint64_t spent = 0;
    for (const auto& initiator : all) spent += initiator->spent;
    std::ostringstream out;
    out << static_cast<double>(spent) / (static_cast<double>(initiators) * kAccesses);
    return out.str();
  });
  return std::stod(text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantum)

BOOST_AUTO_TEST_CASE(lightly_loading_initiators_cost_the_same_at_every_quantum) {
  // 8 and 16 initiators, each with one access in some 60 cycles: a bus at 13 to 27 % load, a bank at 30 to 60 %.
  for (const Shared shared : {Shared::kBus, Shared::kCache})
    for (const unsigned initiators : {1u, 8u, 16u}) {
      // At a quantum of four cycles the order of dates is the order of simulation.
      const double closest = mean(initiators, 10'000, shared);
      if (shared == Shared::kBus) test::expect("a bus with one of them: an access", mean(1, 10'000, shared), 20, 1);
      for (const kernel::Picoseconds quantum : {250'000ull, 1'000'000ull, 2'500'000ull}) {
        const double cycles = mean(initiators, quantum, shared);
        const std::string what = std::to_string(initiators) + (shared == Shared::kBus ? " on a bus, " : " on a cache, ") +
                                 std::to_string(quantum / kPeriod) + " cycles of quantum: an access";
        test::expect(what, cycles, closest, 1);
        if (shared == Shared::kBus) test::expect(what + ", against one alone", cycles, 20, 5);
      }
    }
}

BOOST_AUTO_TEST_SUITE_END()
