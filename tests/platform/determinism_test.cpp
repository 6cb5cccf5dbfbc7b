// Two runs of the same inputs give the same report, but for the lines under "wall".
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;

namespace {

std::string report_of(const std::string& scene, const std::string& config, const std::string& setting) {
  ScratchFolder scratch("determinism");
  const Outcome outcome =
      run_gyre({"render", std::string(GYRE_SOURCE_DIR) + "/" + scene, "-q", "-o", scratch / "f.png", "--report",
                scratch / "r.json", "--config", std::string(GYRE_SOURCE_DIR) + "/configs/" + config, "--set", setting});
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  auto report = nlohmann::json::parse(slurp(scratch / "r.json"));
  BOOST_TEST(report.at("simulated").at("gpu_cycles").get<std::uint64_t>() > 0u);
  BOOST_TEST(report.at("simulated").at("fragments").get<std::uint64_t>() > 0u);
  report.erase("wall");
  return report.dump();
}

const char* const kSettings[] = {"sim.quantum=10ns", "sim.quantum=1us", "sim.quantum=100us", "sim.timing=approximate"};
const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};

}  // namespace

BOOST_AUTO_TEST_SUITE(determinism)

BOOST_DATA_TEST_CASE(two_runs_give_one_report,
                     boost::unit_test::data::make(kConfigs) * boost::unit_test::data::make(kSettings), config, setting) {
  BOOST_TEST(report_of("scenes/overlap.json", config, setting) == report_of("scenes/overlap.json", config, setting));
}

BOOST_AUTO_TEST_SUITE_END()
