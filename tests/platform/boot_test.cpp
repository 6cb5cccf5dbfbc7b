// Software nobody here wrote: Debian's OpenSBI and U-Boot, unmodified, up to the prompt and through a dialogue.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "run_gyre.h"

using namespace gyre::test;

namespace {

const std::string kOpenSbi = "/usr/lib/riscv64-linux-gnu/opensbi/generic/";
const std::string kUboot = "/usr/lib/u-boot/qemu-riscv64_smode/u-boot.bin";

// Ends with the machine switching itself off, which is exit code 0.
const char kDialogue[] =
    "? Hit any key\n> \n? => \n> version\n? U-Boot 20\n? => \n> md 80200000 4\n? 80200000: \n? => \n"
    "> fdt addr ${fdtcontroladdr}\n? => \n> fdt print /cpus\n? riscv,sv39\n? => \n> bdinfo\n? relocaddr\n? => \n> poweroff\n";

bool installed() { return std::filesystem::exists(kOpenSbi + "fw_jump.bin") && std::filesystem::exists(kUboot); }

}  // namespace

BOOST_AUTO_TEST_SUITE(boot)

BOOST_DATA_TEST_CASE(opensbi_starts_uboot, boost::unit_test::data::make({"fw_jump.bin", "fw_dynamic.bin"}), bios) {
  BOOST_REQUIRE_MESSAGE(installed(), "Debian's packages opensbi and u-boot-qemu are needed: tools/install_deps.sh");
  const std::string script = (std::filesystem::temp_directory_path() / ("gyre-boot-" + std::string(bios) + ".txt")).string();
  std::ofstream(script) << kDialogue;
  const Outcome outcome = run_gyre({"run", "--bios", kOpenSbi + bios, "--kernel", kUboot, "--uart-script", script, "-q"}, 300);
  std::filesystem::remove(script);
  BOOST_TEST(outcome.code == 0, outcome.out << outcome.err);
  for (const char* text : {"OpenSBI v1.", "U-Boot 20", "riscv,sv39", "rv64imafdc", "timebase-frequency", "relocaddr"})
    BOOST_TEST(outcome.out.find(text) != std::string::npos, "not printed: " << text << "\n" << outcome.out);
}

BOOST_AUTO_TEST_CASE(the_device_tree_can_be_dumped) {
  const Outcome outcome = run_gyre({"config", "dtb"});
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(outcome.out.substr(0, 4) == "\xD0\x0D\xFE\xED");
  BOOST_TEST(outcome.out.find("sifive,plic-1.0.0") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
