// Gfx3D scenes: what a YAML file may say, what it draws, and one clear line for everything that is wrong.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>

#include "error.h"
#include "files.h"
#include "gfx3d_scene.h"
#include "gyre_paths.h"

using namespace gyre;
using namespace gyre::shader;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace {

const std::string kFolder = std::string(GYRE_SOURCE_DIR) + "/scenes/gfx3d";

Gfx3dScene parsed(const std::string& text) { return parse_gfx3d_scene(text, "s.yaml", kFolder); }

// Every part in one line, so that a mistake can take the place of one.
struct Parts {
  std::string head = "gfx3d: 1", target = "target: {width: 64, height: 48}", camera = "camera: {eye: [0, 0, 3]}",
              meshes = "meshes: {ball: {shape: sphere}}", textures = "textures: {brick: {file: ../brick.png}}",
              programs = "programs: {lit: {vertex: ../shaders/diffuse.vert, fragment: ../shaders/diffuse.frag}}",
              draws = "draws: [{mesh: ball, program: lit, uniforms: {light: [0, 0, 1]}}]", more;
  std::string text() const {
    std::string out;
    for (const std::string* part : {&head, &target, &camera, &meshes, &textures, &programs, &draws, &more})
      if (!part->empty()) out += *part + "\n";
    return out;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(gfx3d_scene)

BOOST_AUTO_TEST_CASE(everything_is_read) {
  Parts parts;
  parts.camera = "camera: {eye: [1, 2, 3], center: [0, 1, 0], up: [0, 0, 1], fov: 50, near: 0.5, far: 20}";
  parts.meshes = "meshes: {ball: {shape: sphere}, rabbit: {file: ../bunny.obj}, far: {file: ../bunny.obj, fit: no}}";
  parts.textures = "textures: {brick: {file: ../brick.png}, tiles: {checker: [[1, 0, 0], [0, 0, 1]], size: 16}}";
  parts.programs += "\n  # a comment";
  parts.more = "uniforms: {light: [0, 1, 0]}\nmode: compat\nbackground: [0.5, 0, 0.25, 1]";
  parts.draws =
      "draws:\n"
      "  - {mesh: rabbit, program: lit, texture: tiles, translate: [1, 2, 3], rotate: [0, 90, 0], scale: 2, depth: "
      "off, cull: true}\n"
      "  - {mesh: ball, program: lit, scale: [1, 2, 3], viewport: [-5, 3, 20, 10], uniforms: {light: [1, 0, 0]}}";
  const Gfx3dScene scene = parsed(parts.text());
  BOOST_TEST(scene.width == 64);
  BOOST_TEST(scene.height == 48);
  BOOST_TEST(scene.features == kCompat);
  BOOST_TEST(scene.background[2] == 0.25f);
  BOOST_TEST(scene.camera.up[2] == 1.0f);
  BOOST_TEST(scene.camera.fov == 50.0f);
  BOOST_TEST(scene.camera.far_plane == 20.0f);
  BOOST_REQUIRE(scene.meshes.size() == 3u);
  BOOST_TEST(scene.meshes[1].name == "rabbit");
  BOOST_REQUIRE(scene.textures.size() == 2u);
  BOOST_TEST(scene.textures[1].texels[0] == 0xFFFF0000u);
  BOOST_TEST(scene.textures[1].texels[2] == 0xFF0000FFu);
  BOOST_REQUIRE(scene.draws.size() == 2u);
  const SceneDraw& first = scene.draws[0];
  BOOST_TEST(first.mesh == 1);
  BOOST_TEST(first.texture == 1);
  BOOST_TEST(!first.depth);
  BOOST_TEST(first.cull);
  BOOST_TEST(first.uniforms.at(0).values[1] == 1.0f);  // the one for all
  // A point on z comes to x by the turn, twice as far, and is moved.
  BOOST_TEST(std::abs(first.model.m[0][2] - 2.0f) < 1e-5f);
  BOOST_TEST(first.model.m[1][3] == 2.0f);
  BOOST_TEST(scene.draws[1].uniforms.size() == 1u);
  BOOST_TEST(scene.draws[1].uniforms[0].values[0] == 1.0f);  // its own
  BOOST_TEST((*scene.draws[1].viewport)[0] == -5);
  // A fitted model lies between -1 and 1 and touches both along its longest side.
  float low = 9, high = -9;
  for (const SceneVertex& v : scene.meshes[1].vertices)
    for (int k = 0; k < 3; ++k) {
      low = std::min(low, v.position[k]);
      high = std::max(high, v.position[k]);
    }
  BOOST_TEST(std::abs(low + 1) < 1e-5f);
  BOOST_TEST(std::abs(high - 1) < 1e-5f);
  BOOST_TEST(scene.meshes[2].vertices.size() == scene.meshes[1].vertices.size());
}

// The scenes we ship, by both executors.
BOOST_AUTO_TEST_CASE(samples_draw_the_same_on_both_executors) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const Gfx3dScene scene = read_gfx3d_scene(entry.path().string());
    const ScenePicture soft = draw_gfx3d_scene(scene, Executor::kBatched, 2),
                       interp = draw_gfx3d_scene(scene, Executor::kInterpreter, 1);
    BOOST_TEST((soft.color == interp.color), entry.path());
    BOOST_TEST((soft.depth == interp.depth), entry.path());
    BOOST_TEST(soft.stats.fragments > 10000u);
    const std::uint32_t corner = soft.color[0];
    BOOST_TEST(std::count(soft.color.begin(), soft.color.end(), corner) <
                   static_cast<std::ptrdiff_t>(soft.color.size()) * 9 / 10,
               entry.path());
    ++count;
  }
  BOOST_TEST(count >= 8);
}

// Two draws with one program do not see each other's uniforms.
BOOST_AUTO_TEST_CASE(uniforms_belong_to_their_draw) {
  Parts parts;
  parts.target = "target: {width: 60, height: 30}";
  parts.meshes = "meshes: {square: {shape: quad}}";
  parts.draws =
      "draws:\n"
      "  - {mesh: square, program: lit, viewport: [0, 0, 30, 30], uniforms: {light: [0, 0, 1]}}\n"
      "  - {mesh: square, program: lit, viewport: [30, 0, 30, 30]}";
  const ScenePicture picture = draw_gfx3d_scene(parsed(parts.text()), Executor::kBatched, 1);
  const std::uint32_t lit = picture.color[15 * 60 + 15], unlit = picture.color[15 * 60 + 45];
  BOOST_TEST((lit >> 16 & 255) > 200u);
  BOOST_TEST((unlit >> 16 & 255) < 60u);
}

struct Wrong {
  std::string Parts::*part;
  const char* text;
  const char* message;  // begins behind "s.yaml:"
  friend std::ostream& operator<<(std::ostream& out, const Wrong& wrong) { return out << wrong.text; }
};
const Wrong kWrong[] = {
    {&Parts::head, "gfx3d: 2", "1:8: gfx3d: 2 is out of range, 1 to 1 is possible"},
    {&Parts::head, "", "1:1: the key gfx3d is missing"},
    {&Parts::head, "gfx3d: 1\nlights: 3", "2:1: unknown key lights; there are gfx3d, target"},
    {&Parts::head, "gfx3d: 1\ngfx3d: 1", "2:1: key gfx3d is given twice"},
    {&Parts::target, "target: {width: 0, height: 4}", "2:17: target.width: 0 is out of range, 1 to 1920 is possible"},
    {&Parts::target, "target: {width: 64}", "target: the key height is missing"},
    {&Parts::target, "target: {width: wide, height: 4}", "2:17: target.width: a whole number is expected"},
    {&Parts::target, "target: {width: 64.5, height: 4}", "target.width: a whole number is expected"},
    {&Parts::target, "target: {width: 99999999999999999999, height: 4}",
     "target.width: 99999999999999999999 is out of range"},
    {&Parts::target, "target: 64x48", "2:9: target: keys with values are expected: width and height"},
    {&Parts::target, "target: {width: 64, height: 48, depth: 1}",
     "2:33: target: unknown key depth; there are width and height"},
    {&Parts::camera, "camera: {eye: [0, 0]}", "3:15: camera.eye: 2 values, 3 are expected"},
    {&Parts::camera, "camera: {eye: [0, 0, x]}", "3:22: camera.eye[2]: a number is expected"},
    {&Parts::camera, "camera: {eye: [0, 0, .inf]}", "camera.eye[2]: a number is expected"},
    {&Parts::camera, "camera: {eye: 3}", "camera.eye: a list is expected"},
    {&Parts::camera, "camera: {eye: [0, 0, 0]}", "camera: eye and center are one place"},
    {&Parts::camera, "camera: {eye: [0, 3, 0]}", "camera: up points along the view"},
    {&Parts::camera, "camera: {fov: 180}", "camera.fov: 180 is out of range, 1 to 179 is possible"},
    {&Parts::camera, "camera: {near: 5, far: 5}", "camera: near must be smaller than far"},
    {&Parts::meshes, "meshes: {ball: {shape: egg}}",
     "4:24: meshes.ball.shape: egg is not possible here; choose sphere, torus, cube or quad"},
    {&Parts::meshes, "meshes: {ball: {}}", "meshes.ball: a mesh has a shape or a file"},
    {&Parts::meshes, "meshes: {ball: {shape: sphere, file: x.obj}}", "meshes.ball: a mesh has a shape or a file"},
    {&Parts::meshes, "meshes: {ball: {shape: sphere, fit: true}}", "meshes.ball.fit: fit is for files"},
    {&Parts::meshes, "meshes: {ball: {file: [a]}}", "meshes.ball.file: a word is expected"},
    {&Parts::meshes, "meshes: {ball: {shape: sphere}, ball: {shape: cube}}", "4:33: meshes: key ball is given twice"},
    {&Parts::meshes, "meshes: [sphere]", "4:9: meshes: keys with values are expected"},
    {&Parts::meshes, "", "draws[0].mesh: no mesh is called ball; there is none"},
    {&Parts::textures, "textures: {brick: {checker: [[1, 0, 0]]}}", "textures.brick.checker: 1 values, 2 are expected"},
    {&Parts::textures, "textures: {brick: {checker: [[1, 0, 0], [2, 0, 0]]}}",
     "textures.brick.checker[1][0]: 2 is out of range, 0 to 1"},
    {&Parts::textures, "textures: {brick: {file: ../brick.png, size: 8}}", "textures.brick.size: size is for checkers"},
    {&Parts::textures, "textures: {brick: {}}", "textures.brick: a texture has a file or a checker"},
    {&Parts::programs, "programs: {lit: {vertex: ../shaders/diffuse.vert}}",
     "programs.lit: the key fragment is missing"},
    {&Parts::programs, "programs: {lit: {vertex: ../shaders/diffuse.frag, fragment: ../shaders/diffuse.frag}}",
     "programs.lit.vertex: ../shaders/diffuse.frag is a fragment shader"},
    {&Parts::draws, "", "1:1: the key draws is missing"},
    {&Parts::draws, "draws: []", "7:8: draws: 0 values, 1 to 256 are possible"},
    {&Parts::draws, "draws: {mesh: ball}", "draws: a list is expected"},
    {&Parts::draws, "draws: [{program: lit}]", "draws[0]: the key mesh is missing"},
    {&Parts::draws, "draws: [{mesh: bal, program: lit}]", "7:16: draws[0].mesh: no mesh is called bal; there are ball"},
    {&Parts::draws, "draws: [{mesh: ball, program: toon}]",
     "draws[0].program: no program is called toon; there are lit"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, texture: t}]",
     "draws[0].texture: no texture is called t; there are brick"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, colour: red}]", "draws[0]: unknown key colour"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, scale: 0}]", "draws[0].scale: a scale of 0"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, rotate: 90}]", "draws[0].rotate: a list is expected"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, depth: 2}]",
     "draws[0].depth: 2 is not possible here; choose true, false"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, viewport: [0, 0, -1, 4]}]",
     "draws[0].viewport[2]: -1 is out of range"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, uniforms: {light: [0, 1]}}]",
     "draws[0].uniforms.light: 2 numbers for a vec3, 3 are needed"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, uniforms: {lite: 1}}]",
     "draws[0].uniforms.lite: no shader has a uniform lite; there are vec3 light"},
    {&Parts::draws, "draws: [{mesh: ball, program: lit, uniforms: {view: 1}}]",
     "draws[0].uniforms.view: view is set by the camera"},
    {&Parts::more, "uniforms: {time: 1}", "uniforms.time: no shader has a uniform time"},
    {&Parts::more, "background: [0, 0, 0]", "background: 3 values, 4 are expected"},
    {&Parts::more, "mode: loose", "mode: loose is not possible here; choose strict or compat"},
    {&Parts::more, "? [a, b]\n: 3", "a key must be a word"},
    {&Parts::more, "x: [1, 2", "not well-formed YAML"},
    {&Parts::more, "---\na: 1", "more than one YAML document"},
    {&Parts::more, "x: *nobody", "not well-formed YAML"},
};
BOOST_DATA_TEST_CASE(mistakes, data::make(kWrong)) {
  Parts parts;
  parts.*sample.part = sample.text;
  const auto tells = [&](const UserError& error) {
    const std::string text = error.what();
    BOOST_TEST(text.rfind("s.yaml", 0) == 0u, text);
    BOOST_TEST(text.find(sample.message) != std::string::npos, text << "\nshould say\n" << sample.message);
    BOOST_TEST(text.find('\n') == std::string::npos);
    return true;
  };
  BOOST_CHECK_EXCEPTION(parsed(parts.text()), UserError, tells);
}

// Mistakes in the files a scene names are told with their own names.
BOOST_AUTO_TEST_CASE(mistakes_in_other_files) {
  const auto says = [](Parts parts, const std::string& named) {
    const auto tells = [&](const std::exception& error) {
      BOOST_TEST(std::string(error.what()).find(named) != std::string::npos, error.what() << " should name " << named);
      return true;
    };
    BOOST_CHECK_EXCEPTION(parsed(parts.text()), std::exception, tells);
  };
  Parts parts;
  parts.meshes = "meshes: {ball: {file: nowhere.obj}}";
  says(parts, "nowhere.obj");
  for (const auto& entry : fs::directory_iterator(std::string(GYRE_SOURCE_DIR) + "/tests/bad/model")) {
    parts.meshes = "meshes: {ball: {file: \"" + entry.path().string() + "\"}}";
    says(parts, entry.path().filename().string());
  }
  parts = {};
  parts.textures = "textures: {brick: {file: ../bunny.obj}}";
  says(parts, "bunny.obj");
  parts = {};
  parts.programs = "programs: {lit: {vertex: nowhere.vert, fragment: ../shaders/diffuse.frag}}";
  says(parts, "nowhere.vert: error: the file cannot be read");
  parts.programs = "programs: {lit: {vertex: ../shaders/mvp.vert, fragment: ../shaders/diffuse.frag}}";
  says(parts, "missing varying");
}

BOOST_AUTO_TEST_CASE(tables_have_ends) {
  Parts parts;
  parts.textures = "textures:";
  for (int i = 0; i < 25; ++i) parts.textures += "\n  t" + std::to_string(i) + ": {checker: [[0, 0, 0], [1, 1, 1]]}";
  const auto tells = [](const UserError& error) {
    return std::string(error.what()).find("more than 24 textures") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(parsed(parts.text()), UserError, tells);
}

// Damaged files: an error, or a scene; nothing else.
BOOST_AUTO_TEST_CASE(any_bytes) {
  std::mt19937 random(12);
  const std::string good = Parts().text();
  BOOST_TEST(parsed(good).draws.size() == 1u);
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::string bad = good;
    for (int i = 0, n = 1 + static_cast<int>(random() % 3); i < n; ++i) {
      const std::size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0:
          bad[at] = static_cast<char>(random());
          break;
        case 1:
          bad.erase(at, 1 + random() % 6);
          break;
        case 2:
          bad.insert(at, 1, "[]{}:,&*!|>-? \n#'\"%@`"[random() % 22]);
          break;
        default:
          bad.insert(at, good.substr(random() % good.size(), random() % 10));
          break;
      }
      if (bad.empty()) bad = " ";
    }
    try {
      parsed(bad);
    } catch (const UserError& error) {
      ++refused;
      BOOST_TEST(std::string(error.what()).find('\n') == std::string::npos);
    } catch (const ShaderMistake&) {
      ++refused;
    }
  }
  BOOST_TEST(refused > 300);
  for (const std::string& text : {std::string(2000, '['), std::string(2000, '{'), std::string(2000, '-'),
                                  std::string("\xFF\xFE\x00\x01", 4), std::string()})
    BOOST_CHECK_THROW(parsed(text), UserError);
}

BOOST_AUTO_TEST_SUITE_END()
