// Where the time of every unit went: on whole scenes every cycle of every unit is accounted for once, and what can be
// counted in another way agrees.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <map>
#include <nlohmann/json.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;
using nlohmann::json;

namespace {

struct Case {
  const char *scene, *config;
  std::vector<std::string> settings;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  out << c.scene << " on " << c.config;
  for (const auto& s : c.settings) out << ", " << s;
  return out;
}

const std::vector<Case> kCases = {
    {"overlap.json", "tiny.yaml", {}},
    {"quad.json", "default.yaml", {}},
    {"overlap.json", "wide.yaml", {"gpu.raster.earlyz=true", "gpu.raster.slices=3"}},
    {"quad.json", "tiny.yaml", {"gpu.caches=false"}},
    {"overlap.json", "default.yaml", {"gpu.dram.kind=lpddr4", "sim.quantum=100us"}},
    {"overlap.json", "default.yaml", {"gpu.dram.kind=hbm2", "gpu.l2.enabled=true", "gpu.l3.enabled=true", "sim.quantum=10ns"}},
    {"overlap.json", "tiny.yaml", {"gpu.dcache.mshr=1", "gpu.dcache.banks=1", "gpu.ocache.mshr=1", "gpu.core.lsu_pending=1",
                                   "gpu.om.mem_queue=1", "gpu.raster.earlyz=true"}},
    {"quad.json", "default.yaml", {"gpu.core.threads=32", "gpu.core.warps=2", "gpu.tex.cores=2", "gpu.om.cores=2"}},
    {"overlap.json", "tiny.yaml", {"sim.timing=approximate"}},
    {"quad.json", "wide.yaml", {"sim.timing=approximate", "gpu.raster.earlyz=true", "gpu.dcache.mshr=2"}},
    {"triangle.json", "default.yaml", {"sim.timing=approximate", "gpu.l2.enabled=true", "gpu.caches=true", "gpu.om.mem_queue=1"}},
    {"overlap.json", "tiny.yaml", {"gpu.vm=true", "gpu.mmu.dtlb=2", "gpu.mmu.l2tlb=4", "gpu.mmu.walk_cache=0"}},
    {"overlap.json", "tiny.yaml", {"sim.timing=approximate", "gpu.vm=true", "gpu.mmu.dtlb=2", "gpu.mmu.itlb=1", "gpu.mmu.l2tlb=4",
                                   "gpu.mmu.walkers=1"}},
};

json report_of(const Case& c) {
  ScratchFolder scratch("utilisation");
  std::vector<std::string> words = {"render", std::string(GYRE_SOURCE_DIR) + "/scenes/" + c.scene, "-q", "--report",
                                    scratch / "r.json", "-o", scratch / "f.png", "--config",
                                    std::string(GYRE_SOURCE_DIR) + "/configs/" + c.config};
  for (const std::string& setting : c.settings) words.insert(words.end(), {"--set", setting});
  const Outcome outcome = run_gyre(words);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return json::parse(slurp(scratch / "r.json"));
}

std::uint64_t of(const json& time, const char* what) { return time.at(what).get<std::uint64_t>(); }
bool ends(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

void check_time_of(const Case& c) {
  const json report = report_of(c);
  const json& used = report.at("utilisation");
  const json& counters = report.at("counters");
  const auto counter = [&](const std::string& name) { return counters.at(name).get<std::uint64_t>(); };
  const std::uint64_t cycles = of(used, "cycles");
  BOOST_TEST(cycles == of(report.at("simulated"), "gpu_cycles"));
  std::map<std::string, std::uint64_t> busy;  // by kind
  std::map<std::string, unsigned> units;
  for (const auto& [name, time] : used.at("units").items()) {
    BOOST_TEST_CONTEXT(name) {
      const std::uint64_t all = cycles * of(time, "places");
      BOOST_TEST(of(time, "busy") + of(time, "memory") + of(time, "output") + of(time, "input") == all);
      BOOST_TEST(time.count("overbooked") == 0u);  // the input is not what a clamp has left
      if (ends(name, ".warps")) {
        std::uint64_t sum = 0;
        for (const auto& [what, spent] : time.at("details").items()) sum += spent.get<std::uint64_t>();
        BOOST_TEST(sum == all);
      }
      const std::string unit = name.substr(0, name.rfind('.'));
      if (ends(name, ".issue")) {
        BOOST_TEST(of(time, "busy") == counter(unit + ".instructions"));
        BOOST_TEST(of(time, "busy") + of(time, "memory") + of(time, "output") <= counter(unit + ".cycles_busy"));
      }
      if (ends(name, ".launch")) {
        BOOST_TEST(of(time, "busy") == counter(unit + ".waves"));
        BOOST_TEST(of(time, "output") == counter(unit + ".stalls"));
      }
      if (ends(name, ".early_z")) {
        std::uint64_t reads = 0;
        for (unsigned s = 0; counters.contains(unit + ".slice" + std::to_string(s) + ".early_z_reads"); ++s)
          reads += counter(unit + ".slice" + std::to_string(s) + ".early_z_reads");
        BOOST_TEST(of(time, "busy") == reads);
      }
      if (ends(name, ".walk")) BOOST_TEST(of(time, "busy") >= counter(unit + ".squares"));
      if (ends(name, ".blocks")) {
        BOOST_TEST(of(time, "busy") >= counter(unit + ".blocks"));
        BOOST_TEST(of(time, "busy") - counter(unit + ".blocks") ==
                   of(used.at("units").at(unit + ".walk"), "busy") - counter(unit + ".squares"));
      }
      if (unit.find("raster") != std::string::npos && ends(name, ".fetch"))
        BOOST_TEST(of(time, "busy") == counter(unit + ".bins") + counter(unit + ".primitives") + counter(unit + ".dropped"));
    }
  }
  for (const auto& [kind, time] : used.at("kinds").items()) {
    busy[kind] = of(time, "busy");
    units[kind] = time.at("units").get<unsigned>();
    BOOST_TEST(of(time, "busy") + of(time, "memory") + of(time, "output") + of(time, "input") == cycles * of(time, "places"));
  }
  BOOST_TEST(busy.at("memory") == counter("gpu.memory.dram.cycles_busy"));
  BOOST_TEST(busy.at("kmu") >= counter("gpu.kmu.ctas"));
  BOOST_TEST(busy.at("issue") == of(report.at("simulated"), "warp_instructions"));
  for (const char* kind : {"cp", "om", "tex", "warps", "raster fetch", "raster walk", "raster packer"})
    BOOST_TEST(units.count(kind) == 1u, kind);
  BOOST_TEST(busy.at("cp") > 0u);
  BOOST_TEST(busy.at("om") >= of(report.at("simulated"), "fragments"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(utilisation)

BOOST_DATA_TEST_CASE(every_cycle_of_every_unit_is_booked_once, boost::unit_test::data::make(kCases), c) {
  check_time_of(c);
}

// What makes a unit wait shows at that unit.
BOOST_AUTO_TEST_CASE(a_scarce_resource_shows_where_it_is_scarce) {
  const auto kinds = [](const std::vector<std::string>& settings) {
    return report_of({"overlap.json", "tiny.yaml", settings}).at("utilisation").at("kinds");
  };
  const json plain = kinds({}), one_entry = kinds({"gpu.dcache.mshr=1"}), slow = kinds({"gpu.dram.latency=500"}),
             one_load = kinds({"gpu.core.lsu_pending=1", "gpu.dcache.bytes=512", "gpu.dcache.ways=1"});
  BOOST_TEST(of(one_entry.at("dcache"), "memory") > 10 * of(plain.at("dcache"), "memory"));
  const auto detail = [](const json& kind, const char* what) { return kind.at("warps").at("details").at(what).get<double>(); };
  BOOST_TEST(detail(slow, "loads") > 3 * detail(plain, "loads"));
  BOOST_TEST(detail(slow, "fetch") > 3 * detail(plain, "fetch"));
  BOOST_TEST(detail(one_load, "lsu_full") > 3 * detail(plain, "lsu_full"));
}

BOOST_AUTO_TEST_CASE(the_table_names_what_the_report_holds) {
  ScratchFolder scratch("utilisation");
  const Outcome outcome = run_gyre({"render", std::string(GYRE_SOURCE_DIR) + "/scenes/triangle.json", "--report",
                                    scratch / "r.json", "-o", scratch / "f.png"});
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const json used = json::parse(slurp(scratch / "r.json")).at("utilisation");
  std::string best;
  double most = 0;
  for (const auto& [name, time] : used.at("units").items()) {
    const double share = static_cast<double>(of(time, "busy")) / static_cast<double>(of(time, "places"));
    if (ends(name, ".warps") || share <= most) continue;
    most = share;
    best = name;
  }
  BOOST_TEST(outcome.out.find("busiest unit           " + best + " (") != std::string::npos, outcome.out);
  BOOST_TEST(outcome.out.find("warps wait for         pipeline ") != std::string::npos, outcome.out);
}

BOOST_AUTO_TEST_SUITE_END()
