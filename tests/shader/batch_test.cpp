// The batched executor gives the interpreter's bits: random programs, both stages, both mathematics, every batch size.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>

#include "batch_plan.h"
#include "batch_run.h"
#include "language_support.h"
#include "random_shader.h"

namespace {

using namespace gyre::shader;

// Bit for bit; which NaN it is means nothing.
bool same(float a, float b) { return float_bits(a) == float_bits(b) || (std::isnan(a) && std::isnan(b)); }

struct Rows {
  std::vector<float> attributes, varyings, fragcoord;
  Rows(gyre::test::RandomShader* make) : attributes(32 * kBatchRow), varyings(32 * kBatchRow), fragcoord(4 * kBatchRow) {
    for (auto* rows : {&attributes, &varyings, &fragcoord})
      for (float& v : *rows) v = make->value();
  }
};

void column(const std::vector<float>& rows, int lane, float* out) {
  for (std::size_t r = 0; r * kBatchRow < rows.size(); ++r) out[r] = rows[r * kBatchRow + static_cast<std::size_t>(lane)];
}

// Compares every output of every lane.
void check(const Shader& shader, const Rows& rows, const float* uniforms, const TextureView* texture, Math math, int count, unsigned absent,
           BatchMachine* machine) {
  const std::int16_t map[8] = {2, -1, 0, 7, 1, 3, -1, 5};
  BatchInputs in;
  if ((absent & 1) == 0) in.attributes = rows.attributes.data();
  if ((absent & 2) == 0) in.varyings = rows.varyings.data();
  if ((absent & 4) == 0) in.fragcoord = rows.fragcoord.data();
  if ((absent & 8) == 0) in.uniforms = uniforms;
  if ((absent & 16) == 0) in.texture = texture;
  in.varying_map = map;
  in.math = math;
  std::vector<float> position(4 * kBatchRow, 9), varyings(32 * kBatchRow, 9), color(4 * kBatchRow, 9);
  std::vector<std::int32_t> discard(kBatchLanes);
  const BatchOutputs out{position.data(), varyings.data(), color.data(), discard.data()};
  machine->prepare(make_batch_plan(shader, in, out), in, out);
  for (int run = 0; run < 2; ++run) {  // nothing may survive from one batch to the next
    if (run == 1) std::fill(varyings.begin(), varyings.end(), 9.0f);
    machine->run(count);
  }
  for (int lane = 0; lane < count; ++lane) {
    float attributes[32], given[32], fragcoord[4];
    column(rows.attributes, lane, attributes);
    column(rows.varyings, lane, given);
    column(rows.fragcoord, lane, fragcoord);
    ExecInputs one;
    if (in.attributes != nullptr) one.attributes = attributes;
    if (in.varyings != nullptr) one.varyings = given;
    if (in.fragcoord != nullptr) one.fragcoord = fragcoord;
    one.uniforms = in.uniforms;
    one.texture = in.texture;
    one.varying_map = map;
    one.math = math;
    float want[4 + 32 + 4];
    for (float& v : want) v = 9;
    bool gone;
    const ExecOutputs results{want, want + 4, want + 36, &gone};
    BOOST_REQUIRE(exec_ir(shader, one, results) == 0);
    BOOST_REQUIRE((discard[static_cast<std::size_t>(lane)] != 0) == gone);
    for (int r = 0; r < 40; ++r) {
      const std::vector<float>& found = r < 4 ? position : r < 36 ? varyings : color;
      const float value = found[static_cast<std::size_t>((r < 4 ? r : r < 36 ? r - 4 : r - 36) * kBatchRow + lane)];
      if (!same(value, want[r])) BOOST_FAIL("row " << r << " lane " << lane << ": " << value << ", not " << want[r] << "\n" << write_text(shader));
    }
  }
}

BOOST_AUTO_TEST_SUITE(batch)

BOOST_AUTO_TEST_CASE(random_programs) {
  std::mt19937 random(99);
  BatchMachine machine;
  std::vector<std::uint32_t> texels(15 * 9);
  for (auto& t : texels) t = random();
  const TextureView texture{texels.data(), 15, 9};
  const char* const wish = std::getenv("GYRE_RANDOM_SHADERS");
  const int rounds = wish != nullptr ? std::atoi(wish) : 20000;
  for (int round = 0; round < rounds; ++round) {
    gyre::test::RandomShader make(random, round % 3 == 0 ? Stage::kVertex : Stage::kFragment);
    const Shader shader = make.make(static_cast<int>(random() % 90));
    float uniforms[128];
    for (float& v : uniforms) v = make.value();
    const int counts[] = {1, 15, 16, 17, 40, 63, 64};
    check(shader, Rows(&make), uniforms, &texture, random() % 2 ? Math::kPrecise : Math::kCompat, counts[random() % 7],
          random() % 3 == 0 ? random() % 32 : 0, &machine);
  }
}

BOOST_AUTO_TEST_CASE(far_angles_and_exact_values) {
  const Shader shader = gyre::test::compiled(
      "in vec4 v; out vec4 c; void main() { c = vec4(sin(v.x), cos(v.x), pow(abs(v.x), v.y), length(v.xyz)); }", Stage::kFragment);
  std::mt19937 random(7);
  BatchMachine machine;
  const float uniforms[128] = {};
  for (int round = 0; round < 200; ++round) {
    gyre::test::RandomShader make(random, Stage::kFragment);
    Rows rows(&make);
    for (float& v : rows.varyings) v = round % 2 ? float_from_bits(random()) : static_cast<float>(static_cast<int>(random() % 200001) - 100000) * 0.001f;
    check(shader, rows, uniforms, nullptr, round % 3 ? Math::kPrecise : Math::kCompat, 64, 0, &machine);
  }
}

// Each of the 256 levels of a channel, which some loops divide by 255 in their own way.
BOOST_AUTO_TEST_CASE(every_level_of_a_texel) {
  const Shader shader = gyre::test::compiled("in vec4 v; uniform sampler2D s; out vec4 c; void main() { c = texture(s, v.xy); }", Stage::kFragment);
  std::mt19937 random(3);
  std::vector<std::uint32_t> texels;
  for (std::uint32_t level = 0; level < 256; ++level) texels.push_back(level << 24 | (255 - level) << 16 | (level ^ 0x55) << 8 | (level ^ 0xAA));
  const TextureView texture{texels.data(), 256, 1};
  BatchMachine machine;
  const float uniforms[128] = {};
  for (int first = 0; first < 256; first += kBatchLanes) {
    gyre::test::RandomShader make(random, Stage::kFragment);
    Rows rows(&make);
    // Slot 0 is read through the map of check(), from vertex slot 2.
    for (int lane = 0; lane < kBatchLanes; ++lane) rows.varyings[static_cast<std::size_t>(8 * kBatchRow + lane)] = static_cast<float>(first + lane) / 255.0f;
    check(shader, rows, uniforms, &texture, Math::kPrecise, 64, 0, &machine);
  }
}

BOOST_AUTO_TEST_CASE(deep_divergence) {
  std::string body = "float s = 0.0;";
  for (int i = 0; i < 8; ++i) body += "if (v.x > " + std::to_string(i) + ".0) { s = s + 1.0; if (v.y < " + std::to_string(i) + ".0) discard;";
  for (int i = 0; i < 8; ++i) body += "} else { s = s + 0.25; }";
  const Shader shader = gyre::test::compiled("in vec4 v; out vec4 c; void main() { c = vec4(1.0);" + body + " c = vec4(s, v.xyz); }", Stage::kFragment);
  std::mt19937 random(8);
  BatchMachine machine;
  const float uniforms[128] = {};
  for (int round = 0; round < 100; ++round) {
    gyre::test::RandomShader make(random, Stage::kFragment);
    Rows rows(&make);
    for (float& v : rows.varyings) v = static_cast<float>(random() % 1400) * 0.01f;
    check(shader, rows, uniforms, nullptr, Math::kPrecise, 1 + static_cast<int>(random() % 64), 0, &machine);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
