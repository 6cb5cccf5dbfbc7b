// Shader pairs of the gallery on the whole platform, against the CPU renderer: the same pixels but for edges that snap.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "checker.h"
#include "elf_writer.h"
#include "package_recorder.h"
#include "gyre_paths.h"
#include "machines.h"
#include "run_gyre.h"
#include "shader_file.h"
#include "show.h"

using namespace gyre;
using namespace gyre::test;
using namespace gyre::shader;
namespace data = boost::unit_test::data;

namespace {

const std::string kSource = GYRE_SOURCE_DIR;
constexpr std::uint32_t kBackground = 0xFF171A21;

const char* const kPairs[] = {"constant", "mvp", "texture", "diffuse", "toon", "blur", "cutout", "sine", "normals"};

struct Pair {
  Shader vertex, fragment;
};
Pair load(const std::string& name) {
  const std::string base = kSource + "/scenes/shaders/" + name;
  const LoadedShader vertex = load_shader(base + ".vert"), fragment = load_shader(base + ".frag");
  BOOST_REQUIRE_MESSAGE(vertex.shader && fragment.shader, vertex.log << fragment.log);
  return {*vertex.shader, *fragment.shader};
}

ShowOptions options_for(const char* mesh, int width) {
  ShowOptions options;
  options.width = width;
  options.height = width * 3 / 4;
  options.mesh = mesh;
  return options;
}

// The frame the machine shows, row 0 on top.
std::vector<std::uint32_t> machine_frame(const std::vector<std::uint8_t>& package, const std::vector<std::string>& machine) {
  const ScratchFolder folder("device-picture");
  std::ofstream(folder / "scene.gpkg", std::ios::binary).write(reinterpret_cast<const char*>(package.data()), static_cast<std::streamsize>(package.size()));
  std::vector<std::string> words = {"render", folder / "scene.gpkg", "-o", folder / "frame.png", "--raw", folder / "raw"};
  words.insert(words.end(), machine.begin(), machine.end());
  const Outcome ran = run_gyre(words);
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err << ran.out);
  const std::string rgba = slurp(folder / "raw.rgba");
  BOOST_REQUIRE(!rgba.empty());
  std::vector<std::uint32_t> frame;
  for (std::size_t i = 0; i < rgba.size(); i += 4) {
    auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(rgba[i + k])); };
    frame.push_back(byte(3) << 24 | byte(0) << 16 | byte(1) << 8 | byte(2));
  }
  return frame;
}

int distance(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    most = std::max(most, std::abs(static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255)));
  return most;
}

struct Comparison {
  int covered = 0, coverage = 0, colour = 0;  // pixels either draws; only one draws; both draw, more than 2 apart
};
Comparison compare(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  Comparison out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool in_a = a[i] != kBackground, in_b = b[i] != kBackground;
    out.covered += in_a || in_b;
    if (in_a != in_b) ++out.coverage;
    else if (distance(a[i], b[i]) > 2) ++out.colour;
  }
  return out;
}

// What simtcheck has against the shaders.
std::string findings(const gpu::Image& image) {
  const ScratchFolder folder("device-shaders");
  const std::vector<std::uint8_t> elf = gpu::write_elf(image);
  std::ofstream(folder / "shaders.elf", std::ios::binary).write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  std::string text;
  for (const auto& f : simtcheck::Checker(tools::read_elf(folder / "shaders.elf"), [](std::uint32_t) { return false; }, false).run().findings)
    text += f.function + ": rule " + std::to_string(f.rule) + ": " + f.text + "\n";
  return text;
}

BOOST_AUTO_TEST_SUITE(shader_device_picture)

BOOST_DATA_TEST_CASE(gallery_on_the_machine_and_on_the_cpu, data::make(kPairs), name) {
  const Pair pair = load(name);
  ShowOptions options = options_for("sphere", 128);
  const ShowResult soft = show(pair.vertex, pair.fragment, options);
  BOOST_REQUIRE_MESSAGE(soft.ok, soft.error);
  device::PackageRecorder recorder;
  options.device.sink = &recorder;
  const ShowResult recorded = show(pair.vertex, pair.fragment, options);
  BOOST_REQUIRE_MESSAGE(recorded.ok, recorded.error);
  BOOST_REQUIRE_EQUAL(findings(recorder.image()), "");
  const std::vector<std::uint8_t> package = recorder.package();
  std::vector<std::uint32_t> first;
  for (const Machine& machine : kMachines) {
    BOOST_TEST_CONTEXT(machine.name) {
      const std::vector<std::uint32_t> frame = machine_frame(package, machine.options);
      if (first.empty()) {
        first = frame;
        const Comparison c = compare(frame, soft.words);
        BOOST_TEST_MESSAGE(name << ": " << c.covered << " pixels, coverage differs in " << c.coverage << ", colour in " << c.colour);
        BOOST_TEST(c.covered > 1000);
        BOOST_TEST(c.colour * 1000 <= c.covered);
        BOOST_TEST(c.coverage * 1000 <= c.covered);
      }
      BOOST_TEST((frame == first));  // the picture is the scene's alone
    }
  }
}

// Other shapes: faces seen from the side, an inside behind an outside. Where a pattern has many steep edges for its pixels (five
// texels of a blur on a checker board, holes of a lattice), up to 2 in 1000 pixels land on another side of one.
BOOST_DATA_TEST_CASE(other_meshes, data::make(kPairs) * data::make({"torus", "cube"}), name, mesh) {
  const Pair pair = load(name);
  ShowOptions options = options_for(mesh, 256);
  const ShowResult soft = show(pair.vertex, pair.fragment, options);
  device::PackageRecorder recorder;
  options.device.sink = &recorder;
  BOOST_REQUIRE(soft.ok && show(pair.vertex, pair.fragment, options).ok);
  const Comparison c = compare(machine_frame(recorder.package(), {}), soft.words);
  BOOST_TEST_MESSAGE(name << " on a " << mesh << ": " << c.covered << " pixels, coverage differs in " << c.coverage << ", colour in " << c.colour);
  BOOST_TEST(c.covered > 4000);
  BOOST_TEST(c.colour * 500 <= static_cast<int>(soft.words.size()));
  BOOST_TEST(c.coverage * 500 <= c.covered);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
