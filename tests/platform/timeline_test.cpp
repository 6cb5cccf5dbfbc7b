// gyre --trace: what the units did, in a file other programs read; watching changes nothing.
#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;

namespace {

const std::string kSource = GYRE_SOURCE_DIR;

struct Traced {
  Outcome outcome;
  std::string picture, trace;
  nlohmann::json report;
};

Traced render(const std::string& scene, const std::string& config, bool trace, std::vector<std::string> more = {}) {
  ScratchFolder scratch("timeline");
  std::vector<std::string> words{"render",   kSource + "/scenes/" + scene, "-q", "-o", scratch / "f.png", "--report",
                                 scratch / "r.json", "--config", kSource + "/configs/" + config};
  if (trace) words.insert(words.end(), {"--trace", scratch / "t.json"});
  words.insert(words.end(), more.begin(), more.end());
  Traced traced{run_gyre(words), slurp(scratch / "f.png"), slurp(scratch / "t.json"), {}};
  BOOST_REQUIRE_MESSAGE(traced.outcome.code == 0, traced.outcome.err);
  traced.report = nlohmann::json::parse(slurp(scratch / "r.json"));
  traced.report.erase("wall");
  return traced;
}

const char* const kConfigs[] = {"tiny.yaml", "wide.yaml"};

}  // namespace

BOOST_AUTO_TEST_SUITE(timeline)

BOOST_DATA_TEST_CASE(says_what_the_counters_say, boost::unit_test::data::make(kConfigs), config) {
  const Traced traced = render("overlap.json", config, true);
  const auto root = nlohmann::json::parse(traced.trace);
  struct Slice {
    double begin, end;
  };
  std::map<std::pair<int, int>, std::vector<Slice>> rows;
  std::map<std::string, std::uint64_t> named;
  std::map<int, std::string> units;
  std::uint64_t warps = 0;
  double end = 0;
  for (const auto& event : root.at("traceEvents")) {
    const std::string name = event.at("name");
    if (name == "process_name") units[event.at("pid")] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    ++named[name];
    const double begin = event.at("ts"), duration = event.at("dur");
    rows[{event.at("pid"), event.at("tid")}].push_back({begin, begin + duration});
    end = std::max(end, begin + duration);
    warps += name == "fragments" || name.rfind("kernel ", 0) == 0;
  }
  std::uint64_t launched = 0, draws = 0, primitives = 0;
  for (const auto& [name, value] : traced.report.at("counters").get<std::map<std::string, std::uint64_t>>()) {
    if (boost::algorithm::ends_with(name, ".warps_launched")) launched += value;
    if (boost::algorithm::ends_with(name, ".frames") && name.find(".raster") != std::string::npos) draws += value;
    if (boost::algorithm::ends_with(name, ".primitives")) primitives += value;
  }
  BOOST_TEST(launched > 0u);
  BOOST_TEST(warps == launched);
  BOOST_TEST(draws > 0u);
  BOOST_TEST(named["draw"] == draws);
  std::uint64_t walked = 0;
  for (const auto& [name, count] : named)
    if (name.rfind("primitive ", 0) == 0) walked += count;
  BOOST_TEST(walked == primitives);
  BOOST_TEST(named["DRAW"] > 0u);
  BOOST_TEST(end * 1e6 <= traced.report.at("simulated").at("picoseconds").get<double>() + 1);

  // Slices of a row follow one another, or stand in one another (the steps of a DRAW): what viewers need.
  for (auto& [row, slices] : rows) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<double> open;
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.begin + 1e-7) open.pop_back();
      if (!open.empty() && slice.end > open.back() + 1e-7)
        BOOST_ERROR(units[row.first] << ": a slice from " << slice.begin << " to " << slice.end << " us leaves the one that ends at "
                                     << open.back());
      open.push_back(slice.end);
    }
  }
}

BOOST_DATA_TEST_CASE(watching_changes_nothing, boost::unit_test::data::make(kConfigs), config) {
  const Traced plain = render("overlap.json", config, false), traced = render("overlap.json", config, true),
               again = render("overlap.json", config, true);
  BOOST_TEST(plain.report.dump() == traced.report.dump());
  BOOST_TEST(plain.picture == traced.picture);
  BOOST_TEST(traced.trace == again.trace);
}

BOOST_AUTO_TEST_CASE(is_cut_at_the_limit) {
  const Traced traced = render("overlap.json", "tiny.yaml", true, {"--trace-limit", "1"});
  BOOST_TEST(traced.trace.size() > (1u << 20) - 1000);
  BOOST_TEST(traced.trace.size() < (1u << 20) + 1000);
  BOOST_TEST(traced.outcome.err.find("later events are left out (--trace-limit)") != std::string::npos);
  BOOST_TEST(!nlohmann::json::parse(traced.trace).at("traceEvents").empty());
}

BOOST_AUTO_TEST_CASE(of_firmware) {
  ScratchFolder scratch("timeline");
  const std::string firmware = std::string(GYRE_BUILD_DIR) + "/firmware/";
  const Outcome run = run_gyre({"run", "-q", "-f", firmware + "compute.elf", "--fs", firmware + ":ro", "--trace",
                                scratch / "t.json", "--", "--image", "device.vxbin"});
  BOOST_REQUIRE_MESSAGE(run.code == 0, run.err);
  std::uint64_t kernels = 0;
  const auto root = nlohmann::json::parse(slurp(scratch / "t.json"));
  for (const auto& event : root.at("traceEvents"))
    kernels += event.at("name").get<std::string>().rfind("kernel ", 0) == 0;
  BOOST_TEST(kernels > 0u);
}

BOOST_AUTO_TEST_CASE(mistakes) {
  const std::string scene = kSource + "/scenes/triangle.json";
  struct Case {
    std::vector<std::string> words;
    const char* said;
  };
  ScratchFolder scratch("timeline");
  const Case cases[] = {
      {{"--trace", "/nowhere/t.json"}, "cannot be written"},
      {{"--trace", scratch / "f.png"}, "is named for two outputs"},
      {{"--trace", scratch / "t.json", "--backend", "reference"}, "has no time"},
      {{"--trace", scratch / "t.json", "--trace-limit", "0"}, "--trace-limit"},
      {{"--trace", "/dev/full"}, "could not be written completely"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> words{"render", scene, "-q", "-o", scratch / "f.png"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const Outcome outcome = run_gyre(words);
    BOOST_TEST(outcome.code == 2);
    BOOST_TEST(outcome.err.find(c.said) != std::string::npos, outcome.err);
  }
  // The picture of the last one was not lost.
  BOOST_TEST(std::filesystem::exists(scratch / "f.png"));
}

BOOST_AUTO_TEST_SUITE_END()
