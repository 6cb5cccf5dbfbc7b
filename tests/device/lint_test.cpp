// The lints of the SIMT core, on programs with one fault each: which speaks, about what, and what comes of it.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <fstream>
#include <sstream>

#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const char* const kLints[] = {"divergent-branch", "ipdom-imbalance", "unaligned", "unmapped", "aperture-load", "dcr-unset", "pinned-slab"};

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

unsigned occurrences(const std::string& text, const std::string& words) {
  unsigned count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

std::string knob(std::string lint) {
  std::replace(lint.begin(), lint.end(), '-', '_');
  return "lint." + lint;
}

Outcome run(const std::string& kernel, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"run", "--device", DEVICE_DIR "/lints.elf", "--kernel", kernel, "-q"};
  for (const char* one : {"gpu.clusters=1", "gpu.sockets=1", "gpu.cores=1", "gpu.core.warps=4", "gpu.core.threads=4"})
    words.insert(words.end(), {"--set", one});
  words.insert(words.end(), more.begin(), more.end());
  return run_gyre(words, 120, false, Lints::kAsConfigured);
}

// "lints.S:12", the line that says it is at fault.
std::string line_of(const std::string& kernel) {
  std::ifstream file(GYRE_SOURCE_DIR "/tests/device/lints.S");
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(std::min(line.find("# FAULT "), line.size())));
    std::string mark, fault, name;
    if (words >> mark >> fault >> name && name == kernel) return "lints.S:" + std::to_string(number);
  }
  return "";
}

struct Fault {
  const char* kernel;
  const char* lint;
  const char* lanes;  // of four
  bool fatal;         // the warp ends at it
  const char* advice;
};
std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.kernel; }

const Fault kFaults[] = {
    {"divergent", "divergent-branch", "0x1", false, "SPLIT directly before it"},
    {"early_end", "ipdom-imbalance", "0xa", false, "the warp ends; open SPLITs of the warp: 1"},
    {"wrong_join", "ipdom-imbalance", "0xa", false, "JOIN with a token of another depth"},
    {"extra_join", "ipdom-imbalance", "0xf", true, "open SPLITs of the warp: 0"},
    {"deep_split", "ipdom-imbalance", "0xf", true, "SPLIT with a full stack"},
    {"unaligned_load", "unaligned", "0xe", true, "align the data"},
    {"unaligned_store", "unaligned", "0xf", true, "access of 2 bytes"},
    {"null_load", "unmapped", "0xf", true, "null pointer?"},
    {"null_store", "unmapped", "0x3", true, "check the pointer"},
    {"aperture_load", "aperture-load", "0xf", true, "read the colour or depth buffer itself"},
    {"behind_local_memory", "unmapped", "0xf", true, "gpu.core.lmem_bytes"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lints)

BOOST_DATA_TEST_CASE(a_fault_is_named, data::make(kFaults), fault) {
  ScratchFolder scratch("lint");
  const std::string line = line_of(fault.kernel);
  BOOST_REQUIRE(!line.empty());
  const Outcome outcome = run(fault.kernel, {"--report", scratch / "r.json"});
  BOOST_TEST_CONTEXT(outcome.err) {
    BOOST_TEST(outcome.code == (fault.fatal ? 1 : 0));
    const std::string begin = std::string("lint ") + fault.lint + ": core 0, warp 0, lanes " + fault.lanes + ", pc 0x8";
    BOOST_TEST(has(outcome.err, begin));
    BOOST_TEST(has(outcome.err, std::string(", ") + fault.kernel));
    BOOST_TEST(has(outcome.err, "(tests/device/" + line + "): "));
    BOOST_TEST(has(outcome.err, fault.advice));
    BOOST_TEST(occurrences(outcome.err, "lint ") == 1u);
    BOOST_TEST(!has(outcome.err, "warning: gpu: fault"));  // it has been said
    for (const char* lint : kLints)
      BOOST_TEST(has(slurp(scratch / "r.json"), std::string("\"") + lint + "\": {") ==
                 (lint == std::string(fault.lint)));
    BOOST_TEST(has(slurp(scratch / "r.json"), line));
  }
}

// Nothing is said, and the machine does the same; a fault keeps its own message.
BOOST_DATA_TEST_CASE(off_is_silent, data::make(kFaults), fault) {
  const Outcome outcome = run(fault.kernel, {"--set", knob(fault.lint) + "=off"});
  BOOST_TEST(outcome.code == (fault.fatal ? 1 : 0));
  BOOST_TEST(!has(outcome.err, "lint "), outcome.err);
  BOOST_TEST(has(outcome.err, "warning: gpu: fault: ") == fault.fatal, outcome.err);
}

BOOST_DATA_TEST_CASE(error_ends_the_run, data::make(kFaults), fault) {
  ScratchFolder scratch("error");
  const Outcome outcome = run(fault.kernel, {"--set", knob(fault.lint) + "=error", "--report", scratch / "r.json"});
  BOOST_TEST_CONTEXT(outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(
        has(outcome.err, std::string("gyre: ") + DEVICE_DIR "/lints.elf: lint " + fault.lint + ": core 0, warp 0"));
    BOOST_TEST(has(outcome.err, line_of(fault.kernel)));
    const std::string report = slurp(scratch / "r.json");
    BOOST_TEST(has(report, "\"exit_code\": 1"));
    BOOST_TEST(has(report, line_of(fault.kernel)));
  }
  // The others do not mind.
  std::vector<std::string> others;
  for (const char* lint : kLints)
    if (lint != std::string(fault.lint)) others.insert(others.end(), {"--set", knob(lint) + "=error"});
  const Outcome other = run(fault.kernel, others);
  BOOST_TEST(other.code == (fault.fatal ? 1 : 0), other.err);
  BOOST_TEST(occurrences(other.err, "lint ") == 1u, other.err);
}

BOOST_DATA_TEST_CASE(right_programs, data::make({"divergent_right", "unaligned_right"}), kernel) {
  for (const char* lanes : {"4", "8", "32"}) {
    std::vector<std::string> words{"--set", std::string("gpu.core.threads=") + lanes};
    for (const char* lint : kLints) words.insert(words.end(), {"--set", knob(lint) + "=error"});
    const Outcome outcome = run(kernel, words);
    BOOST_TEST(outcome.code == 0, outcome.err);
    BOOST_TEST(outcome.err == "");
  }
}

BOOST_AUTO_TEST_CASE(fetches) {
  const Outcome nowhere = run("bad_jump"), odd = run("odd_jump");
  BOOST_TEST(has(nowhere.err, "lint unmapped: core 0, warp 0, lanes 0xf, pc 0x10, no symbol: fetch"), nowhere.err);
  BOOST_TEST(has(odd.err, "lint unaligned: core 0, warp 0, lanes 0xf, pc 0x8"), odd.err);
  BOOST_TEST(has(odd.err, "ra is 0x8"), odd.err);
}

// Once a program counter, with a count; after twenty of them the rest is only counted.
BOOST_AUTO_TEST_CASE(many_faults) {
  ScratchFolder scratch("many");
  const Outcome outcome = run("many", {"--report", scratch / "r.json", "--grid", "3"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(occurrences(outcome.err, line_of("many") + ")") == 1u);
  BOOST_TEST(occurrences(outcome.err, "lint divergent-branch: core") == 20u);
  BOOST_TEST(has(outcome.err, "more than 20 program counters"));
  const std::string report = slurp(scratch / "r.json");
  BOOST_TEST(occurrences(report, "\"pc\"") == 31u);
  BOOST_TEST(has(report, "\"count\": 210,"));  // 3 * (40 + 30)
  BOOST_TEST(has(report, "\"count\": 120,"));  // 3 * 40
  // The table at the end says it too.
  const Outcome table = run_gyre({"run", "--device", DEVICE_DIR "/lints.elf", "--kernel", "many", "--grid", "3"}, 120,
                                 false, Lints::kAsConfigured);
  BOOST_TEST(has(table.out, "lint divergent-branch"), table.out);
  BOOST_TEST(has(table.out, " 210 times"), table.out);
}

// The same findings whatever the quantum.
BOOST_DATA_TEST_CASE(quantum, data::make({"10ns", "1us", "10us"}), quantum) {
  const Outcome outcome = run("many", {"--set", std::string("sim.quantum=") + quantum});
  BOOST_TEST(outcome.err == run("many").err);
}

BOOST_AUTO_TEST_CASE(severities_are_checked) {
  const Outcome outcome = run("divergent", {"--set", "lint.unaligned=loud"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(has(outcome.err, "\"loud\" is not a severity; allowed: off, warn or error"), outcome.err);
}

// The device image as it is shipped, without its SPLITs: named with function and line through the ELF file beside it.
BOOST_AUTO_TEST_CASE(splits_are_missing_in_a_drawing) {
  ScratchFolder scratch("missing");
  const std::string firmware = GYRE_BUILD_DIR "/firmware/";
  std::filesystem::copy(firmware + "device.elf", scratch / "broken.elf");
  std::string image = slurp(firmware + "device.vxbin");
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, image.data() + at, 4);
    return value;
  };
  constexpr std::size_t kHeader = 16;  // abi/vxbin.h
  unsigned dropped = 0;
  for (std::size_t at = kHeader; at + 8 <= image.size(); at += 4)
    if ((word(at) & 0xFE00707F) == 0x200B && (word(at + 4) & 0x7F) == 0x63) {  // SPLIT and its branch
      const std::uint32_t keep_token = 0x13 | (word(at) & 0xF80);  // li token, 0: as if nothing had diverged
      std::memcpy(image.data() + at, &keep_token, 4);
      ++dropped;
    }
  BOOST_REQUIRE(dropped > 10u);
  std::ofstream(scratch / "broken.vxbin", std::ios::binary) << image;
  const Outcome outcome = run_gyre({"render", GYRE_SOURCE_DIR "/scenes/overlap.json", "--size", "64x64", "-q", "-o",
                                    scratch / "f.png", "--device-image", scratch / "broken.vxbin", "--set",
                                    "lint.divergent_branch=error", "--report", scratch / "r.json"},
                                   300, false, Lints::kAsConfigured);
  BOOST_TEST_CONTEXT(outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(has(outcome.err, "broken.vxbin: lint divergent-branch: core "));
    BOOST_TEST(has(outcome.err, " (firmware/"));
    BOOST_TEST(has(slurp(scratch / "r.json"), "\"divergent-branch\""));
  }
}

BOOST_AUTO_TEST_SUITE_END()
