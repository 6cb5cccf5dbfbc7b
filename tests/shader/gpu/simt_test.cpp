// Generated code on a SIMT core gives what the interpreter gives, in every lane, for cores of every width.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "differential.h"
#include "extreme_shader.h"
#include "language_support.h"

using namespace gyre;
using namespace gyre::test;
using shader::Math;
using shader::Stage;

namespace {

constexpr unsigned kThreads[] = {1, 4, 8, 16, 32};

std::vector<std::uint32_t> texels(std::mt19937& random) {
  std::vector<std::uint32_t> out(15 * 9);
  for (auto& t : out) t = static_cast<std::uint32_t>(random());
  return out;
}

void require_equal(SimtRunner* core, const BatchCase& c, const shader::TextureView& texture, int round) {
  const Difference d = differ(core, c, texture);
  if (d.different != 0)
    throw std::runtime_error(fmt::format("round {}: {} of {}: {}", round, d.different, d.values, d.first));
}

// Straight-line arithmetic: every operation but control flow, one at a time, on values of every kind.
std::string one_operation(unsigned threads) {
  std::mt19937 random(threads);
  SimtRunner core(threads);
  const std::vector<std::uint32_t> words = texels(random);
  const shader::TextureView texture{words.data(), 15, 9};
  for (int round = 0; round < 150; ++round) {
    RandomShader make(random, round % 3 == 0 ? Stage::kVertex : Stage::kFragment);
    BatchCase c;
    do {
      RandomShader fresh(random, round % 3 == 0 ? Stage::kVertex : Stage::kFragment);
      c.shader = fresh.make(12);
    } while (std::any_of(c.shader.code.begin(), c.shader.code.end(),
                         [](const auto& i) { return i.op == static_cast<int>(shader::Op::kIf); }));
    c.math = round % 2 == 0 ? Math::kPrecise : Math::kCompat;
    fill_inputs(&c, &make, 2 * threads + 3);
    require_equal(&core, c, texture, round);
  }
  return {};
}

std::string random_programs(unsigned threads, int rounds, unsigned seed) {
  static const std::int16_t map[8] = {2, -1, 0, 7, 1, 3, -1, 5};
  std::mt19937 random(seed);
  SimtRunner core(threads);
  const std::vector<std::uint32_t> words = texels(random);
  const shader::TextureView texture{words.data(), 15, 9};
  for (int round = 0; round < rounds; ++round) {
    RandomShader make(random, round % 3 == 0 ? Stage::kVertex : Stage::kFragment);
    BatchCase c;
    c.shader = make.make(static_cast<int>(random() % 90));
    c.math = random() % 2 != 0 ? Math::kPrecise : Math::kCompat;
    if (random() % 2 != 0) c.sources.varying_map = map;
    if (random() % 3 == 0) {
      const unsigned absent = static_cast<unsigned>(random() % 32);
      c.sources.attributes = (absent & 1) == 0, c.sources.varyings = (absent & 2) == 0,
      c.sources.fragcoord = (absent & 4) == 0;
      c.sources.uniforms = (absent & 8) == 0, c.sources.texture = (absent & 16) == 0;
    }
    fill_inputs(&c, &make, threads + static_cast<u32>(random() % (threads + 1)));
    require_equal(&core, c, texture, round);
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_simt)

BOOST_DATA_TEST_CASE(straight_line_code_equals_the_interpreter, boost::unit_test::data::make(kThreads), threads) {
  run_forked([&] { return one_operation(threads); });
}

BOOST_DATA_TEST_CASE(random_programs_equal_the_interpreter, boost::unit_test::data::make(kThreads), threads) {
  const char* const wish = std::getenv("GYRE_RANDOM_SHADERS");
  const int rounds = wish != nullptr ? std::atoi(wish) : 2200;
  run_forked([&] { return random_programs(threads, rounds, 77 + threads); });
}

// Small regions are choices, not branches: nested, with else, with a discard, around values written before and after.
constexpr const char* kSmallBranches =
    "in vec4 v; out vec4 c; void main() { float s = v.w; if (v.x > 0.1) s = s + 1.0; if (v.y > v.x) s = s * 2.0; else "
    "s = 0.5 - s;"
    " float t = 3.0; if (s > 1.0) { if (v.z > 0.2) t = s; } if (t == 3.0) { if (v.w < -0.9) discard; } c = vec4(s, t, "
    "v.zw); }";
// Everything a branch can hold, eight deep, values living across.
std::string deep_branches() {
  std::string body = "float s = 0.0; vec4 k = v;";
  for (int i = 0; i < 8; ++i)
    body += "if (v.x > " + std::to_string(i) + ".0 * 0.1) { s = s + 1.0; k = k.yzwx * v.y; if (v.z < -0.8 - 0.02 * " +
            std::to_string(i) + ".0) discard;";
  for (int i = 0; i < 8; ++i) body += "} else { s = s + 0.25; k = vec4(sin(k.x), k.y, cos(v.w), s); }";
  return "in vec4 v; out vec4 c; void main() { c = vec4(1.0);" + body + " c = k + vec4(s); }";
}

BOOST_DATA_TEST_CASE(branches_of_the_language, boost::unit_test::data::make(kThreads), threads) {
  const shader::Shader small = compiled(kSmallBranches, Stage::kFragment),
                       deep = compiled(deep_branches(), Stage::kFragment);
  BOOST_TEST(
      shader::gpu::link_image(kImage, {shader::gpu::batch_kernel("k", small, Math::kPrecise, {})}).facts[0].branches ==
      0);
  BOOST_TEST(
      shader::gpu::link_image(kImage, {shader::gpu::batch_kernel("k", deep, Math::kPrecise, {})}).facts[0].branches >=
      8);
  run_forked([&] {
    std::mt19937 random(threads);
    SimtRunner core(threads);
    const std::vector<std::uint32_t> words = texels(random);
    RandomShader make(random, Stage::kFragment);
    for (int round = 0; round < 60; ++round) {
      BatchCase c;
      c.shader = round % 2 == 0 ? small : deep;
      fill_inputs(&c, &make, 3 * threads);
      for (float& v : c.varyings) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 0.001f;
      require_equal(&core, c, {words.data(), 15, 9}, round);
    }
    return std::string();
  });
}

// Over and over with other inputs, so that lanes part at every depth.
BOOST_DATA_TEST_CASE(extreme_program_equals_the_interpreter, boost::unit_test::data::make(kThreads), threads) {
  run_forked([&] {
    std::mt19937 random(threads);
    SimtRunner core(threads);
    const std::vector<std::uint32_t> words = texels(random);
    RandomShader make(random, Stage::kFragment);
    for (int round = 0; round < 20; ++round) {
      BatchCase c;
      c.shader = extreme_shader();
      fill_inputs(&c, &make, threads);
      for (float& v : c.varyings) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 0.001f;
      require_equal(&core, c, {words.data(), 15, 9}, round);
    }
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
