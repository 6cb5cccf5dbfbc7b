// gpu.vm: the same pictures through page tables, and what the machine refuses.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// Sum of a counter over the cores, from a report.
std::uint64_t sum(const std::string& report, const std::string& counter) {
  std::uint64_t total = 0;
  const std::string key = "." + counter + "\": ";
  for (std::size_t at = report.find(key); at != std::string::npos; at = report.find(key, at + 1))
    total += std::stoull(report.substr(at + key.size()));
  return total;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(virtual_memory)

BOOST_DATA_TEST_CASE(pictures_are_the_same,
                     data::make({"loose", "approximate"}) * data::make({"tiny.yaml", "default.yaml", "wide.yaml"}) *
                         data::make({"overlap.json", "torus.obj"}),
                     style, config, scene) {
  ScratchFolder scratch("vm");
  for (const char* vm : {"false", "true"}) {
    const Outcome outcome =
        run_gyre({"render", std::string(GYRE_SOURCE_DIR "/scenes/") + scene, "--size", "64x64", "-q", "--config",
                  std::string(GYRE_SOURCE_DIR "/configs/") + config, "-o", scratch / (std::string(vm) + ".png"), "--report",
                  scratch / (std::string(vm) + ".json"), "--set", std::string("gpu.vm=") + vm, "--set", "gpu.mmu.dtlb=2",
                  "--set", std::string("sim.timing=") + style},
                 300);
    BOOST_TEST(outcome.code == 0, outcome.err);
  }
  BOOST_TEST(slurp(scratch / "true.png") == slurp(scratch / "false.png"));
  const std::string report = slurp(scratch / "true.json");
  BOOST_TEST(!has(slurp(scratch / "false.json"), "tlb."));
  BOOST_TEST(sum(report, "tlb.hits") > 0u);
  BOOST_TEST(sum(report, "tlb.reads") == sum(report, "tlb.hits") + sum(report, "tlb.misses"));
  BOOST_TEST(sum(report, "page_walks") == sum(report, "l2tlb.misses"));
  BOOST_TEST(sum(report, "page_walks") > 0u);
  BOOST_TEST(sum(report, "page_faults") == 0u);
}

BOOST_AUTO_TEST_CASE(buffers_outside_the_slab_are_named) {
  const Outcome outcome = run_gyre({"render", GYRE_SOURCE_DIR "/scenes/quad.json", "--size", "16x16", "-q", "-o", "/dev/null",
                                    "--set", "gpu.vm=true", "--set", "gpu.cp.pinned_base=0xC0000000"});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(has(outcome.err, "lint pinned-slab: DCR 0x"), outcome.err);
  BOOST_TEST(has(outcome.err, "outside the pinned slab from 0xc0000000 to 0xcfffffff"), outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
