// Firmware that does wrong things: the machine names them and goes on, or stops with a report; it never hangs or
// crashes.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kFolder = std::string(GYRE_BUILD_DIR) + "/firmware";
const char* const kConfigs[] = {"tiny.yaml", "default.yaml", "wide.yaml"};
const char* const kStyles[] = {"sim.timing=loose", "sim.timing=approximate"};

Outcome misbehave(const std::string& what, const std::vector<std::string>& options = {}, unsigned seed = 0,
                  const std::string& config = "tiny.yaml", bool interrupt = false) {
  std::vector<std::string> words = {"run",
                                    "--firmware",
                                    kFolder + "/misbehave.elf",
                                    "--fs",
                                    kFolder + ":ro",
                                    "-q",
                                    "--config",
                                    std::string(GYRE_SOURCE_DIR) + "/configs/" + config};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "--image", "device.vxbin", "--what", what, "--seed", std::to_string(seed)});
  return run_gyre(words, 120, interrupt, Lints::kAsConfigured);
}

bool every_line_is_ours(const std::string& err) {
  for (std::size_t at = 0; at < err.size(); at = err.find('\n', at) + 1)
    if (err.compare(at, 6, "gyre: ") != 0) return false;
  return true;
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

struct Program {
  const char* name;
  const char* error;  // in what the firmware prints
};
std::ostream& operator<<(std::ostream& out, const Program& program) { return out << program.name; }

const Program kPrograms[] = {
    {"illegal", "ILLEGAL_INSTR"}, {"bad-csr", "BAD_CSR"}, {"join", "IPDOM"},      {"barrier-zero", "BARRIER_ZERO"},
    {"misaligned", "MISALIGNED"}, {"unmapped", "ACCESS"}, {"bad-jump", "ACCESS"}, {"aperture-load", "APERTURE_LOAD"},
    {"ebreak", "TRAP_NO_VECTOR"},
};

struct Hang {
  const char* name;
  const char* who;
};
std::ostream& operator<<(std::ostream& out, const Hang& hang) { return out << hang.name; }

const Hang kHangs[] = {
    {"sleep", "host: waits for an interrupt"},
    {"event-wait", "waits for the event word"},
    {"loop", "running"},
    {"barrier", "waits at barrier 0"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_firmware)

BOOST_DATA_TEST_CASE(device_programs_that_fault_are_named, data::make(kPrograms) * data::make(kConfigs), program,
                     config) {
  const Outcome outcome = misbehave(program.name, {}, 0, config);
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(has(outcome.out, std::string("misbehave: ") + program.name + ": GPU_FAULT"));
    BOOST_TEST(has(outcome.out, program.error));
    BOOST_TEST(every_line_is_ours(outcome.err));
  }
}

BOOST_DATA_TEST_CASE(who_waits_for_what, data::make(kHangs) * data::make(kConfigs), hang, config) {
  const Outcome outcome = misbehave(hang.name, {"--set", "sim.watchdog=200000"}, 0, config);
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.out == "");
    BOOST_TEST(outcome.err.rfind("gyre: ", 0) == 0u);
    BOOST_TEST(has(outcome.err, "misbehave.elf"));
    BOOST_TEST(has(outcome.err, "who waits for what"));
    BOOST_TEST(has(outcome.err, hang.who));
  }
}

// Work that goes on for ever is no hang; the limit ends it all the same, and what was counted is reported.
BOOST_DATA_TEST_CASE(the_time_limit_ends_a_run, data::make({"spin", "kick", "loop"}) * data::make(kConfigs), what,
                     config) {
  ScratchFolder scratch("limit");
  const Outcome outcome =
      misbehave(what, {"--set", "sim.time_limit=1500us", "--report", scratch / "r.json"}, 0, config);
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(has(outcome.err, "the time limit is reached at 1.500000 ms; who waits for what"));
    BOOST_TEST(has(slurp(scratch / "r.json"), "\"picoseconds\": 1500000000"));
  }
}

BOOST_DATA_TEST_CASE(an_interrupt_ends_a_run_in_order, data::make({"spin", "kick"}), what) {
  ScratchFolder scratch("interrupt");
  const Outcome outcome =
      misbehave(what, {"--set", "sim.watchdog=0", "--report", scratch / "r.json"}, 0, "default.yaml", true);
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(has(outcome.err, "interrupted at "));
    BOOST_TEST(has(slurp(scratch / "r.json"), "\"picoseconds\""));
  }
}

// With the command processor's own watchdog the firmware hears of it instead.
BOOST_DATA_TEST_CASE(a_launch_that_never_ends_is_an_error, data::make({"loop", "barrier"}), what) {
  const Outcome outcome = misbehave(what, {"--set", "gpu.cp.watchdog=100000"});
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) {
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(has(outcome.out, "WATCHDOG in command 0x06"));
  }
}

BOOST_AUTO_TEST_CASE(ends_without_a_frame) {
  ScratchFolder scratch("silent");
  const Outcome outcome = misbehave("silent", {"-o", scratch / "f.png", "--report", scratch / "r.json"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(has(outcome.err, scratch / "f.png"));
  BOOST_TEST(every_line_is_ours(outcome.err));
  BOOST_TEST(!std::filesystem::exists(scratch / "f.png"));
  BOOST_TEST(has(slurp(scratch / "r.json"), "\"frames\": 0"));
}

BOOST_AUTO_TEST_CASE(traps) {
  const Outcome lost = misbehave("lost-trap");
  BOOST_TEST(lost.code == 1);
  BOOST_TEST(has(lost.err, "cannot fetch its trap handler"));
  const Outcome fetch = misbehave("bad-fetch");
  BOOST_TEST(fetch.code == 3);
  BOOST_TEST(has(fetch.out, "firmware: trap, cause 1 at pc 0x40000000"));
}

const char* const kQuiet[] = {"files", "display", "registers"};

BOOST_DATA_TEST_CASE(devices_bear_anything, data::make(kQuiet) * data::xrange(6), what, seed) {
  const Outcome outcome = misbehave(what, {}, static_cast<unsigned>(seed));
  BOOST_TEST_CONTEXT(outcome.err) {
    BOOST_TEST(outcome.code == 0);
    BOOST_TEST(outcome.out == "");
    BOOST_TEST(every_line_is_ours(outcome.err));
  }
}

BOOST_DATA_TEST_CASE(random_rings_end, data::make(kConfigs) * data::xrange(8), config, seed) {
  const Outcome outcome = misbehave("ring", {}, static_cast<unsigned>(seed), config);
  BOOST_TEST_CONTEXT(
      outcome.out << outcome.err.substr(outcome.err.size() - std::min<std::size_t>(outcome.err.size(), 2000))) {
    BOOST_TEST(outcome.code == 0);
    BOOST_TEST(outcome.out == "");
    BOOST_TEST(every_line_is_ours(outcome.err));
  }
}

// Lint stale-line: each flush that is missing is named, with who reads and who wrote; with all of them it is silent.
BOOST_DATA_TEST_CASE(missing_flushes_are_named, data::make(kConfigs) * data::make(kStyles), config, style) {
  const auto run = [&](const char* what, const char* severity) {
    return misbehave(what, {"--set", style, "--set", std::string("lint.stale_line=") + severity}, 0, config);
  };
  const Outcome right = run("flushes", "error");
  BOOST_TEST(right.code == 0, right.err);
  BOOST_TEST(right.err == "");

  const Outcome upload = run("no-flush-after-upload", "warn"), fatal = run("no-flush-after-upload", "error");
  BOOST_TEST_CONTEXT(upload.err) {
    BOOST_TEST(upload.code == 0);
    BOOST_TEST(has(upload.err, ", warp 0, lanes 0x"));
    BOOST_TEST(has(upload.err, "gyre_vector_add"));
    BOOST_TEST(has(upload.err, "(firmware/device/kernels/"));
    BOOST_TEST(has(upload.err, " holds it from before the command processor (DMA) wrote it; flush the caches"));
    BOOST_TEST(!has(upload.err, "command MEM_READ"));
  }
  BOOST_TEST(fatal.code == 1);
  BOOST_TEST(has(fatal.err, "misbehave.elf: lint stale-line: core "), fatal.err);
  const Outcome off = run("no-flush-after-upload", "off");
  BOOST_TEST(off.code == 0);
  BOOST_TEST(off.err == "");

  if (config == std::string("wide.yaml")) return;  // the second kernel runs in the other cluster
  for (const char* compressed : {"gpu.core.isa_c=false", "gpu.core.isa_c=true"}) {
    const Outcome code = misbehave("no-flush-after-code", {"--set", style, "--set", compressed}, 0, config);
    BOOST_TEST(has(code.err, "fetch of the instruction at 0x"), code.err);
    BOOST_TEST(has(code.err, "icache0 holds it from before the command processor (DMA) wrote it"), code.err);
  }
}

// A write-back cache is last in line on a device of one core; with several the dcaches write through.
BOOST_DATA_TEST_CASE(a_download_needs_a_flush_where_caches_write_back, data::make(kStyles), style) {
  for (const bool alone : {true, false}) {
    const char* const sockets = alone ? "gpu.sockets=1" : "gpu.sockets=2";
    const Outcome outcome = misbehave("no-flush-before-download", {"--set", style, "--set", sockets, "--set", "gpu.cores=1", "--set",
                                                                   "gpu.clusters=1", "--set", "lint.stale_line=warn"});
    BOOST_TEST(outcome.code == 0);
    BOOST_TEST(has(outcome.err, "lint stale-line: command MEM_READ: reads 0x") == alone, outcome.err);
    BOOST_TEST(has(outcome.err, "core 0 wrote there, not written back") == alone, outcome.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()
