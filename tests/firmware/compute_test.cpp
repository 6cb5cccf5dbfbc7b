// The compute kernels and the garbage program on machines of many shapes.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "run_firmware.h"

namespace {

const char* const kMachines[] = {
    "",
    "--set gpu.core.threads=4 --set gpu.core.warps=1",
    "--set gpu.core.threads=8 --set gpu.core.warps=8 --set gpu.cores=4",
    "--set gpu.core.threads=16 --set gpu.core.warps=2 --set gpu.cores=2",
    "--set gpu.core.threads=32 --set gpu.core.warps=4",
    "--set gpu.clusters=2 --set gpu.sockets=2 --set gpu.cores=4 --set gpu.core.threads=8",
    "--set sim.quantum_ps=10ns --set gpu.cores=2",
    "--set sim.quantum_ps=100us --set gpu.cores=4 --set gpu.core.lmem_bytes=4KiB",
};

BOOST_DATA_TEST_CASE(compute_kernels_are_right_on, boost::unit_test::data::make(kMachines), machine) {
  for (const char* image : {"device.vxbin", "device_O1.vxbin", "device_O3.vxbin"}) {
    const auto run = gyre::test::run_firmware("compute", machine, std::string("--image ") + image);
    BOOST_TEST(run.exit_code == 0, run.text);
    BOOST_TEST(run.text.find("all right") != std::string::npos, run.text);
  }
}

BOOST_DATA_TEST_CASE(garbage_is_named_and_survived_on, boost::unit_test::data::make(kMachines), machine) {
  const auto run = gyre::test::run_firmware("garbage", machine, "--image device.vxbin", gyre::test::Lints::kAsConfigured);
  BOOST_TEST(run.exit_code == 0, run.text);
  BOOST_TEST(run.text.find("all named and survived") != std::string::npos, run.text);
}

BOOST_AUTO_TEST_CASE(missing_arguments_are_one_line_errors) {
  for (const char* name : {"compute", "garbage", "player"}) {
    const auto run = gyre::test::run_firmware(name, "", "");
    BOOST_TEST(run.exit_code == 1, run.text);
    BOOST_TEST(run.text.find("usage: ") != std::string::npos, run.text);
    const auto absent = gyre::test::run_firmware(name, "", "--package none.gpkg --image none.vxbin");
    BOOST_TEST(absent.exit_code == 1, absent.text);
    BOOST_TEST(absent.text.find("cannot be opened") != std::string::npos, absent.text);
  }
}

}  // namespace
