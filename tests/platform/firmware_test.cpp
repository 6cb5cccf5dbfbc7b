// Firmware that tests the machine from inside, on machines of every shape.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};
const char* const kSettings[] = {"gpu.core.threads=4",  "gpu.core.threads=8",  "gpu.core.threads=16", "gpu.core.threads=32",
                                 "gpu.core.warps=2",    "sim.quantum=10ns",    "sim.quantum=1us",     "sim.quantum=100us"};

Outcome run(const std::string& firmware, const std::string& config, const std::string& setting,
            Lints lints = Lints::kError) {
  const std::string folder = std::string(GYRE_BUILD_DIR) + "/firmware";
  return run_gyre({"run", "--firmware", folder + "/" + firmware, "--fs", folder + ":ro", "-q", "--config",
                   std::string(GYRE_SOURCE_DIR) + "/configs/" + config, "--set", setting, "--", "--image",
                   "device.vxbin"},
                  120, false, lints);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(firmware)

// Vector add, tree reduction with barriers in local memory, nested per-lane divergence.
BOOST_DATA_TEST_CASE(compute_kernels_give_the_right_result, data::make(kConfigs) * data::make(kSettings), config, setting) {
  const Outcome outcome = run("compute.elf", config, setting);
  BOOST_TEST(outcome.code == 0, outcome.out << outcome.err);
}

// Garbage rings and commands: the right error each time, and a queue that works again after its reset.
BOOST_DATA_TEST_CASE(garbage_commands_are_refused_and_recovered_from, data::make(kConfigs), config) {
  const Outcome outcome = run("garbage.elf", config, "sim.quantum=1us", Lints::kAsConfigured);
  BOOST_TEST(outcome.code == 0, outcome.out << outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
