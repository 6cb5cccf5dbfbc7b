// The checklist of csir.md §18 that needs a renderer, each in STRICT and COMPAT. (Mathematics, sampler, verifier, CSI,
// optimiser, control flow and remap stand in the tests of those parts.)
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "interpreter.h"
#include "render_support.h"
#include "soft_triangle.h"

namespace {

using namespace gyre::shader;
using namespace gyre::test;
namespace data = boost::unit_test::data;
const std::vector<std::uint32_t> kModes{kStrict, kCompat};

constexpr std::array<float, 6> kClockwise = {-1, -1, -1, 1, 1, -1}, kCounter = {-1, -1, 1, -1, -1, 1};

BOOST_AUTO_TEST_SUITE(checklist)

BOOST_DATA_TEST_CASE(discard_keeps_colour_and_depth, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8, kPlainVertex, "in vec4 c; out vec4 color; void main() { color = c; if (gl_FragCoord.x < 4.0) discard; }");
  stage.clear(0, 0, 1);
  BOOST_TEST(stage.draw(triangle(kWhole, kRed, -0.5f)) == 0);
  BOOST_TEST(stage.pixel(1, 4) == kBlueWord);
  BOOST_TEST(stage.pixel(6, 4) == kRedWord);
  const auto depth = stage.read_depth();
  BOOST_TEST(depth[4 * 8 + 1] == 1.0f);
  BOOST_TEST(depth[4 * 8 + 6] < 1.0f);
}

BOOST_DATA_TEST_CASE(equal_depth_loses_and_order_does_not_matter_otherwise, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8);
  stage.clear();
  stage.draw(triangle(kWhole, kRed, 0.25f));
  stage.draw(triangle(kWhole, kGreen, 0.25f));
  BOOST_TEST(stage.count(kRedWord) == 64);
  stage.draw(triangle(kWhole, kBlue, 0.125f));
  BOOST_TEST(stage.count(kBlueWord) == 64);
  stage.draw(triangle(kWhole, kGreen, 0.5f));
  BOOST_TEST(stage.count(kBlueWord) == 64);
}

BOOST_DATA_TEST_CASE(depth_disabled, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8);
  stage.clear();
  stage.draw(triangle(kWhole, kRed, -0.5f));
  BOOST_TEST(stage.device.depth(1, stage.context, 0) == 0);
  stage.draw(triangle(kWhole, kGreen, 0.5f));
  BOOST_TEST(stage.count(mode == kStrict ? kGreenWord : kRedWord) == 64);
  // Without the flag STRICT writes no depth either: the first triangle's is still there.
  stage.device.depth(1, stage.context, 1);
  stage.draw(triangle(kWhole, kBlue, 0.0f));
  BOOST_TEST(stage.count(mode == kStrict ? kGreenWord : kRedWord) == 64);
}

BOOST_DATA_TEST_CASE(clear_and_the_depth_flag, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8);
  stage.device.depth(1, stage.context, 0);
  stage.clear();  // leaves the flag off
  stage.draw(triangle(kWhole, kRed, -0.5f));
  stage.draw(triangle(kWhole, kGreen, 0.5f));
  BOOST_TEST(stage.count(mode == kStrict ? kGreenWord : kRedWord) == 64);
  BOOST_TEST(stage.device.clear(1, stage.context, 0, 0, 0, 1, 1) == 0);  // turns it on
  stage.draw(triangle(kWhole, kRed, -0.5f));
  stage.draw(triangle(kWhole, kGreen, 0.5f));
  BOOST_TEST(stage.count(kRedWord) == 64);
}

BOOST_DATA_TEST_CASE(cull_and_winding, data::make(kModes), mode) {
  for (const bool cull : {false, true})
    for (const bool counter : {false, true}) {
      Stage3d stage(mode, 16, 16);
      stage.clear();
      stage.device.cull(1, stage.context, cull);
      stage.draw(triangle(counter ? kCounter : kClockwise, kRed));
      const bool drawn = counter || !cull || mode == kCompat;
      BOOST_TEST((stage.count(kRedWord) > 100) == drawn, cull << " " << counter);
    }
}

BOOST_DATA_TEST_CASE(viewport, data::make(kModes), mode) {
  Stage3d stage(mode, 16, 16);
  const auto drawn_in = [&](int x, int y, int w, int h) {
    stage.clear();
    BOOST_TEST(stage.device.viewport(1, stage.context, x, y, w, h) == 0);
    stage.draw(triangle(kWhole, kRed));
    const auto pixels = stage.read();
    for (int py = 0; py < 16; ++py)
      for (int px = 0; px < 16; ++px) {
        const bool inside = mode == kCompat || (px >= x && px < x + w && py >= y && py < y + h);
        BOOST_REQUIRE((pixels[static_cast<std::size_t>(py * 16 + px)] == kRedWord) == inside);
      }
  };
  drawn_in(0, 0, 16, 16);
  drawn_in(4, 2, 8, 6);
  drawn_in(-4, -4, 12, 12);
  drawn_in(12, 12, 12, 12);
  drawn_in(0, 0, 0, 0);
  drawn_in(40, 0, 8, 8);
  BOOST_TEST(stage.device.viewport(1, stage.context, 0, 0, -1, 4) == -1);
  // begin goes back to the whole target.
  BOOST_TEST(stage.device.begin(1, stage.context, stage.target) == 0);
  stage.clear();
  stage.draw(triangle(kWhole, kRed));
  BOOST_TEST(stage.count(kRedWord) == 256);
}

// STRICT: the picture moves with the viewport; its corner pixels are those of the small picture.
BOOST_AUTO_TEST_CASE(viewport_maps_coordinates) {
  Stage3d small(kStrict, 16, 16), large(kStrict, 32, 32);
  small.clear();
  small.draw(triangle(kSeed, kRed));
  large.clear();
  large.device.viewport(1, large.context, 8, 4, 16, 16);
  large.draw(triangle(kSeed, kRed));
  const auto a = small.read(), b = large.read();
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) BOOST_REQUIRE(a[static_cast<std::size_t>(y * 16 + x)] == b[static_cast<std::size_t>((y + 4) * 32 + x + 8)]);
}

BOOST_DATA_TEST_CASE(small_w, data::make(kModes), mode) {
  for (const float w : {0.0f, 0.9e-5f, -0.9e-5f, 1.1e-5f, -1.1e-5f, 1.0f, -1.0f}) {
    Stage3d stage(mode, 8, 8);
    stage.clear();
    // z 0 is inside for every positive w
    BOOST_TEST(stage.draw(triangle(kWhole, kRed, 0.0f, w)) == 0);
    const bool drawn = mode == kStrict ? w >= 1e-5f : std::fabs(w) >= 1e-5f;
    BOOST_TEST(stage.count(kRedWord) == (drawn ? 64 : 0), w);
  }
}

BOOST_AUTO_TEST_CASE(small_w_of_the_proof_renderer) {
  Program program;
  BOOST_REQUIRE(program.link(*compile("in vec4 p; void main() { gl_Position = p; }", Stage::kVertex).shader,
                             *compile("out vec4 c; void main() { c = vec4(1.0); }", Stage::kFragment).shader));
  std::vector<std::uint32_t> pixels(129 * 129);
  const auto with_w = [&](float w) {
    float corners[3][32] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i][0] = kSeed[2 * i] * w;
      corners[i][1] = kSeed[2 * i + 1] * w;
      corners[i][3] = w;
    }
    return soft_triangle(program, corners[0], corners[1], corners[2], 4, pixels.data(), 8, 8, nullptr);
  };
  BOOST_TEST(with_w(0.9e-4f) == -1);
  BOOST_TEST(with_w(-0.9e-4f) == -1);
  BOOST_TEST(with_w(1.1e-4f) == 0);
  BOOST_TEST(with_w(-1.1e-4f) == 0);
}

// A floor from behind the eye to the distance. STRICT cuts it at the near plane; COMPAT projects the corner behind the
// eye to the other side.
BOOST_DATA_TEST_CASE(near_plane_crossing, data::make(kModes), mode) {
  const Mat4 projection = mat4_perspective(90, 1, 0.5f, 10);
  std::vector<Corner> floor;
  const float points[3][3] = {{-8, -1, -8}, {8, -1, -8}, {0, -1, 4}};
  for (const auto& point : points) {
    const float world[4] = {point[0], point[1], point[2], 1};
    Corner corner{{}, {1, 0, 0, 1}};
    mat4_apply(projection, world, corner.position);
    floor.push_back(corner);
  }
  Stage3d stage(mode, 32, 32);
  stage.clear();
  BOOST_TEST(stage.draw(floor) == 0);
  const auto pixels = stage.read();
  int above = 0, below = 0;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) (y < 16 ? above : below) += pixels[static_cast<std::size_t>(y * 32 + x)] == kRedWord;
  if (mode == kStrict) {
    BOOST_TEST(above == 0);      // a floor is below the horizon
    BOOST_TEST(below > 32 * 8);  // and reaches the lower edge of the picture
    for (int x = 0; x < 32; ++x) BOOST_TEST(pixels[static_cast<std::size_t>(31 * 32 + x)] == kRedWord);
  } else {
    BOOST_TEST(above + below < 32 * 16);
    BOOST_TEST(pixels[31 * 32 + 16] != kRedWord);
  }
}

BOOST_AUTO_TEST_CASE(far_plane_is_clipped_in_strict) {
  Stage3d strict(kStrict, 8, 8);
  strict.clear();
  strict.draw(triangle(kWhole, kRed, 1.5f));
  BOOST_TEST(strict.count(kRedWord) == 0);
  strict.draw(triangle(kWhole, kRed, -1.5f));
  BOOST_TEST(strict.count(kRedWord) == 0);
  Stage3d compat(kCompat, 8, 8);
  compat.clear();
  compat.draw(triangle(kWhole, kRed, -1.5f));
  BOOST_TEST(compat.count(kRedWord) == 64);
}

struct Packing {
  std::array<float, 4> color;
  std::uint32_t strict, compat;
  friend std::ostream& operator<<(std::ostream& out, const Packing& p) { return out << p.color[0] << ' ' << p.color[1] << ' ' << p.color[2] << ' ' << p.color[3]; }
};
const float kNan = std::nanf(""), kInf = INFINITY;
const Packing kPackings[] = {
    {{1.112f, 0.1f, 0.1f, 1}, 0xFFFF1A1A, 0xFF1B1919},
    {{0.5f, 0.5f, 0.5f, 1}, 0xFF808080, 0xFF7F7F7F},
    {{-0.5f, 0, 0, 1}, 0xFF000000, 0xFF810000},
    {{0, 0, 0, 0}, 0, 0},
    {{1, 1, 1, 1}, 0xFFFFFFFF, 0xFFFFFFFF},
    {{kNan, 0, 0, 1}, 0xFF000000, 0xFF000000},
    {{kInf, -kInf, 1, 1}, 0xFFFF00FF, 0xFF0000FF},
    {{0, 2, 0, 1}, 0xFF00FF00, 0xFF01FE00},          // 510 reaches into red
    {{0, 0, -1, 1}, 0xFF000000, 0xFFFFFF01},         // -255 fills the upper fields
    {{0, 0, 2e7f, 0}, 0x000000FF, 805032960},        // 5100000256 modulo 2^32
};

BOOST_DATA_TEST_CASE(colours_outside_0_1_in_draw, data::make(kModes) * data::make(kPackings), mode, packing) {
  Stage3d stage(mode, 4, 4, kPlainVertex, "in vec4 c; uniform vec4 paint; out vec4 color; void main() { color = paint; }");
  stage.clear(0.2f, 0.2f, 0.2f);
  BOOST_TEST(stage.device.uniform(1, stage.context, "paint", packing.color.data(), 4) == 0);
  stage.draw(triangle(kWhole, kRed));
  BOOST_TEST(stage.pixel(1, 1) == (mode == kStrict ? packing.strict : packing.compat));
}

BOOST_DATA_TEST_CASE(colours_outside_0_1_in_clear, data::make(kModes), mode) {
  Stage3d stage(mode, 4, 4);
  const bool strict = mode == kStrict;
  stage.clear(0.5f, -3, 0, 1);
  BOOST_TEST(stage.pixel(0, 0) == (strict ? 0xFF800000u : 0xFF7F0000u));
  stage.clear(1.112f, 0.1f, 0.1f, 1);
  BOOST_TEST(stage.pixel(0, 0) == (strict ? 0xFFFF1A1Au : 0xFF1B1919u));
  stage.clear(0, 2, 0, 1);
  BOOST_TEST(stage.pixel(0, 0) == (strict ? 0xFF00FF00u : 0xFF01FE00u));
}

BOOST_DATA_TEST_CASE(draw_before_clear, data::make(kModes), mode) {
  for (const std::uint32_t fill : {0xA5A5A5A5u, 0x3F800000u, 0x00000000u}) {
    Gfx3dOptions options = Stage3d::with(mode);
    options.compat_fill = fill;
    Stage3d stage(options, 8, 8);
    for (const bool resized : {false, true}) {
      if (resized) {
        stage.clear(1, 1, 1);
        BOOST_TEST(stage.device.target_resize(1, stage.target, 8, 8) == 0);
      }
      BOOST_TEST(stage.pixel(0, 0) == (mode == kStrict ? 0u : fill));
      stage.draw(triangle(kWhole, kRed, 0.25f));
      // COMPAT compares with what the pattern means as a float: about -2.9e-16, 1, 0.
      const bool drawn = mode == kStrict || fill == 0x3F800000u;
      BOOST_TEST(stage.pixel(3, 3) == (drawn ? kRedWord : fill));
    }
  }
}

// Literal formula against window depth.
BOOST_DATA_TEST_CASE(depth_formula, data::make(kModes), mode) {
  Stage3d stage(mode, 8, 8);
  stage.clear();
  stage.draw(triangle(kWhole, kRed, 0.5f, 2.0f));  // NDC z 0.25
  const float depth = stage.read_depth()[3 * 8 + 3];
  BOOST_TEST(std::fabs(depth - (mode == kStrict ? 0.625f : 0.5f)) < 1e-5f);
  // With near 0.1 and far 200 clip z passes 1.0 at 1.2 units: COMPAT draws nothing farther away.
  const Mat4 projection = mat4_perspective(60, 1, 0.1f, 200);
  for (const float distance : {0.5f, 1.1f, 1.3f, 5.0f, 150.0f}) {
    stage.clear();
    const float reach = 4 * distance;
    std::vector<Corner> corners;
    const float points[3][2] = {{-reach, -reach}, {reach, -reach}, {0, reach}};
    for (const auto& p : points) {
      const float eye[4] = {p[0], p[1], -distance, 1};
      Corner corner{{}, {1, 0, 0, 1}};
      mat4_apply(projection, eye, corner.position);
      corners.push_back(corner);
    }
    stage.draw(corners);
    BOOST_TEST((stage.pixel(4, 4) == kRedWord) == (mode == kStrict || distance < 1.2f), distance);
  }
}

// Two triangles over a common edge: STRICT draws every pixel once, COMPAT those near the edge twice.
BOOST_DATA_TEST_CASE(fill_rule, data::make(kModes), mode) {
  std::mt19937 random(3);
  int twice = 0;
  for (int round = 0; round < 100; ++round) {
    Stage3d stage(mode, 16, 16);
    stage.device.depth(1, stage.context, 0);
    const auto grid = [&] { return static_cast<float>(static_cast<int>(random() % 33) - 16) / 16.0f; };
    const float x[4] = {-1.5f, grid(), 1.5f, grid()}, y[4] = {grid(), -1.5f, grid(), 1.5f};
    std::vector<int> seen(256);
    for (int half = 0; half < 2; ++half) {
      stage.clear();
      stage.draw(triangle({x[half], y[half], x[half + 1], y[half + 1], x[3], y[3]}, kRed));
      const auto pixels = stage.read();
      for (std::size_t i = 0; i < 256; ++i) seen[i] += pixels[i] == kRedWord;
    }
    for (const int n : seen) twice += n > 1;
  }
  if (mode == kStrict) BOOST_TEST(twice == 0);
  else BOOST_TEST(twice > 0);
}

// Inside a fan around a point every pixel is covered: no gaps.
BOOST_AUTO_TEST_CASE(strict_fans_have_no_gaps) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    Stage3d stage(kStrict, 16, 16);
    stage.clear();
    const auto inner = [&] { return static_cast<float>(static_cast<int>(random() % 257) - 128) / 200.0f; };
    const float x[5] = {inner(), -2, 2, 2, -2}, y[5] = {inner(), -2, -2, 2, 2};
    for (int i = 1; i <= 4; ++i) stage.draw(triangle({x[0], y[0], x[i], y[i], x[i % 4 + 1], y[i % 4 + 1]}, kRed, -0.1f * static_cast<float>(i)));
    BOOST_REQUIRE(stage.count(kRedWord) == 256);
  }
}

BOOST_AUTO_TEST_CASE(sizes) {
  Program program;
  BOOST_REQUIRE(program.link(*compile("in vec4 p; void main() { gl_Position = p; }", Stage::kVertex).shader,
                             *compile("out vec4 c; void main() { c = vec4(1.0); }", Stage::kFragment).shader));
  const float corner[32] = {0, 0, 0, 1};
  std::vector<std::uint32_t> pixels(129 * 129);
  const auto proof = [&](int w, int h, int stride = 4) { return soft_triangle(program, corner, corner, corner, stride, pixels.data(), w, h, nullptr); };
  BOOST_TEST(proof(128, 128) == 0);
  BOOST_TEST(proof(1, 1) == 0);
  for (const auto& [w, h] : {std::pair{129, 128}, {128, 129}, {0, 4}, {4, 0}, {-1, 4}}) BOOST_TEST(proof(w, h) == -1);
  BOOST_TEST(proof(8, 8, 3) == -1);
  BOOST_TEST(soft_triangle(Program(), corner, corner, corner, 4, pixels.data(), 8, 8, nullptr) == -1);
  Gfx3d device;
  BOOST_TEST(device.target_create(1, 1920, 1080) != 0u);
  BOOST_TEST(device.target_create(1, 1, 1) != 0u);
  for (const auto& [w, h] : {std::pair{1921, 1080}, {1920, 1081}, {0, 1}, {1, 0}, {-5, 5}}) BOOST_TEST(device.target_create(1, w, h) == 0u);
}

// No test macros in here: it runs in threads.
std::vector<std::uint32_t> drawn_alone(std::uint32_t mode, int rounds) {
  std::vector<std::uint32_t> words(32 * 32);
  const auto corners = triangle(kSeed, {0.3f, 0.7f, 0.1f, 1});
  for (int i = 0; i < rounds; ++i) {
    Gfx3d device(Stage3d::with(mode));
    const Handle context = device.context_create(1), target = device.target_create(1, 32, 32), program = device.program_create(1);
    device.program_build(1, program, kPlainVertex, kPlainFragment);
    device.use_program(1, context, program);
    device.begin(1, context, target);
    device.clear(1, context, 0, 0, 1, 1, 1);
    device.draw(1, context, device.mesh_upload(1, corners.data(), 3, {32, {{0, 4, 0}, {1, 4, 16}}}, nullptr, 0));
    device.target_read(1, target, words.data(), words.size());
  }
  return words;
}

BOOST_DATA_TEST_CASE(two_invocations_in_parallel, data::make(kModes), mode) {
  const auto expected = drawn_alone(mode, 1);
  BOOST_TEST(std::count(expected.begin(), expected.end(), kBlueWord) < 32 * 32);
  std::vector<std::uint32_t> found[2];
  std::thread first([&] { found[0] = drawn_alone(mode, 20); }), second([&] { found[1] = drawn_alone(mode, 20); });
  first.join();
  second.join();
  BOOST_TEST((found[0] == expected));
  BOOST_TEST((found[1] == expected));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
