// What a person can get wrong: one line on stderr that names it, exit code 2, nothing on stdout, nothing lost.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

#include "gyre_paths.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace {

const std::string kSource = GYRE_SOURCE_DIR, kScene = kSource + "/scenes/triangle.json",
                  kTiny = kSource + "/configs/tiny.yaml", kFirmware = std::string(GYRE_BUILD_DIR) + "/firmware/";

using Words = std::vector<std::string>;

std::string text_of(const Words& words) {
  std::string text = "gyre";
  for (const std::string& word : words) text += " " + word;
  return text + "\n";
}

void check_refused(const Words& words, const std::string& named, int code = 2) {
  const Outcome outcome = run_gyre(words, 60, false, Lints::kAsConfigured);
  BOOST_TEST_CONTEXT(text_of(words) << outcome.err) {
    BOOST_TEST(outcome.code == code);
    BOOST_TEST(outcome.out == "");
    BOOST_TEST(outcome.err.rfind("gyre: ", 0) == 0u);
    BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    BOOST_TEST(!outcome.err.empty());
    if (!outcome.err.empty()) BOOST_TEST(outcome.err.back() == '\n');
    BOOST_TEST((outcome.err.find(named) != std::string::npos), "does not name " << named);
  }
}

std::vector<std::string> files_of(const std::string& kind) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kSource + "/tests/bad/" + kind)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  BOOST_REQUIRE(files.size() >= 10u);
  return files;
}

const char* const kScenes[] = {"trace", "json", "model", "package"};
const char* const kBackends[] = {"gpu", "reference"};

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_input)

BOOST_DATA_TEST_CASE(scenes, data::make(kScenes) * data::make(kBackends), kind, backend) {
  ScratchFolder scratch("bad");
  for (const std::string& file : files_of(kind))
    check_refused({"render", file, "-o", scratch / "f.png", "--backend", backend}, file);
  BOOST_TEST(!fs::exists(scratch / "f.png"));
}

BOOST_AUTO_TEST_CASE(configurations) {
  ScratchFolder scratch("bad");
  for (const std::string& file : files_of("yaml")) {
    check_refused({"config", "check", file}, file);
    check_refused({"config", "show", "--config", file}, file);
    check_refused({"render", kScene, "-o", scratch / "f.png", "--config", file}, file);
    check_refused({"run", "--firmware", kFirmware + "compute.elf", "--config", file}, file);
  }
}

BOOST_AUTO_TEST_CASE(firmware_images) {
  for (const std::string& file : files_of("elf")) check_refused({"run", "--firmware", file}, file);
}

BOOST_AUTO_TEST_CASE(device_images) {
  ScratchFolder scratch("bad");
  for (const std::string& file : files_of("vxbin"))
    check_refused({"render", kScene, "-o", scratch / "f.png", "--device-image", file}, file);
}

// Right in form, but without what the player looks for: the run fails.
BOOST_AUTO_TEST_CASE(device_image_without_kernels) {
  ScratchFolder scratch("bad");
  std::string image = slurp(kFirmware + "device.vxbin");
  const std::size_t at = image.find("frag_color_round");
  BOOST_REQUIRE(at != std::string::npos);
  image[at] = 'g';
  std::ofstream(scratch / "other.vxbin", std::ios::binary) << image;
  check_refused({"render", kScene, "-q", "-o", scratch / "f.png", "--device-image", scratch / "other.vxbin"},
                scratch / "other.vxbin", 1);
}

// Every prefix of the package and damage in its middle: refused in one line, or drawn.
BOOST_AUTO_TEST_CASE(damaged_device_code_fails_the_run_or_draws) {
  ScratchFolder scratch("bad");
  const std::string good = slurp(kFirmware + "device.vxbin");
  for (unsigned round = 0; round < 12; ++round) {
    std::string image = good;
    for (std::size_t i = 16 + round * 4; i + 4 < image.size() / 2; i += 4 * 97) image[i] = static_cast<char>(round * 37 + i);
    std::ofstream(scratch / "damaged.vxbin", std::ios::binary) << image;
    const Outcome outcome = run_gyre({"render", kScene, "-q", "-o", scratch / "f.png", "--device-image",
                                      scratch / "damaged.vxbin", "--config", kTiny, "--set", "sim.watchdog=1000000"},
                                     60, false, Lints::kAsConfigured);
    BOOST_TEST_CONTEXT(round << ": " << outcome.err) {
      BOOST_TEST((outcome.code == 0 || outcome.code == 1), "exit code " << outcome.code);
      BOOST_TEST(outcome.out == "");
      if (outcome.code == 1) BOOST_TEST(outcome.err.find("damaged.vxbin") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(settings) {
  const Words bad = {"gpu.core.threads",          "gpu.core.threads=",          "=8",
                     "",                          "gpu.core.threads=3",         "gpu.core.threads=-4",
                     "gpu.core.threads=many",     "gpu.core.thread=8",          "gpu.core=8",
                     "gpu.core.threads=99999999999999999999",                   "sim.quantum=5",
                     "sim.quantum=10 parsecs",    "gpu.clusters=0",             "gpu.raster.bin_log=99",
                     "gpu..core=1",               "host.ram=1",                 "gpu.core.threads=8=8",
                     "gpu.l2.enabled=perhaps",    "gpu.core.\nthreads=8",       "sim.timing=exact"};
  for (const std::string& setting : bad) {
    std::string shown = setting.substr(0, setting.find('\n'));
    check_refused({"config", "check", "--set", setting}, shown.substr(0, shown.find('=')));
    check_refused({"render", kScene, "--set", setting}, shown.substr(0, shown.find('=')));
  }
  check_refused({"config", "check", "--set", "gpu.clusters=8", "--set", "gpu.sockets=8", "--set", "gpu.cores=16", "--set",
                 "gpu.core.warps=32", "--set", "gpu.core.threads=32"},
                "gpu.clusters");
}

BOOST_AUTO_TEST_CASE(command_lines) {
  const std::vector<std::pair<Words, std::string>> bad = {
      {{}, "subcommand"},
      {{"draw"}, "draw"},
      {{"render"}, "scene"},
      {{"render", kScene, "another"}, "another"},
      {{"render", kScene, "--sise", "4x4"}, "--sise"},
      {{"render", kScene, "--size"}, "--size"},
      {{"render", kScene, "--size", "4"}, "--size 4"},
      {{"render", kScene, "--size", "0x4"}, "--size 0x4"},
      {{"render", kScene, "--size", "-4x4"}, "--size"},
      {{"render", kScene, "--size", "4x4x4"}, "4x4x4"},
      {{"render", kScene, "--size", "4294967300x4"}, "4294967300x4"},
      {{"render", kScene, "--size", "100000x100000"}, "100000x100000"},
      {{"render", kScene, "--size", "4x 4"}, "4x 4"},
      {{"render", kScene, "--backend", "magic"}, "magic"},
      {{"run"}, "--firmware"},
      {{"run", "--firmware"}, "--firmware"},
      {{"run", "--firmware", kFirmware + "compute.elf", "--bios", kFirmware + "compute.elf"}, "--bios"},
      {{"run", "--firmware", kFirmware + "compute.elf", "--kernel", "x"}, "--kernel"},
      {{"run", "--bios", kFirmware + "compute.elf", "--kernel", "/no/such/file"}, "/no/such/file"},
      {{"run", "--bios", kFirmware + "compute.elf", "--uart-script", "/no/such/file"}, "/no/such/file"},
      {{"run", "--bios", kFirmware + "compute.elf", "--uart-script", kScene}, kScene + ":1"},
      {{"run", "--firmware", kFirmware + "compute.elf", "--fs", "/no/such/folder"}, "/no/such/folder"},
      {{"run", "--firmware", kFirmware + "compute.elf", "--fs", kScene}, kScene},
      {{"config"}, "subcommand"},
      {{"config", "explain"}, "explain"},
      {{"render", "two\nlines.json"}, "two"},
      {{"--frobnicate"}, "--frobnicate"},
  };
  for (const auto& [words, named] : bad) check_refused(words, named);
}

BOOST_AUTO_TEST_CASE(files_that_are_not_there) {
  ScratchFolder scratch("bad");
  const std::string absent = scratch / "absent", folder = scratch.string();
  for (const char* extension : {".json", ".gpkg", ".cgltrace", ".obj", ".gltf", ".glb", ".3ds", ".ply", ".dae", ""})
    check_refused({"render", absent + extension}, absent + extension);
  for (const std::string& name : Words{absent, folder}) {
    check_refused({"render", name}, name);
    check_refused({"render", kScene, "--config", name}, name);
    check_refused({"render", kScene, "--device-image", name}, name);
    check_refused({"run", "--firmware", name}, name);
    check_refused({"config", "check", name}, name);
  }
}

// One output that cannot be written does not cost the others.
BOOST_DATA_TEST_CASE(unwritable_outputs, data::make(kBackends), backend) {
  for (const bool full : {false, true}) {
    ScratchFolder scratch("bad");
    const std::string bad = full ? "/dev/full" : scratch / "no/such/folder/file";
    const std::string picture = scratch / "f.png", report = scratch / "r.json", raw = scratch / "f";
    const Words common = {"render", kScene, "-q", "--backend", backend, "--config", kTiny};
    auto with = [&](Words more) {
      Words words = common;
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    check_refused(with({"-o", picture, "--report", bad, "--raw", raw}), bad);
    BOOST_TEST(slurp(picture).substr(1, 3) == "PNG");
    BOOST_TEST(!slurp(raw + ".rgba").empty());
    check_refused(with({"-o", bad, "--report", report, "--raw", raw}), bad);
    BOOST_TEST(slurp(report).find("gyre-report") != std::string::npos);
    BOOST_TEST(!slurp(raw + ".stencil").empty());
    fs::remove(report);
    fs::remove(picture);
    check_refused(with({"-o", picture, "--report", report, "--raw", scratch / "no/such/folder/file"}), "no/such/folder/file");
    BOOST_TEST(!slurp(picture).empty());
    BOOST_TEST(!slurp(report).empty());
    check_refused(with({"-o", scratch.string()}), scratch.string());
    BOOST_TEST(fs::exists("/dev/full"));
  }
}

BOOST_AUTO_TEST_CASE(outputs_do_not_overwrite_inputs) {
  ScratchFolder scratch("bad");
  const std::string scene = scratch / "scene.json";
  fs::copy_file(kScene, scene);
  check_refused({"render", scene, "-o", scene}, scene);
  check_refused({"render", scene, "-o", scratch / "./f.png", "--report", scratch / "f.png"}, scratch / "f.png");
  check_refused({"render", scene, "-o", scratch / "f.png", "--report", scratch / "../" + fs::path(scratch.string()).filename().string() + "/scene.json"},
                "scene.json");
  BOOST_TEST(slurp(scene) == slurp(kScene));
}

// The machine's memory is this computer's.
BOOST_AUTO_TEST_CASE(the_largest_machine_starts_or_says_why) {
  const Outcome outcome = run_gyre({"run", "--firmware", kFirmware + "misbehave.elf", "-q", "--set", "host.ram=64GiB", "--",
                                    "--what", "silent"});
  BOOST_TEST((outcome.code == 0 || (outcome.code <= 2 && outcome.err.rfind("gyre: ", 0) == 0)),
             outcome.code << ": " << outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
