// The stale-line lint of the approximate style: one access at a time against caches that carry data; many under way, in
// programs that flush where they must, and in the same programs without.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "at_rig.h"
#include "line_watch_model.h"

namespace data = boost::unit_test::data;
using namespace gyre;
using namespace gyre::test;
using kernel::MemoryAccess;
using memory::AtCache;

namespace {

MachineConfig machine_of(const WatchShape& shape, unsigned l1_bytes) {
  MachineConfig config;
  config.gpu = gpu_of(shape);
  for (CacheConfig* l1 : {&config.gpu.icache, &config.gpu.dcache, &config.gpu.tcache, &config.gpu.rcache, &config.gpu.ocache})
    l1->bytes = l1_bytes;
  return config;
}

struct Travelling {
  static constexpr bool kAhead = true;
  AtRig rig;
  memory::AtHierarchy& tree;

  explicit Travelling(const WatchShape& shape, unsigned l1_bytes = 512) : rig(machine_of(shape, l1_bytes)), tree(rig.caches) {
    rig.client_each();
    tree.watch_lines();
  }
  kernel::AtClient& port(AtCache& cache) {
    for (const AtRig::Client& client : rig.clients)
      if (client.cache == &cache) return *client.port;
    throw std::runtime_error("no client");
  }
  void read(AtCache& cache, std::uint32_t address) {
    const MemoryAccess access{address, 1};
    port(cache).read(&access, 1, rig.now() + 1, [](kernel::Cycle) {});
    kernel::simulate();
  }
  void write(AtCache& cache, std::uint32_t address) {
    const MemoryAccess access{address, 1};
    port(cache).write(&access, 1, rig.now() + 1, [](kernel::Cycle) {});
    kernel::simulate();
  }
  void flush(unsigned core) {
    bool over = false;
    tree.flush(core, [&over] { over = true; });
    kernel::simulate();
    GYRE_CHECK(over);
  }
};

// Phases: in each of them a word has one writer, who may read it, or none, and everybody may read it; what an agent asks
// for is under way with what the others ask for. Between phases everything is drained, and flushed if `flushes`.
struct Phases {
  struct Agent {
    AtCache* cache;
    unsigned writer;  // 0: reads only
  };
  static constexpr std::uint32_t kBase = 0x80010000, kBlocks = 24;
  Travelling device;
  LineWatch& watch;
  std::mt19937 random;
  std::vector<Agent> agents;
  std::vector<unsigned> owner = std::vector<unsigned>(kBlocks * 16);
  unsigned found = 0, found_below = 0;

  Phases(const WatchShape& shape, unsigned l1_bytes, unsigned seed) : device(shape, l1_bytes), watch(*device.tree.lines()), random(seed) {
    const GpuConfig& gpu = device.rig.gpu;
    for (unsigned c = 0; c < gpu.total_cores(); ++c) {
      agents.push_back({device.tree.dcache(c), device.tree.core_writer(c)});
      agents.push_back({device.tree.icache(c), 0});
      agents.push_back({device.tree.tcache(c, 0), 0});
    }
    for (unsigned c = 0; c < gpu.clusters; ++c) {
      agents.push_back({device.tree.ocache(c, 0), device.tree.merger_writer(c)});
      agents.push_back({device.tree.rcache(c, 0), 0});
    }
  }
  unsigned pick(std::size_t n) { return static_cast<unsigned>(random() % n); }
  void access() {
    const Agent& agent = agents[pick(agents.size())];
    kernel::AtClient& port = device.port(*agent.cache);
    const unsigned word = pick(owner.size());
    const MemoryAccess one{kBase + 4 * word, 1};
    const auto address = static_cast<std::uint32_t>(one.address);
    const std::uint16_t words = LineWatch::words_of(address, 4);
    WatchedCache& cache = watched_by_lint(*agent.cache);
    const kernel::Cycle at = device.rig.now() + 1 + pick(4);
    if (agent.writer != 0 && owner[word] == agent.writer && pick(2) == 0) {
      watch.written(&cache, address, words, agent.writer);
      const bool core = agent.writer <= device.rig.gpu.total_cores();
      if (core && pick(8) == 0)
        port.atomic(&address, 1, at, [](kernel::Cycle) {});
      else
        port.write(&one, 1, at, [](kernel::Cycle) {});
    } else if (owner[word] == 0 || owner[word] == agent.writer) {
      found += watch.expect(cache, address, words) != 0;
      port.read(&one, 1, at, [](kernel::Cycle) {});
    }
  }
  void run(unsigned phases, bool flushes) {
    const unsigned cores = device.rig.gpu.total_cores();
    for (unsigned phase = 0; phase < phases; ++phase) {
      for (unsigned& o : owner) o = pick(3) == 0 ? agents[pick(agents.size())].writer : 0;
      for (unsigned i = 0; i < 300; ++i) {
        access();
        if (pick(3) == 0) kernel::simulate(device.rig.gpu.period_ps() * (1 + pick(20)));
      }
      kernel::simulate();
      for (unsigned core = 0; flushes && core < cores; ++core) device.flush(core);
      for (unsigned i = 0; i < 20; ++i) {  // DMA
        const std::uint32_t at = kBase + 4 * pick(owner.size());
        std::uint32_t where = 0;
        found_below += watch.read_below(at, 4, where);
        if (pick(4) == 0) watch.written(at, 4);
      }
      for (unsigned core = 0; flushes && core < cores; ++core) device.flush(core);
    }
    device.rig.check();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(at_line_watch)

BOOST_DATA_TEST_CASE(old_words_are_those_of_caches_with_data, data::make(kWatchShapes), shape) {
  unsigned reads = 0, below = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::string text = run_forked([&] {
      Travelling device(shape);
      const Found found = random_accesses(device, device.rig.gpu, seed);
      device.rig.check();
      return std::to_string(found.reads) + " " + std::to_string(found.below);
    });
    unsigned r = 0, b = 0;
    std::istringstream(text) >> r >> b;
    reads += r;
    below += b;
  }
  BOOST_TEST(reads > 60u);
  BOOST_TEST((below > 0u) == has_write_back(shape));
}

BOOST_DATA_TEST_CASE(programs_that_flush_read_nothing_old, data::make(kWatchShapes) * data::xrange(4), shape, seed) {
  run_forked([&] {
    Phases right(shape, seed % 2 == 0 ? 512 : 2048, static_cast<unsigned>(seed));  // lines are evicted all the time, or never
    right.run(40, true);
    GYRE_CHECK_EQUAL(right.found, 0u);
    GYRE_CHECK_EQUAL(right.found_below, 0u);
    return std::string();
  });
  run_forked([&] {
    Phases wrong(shape, 2048, static_cast<unsigned>(seed));
    wrong.run(40, false);
    GYRE_CHECK(wrong.found > 100);
    GYRE_CHECK((wrong.found_below > 5) == has_write_back(shape));
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
