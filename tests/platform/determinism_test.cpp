// Two runs of the same inputs give the same report, but for the lines under "wall", whatever the machine does meanwhile.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;

namespace {

std::string without_wall(const std::string& path) {
  auto report = nlohmann::json::parse(slurp(path));
  BOOST_TEST(report.at("simulated").at("gpu_cycles").get<std::uint64_t>() > 0u);
  BOOST_TEST(report.at("simulated").at("fragments").get<std::uint64_t>() > 0u);
  report.erase("wall");
  return report.dump();
}

std::string report_of(const std::string& scene, const std::string& config, const std::string& setting) {
  ScratchFolder scratch("determinism");
  const Outcome outcome =
      run_gyre({"render", std::string(GYRE_SOURCE_DIR) + "/" + scene, "-q", "-o", scratch / "f.png", "--report",
                scratch / "r.json", "--config", std::string(GYRE_SOURCE_DIR) + "/configs/" + config, "--set", setting});
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return without_wall(scratch / "r.json");
}

// Every timing style there is.
std::vector<std::string> styles() {
  std::vector<std::string> found;
  for (const std::string style : {"loose", "approximate"})
    if (run_gyre({"config", "show", "--set", "sim.timing=" + style}).code == 0) found.push_back(style);
  return found;
}

// What a run must not depend on: environment variables, here and there set to something odd while it lives.
class Environment {
 public:
  explicit Environment(std::vector<std::pair<std::string, std::string>> values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : values_) unsetenv(name.c_str());
  }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// Threads that keep every processor busy and its caches dirty while they live.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([this] {
        std::vector<std::uint32_t> dirt(1 << 20);
        for (std::size_t at = 0; !stop_; at = (at * 1664525 + 1013904223) % dirt.size()) ++dirt[at];
      });
  }
  ~Load() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

const char* const kSettings[] = {"sim.quantum=10ns", "sim.quantum=1us", "sim.quantum=100us", "sim.timing=approximate"};
const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};

}  // namespace

BOOST_AUTO_TEST_SUITE(determinism)

BOOST_DATA_TEST_CASE(two_runs_give_one_report,
                     boost::unit_test::data::make(kConfigs) * boost::unit_test::data::make(kSettings), config, setting) {
  BOOST_TEST(report_of("scenes/overlap.json", config, setting) == report_of("scenes/overlap.json", config, setting));
}

// Environment, other runs at the same time and a loaded machine change nothing, in any timing style.
BOOST_AUTO_TEST_CASE(nothing_outside_the_run_changes_its_report) {
  for (const std::string& style : styles()) {
    BOOST_TEST_CONTEXT(style) {
      const std::string setting = "sim.timing=" + style;
      const auto run = [&] { return report_of("scenes/quad.json", "default.yaml", setting); };
      const std::string quiet = run();
      {
        const Environment odd({{"LC_ALL", "C.UTF-8"}, {"TZ", "Asia/Kathmandu"}, {"HOME", "/nowhere"}, {"COLUMNS", "17"},
                               {"OMP_NUM_THREADS", "7"}, {"GYRE_PADDING", std::string(5000, 'x')}, {"MALLOC_PERTURB_", "165"},
                               {"GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"}});
        BOOST_TEST(run() == quiet);
      }
      const Load load;
      // Several at once, as a sweep runs them.
      ScratchFolder scratch("determinism");
      std::vector<std::unique_ptr<Child>> children;
      for (int i = 0; i < 4; ++i) {
        const std::string name = scratch / std::to_string(i);
        std::vector<std::string> words = {GYRE_BINARY, "render", std::string(GYRE_SOURCE_DIR) + "/scenes/quad.json", "-q", "-o",
                                          name + ".png", "--report", name + ".json", "--config",
                                          std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", "--set", setting};
        for (const std::string& word : lint_options()) words.push_back(word);
        children.push_back(std::make_unique<Child>(words, name + ".out", name + ".err"));
      }
      for (int i = 0; i < 4; ++i) {
        BOOST_REQUIRE_EQUAL(children[static_cast<std::size_t>(i)]->wait(300).code, 0);
        auto report = without_wall(scratch / (std::to_string(i) + ".json"));
        BOOST_TEST(report == quiet);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
