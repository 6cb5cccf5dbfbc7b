// The two timing styles: the same work, and cycles that agree (design §4).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"
#include "shared_data.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

nlohmann::json simulated(const std::string& scene, const std::string& size, const std::string& config,
                         const std::vector<std::string>& settings, Lints lints = Lints::kError) {
  ScratchFolder scratch("style");
  std::vector<std::string> words = {"render", scene, "-q", "-o", scratch / "f.png", "--report", scratch / "r.json", "--config",
                                    std::string(GYRE_SOURCE_DIR) + "/configs/" + config};
  if (!size.empty()) words.insert(words.end(), {"--size", size});
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const Outcome outcome = run_gyre(words, 120, false, lints);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return nlohmann::json::parse(slurp(scratch / "r.json")).at("simulated");
}

void compare(const std::string& scene, const std::string& size, const std::string& config, const std::string& machine) {
  const auto loose = simulated(scene, size, config, {"sim.quantum=250ns", machine});  // 100 cycles of 400 MHz
  const auto approximate = simulated(scene, size, config, {"sim.timing=approximate", machine});
  BOOST_TEST(loose.at("fragments") == approximate.at("fragments"));  // how they are packed into warps follows the time
  const double ratio = approximate.at("gpu_cycles").get<double>() / loose.at("gpu_cycles").get<double>();
  BOOST_TEST(ratio > 1 / 1.15, scene << " on " << config << ", " << machine << ": approximate / loose = " << ratio);
  BOOST_TEST(ratio < 1.15, scene << " on " << config << ", " << machine << ": approximate / loose = " << ratio);
}

const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};
const char* const kOurs[] = {"triangle.json", "quad.json", "torus.obj"};
const char* const kTraces[] = {"vase", "box", "carnival", "evilskull", "tekkaman", "scene"};
const char* const kMachines[] = {"gpu.raster.earlyz=true", "gpu.l2.enabled=true", "gpu.dram.kind=lpddr4", "gpu.core.warps=16",
                                 "gpu.vm=true"};

}  // namespace

BOOST_AUTO_TEST_SUITE(styles)

BOOST_DATA_TEST_CASE(agree_on_our_scenes, data::make(kOurs) * data::make(kConfigs), scene, config) {
  const std::string path = std::string(GYRE_SOURCE_DIR) + "/scenes/" + scene;
  compare(path, path.find(".obj") != std::string::npos ? "100x75" : "", config, "gpu.caches=true");
}

BOOST_DATA_TEST_CASE(agree_on_other_machines, data::make({"quad.json", "triangle.json"}) * data::make(kMachines), scene, machine) {
  compare(std::string(GYRE_SOURCE_DIR) + "/scenes/" + scene, "", "default.yaml", machine);
}

BOOST_DATA_TEST_CASE(agree_on_recorded_frames, data::make(kTraces) * data::make(kConfigs), name, config) {
  const std::string folder = shared_folder("scenes/cgltrace", std::string("styles on ") + name);
  if (folder.empty()) return;
  compare(folder + "/" + name + ".cgltrace", "64x64", config, "gpu.caches=true");
}

// sim.check_protocol watches and changes nothing.
BOOST_DATA_TEST_CASE(checked_cables_take_no_time, data::make({"tiny.yaml", "wide.yaml"}), config) {
  const std::string scene = std::string(GYRE_SOURCE_DIR) + "/scenes/quad.json";
  BOOST_TEST(simulated(scene, "", config, {"sim.timing=approximate", "sim.check_protocol=true"}) ==
             simulated(scene, "", config, {"sim.timing=approximate"}));
}

// Nor does the stale-line lint, in either style.
const char* const kStyles[] = {"sim.timing=loose", "sim.timing=approximate"};

BOOST_DATA_TEST_CASE(a_lint_takes_no_time, data::make({"tiny.yaml", "wide.yaml"}) * data::make(kStyles), config, style) {
  const std::string scene = std::string(GYRE_SOURCE_DIR) + "/scenes/quad.json";
  const auto with = [&](const char* lint) { return simulated(scene, "", config, {style, lint}, Lints::kAsConfigured); };
  BOOST_TEST(with("lint.stale_line=error") == with("lint.stale_line=off"));
}

BOOST_AUTO_TEST_SUITE_END()
