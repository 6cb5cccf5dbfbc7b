// Whole pictures: the batched renderer gives the interpreter's, on any number of threads, on every build of its loops, in every
// combination of feature bits.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "gyre_paths.h"
#include "render_support.h"
#include "shader_file.h"
#include "show.h"

namespace {

using namespace gyre::shader;
using namespace gyre::test;

struct Picture {
  std::vector<std::uint32_t> color;
  std::vector<float> depth;
  std::uint64_t fragments = 0;
  bool operator==(const Picture& other) const {
    return color == other.color && fragments == other.fragments &&
           std::memcmp(depth.data(), other.depth.data(), depth.size() * sizeof(float)) == 0;
  }
};

// Many overlapping triangles, large and tiny, some with a W of their own, some of them discarded in part.
Picture soup(std::uint32_t features, Executor executor, int threads, unsigned seed) {
  Gfx3dOptions options = Stage3d::with(features);
  options.executor = executor;
  options.threads = threads;
  Stage3d stage(options, 150, 100, kPlainVertex,
                "in vec4 c; out vec4 color; void main() { float k = gl_FragCoord.x * 0.37 + gl_FragCoord.y * gl_FragCoord.w;"
                " if (sin(k) > 0.7) discard; vec4 v = c; if (c.x > c.y) v = c.wzyx * gl_FragCoord.z; color = v * 1.2 - 0.05; }");
  stage.clear();
  std::mt19937 random(seed);
  const auto unit = [&](float scale) { return (static_cast<float>(random() % 20001) / 10000.0f - 1.0f) * scale; };
  std::vector<Corner> corners;
  for (int i = 0; i < 150; ++i) {
    const float x = unit(1.1f), y = unit(1.1f), size = i % 5 == 0 ? 1.5f : i % 3 == 0 ? 0.02f : 0.2f;
    for (int k = 0; k < 3; ++k) {
      const float w = i % 7 == 0 ? unit(2.0f) : 1.0f + unit(0.5f);
      corners.push_back({{(x + unit(size)) * w, (y + unit(size)) * w, unit(1.0f), w}, {unit(1), unit(1), unit(1), 1}});
    }
  }
  stage.device.cull(1, stage.context, seed % 2 != 0);
  stage.device.depth(1, stage.context, seed % 3 != 0);
  stage.device.viewport(1, stage.context, 5, -7, 140, 90);
  stage.draw(corners);
  return {stage.read(), stage.read_depth(), stage.device.stats().fragments};
}

BOOST_AUTO_TEST_SUITE(executor_picture)

BOOST_AUTO_TEST_CASE(soups) {
  std::mt19937 random(17);
  for (unsigned round = 0; round < 24; ++round) {
    const std::uint32_t features = round == 0 ? kStrict : round == 1 ? kCompat : random() & kStrict;
    const Picture expected = soup(features, Executor::kInterpreter, 1, round);
    BOOST_TEST(expected.fragments > 1000u);
    BOOST_TEST((soup(features, Executor::kBatched, 1, round) == expected), features);
    BOOST_TEST((soup(features, Executor::kBatched, 3, round) == expected), features);
  }
}

BOOST_AUTO_TEST_CASE(gallery) {
  int pairs = 0;
  for (const char* name : {"constant", "mvp", "texture", "diffuse", "toon", "blur", "cutout", "sine", "normals"}) {
    const std::string base = std::string(GYRE_SOURCE_DIR "/scenes/shaders/") + name;
    const LoadedShader vertex = load_shader(base + ".vert"), fragment = load_shader(base + ".frag");
    BOOST_REQUIRE_MESSAGE(vertex.shader && fragment.shader, vertex.log << fragment.log);
    for (const std::uint32_t features : {kStrict, kCompat})
      for (const char* mesh : {"sphere", "cube", "torus", "quad"}) {
        ShowOptions options;
        options.width = 90;
        options.height = 70;
        options.mesh = mesh;
        options.device.features = features;
        options.device.executor = Executor::kInterpreter;
        const ShowResult expected = show(*vertex.shader, *fragment.shader, options);
        BOOST_REQUIRE_MESSAGE(expected.ok, expected.error);
        options.device.executor = Executor::kBatched;
        const ShowResult found = show(*vertex.shader, *fragment.shader, options);
        BOOST_TEST((found.words == expected.words), name << " on " << mesh);
        pairs += found.stats.fragments > 0;
      }
  }
  BOOST_TEST(pairs >= 9 * 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
