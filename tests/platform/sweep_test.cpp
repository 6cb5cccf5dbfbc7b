// gyre sweep: every point is the run it says, whatever runs beside it; one that fails costs the others nothing.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;

namespace {

const std::string kSource = GYRE_SOURCE_DIR;

std::string with_file(ScratchFolder& scratch, const std::string& text) {
  std::ofstream(scratch / "sweep.yaml") << text;
  return scratch / "sweep.yaml";
}

// Six small points of both styles.
std::string small_sweep() {
  return "scenes: [" + kSource + "/scenes/triangle.json, " + kSource + "/scenes/quad.json]\nsize: 32x32\nconfig: " + kSource +
         "/configs/tiny.yaml\nset: {sim.timing: approximate}\n"
         "points: [{}, {gpu.dram.latency: 200}, {sim.timing: loose}]\ncolumns: [dram.reads, gpu.core.loads_of_nobody]\n";
}

using Row = std::vector<std::string>;
std::vector<Row> rows(const std::string& csv) {
  std::vector<Row> out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    out.emplace_back();
    std::istringstream fields(line + ",");
    for (std::string field; std::getline(fields, field, ',');) out.back().push_back(field);
  }
  return out;
}
std::string field(const std::vector<Row>& table, std::size_t point, const std::string& column) {
  for (std::size_t i = 0; i < table[0].size(); ++i)
    if (table[0][i] == column) return table.at(point).at(i);
  BOOST_FAIL("no column " + column);
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sweep)

BOOST_AUTO_TEST_CASE(the_number_of_jobs_changes_nothing) {
  ScratchFolder scratch("sweep");
  const std::string file = with_file(scratch, small_sweep());
  std::string table;
  std::vector<std::string> reports;
  for (const std::string jobs : {"1", "3", "6"}) {
    const Outcome outcome = run_gyre({"sweep", file, "-o", scratch / jobs, "-j", jobs});
    BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    const std::string csv = slurp(scratch / jobs + "/results.csv");
    if (table.empty()) table = csv;
    BOOST_TEST(csv == table);
    std::vector<std::string> now;
    for (int point = 1; point <= 6; ++point) {
      auto report = nlohmann::json::parse(slurp(scratch / jobs + "/" + std::to_string(point) + ".json"));
      report.erase("wall");
      now.push_back(report.dump());
    }
    if (reports.empty()) reports = now;
    BOOST_TEST(now == reports, boost::test_tools::per_element());
  }
  const auto t = rows(table);
  BOOST_REQUIRE(t.size() == 7u);
  BOOST_TEST(field(t, 1, "relative") == "1.0000");
  BOOST_TEST(std::stod(field(t, 2, "relative")) > 1.1);  // slower memory
  BOOST_TEST(field(t, 1, "gpu.dram.latency") == "50");
  BOOST_TEST(field(t, 2, "gpu.dram.latency") == "200");
  BOOST_TEST(field(t, 3, "sim.timing") == "loose");
  BOOST_TEST(field(t, 4, "scene") == "quad.json");
  BOOST_TEST(field(t, 4, "relative") == "1.0000");
  BOOST_TEST(std::stoull(field(t, 1, "dram.reads")) > 0u);
  BOOST_TEST(field(t, 1, "gpu.core.loads_of_nobody").empty());
}

// A row holds what the same run says by itself, and a short column name sums what it names.
BOOST_AUTO_TEST_CASE(a_point_is_the_run_it_says) {
  ScratchFolder scratch("sweep");
  const std::string file = with_file(scratch, "scene: " + kSource + "/scenes/triangle.json\nsize: 32x32\nvary: {gpu.core.warps: [2, 4]}\n"
                                              "columns: dcache.read_hits\n");
  const Outcome outcome = run_gyre({"sweep", file, "-o", scratch / "out"});
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const auto t = rows(slurp(scratch / "out/results.csv"));
  for (std::size_t point : {1u, 2u}) {
    const std::string warps = std::to_string(2 * point);
    BOOST_TEST(field(t, point, "gpu.core.warps") == warps);
    BOOST_REQUIRE(run_gyre({"render", kSource + "/scenes/triangle.json", "-q", "--size", "32x32", "-o", scratch / "f.png", "--report",
                            scratch / "r.json", "--set", "gpu.core.warps=" + warps}).code == 0);
    const auto report = nlohmann::json::parse(slurp(scratch / "r.json"));
    BOOST_TEST(field(t, point, "gpu_cycles") == std::to_string(report["simulated"]["gpu_cycles"].get<std::uint64_t>()));
    BOOST_TEST(slurp(scratch / "f.png") == slurp(scratch / ("out/" + std::to_string(point) + ".png")));
    std::uint64_t hits = 0;
    for (const auto& [name, value] : report["counters"].items())
      if (name.find(".dcache") != std::string::npos && name.size() > 10 && name.substr(name.size() - 10) == ".read_hits")
        hits += value.get<std::uint64_t>();
    BOOST_TEST(hits > 0u);
    BOOST_TEST(field(t, point, "dcache.read_hits") == std::to_string(hits));
  }
}

BOOST_AUTO_TEST_CASE(a_point_that_fails_costs_the_others_nothing) {
  ScratchFolder scratch("sweep");
  const std::string file = with_file(scratch, "scene: " + kSource + "/scenes/triangle.json\nsize: 32x32\nconfig: " + kSource +
                                                  "/configs/tiny.yaml\npoints: [{}, {sim.time_limit: 1us}, {gpu.core.warps: 2}]\n");
  const Outcome outcome = run_gyre({"sweep", file, "-o", scratch / "out", "-j", "2"});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err.find("point 2: exit code 1") != std::string::npos, outcome.err);
  const auto t = rows(slurp(scratch / "out/results.csv"));
  BOOST_TEST(field(t, 1, "state") == "done");
  BOOST_TEST(field(t, 2, "state") == "failed");
  BOOST_TEST(field(t, 2, "gpu_cycles").empty());
  BOOST_TEST(field(t, 3, "state") == "done");
  BOOST_TEST(slurp(scratch / "out/2.log").find("time limit") != std::string::npos);
}

// An interrupt ends what runs, in order; what was done before stands in the table.
BOOST_AUTO_TEST_CASE(an_interrupt_keeps_what_is_done) {
  ScratchFolder scratch("sweep");
  const std::string file = with_file(scratch, "scenes: [" + kSource + "/scenes/triangle.json, " + kSource +
                                                  "/scenes/overlap.json]\nsize: 512x512\nconfig: " + kSource +
                                                  "/configs/tiny.yaml\nset: {sim.timing: approximate}\n");
  Child child({std::string(GYRE_BINARY), "sweep", file, "-o", scratch / "out", "-j", "1"}, scratch / "o", scratch / "e");
  const auto second_runs = [&] { return std::filesystem::exists(scratch / "out/2.log"); };
  for (int i = 0; i < 3000 && !second_runs() && child.running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_REQUIRE(second_runs());
  kill(child.pid(), SIGTERM);
  for (int i = 0; i < 3000 && child.running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_REQUIRE(!child.running());
  const auto t = rows(slurp(scratch / "out/results.csv"));
  BOOST_TEST(field(t, 1, "state") == "done");
  BOOST_TEST(field(t, 2, "state") != "done");
}

BOOST_AUTO_TEST_CASE(the_examples_are_legal) {
  unsigned seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/configs/sweeps")) {
    const Outcome outcome = run_gyre({"sweep", entry.path().string(), "--list"});
    BOOST_TEST(outcome.code == 0, outcome.err);
    BOOST_TEST(outcome.out.find("1 ") == 0u);
    ++seen;
  }
  BOOST_TEST(seen >= 2u);
}

struct Mistake {
  const char *text, *message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& m) { return out << m.message; }

const Mistake kMistakes[] = {
    {"", "keys"},
    {"size: 32x32\n", "one `scene:`"},
    {"scene: a.json\nscenes: [b.json]\n", "one `scene:`"},
    {"scene: a.json\nspeed: 3\n", "speed"},
    {"scene: a.json\nvary: 3\n", "vary"},
    {"scene: a.json\nvary: {gpu.core.warps: []}\n", "gpu.core.warps"},
    {"scene: a.json\nvary: {gpu.core.wraps: [2]}\n", "did you mean gpu.core.warps"},
    {"scene: a.json\nvary: {gpu.core.warps: [2, many]}\n", "point 2 gpu.core.warps=\"many\""},
    {"scene: a.json\npoints: [{gpu.core.warps: 2}]\nvary: {gpu.core.warps: [2]}\n", "given a value twice"},
    {"scene: a.json\nvary: {gpu.dram.latency: &a [1,2,3,4,5,6,7,8,9,10], gpu.dram.banks: *a, gpu.l2.latency: *a, gpu.l3.latency: *a, "
     "gpu.dcache.mshr: *a}\n", "more than 10000 points"},
    {"scene: a.json\npoints: [{}, {gpu.raster: 2}]\n", "point 2 gpu.raster=\"2\""},
    {"scene: a.json\npoints: [{}, {gpu.rooster.slices: 2}]\n", "did you mean gpu.raster.slices"},
    {"scene: a.json\nset: [1]\n", "set"},
    {"scene: a.json\nconfig: nowhere.yaml\n", "nowhere.yaml"},
};

BOOST_DATA_TEST_CASE(a_mistake_is_one_line, boost::unit_test::data::make(kMistakes), mistake) {
  ScratchFolder scratch("sweep");
  const Outcome outcome = run_gyre({"sweep", with_file(scratch, mistake.text), "-o", scratch / "out"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.err.find(mistake.message) != std::string::npos, outcome.err);
  BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1, outcome.err);
  BOOST_TEST(!std::filesystem::exists(scratch / "out"));
}

BOOST_AUTO_TEST_CASE(a_folder_of_somebody_else_is_left_alone) {
  ScratchFolder scratch("sweep");
  const std::string file = with_file(scratch, small_sweep());
  std::filesystem::create_directories(scratch / "mine");
  std::ofstream(scratch / "mine/1.png") << "a picture";
  const Outcome outcome = run_gyre({"sweep", file, "-o", scratch / "mine"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.err.find("not a sweep's") != std::string::npos, outcome.err);
  BOOST_TEST(slurp(scratch / "mine/1.png") == "a picture");
  std::ofstream(scratch / "file") << "x";
  BOOST_TEST(run_gyre({"sweep", file, "-o", scratch / "file"}).code == 2);
  BOOST_TEST(run_gyre({"sweep", file}).code == 2);
  BOOST_TEST(run_gyre({"sweep", file, "-o", scratch / "out", "-j", "0"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
