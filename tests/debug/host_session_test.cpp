// GDB on the host CPU, and on both processors of a machine at once.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "debug_run.h"
#include "gyre_paths.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kFirmware = std::string(GYRE_BUILD_DIR) + "/firmware";
const std::string kExample = kFirmware + "/example.elf";

std::vector<std::string> example(const std::vector<std::string>& more) {
  std::vector<std::string> words{"run", "--firmware", kExample, "--fs", kFirmware + ":ro"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(host_session)

BOOST_AUTO_TEST_CASE(from_reset_to_the_end) {
  if (!have_gdb()) return;
  DebugRun run(example({"--gdb", "SOCKET", "--gdb-wait"}));
  const std::string said = run.gdb(kExample, {
                                                 run.attach(),
                                                 "print/x $pc",  // in the boot ROM
                                                 "info threads",
                                                 "print/x $misa & 0x3ffffff",
                                                 "print $priv",
                                                 "stepi 4",
                                                 "info registers pc a0 a1 mcycle",
                                                 "break main",
                                                 "continue",
                                                 "watch a[7]",
                                                 "continue",
                                                 "print a[6]",
                                                 "delete",
                                                 "print c[999]",
                                                 "set var $mscratch = 0x1234",
                                                 "print/x $mscratch",
                                                 "print $fa0 = 2.5",
                                                 "print $fa0",
                                                 "print/x $pc == $mepc",
                                                 "x/2i $pc",
                                                 "monitor help",
                                                 "monitor units",
                                                 "monitor counters cpu.retired",
                                                 "monitor translate 80000000",
                                                 "tbreak gy_finish",
                                                 "continue",
                                                 "set var a[0] = 5",
                                                 "finish",
                                                 "print c[999]",
                                                 "continue",
                                             });
  HAS(said, "$1 = 0x1000");
  HAS(said, "\"hart 0\" (machine mode)");
  HAS(said, "Breakpoint 1, main ()");
  HAS(said, "Hardware watchpoint 2: a[7]");
  HAS(said, "Old value = 0\nNew value = 7");
  HAS(said, "= 0x1234");
  HAS(said, "= 2.5");
  HAS(said, "translate ADDR");
  HAS(said, "host.cpu: runs at pc");
  HAS(said, "host.cpu.retired ");
  HAS(said, " = 999999");           // 1001 * 999, read with a[0] changed only
  HAS(said, "exited with code 01");  // element 0 is wrong
  BOOST_TEST(run.wait().code == 1);
}

BOOST_AUTO_TEST_CASE(reset_starts_the_firmware_again) {
  if (!have_gdb()) return;
  DebugRun run(example({"--gdb", "SOCKET", "--gdb-wait"}));
  const std::string said = run.gdb(kExample, {
                                                 run.attach(),
                                                 "break main",
                                                 "continue",
                                                 "tbreak gy_finish",
                                                 "continue",
                                                 "monitor reset",
                                                 "flushregs",
                                                 "print/x $pc",
                                                 "continue",
                                                 "info breakpoints",
                                                 "delete",
                                                 "continue",
                                             });
  HAS(said, "$1 = 0x1000");
  HAS(said, "breakpoint already hit 2 times");
  HAS(said, "exited normally");
  BOOST_TEST(run.wait().code == 0);
}

// A GDB for each.
BOOST_AUTO_TEST_CASE(both_processors) {
  if (!have_gdb()) return;
  DebugRun run(example({"--gdb", "SOCKET", "--gdb-gpu", "SOCKET2", "--gdb-wait"}));
  const auto host = run.start_gdb(kExample, {run.attach(), "break gy_launch", "continue", "delete", "continue"});
  const std::string gpu_said =
      run.gdb(kFirmware + "/device.elf", {run.attach_second(), "break gyre_vector_add", "continue", "info threads",
                                          "print $warp_id", "monitor units", "delete", "continue"});
  const std::string host_said = DebugRun::said(*host);
  HAS(host_said, "Breakpoint 1, gy_launch");
  HAS(host_said, "exited normally");
  HAS(gpu_said, "hit Breakpoint 1, gyre_vector_add");
  HAS(gpu_said, "lane 0\" (active)");
  HAS(gpu_said, "host.cpu: ");
  HAS(gpu_said, "exited normally");
  BOOST_TEST(run.wait().code == 0);
}

// Stops and steps that change nothing change nothing: same report, but for wall time.
BOOST_DATA_TEST_CASE(a_debugger_that_looks_on_changes_nothing, data::make({"1us", "1ms"}), quantum) {
  if (!have_gdb()) return;
  ScratchFolder scratch("neutral");
  const std::string set = std::string("sim.quantum=") + quantum;
  auto facts = [&](const std::string& name) {
    const std::string text = slurp(scratch / name);
    BOOST_TEST((text.find("retired") != std::string::npos));
    return text.substr(0, text.find("\"wall\""));
  };
  auto plain = example({"--set", set, "--report", scratch / "plain", "-q"});
  BOOST_TEST(run_gyre(plain).code == 0);
  DebugRun run(example({"--set", set, "--report", scratch / "debugged", "--gdb", "SOCKET", "--gdb-wait"}));
  run.gdb(kExample, {run.attach(), "break main", "continue", "stepi 50", "next", "next", "watch a[500]", "continue",
                     "delete", "info registers", "continue"});
  BOOST_TEST(run.wait().code == 0);
  BOOST_TEST(facts("plain") == facts("debugged"));
}

BOOST_AUTO_TEST_SUITE_END()
