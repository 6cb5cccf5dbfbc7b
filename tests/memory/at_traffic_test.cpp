// A device's caches under load in the approximate style: laws, figures that have a closed form, and every run the same.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "at_rig.h"

namespace data = boost::unit_test::data;
using namespace gyre;
using namespace gyre::test;
using kernel::Cycle;
using kernel::MemoryAccess;

namespace {

// Every client keeps up to `outstanding` calls open, of all kinds, in a space they share.
struct Traffic {
  struct Source {
    unsigned left, open = 0;
  };
  AtRig& rig;
  unsigned outstanding;
  std::mt19937 random;
  std::vector<Source> sources;
  std::ostringstream trace;
  unsigned flushes = 0;

  Traffic(AtRig& rig, unsigned seed, unsigned count, unsigned outstanding)
      : rig(rig), outstanding(outstanding), random(seed), sources(rig.clients.size(), Source{count}) {}

  void start() {
    for (std::size_t i = 0; i < sources.size(); ++i) go(i);
  }
  void go(std::size_t i) {
    Source& source = sources[i];
    while (source.left != 0 && source.open < outstanding) {
      --source.left;
      ++source.open;
      call(i);
    }
  }
  void call(std::size_t i) {
    kernel::AtClient& port = *rig.clients[i].port;
    const Cycle at = rig.now() + random() % 4;
    MemoryAccess list[4];
    std::uint32_t addresses[4];
    const unsigned lines = 1 + static_cast<unsigned>(random() % 4);
    for (unsigned k = 0; k < lines; ++k) {
      addresses[k] = 0x80000000u + (static_cast<std::uint32_t>(random() % 32768) & ~3u);
      list[k] = {addresses[k], 1 + static_cast<unsigned>(random() % 3)};
    }
    const auto done = [this, i](Cycle cycle) {
      trace << i << ":" << cycle << " ";
      --sources[i].open;
      go(i);
    };
    const unsigned kind = random() % 32;
    if (kind < 20)
      port.read(list, lines, at, done);
    else if (kind < 28)
      port.write(list, lines, at, done);
    else if (kind < 30)
      port.atomic(addresses, lines, at, done);
    else if (kind < 31)
      port.read_io(addresses, lines, at, done);
    else
      port.write_io(addresses, lines, at, done);
    if (sources[i].left % 500 == 250) rig.caches.flush(static_cast<unsigned>(random() % rig.gpu.total_cores()), [this] { ++flushes; });
  }
};

// Calls of one client: `addresses` in order, the next one in the cycle the one before is done. Cycles from the first
// call to the last answer.
Cycle chase(AtRig& rig, kernel::AtClient& client, const std::vector<std::uint32_t>& addresses) {
  std::size_t next = 0;
  Cycle last = 0;
  const Cycle begin = rig.now() + 1;
  std::function<void(Cycle)> step = [&](Cycle at) {
    last = at;
    if (next == addresses.size()) return;
    const MemoryAccess access{addresses[next++], 1};
    client.read(&access, 1, at, step);
  };
  step(begin);
  kernel::simulate();
  return last - begin;
}

// All of them at once.
Cycle stream(AtRig& rig, kernel::AtClient& client, const std::vector<std::uint32_t>& addresses) {
  Cycle last = 0;
  const Cycle begin = rig.now() + 1;
  for (const std::uint32_t address : addresses) {
    const MemoryAccess access{address, 1};
    client.read(&access, 1, begin, [&](Cycle at) { last = std::max(last, at); });
  }
  kernel::simulate();
  return last - begin;
}

std::vector<std::uint32_t> strided(unsigned count, unsigned stride, unsigned rounds = 1) {
  std::vector<std::uint32_t> list;
  for (unsigned r = 0; r < rounds; ++r)
    for (unsigned i = 0; i < count; ++i) list.push_back(0x80000000u + i * stride);
  return list;
}

void near(const std::string& what, double is, double expected, double tolerance = 0.02) {
  if (is < expected * (1 - tolerance) || is > expected * (1 + tolerance))
    throw std::runtime_error(what + ": " + std::to_string(is) + ", not " + std::to_string(expected));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(at_traffic)

BOOST_DATA_TEST_CASE(crowds_keep_the_laws_and_repeat, data::make(kAtShapes) * data::make({1u, 8u}), shape, outstanding) {
  std::string first;
  for (unsigned run = 0; run < 2; ++run) {
    const std::string trace = run_forked([shape = shape, outstanding = outstanding] {
      AtRig rig(machine_of(shape));
      rig.client_each();
      Traffic traffic(rig, 3, 1000, outstanding);
      kernel::simulate(0);
      traffic.start();
      kernel::simulate();
      rig.check();
      for (const auto& source : traffic.sources) GYRE_CHECK(source.left == 0 && source.open == 0);
      GYRE_CHECK_EQUAL(traffic.flushes, 2 * traffic.sources.size());
      return traffic.trace.str();
    });
    BOOST_TEST(trace.size() > 10000u);
    if (run == 0)
      first = trace;
    else
      BOOST_TEST((trace == first), "two runs differ");
  }
}

// Latencies of docs/timing.md, from the request of the data cache to its answer: a hit 2 of a load's 16.
BOOST_AUTO_TEST_CASE(a_chase_costs_what_the_levels_cost) {
  struct Case {
    const char* name;
    bool l2, l3;
    unsigned bytes;  // walked again and again: what fits where
    double cycles;
  };
  // Behind L2 and L3 these fill too.
  const Case cases[] = {{"hit", false, false, 1024, 2},
                        {"memory", false, false, 32768, 2 + 57},
                        {"L2", true, false, 8192, 2 + 11},
                        {"memory behind L2", true, false, 262144, 2 + 11 + 51 + 2},
                        {"L3", true, true, 32768, 2 + 11 + 6},
                        {"memory behind L3", true, true, 262144, 2 + 11 + 6 + 51 + 2}};
  for (const Case& c : cases)
    run_forked([&] {
      MachineConfig config = machine_of({"", 1, 1, 1, c.l2, c.l3, DramKind::kFlat});
      // Write-through, so that lines leave without a trace; a line a block, so that no neighbour comes along.
      for (CacheConfig* cache : {&config.gpu.l2, &config.gpu.l3}) cache->line = 64;
      AtRig rig(config);
      kernel::AtClient& client = rig.client(rig.caches.dcache(0));
      chase(rig, client, strided(c.bytes / 64, 64));
      const unsigned rounds = 3, count = c.bytes / 64;
      near(c.name, static_cast<double>(chase(rig, client, strided(count, 64, rounds))) / (count * rounds), c.cycles);
      rig.check();
      return std::string();
    });
}

// Misses of one bank come in batches of its entries: fills and replays go before requests (memory.md §4.1).
BOOST_DATA_TEST_CASE(entries_bound_the_misses, data::make({1u, 2u, 4u, 16u}), entries) {
  run_forked([entries = entries] {
    MachineConfig config;
    config.gpu.dcache.banks = 1;
    config.gpu.dcache.mshr = entries;
    AtRig rig(config);
    kernel::AtClient& client = rig.client(rig.caches.dcache(0));
    constexpr unsigned kCount = 1600;
    const double batch = 2 + 2 + 2 + 50 + 1 + 2 * entries;  // lookup, miss, there, memory, back, fills and replays
    near("cycles", static_cast<double>(stream(rig, client, strided(kCount, 64))), batch * kCount / entries);
    rig.check();
    return std::string();
  });
}

// Enough banks and entries: two blocks a cycle, what trunk and memory carry; one port, or one memory bank: one.
BOOST_AUTO_TEST_CASE(streams_get_what_the_ways_carry) {
  struct Case {
    unsigned ports, dram_banks;
    double blocks;  // a cycle
  };
  for (const Case& c : {Case{2, 2, 2}, Case{1, 2, 1}, Case{1, 1, 1}, Case{4, 4, 8.0 / 3}})  // a miss takes a bank for three cycles
    run_forked([&] {
      MachineConfig config;
      config.gpu.dcache.banks = 8;
      config.gpu.dcache.mshr = 128;
      config.gpu.link.l1_ports = c.ports;
      config.gpu.dram.banks = c.dram_banks;
      config.gpu.dram.queue = 256;
      AtRig rig(config);
      kernel::AtClient& client = rig.client(rig.caches.dcache(0));
      constexpr unsigned kCount = 40000;
      near("blocks a cycle", kCount / static_cast<double>(stream(rig, client, strided(kCount, 64))), c.blocks, 0.05);
      rig.check();
      return std::string();
    });
}

// A queue of requests in front of the memory bounds what is under way, whatever the entries.
BOOST_AUTO_TEST_CASE(the_memory_queue_bounds_the_parallelism) {
  for (unsigned queue : {1u, 2u, 8u})
    run_forked([=] {
      MachineConfig config;
      config.gpu.dcache.banks = 1;
      config.gpu.dram.queue = queue;
      config.gpu.link.l1_ports = 1;
      AtRig rig(config);
      kernel::AtClient& client = rig.client(rig.caches.dcache(0));
      constexpr unsigned kCount = 1600;
      near("cycles", static_cast<double>(stream(rig, client, strided(kCount, 64))), 50.0 * kCount / queue, 0.1);
      rig.check();
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(hits_of_one_bank_wait_for_each_other) {
  for (unsigned stride : {64u, 256u})
    run_forked([=] {
      MachineConfig config;
      config.gpu.dcache.banks = 4;
      AtRig rig(config);
      kernel::AtClient& client = rig.client(rig.caches.dcache(0));
      const auto list = strided(16, stride, 500);
      stream(rig, client, list);
      const std::uint64_t misses = rig.caches.dcache(0)->counters().read_misses;
      near("hits a cycle", static_cast<double>(list.size()) / static_cast<double>(stream(rig, client, list)), stride == 64 ? 4 : 1);
      GYRE_CHECK_EQUAL(rig.caches.dcache(0)->counters().read_misses, misses);
      rig.check();
      return std::string();
    });
}

// Words of a block keep a bank that long, and no longer.
BOOST_AUTO_TEST_CASE(words_take_their_cycles) {
  run_forked([] {
    MachineConfig config;
    config.gpu.dcache.banks = 1;
    AtRig rig(config);
    kernel::AtClient& client = rig.client(rig.caches.dcache(0));
    const MemoryAccess access{0x80000000u, 4};
    std::vector<Cycle> done;
    client.read(&access, 1, 1, [&](Cycle at) { done.push_back(at); });
    kernel::simulate();
    const Cycle begin = rig.now() + 10;
    for (unsigned i = 0; i < 100; ++i) client.read(&access, 1, begin, [&](Cycle at) { done.push_back(at); });
    kernel::simulate();
    GYRE_CHECK_EQUAL(done.size(), 101u);
    GYRE_CHECK_EQUAL(done[0], 1 + 3 + 2 + 2 + 2 + 50 + 1 + 1 + 4);  // its words, lookup, miss, there, memory, back, fill, replays
    for (unsigned i = 0; i < 100; ++i) GYRE_CHECK_EQUAL(done[1 + i], begin + 4 * i + 3 + 2);
    rig.check();
    return std::string();
  });
}

// What instruction fetch uses: it looks, and counts its hits itself.
BOOST_AUTO_TEST_CASE(a_probe_sees_what_is_there_and_counts_nothing) {
  run_forked([] {
    MachineConfig config;
    AtRig rig(config);
    memory::AtCache& cache = *rig.caches.icache(0);
    kernel::AtClient& client = rig.client(&cache);
    const MemoryAccess access{0x80000040u, 1};
    GYRE_CHECK(!cache.probe(access.address));
    bool there = false, early = true;
    Cycle filled = 0;
    client.read(&access, 1, 1, [&](Cycle at) {
      filled = at;
      there = cache.probe(access.address);
    });
    kernel::simulate(10 * rig.gpu.period_ps());
    early = cache.probe(access.address);  // under way
    kernel::simulate();
    GYRE_CHECK(there && !early);
    GYRE_CHECK_EQUAL(filled, 1 + 2 + 57u);
    GYRE_CHECK(!cache.probe(access.address + 64));
    GYRE_CHECK_EQUAL(cache.counters().reads, 1u);
    cache.count_reads(5);
    GYRE_CHECK_EQUAL(cache.counters().reads, 6u);
    GYRE_CHECK_EQUAL(cache.counters().read_hits, 5u);
    unsigned flushes = 0;
    const Cycle begin = rig.now();
    Cycle end = 0;
    for (unsigned i = 0; i < 2; ++i)  // the second one waits for the first
      cache.flush([&] {
        ++flushes;
        end = rig.now();
      });
    kernel::simulate();
    GYRE_CHECK_EQUAL(flushes, 2u);
    GYRE_CHECK_EQUAL(end - begin, 2 * 64u);  // sets, all ways at once
    GYRE_CHECK(!cache.probe(access.address));
    rig.check();
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
