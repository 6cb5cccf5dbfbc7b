// GDB on the GPU: threads, registers, memory, stop points, steps; and the session that changes a picture.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "debug_run.h"
#include "gyre_paths.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kKernels = std::string(DEVICE_DIR) + "/device_kernels.elf";
const std::string kDeviceElf = std::string(GYRE_BUILD_DIR) + "/firmware/device.elf";

// sum(): threads 0..11 leave i + 5 in a table at 0x20000; thread 3 reports the sum of 0..3, 26.
std::vector<std::string> sum_kernel(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"run",    "--device", kKernels, "--kernel", "sum", "--block",
                                 "12,1,1", "--arg",    "5",      "--arg",    "3"};
  for (const char* one : {"gpu.clusters=1", "gpu.sockets=1", "gpu.cores=1", "gpu.core.warps=4", "gpu.core.threads=4"})
    words.insert(words.end(), {"--set", one});
  words.insert(words.end(), {"--gdb-gpu", "SOCKET", "--gdb-wait"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_session)

BOOST_AUTO_TEST_CASE(threads_registers_memory_and_steps) {
  if (!have_gdb()) return;
  DebugRun run(sum_kernel());
  const std::string said = run.gdb(kKernels, {
                                                 run.attach(),
                                                 "info threads",
                                                 "echo ---\\n",
                                                 "break sum",
                                                 "continue",
                                                 "info threads",
                                                 "thread find lane 2",
                                                 "stepi",
                                                 "stepi",
                                                 "print/x $a2",
                                                 "info registers pc tmask fcsr ft0",
                                                 "x/1xw 0x10000",
                                                 "thread 3",
                                                 "print $thread_id",
                                                 "print $cta_thread_id_x",
                                                 "print $warp_id",
                                                 "print $mhartid",
                                                 "monitor lanes cta_thread_id_x",
                                                 "monitor warps",
                                                 "set var *(int*)0x10000 = 50",
                                                 "print $ft3 = 1.5",
                                                 "info registers ft3",
                                                 "delete",
                                                 "continue",
                                             });
  HAS(said, "\"core 0 warp 0 lane 0\" (idle)");
  HAS(said, "\"core 0 warp 0 lane 3\" (active)");
  HAS(said, "\"core 0 warp 2 lane 3\" (active)");
  HAS(said, "hit Breakpoint 1, sum (arg=0x10000)");
  HAS(said, "has target name 'core 0 warp 1 lane 2'");
  HAS(said, "tmask          0xf");
  HAS(said, "0x10000:\t0x00000005");
  HAS(said, "$2 = 2\n$3 = 2\n$4 = 0\n$5 = 2\n");
  HAS(said, "lane 2: 0x00000002");
  HAS(said, "core 0 warp 0: ready, compute, mask 0xf, pc 0x800000");
  HAS(said, "$6 = 1.5");
  HAS(said, "(raw 0x3fc00000)");
  HAS(said, "exited with code 0316");  // 0 + 1 + 2 + 3 + 4 * 50, in octal
  BOOST_TEST(run.wait().code == 206);
}

// One lane is given an argument block of its own.
BOOST_AUTO_TEST_CASE(a_lane_s_register_changes_what_it_does) {
  if (!have_gdb()) return;
  DebugRun run(sum_kernel());
  const std::string said = run.gdb(kKernels, {
                                                 run.attach(),
                                                 "break sum",
                                                 "continue",
                                                 "delete",
                                                 "thread find lane 2",
                                                 "thread 3",
                                                 "set var *(int*)0x10100 = 100",
                                                 "set var *(int*)0x10104 = 3",
                                                 "print/x $a0",
                                                 "set var $a0 = 0x10100",
                                                 "print/x $a0",
                                                 "thread 2",
                                                 "print/x $a0",
                                                 "continue",
                                             });
  HAS(said, "$1 = 0x10000\n$2 = 0x10100\n");
  HAS(said, "$3 = 0x10000\n");
  HAS(said, "exited with code 0171");  // 0 + 1 + 2 + 3 + 3 * 5 + 100 = 121
}

BOOST_AUTO_TEST_CASE(watchpoints) {
  if (!have_gdb()) return;
  DebugRun run(sum_kernel());
  const std::string said = run.gdb(kKernels, {
                                                 run.attach(),
                                                 "watch *(int*)0x20018",  // thread 6: warp 1, lane 2
                                                 "continue",
                                                 "info symbol $pc",
                                                 "delete",
                                                 "rwatch *(int*)0x20008",
                                                 "continue",
                                                 "print $warp_id",
                                                 "delete",
                                                 "awatch *(int*)0x8348",  // the exit code
                                                 "continue",
                                                 "continue",
                                             });
  HAS(said, "\"core 0 warp 1 lane 2\" hit Hardware watchpoint 1: *(int*)0x20018");
  HAS(said, "Old value = 0\nNew value = 11");
  HAS(said, "hit Hardware read watchpoint 2: *(int*)0x20008");
  HAS(said, "Value = 7");
  HAS(said, "hit Hardware access (read/write) watchpoint 3");
  HAS(said, "exited with code 032");
}

// Of the lanes that stop, the one is shown that meets the condition, that the breakpoint is for, that is finished.
BOOST_AUTO_TEST_CASE(a_breakpoint_finds_its_lane) {
  if (!have_gdb()) return;
  DebugRun run(sum_kernel());
  const std::string said = run.gdb(kKernels, {
                                                 run.attach(),
                                                 "break sum if $cta_thread_id_x == 6",
                                                 "continue",
                                                 "echo one\\n",
                                                 "delete",
                                                 "stepi",
                                                 "print $thread_id",
                                                 "thread find core 0 warp 1 lane 3",
                                                 "thread 8",
                                                 "tbreak kernels.c:16 thread 8",
                                                 "continue",
                                                 "print i",
                                                 "finish",
                                                 "info symbol $pc",
                                                 "print $thread_id",
                                                 "continue",
                                             });
  HAS(said, "\"core 0 warp 1 lane 2\" hit Breakpoint 1, sum");
  HAS(said, "$1 = 2");
  HAS(said, "\"core 0 warp 1 lane 3\" hit Temporary breakpoint 2");
  HAS(said, "$2 = 7");
  HAS(said, "_start + 28 in section .text");
  HAS(said, "$3 = 3");
  HAS(said, "exited with code 032");
}

BOOST_AUTO_TEST_CASE(a_fault_stops_before_the_warp_ends) {
  if (!have_gdb()) return;
  const std::string program = std::string(DEVICE_DIR) + "/fault.elf";
  DebugRun run({"run", "--device", program, "--legacy", "--set", "gpu.cores=1", "--gdb-gpu", "SOCKET", "--gdb-wait"});
  const std::string said = run.gdb(
      program, {run.attach(), "continue", "print/x $pc", "monitor fault", "continue", "monitor fault", "continue"});
  HAS(said, "core 0 warp 0: illegal instruction (value 0x0) at pc 0x80000004");
  HAS(said, "SIGILL");
  HAS(said, "$1 = 0x80000004");
  HAS(said, "none");
  HAS(said, "SIGABRT");  // the run is over, and says so
  HAS(said, "illegal instruction (value 0x0) at pc 0x80000004, _start+0x4 (tests/device/fault.S:6), core 0, warp 0; 1 in all");
  BOOST_TEST(run.wait().code == 1);
}

struct Export {
  std::string address, colour;  // of the instruction, and its colour register
};

// The VX_OM_EXPORT of a shader of the device image, as GDB finds it.
Export export_of(DebugRun& run, const std::string& shader) {
  const std::string code = run.gdb(kDeviceElf, {"x/400xw " + shader});
  for (std::size_t line = 0; line < code.size(); line = code.find('\n', line) + 1) {
    std::size_t at = code.find(':', line);
    if (code.compare(line, 2, "0x") != 0 || at == std::string::npos) {
      if (code.find('\n', line) == std::string::npos) break;
      continue;
    }
    const unsigned long base = std::stoul(code.substr(line, 10), nullptr, 16);
    for (unsigned word = 0; word < 4; ++word) {
      at = code.find("0x", at);
      if (at == std::string::npos) break;
      const unsigned long value = std::stoul(code.substr(at, 10), nullptr, 16);
      at += 10;
      if ((value & 0x707F) != 0x302B) continue;
      char address[16];
      std::snprintf(address, sizeof address, "0x%lx", base + 4 * word);
      return {address, "$x" + std::to_string(value >> 20 & 31)};
    }
    if (code.find('\n', line) == std::string::npos) break;
  }
  BOOST_FAIL("no export in " << shader);
  return {};
}

// A fragment's colour is changed in its register, and the picture shows it.
BOOST_AUTO_TEST_CASE(the_picture_shows_what_was_changed) {
  if (!have_gdb()) return;
  ScratchFolder scratch("picture");
  const std::string scene = std::string(GYRE_SOURCE_DIR) + "/scenes/triangle.json";
  const Outcome plain =
      run_gyre({"render", scene, "--size", "32x32", "-q", "-o", scratch / "plain.png", "--raw", scratch / "plain"});
  BOOST_TEST(plain.code == 0, plain.err);
  DebugRun run({"render", scene, "--size", "32x32", "-o", scratch / "changed.png", "--raw", scratch / "changed",
                "--gdb-gpu", "SOCKET", "--gdb-wait"});
  const Export found = export_of(run, "frag_color_round");
  const std::string said = run.gdb(kDeviceElf, {
                                                   run.attach(),
                                                   "break *" + found.address + " if $frag_x == 15 && $frag_y == 20",
                                                   "continue",
                                                   "print/x $frag_pos",
                                                   "print/x " + found.colour,
                                                   "set var " + found.colour + " = 0xffff00ff",
                                                   "print/x " + found.colour,
                                                   "delete",
                                                   "continue",
                                               });
  HAS(said, "hit Breakpoint 1");
  HAS(said, "$1 = 0x8014000f");
  HAS(said, "$3 = 0xffff00ff");
  HAS(said, "exited normally");
  BOOST_TEST(run.wait().code == 0);
  const std::string before = slurp(scratch / "plain.rgba"), after = slurp(scratch / "changed.rgba");
  BOOST_REQUIRE(before.size() == 32u * 32 * 4);
  BOOST_REQUIRE(after.size() == before.size());
  for (std::size_t pixel = 0; pixel < before.size() / 4; ++pixel) {
    const std::string was = before.substr(4 * pixel, 4), is = after.substr(4 * pixel, 4);
    if (pixel == 20 * 32 + 15) {
      BOOST_TEST((is == std::string("\xff\x00\xff\xff", 4)));
      BOOST_TEST((was != is));
    } else {
      BOOST_REQUIRE((was == is));
    }
  }
}

// What the debugger sees changes nothing: the report but for wall time, and the picture.
BOOST_DATA_TEST_CASE(a_debugger_that_looks_on_changes_nothing, data::make({"10ns", "1us", "100us"}), quantum) {
  if (!have_gdb()) return;
  ScratchFolder scratch("neutral");
  const std::string scene = std::string(GYRE_SOURCE_DIR) + "/scenes/triangle.json";
  const std::string set = std::string("sim.quantum=") + quantum;
  auto words = [&](const std::string& name) {
    return std::vector<std::string>{"render",   scene,
                                    "--size",   "32x32",
                                    "--set",    set,
                                    "-o",       scratch / (name + ".png"),
                                    "--report", scratch / (name + ".json")};
  };
  auto facts = [&](const std::string& name) {
    const std::string text = slurp(scratch / (name + ".json"));
    BOOST_TEST((text.find("cycles_busy") != std::string::npos));
    return text.substr(0, text.find("\"wall\"")) + slurp(scratch / (name + ".png"));
  };
  auto plain = words("plain");
  plain.push_back("-q");
  BOOST_TEST(run_gyre(plain).code == 0);
  auto debugged = words("debugged");
  debugged.insert(debugged.end(), {"--gdb-gpu", "SOCKET", "--gdb-wait"});
  DebugRun run(debugged);
  const std::string said = run.gdb(kDeviceElf, {
                                                   run.attach(),
                                                   "break gyre_binning",
                                                   "continue",
                                                   "delete",
                                                   "break frag_color_round",
                                                   "continue",
                                                   "stepi 30",
                                                   "next",
                                                   "watch *(int*)$sp",
                                                   "stepi 20",
                                                   "info threads",
                                                   "delete",
                                                   "continue",
                                               });
  HAS(said, "hit Breakpoint 1");
  HAS(said, "hit Breakpoint 2");
  BOOST_TEST(run.wait().code == 0);
  BOOST_TEST((facts("plain") == facts("debugged")));
}

BOOST_AUTO_TEST_SUITE_END()
