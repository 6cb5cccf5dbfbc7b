// Shaders on the GPU as a person has them: gyre render scene.yaml --backend gpu, gyre shader build.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_paths.h"
#include "machines.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kScenes = std::string(GYRE_SOURCE_DIR) + "/scenes/gfx3d/",
                  kShaders = std::string(GYRE_SOURCE_DIR) + "/scenes/shaders/";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Bytes r, g, b, a of the frame.
std::string frame(const std::string& scene, const std::vector<std::string>& options) {
  const ScratchFolder scratch("device-command");
  std::vector<std::string> words = {"render", kScenes + scene, "-q", "-o", scratch / "f.png", "--raw", scratch / "f"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_gyre(words);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  BOOST_TEST(outcome.err == "");
  return slurp(scratch / "f.rgba");
}

// Pixels with a channel more than `limit` apart.
int apart(const std::string& a, const std::string& b, int limit) {
  BOOST_REQUIRE(a.size() == b.size());
  int count = 0;
  for (std::size_t i = 0; i < a.size(); i += 4) {
    bool far = false;
    for (std::size_t k = 0; k < 4; ++k)
      far |= std::abs(static_cast<unsigned char>(a[i + k]) - static_cast<unsigned char>(b[i + k])) > limit;
    count += far;
  }
  return count;
}

void refused(const std::vector<std::string>& words, const std::string& part) {
  const Outcome outcome = run_gyre(words, 60);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(has(outcome.err, part), outcome.err);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shader_device_command)

BOOST_DATA_TEST_CASE(scenes_on_the_gpu_and_on_the_cpu,
                     data::make({"blur", "cutout", "diffuse", "mvp", "normals", "sine", "texture", "toon"})) {
  const std::string scene = std::string(sample) + ".yaml";
  const std::string soft = frame(scene, {"--backend", "soft"}), gpu = frame(scene, {"--backend", "gpu"});
  const int different = apart(soft, gpu, 2);
  BOOST_TEST_MESSAGE(sample << ": " << different << " of " << soft.size() / 4 << " pixels differ by more than 2");
  BOOST_TEST(different * 1000 <= static_cast<int>(soft.size() / 4));
}

// Two programs, discards that keep depth, draws one behind the other: one picture on every machine.
BOOST_AUTO_TEST_CASE(every_machine_draws_the_same_scene) {
  const std::string first = frame("cutout.yaml", {"--backend", "gpu", "--size", "160x160"});
  for (const Machine& machine : kMachines) {
    std::vector<std::string> options = {"--backend", "gpu", "--size", "160x160"};
    options.insert(options.end(), machine.options.begin(), machine.options.end());
    BOOST_TEST_CONTEXT(machine.name) BOOST_TEST((frame("cutout.yaml", options) == first));
  }
}

// Filtered texels are other texels, so only the likeness is tested; the levels are tested on a core (gpu_stages).
BOOST_AUTO_TEST_CASE(the_texture_unit_draws_much_the_same) {
  const std::string soft = frame("texture.yaml", {"--backend", "gpu"}),
                    unit = frame("texture.yaml", {"--backend", "gpu", "--sampler", "tex"});
  const int pixels = static_cast<int>(soft.size() / 4);
  BOOST_TEST(apart(soft, unit, 2) > pixels / 100);
  BOOST_TEST(apart(soft, unit, 96) < pixels / 20);
  BOOST_TEST(unit == frame("texture.yaml", {"--backend", "gpu", "--sampler", "tex", "--set", "gpu.core.threads=4",
                                            "--set", "gpu.raster.earlyz=true"}));
}

BOOST_AUTO_TEST_CASE(what_the_gpu_does_not_draw_is_said) {
  refused({"render", kScenes + "compat.yaml", "--backend", "gpu"}, "compat.yaml: draw: the GPU draws as STRICT does");
  refused({"render", kScenes + "texture.yaml", "--backend", "gpu", "--sampler", "best"},
          "--sampler best: choose software or tex");
  refused({"render", kScenes + "texture.yaml", "--backend", "reference"}, "choose soft, interp or gpu");
}

BOOST_AUTO_TEST_CASE(build) {
  const ScratchFolder scratch("shader-build");
  const Outcome outcome = run_gyre({"shader", "build", kShaders + "toon.vert", "-o", scratch / "toon.elf"});
  BOOST_TEST(outcome.code == 0, outcome.err);
  for (const char* part : {"gyre_vs_0", "gyre_fs_0", "instructions", "at 0x80100000"})
    BOOST_TEST(has(outcome.out, part), outcome.out);
  const std::string tools = std::string(GYRE_BUILD_DIR) + "/tools/";
  BOOST_TEST(std::system((tools + "simtcheck/simtcheck " + (scratch / "toon.elf") + " > /dev/null").c_str()) == 0);
  BOOST_TEST(
      std::system((tools + "elf2vxbin/elf2vxbin " + (scratch / "toon.elf") + " " + (scratch / "packed")).c_str()) == 0);
  BOOST_TEST(
      run_gyre({"shader", "build", "-q", kShaders + "toon.vert", kShaders + "toon.frag", "-o", scratch / "toon.vxbin"})
          .out == "");
  BOOST_TEST((slurp(scratch / "packed") == slurp(scratch / "toon.vxbin")));
  BOOST_TEST(
      run_gyre({"shader", "build", kShaders + "texture.frag", "--sampler", "tex", "-o", scratch / "t.vxbin"}).code ==
      0);
}

// The bare device runs a batch kernel: one invocation with all its arrays at 0x20000, results where nothing else is.
BOOST_AUTO_TEST_CASE(batch_kernel_on_the_bare_device) {
  const ScratchFolder scratch("shader-batch");
  const Outcome built = run_gyre({"shader", "build", kShaders + "sine.frag", "--batch", "-o", scratch / "s.elf"});
  BOOST_TEST(built.code == 0, built.err);
  BOOST_TEST(has(built.out, "shade"), built.out);
  std::vector<std::string> words = {"run", "--device", scratch / "s.elf", "-q"};
  for (const char* word : {"1", "131072", "131072", "131072", "131072", "131072", "1", "1", "196608"})
    words.insert(words.end(), {"--arg", word});
  const Outcome ran = run_gyre(words);
  BOOST_TEST(ran.code == 0, ran.err);
}

// A pair becomes a package in one step, and the package a picture in another.
BOOST_AUTO_TEST_CASE(a_pair_as_a_package) {
  const ScratchFolder scratch("shader-package");
  const Outcome made = run_gyre(
      {"shader", "run", kShaders + "toon.frag", "--mesh", "torus", "--size", "120x90", "-o", scratch / "t.gpkg"});
  BOOST_TEST(made.code == 0, made.err);
  BOOST_TEST(has(made.out, "draw package"), made.out);
  const Outcome drawn = run_gyre({"render", scratch / "t.gpkg", "-q", "-o", scratch / "t.png", "--raw", scratch / "t"});
  BOOST_TEST(drawn.code == 0, drawn.err);
  BOOST_TEST(slurp(scratch / "t.rgba").size() == 4u * 120 * 90);
  refused({"render", scratch / "t.gpkg", "--backend", "reference", "-o", scratch / "x.png"},
          "which only --backend gpu can");
  refused({"shader", "run", kShaders + "toon.frag", "--compat", "-o", scratch / "c.gpkg"},
          "the GPU draws as STRICT does");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_built_is_said) {
  const ScratchFolder scratch("shader-build");
  const std::string toon = kShaders + "toon.frag";
  refused({"shader", "build", toon, "-o", scratch / "x.txt"}, "end the name with .elf or .vxbin");
  refused({"shader", "build", toon, kShaders + "toon.vert", "-o", scratch / "x.elf"},
          "is a fragment shader; name the vertex shader first");
  refused({"shader", "build", toon, "--sampler", "x", "-o", scratch / "x.elf"}, "choose software or tex");
  refused({"shader", "build", toon, toon, "--batch", "-o", scratch / "x.elf"}, "--batch takes one shader");
  std::ofstream(scratch / "bad.frag") << "out vec4 c; void main() { c = 1.0 +; }";
  refused({"shader", "build", kShaders + "toon.vert", scratch / "bad.frag", "-o", scratch / "x.elf"}, "bad.frag:1:");
  std::ofstream(scratch / "many.vert") << "in vec4 p; out vec4 a; out vec4 b; out vec4 c; out vec4 d; void main() { "
                                          "gl_Position = p; a = p; b = p; c = p; d = p; }";
  std::ofstream(scratch / "many.frag")
      << "in vec4 a; in vec4 b; in vec4 c; in vec4 d; out vec4 o; void main() { o = a + b + c + d; }";
  refused({"shader", "build", scratch / "many.vert", "-o", scratch / "x.elf"}, "16 varying components");
}

BOOST_AUTO_TEST_SUITE_END()
