// The caches of a device in the approximate style: one request at a time they are the dated ones; together they keep the
// laws, wait for each other, and are the same in every run.
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

// Random accesses of one client after the other, each when the one before has left no trace under way, in both models.
struct Serial {
  AtRig& rig;
  memory::Dram dram;
  memory::Hierarchy dated;
  std::vector<memory::Cache*> twins;
  std::mt19937 random{11};
  unsigned left;

  Serial(AtRig& rig, unsigned count)
      : rig(rig), dram(memory::resolve(rig.gpu.dram, rig.gpu.period_ps())), dated(rig.gpu, dram), left(count) {
    for (const AtRig::Client& client : rig.clients) {
      memory::Cache* twin = nullptr;
      std::string wanted;
      rig.caches.for_each([&](const std::string& name, const memory::AtCache& c) {
        if (&c == client.cache) wanted = name;
      });
      dated.for_each([&](const std::string& name, const memory::Cache& c) {
        if (name == wanted) twin = const_cast<memory::Cache*>(&c);
      });
      GYRE_CHECK(twin != nullptr);
      twins.push_back(twin);
    }
  }
  void next(Cycle at) {
    if (left-- == 0) return;
    if (random() % 64 == 0) return flush(at);
    const unsigned i = static_cast<unsigned>(random() % rig.clients.size());
    kernel::AtClient& port = *rig.clients[i].port;
    memory::Cache& twin = *twins[i];
    const std::uint32_t address = 0x80000000u + (random() % (random() % 2 == 0 ? 4096 : 65536) & ~3u);
    const MemoryAccess access{address, 1 + (random() % 4 == 0 ? static_cast<unsigned>(random() % 4) : 0)};
    const unsigned kind = random() % 16;
    if (kind < 9) {
      port.read(&access, 1, at, expect(twin.read(access, at), "read"));
    } else if (kind < 13) {
      twin.write(access, at);
      port.write(&access, 1, at, [this](Cycle done) { next(done + 300); });
    } else if (kind < 14) {
      port.atomic(&address, 1, at, expect(twin.atomic(address, at), "atomic"));
    } else if (kind < 15) {
      port.read_io(&address, 1, at, expect(twin.read_io({address, 1}, at), "uncached read"));
    } else {
      twin.write_io({address, 1}, at);
      port.write_io(&address, 1, at, [this](Cycle done) { next(done + 300); });
    }
  }
  // A flush starts in the process that calls it.
  void flush(Cycle) {
    const unsigned core = static_cast<unsigned>(random() % rig.gpu.total_cores());
    const Cycle at = rig.now();
    const Cycle expected = dated.flush(core, at);
    rig.caches.flush(core, [this, at, expected] {
      const Cycle done = rig.now();
      // The ways down are shared by the banks, and the answers of write-backs come back up.
      if (done < expected || done > expected + 200)
        throw std::runtime_error("flush of " + std::to_string(done - at) + " cycles, not " + std::to_string(expected - at));
      next(done + 1000);
    });
  }
  kernel::AtClient::Done expect(Cycle expected, const char* what) {
    return [this, expected, what](Cycle done) {
      if (done != expected)
        throw std::runtime_error(std::string(what) + " done at " + std::to_string(done) + ", not " + std::to_string(expected));
      next(done + 300);
    };
  }
};

// Every counter that does not depend on when write-backs are accepted.
template <class Tree>
std::string counters_of(const Tree& tree) {
  std::ostringstream text;
  tree.for_each([&](const std::string& name, const auto& cache) {
    for (const auto& [label, field] : memory::kCacheCounters)
      if (std::string(label) != "flush_cycles") text << name << "." << label << " " << cache.counters().*field << "\n";
  });
  tree.for_each_trunk([&](const std::string& name, const auto& trunk) { text << name << " " << trunk.requests() << "\n"; });
  return text.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(at_hierarchy)

BOOST_DATA_TEST_CASE(serial_requests_equal_the_dated_hierarchy, data::make(kAtShapes), shape) {
  run_forked([=] {
    AtRig rig(machine_of(shape));
    rig.client_each();
    Serial serial(rig, 3000);
    serial.next(1);
    kernel::simulate();
    rig.check();
    GYRE_CHECK_EQUAL(serial.left, ~0u);
    GYRE_CHECK_EQUAL(counters_of(rig.caches), counters_of(serial.dated));
    GYRE_CHECK_EQUAL(rig.memory.dram.counters().reads, serial.dram.counters().reads);
    GYRE_CHECK_EQUAL(rig.memory.dram.counters().writes, serial.dram.counters().writes);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
