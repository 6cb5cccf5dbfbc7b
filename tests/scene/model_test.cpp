// Model files: every format reads, the camera frames the model at any aspect, damaged files end as one UserError.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>

#include "files.h"
#include "isolate.h"
#include "model_reader.h"
#include "package_view.h"
#include "scene.h"
#include "support.h"

namespace {

using namespace gyre::scene;
namespace fs = std::filesystem;

fs::path model_dir() { return gyre::test::source_dir() / "tests/scene/models"; }

// The largest |x / w| and |y / w|, and whether every depth lies in 0..w.
struct Extent {
  float x = 0, y = 0;
  bool depth_inside = true;
  explicit Extent(const PackageView& view) {
    for (std::size_t d = 0; d < view.draws().size(); ++d)
      for (std::uint32_t i = 0; i < view.draws()[d].num_vertices; ++i) {
        const float* p = view.vertices(d)[i].position;
        x = std::max(x, std::abs(p[0] / p[3]));
        y = std::max(y, std::abs(p[1] / p[3]));
        depth_inside = depth_inside && p[3] > 0 && p[2] >= 0 && p[2] <= p[3];
      }
  }
};

BOOST_AUTO_TEST_SUITE(models)

const std::vector<std::string> kCubes{"cube.obj",  "cube.ply", "cube.binary.ply", "cube.dae",
                                      "cube.gltf", "cube.glb", "cube.3ds"};
BOOST_DATA_TEST_CASE(every_format, boost::unit_test::data::make(kCubes), name) {
  const auto bytes = load((model_dir() / name).string());
  const PackageView view(bytes);
  BOOST_TEST(view.width() == kModelWidth);
  BOOST_TEST(view.height() == kModelHeight);
  std::uint32_t triangles = 0;
  for (const auto& draw : view.draws()) {
    triangles += draw.num_vertices / 3;
    BOOST_TEST(draw.depth_func == GYRE_CMP_LESS);
    BOOST_TEST(draw.earlyz_safe == 1u);
    BOOST_TEST(draw.cull_mode == GYRE_CULL_NONE);
    BOOST_TEST(draw.color_rule == GYRE_COLOR_ROUND);
  }
  BOOST_TEST(triangles == 12u);
  const Extent extent(view);
  BOOST_TEST(extent.depth_inside);
  BOOST_TEST(std::max(extent.x, extent.y) < 1.0f);
  BOOST_TEST(std::max(extent.x, extent.y) > 0.85f);
}

BOOST_AUTO_TEST_CASE(pictures_become_mip_chains_of_powers_of_two) {
  const auto bytes = load((model_dir() / "cube.obj").string(), 64, 64);
  const PackageView view(bytes);
  BOOST_REQUIRE(view.textures().size() == 1u);
  BOOST_TEST(view.textures()[0].logdim == 0x00020003u);  // 6x4 becomes 8x4
  BOOST_TEST(view.textures()[0].levels == 4u);
  unsigned textured = 0;
  for (const auto& draw : view.draws()) {
    if (draw.texture == GYRE_PKG_NONE) continue;
    ++textured;
    BOOST_TEST(draw.shader == GYRE_SHADER_MODULATE);
    BOOST_TEST(draw.num_vertices == 12u);
    BOOST_TEST(draw.tex_levels == 4u);
    BOOST_TEST(draw.tex_filter_min == 3u);
  }
  BOOST_TEST(textured == 1u);
}

BOOST_AUTO_TEST_CASE(any_aspect_fits) {
  const std::pair<unsigned, unsigned> sizes[] = {{640, 480}, {480, 640}, {100, 100}, {1000, 50}, {30, 900}, {1, 1}};
  for (const auto& [width, height] : sizes) {
    BOOST_TEST_CONTEXT(width << "x" << height) {
      const auto bytes = load((gyre::test::source_dir() / "scenes/torus.obj").string(), width, height);
      const PackageView view(bytes);
      const Extent extent(view);
      BOOST_TEST(extent.x < 1.0f);
      BOOST_TEST(extent.y < 1.0f);
      BOOST_TEST(std::max(extent.x, extent.y) > 0.85f);
      BOOST_TEST(extent.depth_inside);
    }
  }
}

BOOST_AUTO_TEST_CASE(our_own_models) {
  for (const char* name : {"bunny.obj", "torus.obj"}) {
    const auto bytes = load((gyre::test::source_dir() / "scenes" / name).string());
    const PackageView view(bytes);
    std::uint32_t triangles = 0;
    for (const auto& draw : view.draws()) triangles += draw.num_vertices / 3;
    BOOST_TEST(triangles > 2000u);
    BOOST_TEST(view.textures().size() == 1u);
    for (const auto& draw : view.draws())
      if (draw.texture != GYRE_PKG_NONE) BOOST_TEST(draw.tex_levels == 7u);
  }
}

BOOST_AUTO_TEST_CASE(same_file_same_bytes) {
  const std::string path = (gyre::test::source_dir() / "scenes/bunny.obj").string();
  BOOST_TEST((load(path, 320, 240) == load(path, 320, 240)));
}

BOOST_AUTO_TEST_CASE(children_that_fail) {
  BOOST_CHECK_THROW(run_isolated("x", 5, []() -> std::vector<std::uint8_t> { std::abort(); }), gyre::UserError);
  BOOST_CHECK_THROW(run_isolated("x", 5, []() -> std::vector<std::uint8_t> { throw 3; }), gyre::UserError);
  BOOST_CHECK_EXCEPTION(run_isolated("x", 5, []() -> std::vector<std::uint8_t> { throw gyre::UserError("own words"); }),
                        gyre::UserError,
                        [](const gyre::UserError& error) { return std::string(error.what()) == "own words"; });
  BOOST_TEST(run_isolated("x", 5, [] { return std::vector<std::uint8_t>{}; }).empty());
}

// The importer is code we did not write: whatever it does on damaged input ends as a UserError or a package.
BOOST_DATA_TEST_CASE(mutated_models, boost::unit_test::data::make(kCubes), name) {
  const fs::path folder = fs::temp_directory_path() / "gyre_mutated_models";
  fs::create_directories(folder);
  for (const char* beside : {"cube.bin", "cube.mtl", "checker.png"})
    fs::copy_file(model_dir() / beside, folder / beside, fs::copy_options::overwrite_existing);
  const std::string good = gyre::test::slurp(model_dir() / name);
  std::mt19937 random(31);
  unsigned refused = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string bad = gyre::test::mutate(good, random);
    const fs::path path = folder / ("bad_" + name);
    write_file(path.string(), bad.data(), bad.size());
    refused += gyre::test::refuses([&] { load(path.string(), 32, 32); });
  }
  BOOST_TEST_MESSAGE(name << ": refused " << refused << " of 60");
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
