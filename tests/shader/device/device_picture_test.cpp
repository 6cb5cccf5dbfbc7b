// Shader pairs of the gallery on the whole platform, against the CPU renderer: the same pixels but for edges that snap.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "checker.h"
#include "elf_writer.h"
#include "gyre_paths.h"
#include "machines.h"
#include "package.h"
#include "package_recorder.h"
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
std::vector<std::uint32_t> machine_frame(const std::vector<std::uint8_t>& package,
                                         const std::vector<std::string>& machine) {
  const ScratchFolder folder("device-picture");
  std::ofstream(folder / "scene.gpkg", std::ios::binary)
      .write(reinterpret_cast<const char*>(package.data()), static_cast<std::streamsize>(package.size()));
  std::vector<std::string> words = {"render", folder / "scene.gpkg", "-o", folder / "frame.png",
                                    "--raw",  folder / "raw"};
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
    if (in_a != in_b)
      ++out.coverage;
    else if (distance(a[i], b[i]) > 2)
      ++out.colour;
  }
  return out;
}

// What simtcheck has against the shaders.
std::string findings(const gpu::Image& image) {
  const ScratchFolder folder("device-shaders");
  const std::vector<std::uint8_t> elf = gpu::write_elf(image);
  std::ofstream(folder / "shaders.elf", std::ios::binary)
      .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  std::string text;
  for (const auto& f : simtcheck::Checker(
                           tools::read_elf(folder / "shaders.elf"), [](std::uint32_t) { return false; }, false)
                           .run()
                           .findings)
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
        BOOST_TEST_MESSAGE(name << ": " << c.covered << " pixels, coverage differs in " << c.coverage << ", colour in "
                                << c.colour);
        BOOST_TEST(c.covered > 1000);
        BOOST_TEST(c.colour * 1000 <= c.covered);
        BOOST_TEST(c.coverage * 1000 <= c.covered);
      }
      BOOST_TEST((frame == first));  // the picture is the scene's alone
    }
  }
}

// Both windings, culled and not, partly outside the viewport and the near plane: the machine covers what the CPU
// covers.
BOOST_AUTO_TEST_CASE(facing_and_viewport) {
  const Pair pair = load("constant");
  for (const int cull : {0, 1}) {
    std::vector<std::uint32_t> frames[2];
    for (const bool machine : {false, true}) {
      device::PackageRecorder recorder;
      Gfx3dOptions options;
      if (machine) options.sink = &recorder;
      Gfx3d gfx(options);
      const Handle context = gfx.context_create(1), target = gfx.target_create(1, 96, 64),
                   program = gfx.program_create(1);
      BOOST_REQUIRE(gfx.program_build(1, program, "in vec4 p; void main() { gl_Position = p; }",
                                      "out vec4 o; void main() { o = vec4(1.0, 0.5, 0.25, 1.0); }") == 0);
      const float v[9][4] = {{-0.9f, -0.8f, 0, 1}, {-0.1f, -0.8f, 0, 1}, {-0.5f, 0.7f, 0, 1},   // counter-clockwise
                             {0.1f, -0.8f, 0, 1},  {0.5f, 0.7f, 0, 1},   {0.9f, -0.8f, 0, 1},   // clockwise
                             {-3, -0.3f, 0, 1.5f}, {4, -0.2f, 0, 2},     {0.2f, 1.1f, -2, 1}};  // beyond all borders
      const Handle mesh = gfx.mesh_upload(1, v, 9, {16, {{0, 4, 0}}}, nullptr, 0);
      gfx.begin(1, context, target);
      gfx.clear(1, context, 0.09f, 0.10f, 0.13f, 1, 1);
      gfx.use_program(1, context, program);
      gfx.cull(1, context, cull);
      gfx.viewport(1, context, 10, 5, 70, 50);
      BOOST_REQUIRE_MESSAGE(gfx.draw(1, context, mesh) == 0, gfx.last_error());
      std::vector<std::uint32_t>& frame = frames[machine ? 1 : 0];
      frame.resize(96 * 64);
      if (machine)
        frame = machine_frame(recorder.package(), {});
      else
        gfx.target_read(1, target, frame.data(), frame.size());
    }
    const Comparison c = compare(frames[0], frames[1]);
    BOOST_TEST_MESSAGE("cull " << cull << ": " << c.covered << " pixels, coverage differs in " << c.coverage);
    BOOST_TEST(c.covered > 500);
    BOOST_TEST(c.colour == 0);
    BOOST_TEST(c.coverage <= 4);
  }
}

// Shaders that are no image, that lack a kernel, that fault: it is said, and nothing hangs.
BOOST_AUTO_TEST_CASE(packages_with_bad_shaders) {
  const Pair pair = load("mvp");
  ShowOptions options = options_for("cube", 64);
  device::PackageRecorder recorder;
  options.device.sink = &recorder;
  BOOST_REQUIRE(show(pair.vertex, pair.fragment, options).ok);
  const std::vector<std::uint8_t> good = recorder.package();
  gyre_pkg_header header;
  std::memcpy(&header, good.data(), sizeof header);
  auto refused = [&](const char* why, std::size_t at, std::initializer_list<std::uint8_t> bytes,
                     const std::string& part) {
    std::vector<std::uint8_t> bad = good;
    std::copy(bytes.begin(), bytes.end(), bad.begin() + static_cast<std::ptrdiff_t>(at));
    const ScratchFolder folder("bad-shaders");
    std::ofstream(folder / "s.gpkg", std::ios::binary)
        .write(reinterpret_cast<const char*>(bad.data()), static_cast<std::streamsize>(bad.size()));
    const Outcome ran = run_gyre({"render", folder / "s.gpkg", "-o", folder / "f.png"}, 60);
    BOOST_TEST(ran.code == 1, why);
    BOOST_TEST(ran.err.find(part) != std::string::npos, why << ": " << ran.err);
    for (std::size_t line = 0; line < ran.err.size(); line = ran.err.find('\n', line) + 1)
      BOOST_TEST(ran.err.compare(line, 6, "gyre: ") == 0, ran.err);
  };
  const std::size_t image = header.shaders_offset;
  refused("addresses", image, {0, 0, 0, 0}, "bad image");
  refused("no name", image + header.shaders_bytes - 8, {'X'}, "a draw's shaders");
  refused("no code", image + 16 + 4 * 9, {0, 0, 0, 0}, "ILLEGAL_INSTR");
}

// Other shapes: faces seen from the side, an inside behind an outside. Where a pattern has many steep edges for its
// pixels (five texels of a blur on a checker board, holes of a lattice), up to 2 in 1000 pixels land on another side of
// one.
BOOST_DATA_TEST_CASE(other_meshes, data::make(kPairs) * data::make({"torus", "cube"}), name, mesh) {
  const Pair pair = load(name);
  ShowOptions options = options_for(mesh, 256);
  const ShowResult soft = show(pair.vertex, pair.fragment, options);
  device::PackageRecorder recorder;
  options.device.sink = &recorder;
  BOOST_REQUIRE(soft.ok && show(pair.vertex, pair.fragment, options).ok);
  const Comparison c = compare(machine_frame(recorder.package(), {}), soft.words);
  BOOST_TEST_MESSAGE(name << " on a " << mesh << ": " << c.covered << " pixels, coverage differs in " << c.coverage
                          << ", colour in " << c.colour);
  BOOST_TEST(c.covered > 4000);
  BOOST_TEST(c.colour * 500 <= static_cast<int>(soft.words.size()));
  BOOST_TEST(c.coverage * 500 <= c.covered);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
