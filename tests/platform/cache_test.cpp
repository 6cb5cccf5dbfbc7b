// Caches on whole scenes: pictures do not depend on them, and what they count adds up.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;

namespace {

using Counters = std::map<std::string, std::uint64_t>;

std::string run(const std::string& scene, const std::string& config, const std::vector<std::string>& settings,
                Counters* counters) {
  ScratchFolder scratch("caches");
  std::vector<std::string> words = {"render",   std::string(GYRE_SOURCE_DIR) + "/scenes/" + scene, "-q", "--raw",
                                    scratch / "f", "--report", scratch / "r.json", "-o", scratch / "f.png", "--config",
                                    std::string(GYRE_SOURCE_DIR) + "/configs/" + config};
  for (const std::string& setting : settings) {
    words.push_back("--set");
    words.push_back(setting);
  }
  const Outcome outcome = run_gyre(words);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  if (counters != nullptr) *counters = nlohmann::json::parse(slurp(scratch / "r.json")).at("counters").get<Counters>();
  return slurp(scratch / "f.png");
}

// Caches by path: the counters of each.
std::map<std::string, Counters> caches_of(const Counters& counters) {
  std::map<std::string, Counters> caches;
  for (const auto& [name, value] : counters) {
    const std::size_t dot = name.rfind('.');
    const std::string path = name.substr(0, dot), last = path.substr(path.rfind('.') + 1);
    if (last.find("cache") != std::string::npos || last == "l2" || last == "l3") caches[path][name.substr(dot + 1)] = value;
  }
  return caches;
}

const char* const kScenes[] = {"overlap.json", "quad.json"};
const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};
const char* const kStyles[] = {"sim.timing=loose", "sim.timing=approximate"};

}  // namespace

BOOST_AUTO_TEST_SUITE(caches)

BOOST_DATA_TEST_CASE(what_caches_count_adds_up,
                     boost::unit_test::data::make(kScenes) * boost::unit_test::data::make(kConfigs) *
                         boost::unit_test::data::make(kStyles),
                     scene, config, style) {
  Counters counters;
  const std::string picture = run(scene, config, {style}, &counters);
  Counters without;
  BOOST_TEST((picture == run(scene, config, {"gpu.caches=false", style}, &without)));
  const auto caches = caches_of(counters);
  BOOST_TEST(caches.size() >= 5u);
  // Reads and writes that leave the caches above the last level, and those it is asked for.
  std::uint64_t down_reads = 0, down_writes = 0, asked_reads = 0, asked_writes = 0, memory_reads = 0, memory_writes = 0;
  bool l2 = false;
  for (const auto& [name, c] : caches) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(c.at("reads") == c.at("read_hits") + c.at("read_misses"));
      BOOST_TEST(c.at("writes") == c.at("write_hits") + c.at("write_misses"));
      const bool allocates = c.at("write_backs") != 0;  // the write-back caches of these machines
      if (allocates)
        BOOST_TEST(c.at("fills") + c.at("merges") == c.at("read_misses") + c.at("write_misses"));
      else
        BOOST_TEST(c.at("fills") + c.at("merges") >= c.at("read_misses"));
      const std::uint64_t reads = c.at("fills") + c.at("bypasses"), writes = c.at("write_backs") + c.at("forwards");
      const std::string last = name.substr(name.rfind('.') + 1);
      if (last == "l2") {
        l2 = true;
        asked_reads += c.at("reads") + c.at("bypasses");
        asked_writes += c.at("writes");
        memory_reads += reads;
        memory_writes += writes;
      } else {
        down_reads += reads;
        down_writes += writes;
      }
    }
  }
  if (l2) {
    BOOST_TEST(asked_reads == down_reads);
    BOOST_TEST(asked_writes == down_writes);
  } else {
    memory_reads = down_reads;
    memory_writes = down_writes;
  }
  BOOST_TEST(memory_reads > 0u);
  // The command processor is below all caches, and nobody else is.
  const auto cp = [](const Counters& of, const char* what) { return of.at(std::string("gpu.cp.memory.") + what); };
  BOOST_TEST(cp(counters, "reads") > 0u);
  BOOST_TEST(cp(counters, "writes") > 0u);
  BOOST_TEST(counters.at("gpu.memory.dram.reads") == memory_reads + cp(counters, "reads"));
  BOOST_TEST(counters.at("gpu.memory.dram.writes") == memory_writes + cp(counters, "writes"));
  BOOST_TEST(without.at("gpu.memory.dram.reads") == cp(without, "reads"));
  BOOST_TEST(without.at("gpu.memory.dram.writes") == cp(without, "writes"));
  // What it copies it reads or writes in device memory, in blocks.
  for (const Counters* of : {&counters, &without}) {
    BOOST_TEST(cp(*of, "bytes") > of->at("gpu.cp.dma_bytes"));
    BOOST_TEST(cp(*of, "bytes") <= 64 * (cp(*of, "reads") + cp(*of, "writes")));
  }

  // What the rasterizers saw of their caches: all of it, or nearly all where the question comes before the request.
  std::uint64_t seen = 0, missed = 0;
  for (const auto& [name, value] : counters) {
    if (name.find(".raster") != std::string::npos && name.find(".rcache_misses") != std::string::npos) seen += value;
    if (name.find(".rcache") != std::string::npos && name.substr(name.rfind('.')) == ".read_misses") missed += value;
  }
  BOOST_TEST(missed > 0u);
  BOOST_TEST(static_cast<double>(seen) >= 0.9 * static_cast<double>(missed));
  BOOST_TEST(static_cast<double>(seen) <= 1.1 * static_cast<double>(missed));

  // One fetch an instruction; an export that its guard holds back is fetched again when it may go.
  std::uint64_t fetches = 0, instructions = 0, held = 0;
  for (const auto& [name, value] : counters) {
    if (name.find(".icache") != std::string::npos && name.substr(name.rfind('.')) == ".reads") fetches += value;
    if (name.find(".core") == std::string::npos) continue;
    if (name.substr(name.rfind('.')) == ".instructions") instructions += value;
    if (name.substr(name.rfind('.')) == ".guard_stalls") held += value;
  }
  BOOST_TEST(fetches >= instructions);
  BOOST_TEST(fetches <= instructions + held);
}

BOOST_DATA_TEST_CASE(no_geometry_changes_a_picture, boost::unit_test::data::make(kStyles), style) {
  const std::string picture = run("overlap.json", "tiny.yaml", {}, nullptr);
  const std::vector<std::vector<std::string>> machines = {
      {"gpu.dcache.bytes=1KiB", "gpu.dcache.ways=1", "gpu.dcache.banks=1", "gpu.dcache.mshr=1"},
      {"gpu.icache.bytes=512", "gpu.icache.ways=2", "gpu.icache.replacement=plru"},
      {"gpu.tcache.enabled=false", "gpu.ocache.bytes=1KiB", "gpu.ocache.replacement=random", "gpu.rcache.line=128"},
      {"gpu.l2.enabled=true", "gpu.l3.enabled=true", "gpu.l2.bytes=64KiB", "gpu.dram.kind=lpddr4"},
      {"gpu.dram.kind=hbm2", "gpu.dcache.write=through_allocate", "gpu.dram.scheduler=fcfs"}};
  for (auto machine : machines) {
    machine.push_back(style);
    BOOST_TEST((picture == run("overlap.json", "tiny.yaml", machine, nullptr)), machine[0]);
  }
}

// The table a person sees sums the caches of a kind.
BOOST_AUTO_TEST_CASE(the_table_sums_the_caches_of_a_kind) {
  ScratchFolder scratch("caches");
  const Outcome outcome = run_gyre({"render", std::string(GYRE_SOURCE_DIR) + "/scenes/triangle.json", "--report", scratch / "r.json", "-o",
                                    scratch / "f.png", "--set", "gpu.sockets=2", "--set", "gpu.l2.enabled=true"});
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  std::map<std::string, std::uint64_t> fills;
  for (const auto& [path, cache] :
       caches_of(nlohmann::json::parse(slurp(scratch / "r.json")).at("counters").get<Counters>())) {
    const std::string last = path.substr(path.rfind('.') + 1);
    fills[last == "l2" ? last : last.substr(0, last.find_first_of("0123456789"))] += cache.at("fills");
  }
  BOOST_TEST(fills.count("l2") == 1u);
  for (const std::string kind : {"icache", "dcache", "rcache", "l2"}) {
    const std::size_t at = outcome.out.find("  " + kind + " reads ");
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, kind << " is not in " << outcome.out);
    std::string line = outcome.out.substr(at, outcome.out.find('\n', at) - at);
    line.erase(std::remove(line.begin(), line.end(), ','), line.end());
    BOOST_TEST(line.find(" " + std::to_string(fills[kind]) + " fills") != std::string::npos, line);
    BOOST_TEST(line.find(" % hit") != std::string::npos, line);
  }
  BOOST_TEST(outcome.out.find("tcache") == std::string::npos);  // nothing is textured here
}

BOOST_AUTO_TEST_SUITE_END()
