// The timeline's file: well-formed whatever the names are, bounded, honest about what is left out.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "error.h"
#include "run_gyre.h"
#include "timeline.h"

using namespace gyre;
using kernel::Timeline;

namespace {

nlohmann::json events_of(const std::string& path) {
  return nlohmann::json::parse(test::slurp(path)).at("traceEvents");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(timeline)

BOOST_AUTO_TEST_CASE(slices_rows_and_units) {
  test::ScratchFolder scratch("timeline");
  Timeline timeline(scratch / "t.json", 1 << 20);
  Timeline::Row first("core 0", "warp 0"), second("core 0", "warp \"1\"\\\n"), other("cp", "commands");
  timeline.slice(second, "a\tb", 2'500'001, 5'000'000, R"("pc":"0x80")");
  timeline.slice(first, "c", 7, 7);
  timeline.slice(other, "d", 9, 8);  // never shorter than nothing
  timeline.slice(second, "e", 6'000'000, 7'000'000);
  timeline.finish();

  std::vector<nlohmann::json> slices;
  std::map<int, std::string> units;
  std::map<std::pair<int, int>, std::string> rows;
  for (const auto& event : events_of(scratch / "t.json")) {
    if (event.at("ph") == "X") slices.push_back(event);
    if (event.at("name") == "process_name") units[event.at("pid")] = event.at("args").at("name");
    if (event.at("name") == "thread_name") rows[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
  }
  BOOST_REQUIRE_EQUAL(slices.size(), 4u);
  auto unit = [&](unsigned i) { return units.at(slices[i].at("pid")); };
  auto row = [&](unsigned i) { return rows.at({slices[i].at("pid"), slices[i].at("tid")}); };
  BOOST_TEST(unit(0) == "core 0");
  BOOST_TEST(row(0) == "warp \"1\"\\\n");
  BOOST_TEST(slices[0].at("name") == "a\tb");
  BOOST_TEST(slices[0].at("ts").get<double>() == 2.500001);
  BOOST_TEST(slices[0].at("dur").get<double>() == 2.499999);
  BOOST_TEST(slices[0].at("args").at("pc") == "0x80");
  BOOST_TEST(row(1) == "warp 0");
  BOOST_TEST(unit(2) == "cp");
  BOOST_TEST(slices[2].at("dur").get<double>() == 0.0);
  BOOST_TEST(row(3) == row(0));
  BOOST_TEST(units.size() == 2u);
}

BOOST_AUTO_TEST_CASE(curves_are_rates_of_sums) {
  test::ScratchFolder scratch("timeline");
  std::uint64_t one = 0, two = 0, misses = 5;
  kernel::CounterRegistry counters;
  counters.add("core0.instructions", &one);
  counters.add("core1.instructions", &two);
  counters.add("core1.thread_instructions", &misses);  // ends alike, is another counter
  counters.add("l2.misses", &misses);
  Timeline timeline(scratch / "t.json", 1 << 20);
  for (unsigned step = 1; step <= 4; ++step) {
    if (step < 3) one += 10, two += 20;
    timeline.sample(counters, step * 2'000'000ull);
  }
  timeline.finish();
  std::map<std::string, std::vector<double>> curves;
  for (const auto& event : events_of(scratch / "t.json"))
    if (event.at("ph") == "C") curves[event.at("name")].push_back(event.at("args").at("value"));
  const std::vector<double> instructions{15, 15, 0}, missed{2.5, 0};  // a 0 ends a curve, once
  BOOST_TEST(curves.at("warp instructions / us") == instructions, boost::test_tools::per_element());
  BOOST_TEST(curves.at("l2.misses / us") == missed, boost::test_tools::per_element());
  BOOST_TEST(curves.size() == 2u);
}

BOOST_AUTO_TEST_CASE(full_means_cut_not_broken) {
  test::ScratchFolder scratch("timeline");
  constexpr unsigned kLimit = 2000;
  Timeline timeline(scratch / "t.json", kLimit);
  Timeline::Row row("unit", "row"), late("late", "row");
  for (unsigned i = 0; i < 1000; ++i) timeline.slice(row, "something", i * 100, i * 100 + 50);
  timeline.slice(late, "short", 0, 1);
  timeline.finish();
  const auto size = std::filesystem::file_size(scratch / "t.json");
  BOOST_TEST(size > kLimit / 2);
  BOOST_TEST(size < kLimit + 100);
  const auto events = events_of(scratch / "t.json");
  BOOST_TEST(events.back().at("ph") == "X");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_made_or_filled) {
  BOOST_CHECK_THROW(Timeline("/nowhere/t.json", 1000), UserError);
  Timeline full("/dev/full", 1 << 20);
  Timeline::Row row("unit", "row");
  full.slice(row, "x", 0, 1);
  BOOST_CHECK_THROW(full.finish(), UserError);
}

BOOST_AUTO_TEST_SUITE_END()
