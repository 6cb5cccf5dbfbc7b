// The picture is the scene's alone: every configuration gives the bytes of the reference renderer.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "gyre_paths.h"
#include "machines.h"
#include "run_gyre.h"
#include "shared_data.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kSource = GYRE_SOURCE_DIR;

struct Scene {
  const char* name;
  const char* path;    // below the source folder, or below the shared scenes with "shared:"
  const char* size;    // "" = the scene's own
};
std::ostream& operator<<(std::ostream& out, const Scene& scene) { return out << scene.name; }

const std::vector<Scene> kScenes = {
    {"triangle", "scenes/triangle.json", ""},
    {"textured quad", "scenes/quad.json", ""},
    {"translucent overlap", "scenes/overlap.json", ""},
    {"model", "scenes/torus.obj", "200x150"},
    {"depth", "tests/conformance/cases/depth_2.json", ""},
    {"two-sided stencil", "tests/conformance/cases/stencil_3.json", ""},
    {"blend", "tests/conformance/cases/blend_1.json", ""},
    {"logic operations", "tests/conformance/cases/logic_1.json", ""},
    {"mip-mapped texture", "tests/conformance/cases/texture_2.json", ""},
    {"perspective", "tests/conformance/cases/persp_2.json", ""},
    {"clipping", "tests/conformance/cases/clip_1.json", ""},
    {"trace", "shared:vase.cgltrace", "128x128"},
};

std::string path_of(const Scene& scene) {
  const std::string path = scene.path;
  if (path.rfind("shared:", 0) != 0) return kSource + "/" + path;
  const std::string folder = shared_folder("scenes/cgltrace", std::string("picture of ") + scene.name);
  return folder.empty() ? "" : folder + "/" + path.substr(7);
}

struct Dump {
  std::string rgba, depth, stencil;
};

Dump render(const Scene& scene, const std::string& path, const std::vector<std::string>& options) {
  ScratchFolder scratch("picture");
  std::vector<std::string> words = {"render", path, "-q", "-o", scratch / "f.png", "--raw", scratch / "f"};
  if (*scene.size != 0) words.insert(words.end(), {"--size", scene.size});
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_gyre(words);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, "exit code " << outcome.code << ": " << outcome.err);
  return {slurp(scratch / "f.rgba"), slurp(scratch / "f.depthbits"), slurp(scratch / "f.stencil")};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(picture)

const char* const kStyles[] = {"loose", "approximate"};

BOOST_DATA_TEST_CASE(is_the_reference_renderers_on_every_machine, data::make(kStyles) * data::make(kScenes), style, scene) {
  const std::string path = path_of(scene);
  if (path.empty()) return;
  const Dump expected = render(scene, path, {"--backend", "reference"});
  BOOST_TEST(!expected.rgba.empty());
  for (const Machine& machine : kMachines) {
    BOOST_TEST_CONTEXT(scene.name << " on " << machine.name << ", " << style) {
      std::vector<std::string> options = machine.options;
      options.insert(options.end(), {"--set", std::string("sim.timing=") + style});
      const Dump dump = render(scene, path, options);
      BOOST_TEST((dump.rgba == expected.rgba), "colour differs");
      BOOST_TEST((dump.depth == expected.depth), "depth differs");
      BOOST_TEST((dump.stencil == expected.stencil), "stencil differs");
    }
  }
}

// Every cable of the approximate machine is watched: nobody breaks the base protocol.
BOOST_DATA_TEST_CASE(the_base_protocol_is_kept, data::make(kScenes), scene) {
  const std::string path = path_of(scene);
  if (path.empty()) return;
  const Dump expected = render(scene, path, {"--backend", "reference"});
  const std::string configs = kSource + "/configs/";
  const std::vector<Machine> machines = {
      {"tiny", {"--config", configs + "tiny.yaml", "--set", "gpu.dcache.mshr=1", "--set", "gpu.raster.earlyz=true"}},
      {"default, L2 and L3", {"--config", configs + "default.yaml", "--set", "gpu.l2.enabled=true", "--set", "gpu.l3.enabled=true"}},
      {"wide", {"--config", configs + "wide.yaml"}},
      {"page tables, two samplers", {"--config", configs + "default.yaml", "--set", "gpu.vm=true", "--set", "gpu.mmu.dtlb=2",
                                     "--set", "gpu.tex.cores=2", "--set", "gpu.om.cores=2"}}};
  for (const Machine& machine : machines) {
    BOOST_TEST_CONTEXT(scene.name << " on " << machine.name) {
      std::vector<std::string> options = machine.options;
      options.insert(options.end(), {"--set", "sim.timing=approximate", "--set", "sim.check_protocol=true"});
      const Dump dump = render(scene, path, options);
      BOOST_TEST((dump.rgba == expected.rgba), "colour differs");
      BOOST_TEST((dump.depth == expected.depth), "depth differs");
      BOOST_TEST((dump.stencil == expected.stencil), "stencil differs");
    }
  }
}

// Every recorded frame, on the smallest and on the widest machine.
BOOST_DATA_TEST_CASE(of_a_trace_is_the_reference_renderers, data::make(kStyles) * data::make({"triangle", "box", "carnival", "evilskull", "mouse",
                                                                        "polybump", "scene", "tekkaman"}),
                     style, name) {
  const std::string file = std::string("shared:") + name + ".cgltrace";
  const Scene scene{name, file.c_str(), "128x128"};
  const std::string path = path_of(scene);
  if (path.empty()) return;
  const Dump expected = render(scene, path, {"--backend", "reference"});
  for (const Machine& machine : {kMachines[0], kMachines[2]}) {
    std::vector<std::string> options = machine.options;
    options.insert(options.end(), {"--set", std::string("sim.timing=") + style});
    const Dump dump = render(scene, path, options);
    BOOST_TEST((dump.rgba == expected.rgba), name << ": colour differs on " << machine.name);
    BOOST_TEST((dump.depth == expected.depth), name << ": depth differs on " << machine.name);
    BOOST_TEST((dump.stencil == expected.stencil), name << ": stencil differs on " << machine.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
