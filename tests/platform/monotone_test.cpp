// More of anything, or a shorter latency, never costs more than 2 % of the cycles; exceptions are named, with their bound
// (docs/timing.md).
#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"
#include "shared_data.h"

using namespace gyre::test;

namespace {

constexpr double kTolerance = 2;  // percent

using Settings = std::vector<std::string>;

struct Scene {
  const char* name;
  std::string file;
  const char* size;  // empty: its own
};
struct Knob {
  const char* name;
  std::vector<Settings> steps;  // each has more of it than the one before
};
struct Machine {
  const char* name;
  const char* config;
  Settings settings;
};
// Inherent: why is told in docs/timing.md.
struct Exception {
  const char *machine, *scene, *knob;
  double percent;
};

Knob knob(const char* name, const std::string& key, const std::vector<int>& values, const Settings& with = {}) {
  Knob k{name, {}};
  for (const int value : values) {
    k.steps.push_back(with);
    k.steps.back().push_back(key + "=" + std::to_string(value));
  }
  return k;
}

const std::vector<Knob> kEverywhere = {
    knob("warps", "gpu.core.warps", {1, 2, 4, 8, 16}),
    knob("data cache MSHRs", "gpu.dcache.mshr", {1, 4, 16, 64}),
    knob("instruction cache MSHRs", "gpu.icache.mshr", {1, 4, 16}),
    knob("merger cache MSHRs", "gpu.ocache.mshr", {1, 4, 16}),
    knob("memory latency", "gpu.dram.latency", {400, 100, 50, 20}),
    knob("data cache latency", "gpu.dcache.latency", {8, 4, 2, 1}),
    knob("instruction cache latency", "gpu.icache.latency", {8, 4, 2, 1}),
    knob("L2 latency", "gpu.l2.latency", {16, 8, 4, 1}, {"gpu.l2.enabled=true"}),
    knob("data cache banks", "gpu.dcache.banks", {1, 2, 4, 8}),
    knob("merger cache banks", "gpu.ocache.banks", {1, 2, 4}),
    knob("texture cache banks", "gpu.tcache.banks", {1, 2, 4}),
    knob("memory banks", "gpu.dram.banks", {1, 2, 4, 8}),
    knob("data cache size", "gpu.dcache.bytes", {1024, 4096, 16384, 65536}),
    knob("pending loads", "gpu.core.lsu_pending", {1, 8, 16, 32}),
    knob("read credits of the merger", "gpu.om.mem_queue", {1, 4, 16}),
    knob("launch queue", "gpu.core.launch_queue", {1, 3, 8}),
    knob("slices", "gpu.raster.slices", {1, 2, 4}),
    knob("raster engines", "gpu.raster.cores", {1, 2, 4}),
    knob("quad buffer", "gpu.raster.quad_fifo", {8, 32, 128}),
};
const std::vector<Knob> kSeveralCores = {
    knob("samplers", "gpu.tex.cores", {1, 2, 4}),
    knob("mergers, a core a socket", "gpu.om.cores", {1, 2, 4}, {"gpu.sockets=4", "gpu.cores=1"}),
};

const std::vector<Machine> kMachines = {
    {"tiny", "tiny.yaml", {}},
    {"default", "default.yaml", {}},
    {"small bins, early-Z", "default.yaml", {"gpu.raster.bin_log=5", "gpu.raster.earlyz=true"}},
};

// Warps share a data cache that does not grow with them: vertices and keys are dealt to threads in runs, so each thread
// works on lines of its own. A bigger cache has more sets for every flush to walk.
const std::vector<Exception> kExceptions = {
    {"default", "torus", "warps", 8},
    {"default", "vase", "warps", 8},
    {"default", "torus", "instruction cache MSHRs", 3},
    {"default", "torus", "L2 latency", 3},
    {"small bins, early-Z", "torus", "warps", 12},
    {"small bins, early-Z", "vase", "warps", 8},
    {"tiny", "box", "data cache size", 4},
    {"small bins, early-Z", "torus", "L2 latency", 4},
    {"small bins, early-Z", "torus", "memory banks", 4},
    {"small bins, early-Z", "torus", "data cache latency", 4},
};

std::vector<Scene> scenes() {
  const std::string own = std::string(GYRE_SOURCE_DIR) + "/scenes/";
  std::vector<Scene> list = {{"quad", own + "quad.json", "256x256"},
                             {"overlap", own + "overlap.json", "128x128"},
                             {"torus", own + "torus.obj", "96x96"}};
  const std::string shared = shared_folder("scenes/cgltrace", "monotone");
  if (shared.empty()) return list;
  for (const char* name : {"box", "vase", "carnival"})
    list.push_back({name, shared + "/" + name + ".cgltrace", "96x96"});
  return list;
}

double cycles(const Machine& machine, const Scene& scene, const Settings& step) {
  ScratchFolder scratch("monotone");
  std::vector<std::string> words = {"render", scene.file, "-q", "-o", scratch / "f.png", "--report", scratch / "r.json",
                                    "--config", std::string(GYRE_SOURCE_DIR) + "/configs/" + machine.config};
  for (const Settings& settings : {machine.settings, step})
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  if (*scene.size != 0 && scene.file.find(".json") == std::string::npos) words.insert(words.end(), {"--size", scene.size});
  const Outcome outcome = run_gyre(words, 600);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return nlohmann::json::parse(slurp(scratch / "r.json")).at("simulated").at("gpu_cycles").get<double>();
}

void check(const Machine& machine, const Scene& scene, const Knob& knob) {
  double bound = kTolerance;
  for (const Exception& e : kExceptions)
    if (e.machine == std::string(machine.name) && e.scene == std::string(scene.name) && e.knob == std::string(knob.name))
      bound = e.percent;
  std::printf("%-20s %-9s %-26s", machine.name, scene.name, knob.name);
  double before = 0, best = 0;
  for (const Settings& step : knob.steps) {
    const double now = cycles(machine, scene, step);
    std::printf(" %10.0f", now);
    // Not even against the best with less of it: small steps must not add up.
    if (before != 0)
      BOOST_TEST(now <= best * (1 + bound / 100), machine.name << ", " << scene.name << ", " << knob.name << " " << step.back()
                                                              << ": " << now << " cycles, " << best << " with less");
    best = before == 0 ? now : std::min(best, now);
    before = now;
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(monotone)

// A few seconds: the knobs that move most, on one scene.
BOOST_AUTO_TEST_CASE(quick) {
  const Scene quad = scenes()[0];
  for (const Knob& k : kEverywhere) {
    const std::string name = k.name;
    if (name == "warps" || name == "data cache MSHRs" || name == "memory latency" || name == "memory banks" ||
        name == "slices" || name == "pending loads")
      check(kMachines[1], quad, k);
  }
}

BOOST_AUTO_TEST_CASE(all) {
  for (const Machine& machine : kMachines)
    for (const Scene& scene : scenes()) {
      for (const Knob& k : kEverywhere) check(machine, scene, k);
      if (machine.name != std::string("tiny"))
        for (const Knob& k : kSeveralCores) check(machine, scene, k);
    }
}

BOOST_AUTO_TEST_SUITE_END()
