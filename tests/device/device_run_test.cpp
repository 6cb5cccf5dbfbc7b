// gyre run --device: programs on the bare device, launched and legacy (isa.md §6, §11, §12).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

Outcome run(const std::string& program, std::vector<std::string> more, Lints lints = Lints::kError) {
  std::vector<std::string> words{"run", "--device", std::string(DEVICE_DIR) + "/" + program, "-q"};
  for (const char* one : {"gpu.clusters=1", "gpu.sockets=1", "gpu.cores=1", "gpu.core.warps=4", "gpu.core.threads=4"})
    words.insert(words.end(), {"--set", one});
  words.insert(words.end(), more.begin(), more.end());
  return run_gyre(words, 120, false, lints);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_run)

BOOST_DATA_TEST_CASE(console_and_exit_code, data::make({"10ns", "1us", "1ms"}), quantum) {
  const Outcome outcome = run("hello.elf", {"--legacy", "--set", std::string("sim.quantum=") + quantum});
  BOOST_TEST(outcome.code == 42, outcome.err);
  std::string expect;
  for (int line = 0; line < 30; ++line) expect += "hello from core 0, warp 0, lane 0\n";
  BOOST_TEST(outcome.out == expect);
  BOOST_TEST(outcome.err == "");
}

BOOST_AUTO_TEST_CASE(every_core_starts_a_legacy_program) {
  const Outcome outcome = run("hello.elf", {"--legacy", "--set", "gpu.cores=2", "--set", "gpu.sockets=2"});
  BOOST_TEST(outcome.code == 42, outcome.err);
  // The slots are drained one after the other, so lines of different cores may be cut into each other.
  BOOST_TEST(outcome.out.size() == 4 * 30 * std::string("hello from core 0, warp 0, lane 0\n").size());
  for (char core : {'1', '2', '3'}) BOOST_TEST(std::count(outcome.out.begin(), outcome.out.end(), core) == 30, core);
}

struct Shape {
  const char *cores, *sockets, *warps;
};
std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.cores << " cores, " << s.sockets << " sockets, " << s.warps << " warps";
}
const Shape kShapes[] = {{"1", "1", "4"}, {"2", "1", "4"}, {"4", "1", "1"}, {"2", "4", "8"}, {"1", "16", "2"}};

const char* const kTimes[] = {"sim.quantum=10ns", "sim.quantum=1us", "sim.quantum=10us", "sim.timing=approximate"};

BOOST_DATA_TEST_CASE(cluster_barriers_order_the_cores, data::make(kShapes) * data::make(kTimes), shape, time) {
  auto set = [](const std::string& key, const std::string& value) { return key + "=" + value; };
  const Outcome outcome = run(
      "barrier.elf", {"--legacy", "--set", set("gpu.cores", shape.cores), "--set", set("gpu.sockets", shape.sockets),
                      "--set", set("gpu.core.warps", shape.warps), "--set", time, "--set",
                      "gpu.core.fence_flush=true"});
  BOOST_TEST(outcome.code == 77, outcome.err);
}

// Without the flush each core would see what the others wrote only if it had not looked before.
BOOST_DATA_TEST_CASE(barriers_do_not_flush, data::make({"sim.timing=loose", "sim.timing=approximate"}), style) {
  for (const char* sockets : {"1", "4"}) {
    const std::string shape = std::string("gpu.sockets=") + sockets;
    const Outcome outcome = run("barrier.elf", {"--legacy", "--set", style, "--set", "gpu.cores=2", "--set", shape},
                                Lints::kAsConfigured);
    BOOST_TEST(outcome.code == 77, outcome.err);
    const bool named = outcome.err.find("lint stale-line: core ") != std::string::npos;
    BOOST_TEST(named == (sockets == std::string("4")), outcome.err);  // cores of a socket share their cache
    if (!named) continue;
    BOOST_TEST(outcome.err.find("(tests/device/barrier.S:") != std::string::npos, outcome.err);
    BOOST_TEST(outcome.err.find("dcache0 holds it from before core ") != std::string::npos, outcome.err);
  }
}

BOOST_DATA_TEST_CASE(kernels_are_launched, data::make({"4", "8", "32"}), threads) {
  // x = 0..3 in three rows: 0 + 1 + 2 + 3 + 4 * 5
  const Outcome outcome = run("device_kernels.elf", {"--kernel", "sum", "--block", "4,3,1", "--arg", "5", "--arg", "3",
                                                     "--set", std::string("gpu.core.threads=") + threads});
  BOOST_TEST(outcome.code == 26, outcome.err);
  const Outcome grid = run("device_kernels.elf", {"--kernel", "nothing", "--grid", "5,2", "--set",
                                                  std::string("gpu.core.threads=") + threads});
  BOOST_TEST(grid.code == 0, grid.err);
  const Outcome counters = run("device_kernels.elf", {"--kernel", "counters", "--set",
                                                      std::string("gpu.core.threads=") + threads});
  BOOST_TEST(counters.code == 3, counters.err);
}

BOOST_AUTO_TEST_CASE(faults_and_hangs_are_reported) {
  for (const char* strict : {"gpu.core.strict=true", "gpu.core.strict=false"}) {
    const Outcome fault = run("fault.elf", {"--legacy", "--set", strict});
    BOOST_TEST(fault.code == 1);
    BOOST_TEST(fault.err.find("illegal instruction (value 0x0) at pc 0x80000004") != std::string::npos, fault.err);
    BOOST_TEST((fault.err.find("gpu.core.strict") != std::string::npos) ==
               (std::string(strict).back() == 'e' && std::string(strict).find("true") != std::string::npos));
  }
  const Outcome hang = run("hang.elf", {"--legacy"});
  BOOST_TEST(hang.code == 1);
  BOOST_TEST(hang.err.find("waits at barrier 0 of the cluster (5 cores asked for; this core has arrived)") !=
                 std::string::npos,
             hang.err);
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  struct Mistake {
    std::vector<std::string> words;
    const char* text;
  };
  const Mistake mistakes[] = {
      {{}, "which kernel"},
      {{"--kernel", "none"}, "no function none; its kernels are"},
      {{"--kernel", "sum", "--block", "1000"}, "refused"},
      {{"--kernel", "sum", "--grid", "0"}, "may be 0"},
      {{"--kernel", "sum", "--firmware", "x"}, "see gyre --help"},
      {{"--", "word"}, "--arg"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run("device_kernels.elf", mistake.words);
    BOOST_TEST(outcome.code == 2, outcome.err);
    BOOST_TEST(outcome.err.find(mistake.text) != std::string::npos, outcome.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()
