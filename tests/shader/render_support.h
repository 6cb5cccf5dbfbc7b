// A Gfx3D device with one context, target and program, for tests that draw.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "compiler.h"
#include "gfx3d.h"

namespace gyre::test {

// Position at location 0, colour at 1; both as they come.
constexpr const char* kPlainVertex =
    "layout(location = 0) in vec4 pos; layout(location = 1) in vec4 tint; out vec4 c; void main() { gl_Position = pos; c = tint; }";
constexpr const char* kPlainFragment = "in vec4 c; out vec4 color; void main() { color = c; }";

struct Corner {
  float position[4], color[4];
};

struct Stage3d {
  shader::Gfx3d device;
  shader::Handle context, target, program;
  int width, height;

  Stage3d(const shader::Gfx3dOptions& options, int w, int h, const char* vertex = kPlainVertex, const char* fragment = kPlainFragment)
      : device(options), context(device.context_create(1)), target(device.target_create(1, w, h)), program(device.program_create(1)), width(w), height(h) {
    BOOST_REQUIRE(context != 0 && target != 0 && program != 0);
    BOOST_REQUIRE_MESSAGE(device.program_build(1, program, vertex, fragment) == 0, device.last_error());
    BOOST_REQUIRE(device.use_program(1, context, program) == 0);
    BOOST_REQUIRE(device.begin(1, context, target) == 0);
  }
  Stage3d(std::uint32_t features, int w, int h, const char* vertex = kPlainVertex, const char* fragment = kPlainFragment)
      : Stage3d(with(features), w, h, vertex, fragment) {}

  static shader::Gfx3dOptions with(std::uint32_t features) {
    shader::Gfx3dOptions options;
    options.features = features;
    return options;
  }

  void clear(float r = 0, float g = 0, float b = 0, float a = 1) { BOOST_TEST(device.clear(1, context, r, g, b, a, 0) == 0); }
  shader::Handle mesh(const std::vector<Corner>& corners, const std::vector<std::uint16_t>& indices = {}) {
    const shader::Handle handle = device.mesh_upload(1, corners.data(), static_cast<int>(corners.size()), {32, {{0, 4, 0}, {1, 4, 16}}},
                                                     indices.data(), static_cast<int>(indices.size()));
    BOOST_REQUIRE_MESSAGE(handle != 0, device.last_error());
    return handle;
  }
  int draw(const std::vector<Corner>& corners, const std::vector<std::uint16_t>& indices = {}) {
    const shader::Handle handle = mesh(corners, indices);
    const int code = device.draw(1, context, handle);
    device.mesh_destroy(1, handle);
    return code;
  }
  std::vector<std::uint32_t> read() {
    std::vector<std::uint32_t> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    BOOST_TEST(device.target_read(1, target, out.data(), out.size()) == 0);
    return out;
  }
  std::vector<float> read_depth() {
    std::vector<float> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    BOOST_TEST(device.target_read_depth(1, target, out.data(), out.size()) == 0);
    return out;
  }
  std::uint32_t pixel(int x, int y) { return read()[static_cast<std::size_t>(y * width + x)]; }
  int count(std::uint32_t word) {
    int found = 0;
    for (const std::uint32_t w : read()) found += w == word;
    return found;
  }
};

// A triangle of one colour; z and w for all corners.
inline std::vector<Corner> triangle(std::array<float, 6> xy, std::array<float, 4> color, float z = 0, float w = 1) {
  std::vector<Corner> out;
  for (std::size_t i = 0; i < 3; ++i)
    out.push_back({{xy[2 * i] * w, xy[2 * i + 1] * w, z, w}, {color[0], color[1], color[2], color[3]}});
  return out;
}
constexpr std::array<float, 6> kWhole = {-1, -3, 3, 1, -1, 1};  // covers everything, clockwise or not by order
constexpr std::array<float, 6> kSeed = {-0.8f, -0.8f, 0.8f, -0.8f, 0, 0.8f};
constexpr std::array<float, 4> kRed = {1, 0, 0, 1}, kGreen = {0, 1, 0, 1}, kBlue = {0, 0, 1, 1};
constexpr std::uint32_t kRedWord = 0xFFFF0000, kGreenWord = 0xFF00FF00, kBlueWord = 0xFF0000FF;

inline int reddish(const std::vector<std::uint32_t>& words) {
  int found = 0;
  for (const std::uint32_t w : words) found += (w >> 16 & 255) > 200;
  return found;
}

}  // namespace gyre::test
