// CSI v1 and v2 (csir.md §15).
#include <boost/test/unit_test.hpp>

#include "csi_binary.h"
#include "csir_text.h"
#include "random_shader.h"

namespace {

using namespace gyre::shader;

Shader shader_of(const char* text) {
  Diagnostics diagnostics("test", text);
  const auto shader = read_text(text, &diagnostics);
  BOOST_REQUIRE_MESSAGE(shader, diagnostics.log());
  return *shader;
}

std::optional<Shader> load(const std::vector<std::uint8_t>& blob) {
  Diagnostics diagnostics;
  auto shader = read_csi(blob.data(), blob.size(), &diagnostics);
  BOOST_TEST(diagnostics.ok() == shader.has_value());
  return shader;
}

constexpr const char* kPlain = "csir 1 fragment\ntemps 2\nimm 1 0.25 -2\n%1 = const.3 @0\nif %1\ndiscard\nendif\nstore_color %1\n";
// Everything v1 has no room for: attribute location 3, sampler 1, uniforms, varyings.
constexpr const char* kRich =
    "csir 1 vertex\ntemps 9\nimm 1 0.25 -2\nattr pos vec4 0\nattr extra vec3 3\nvary color vec4 2\nuniform model mat4 4\n"
    "uniform tint vec3 0\nsampler tex sampler2D 1\n%0 = load_attr 3\n%1 = load_uni 4 count 4\n%5 = load_uni 0 count 1\n"
    "%6 = sample2d 1 %0\nstore_var 2 %6\nstore_pos %0\n";

BOOST_AUTO_TEST_SUITE(csi)

BOOST_AUTO_TEST_CASE(v1_layout) {
  const auto blob = write_csi_v1(shader_of(kPlain));
  BOOST_TEST(blob.size() == 32u + 5 * 16 + 3 * 4);
  const std::vector<std::uint8_t> header{0x43, 0x53, 0x49, 0x52, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0};
  BOOST_TEST(std::vector<std::uint8_t>(blob.begin(), blob.begin() + 24) == header, boost::test_tools::per_element());
  // const.3: op 1, vec3, 3 lanes, dst 1, a b c absent, aux 0
  const std::vector<std::uint8_t> record{1, 6, 3, 0, 1, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0};
  BOOST_TEST(std::vector<std::uint8_t>(blob.begin() + 32, blob.begin() + 48) == record, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(v1_round_trip) {
  const Shader shader = shader_of(kPlain);
  const auto again = load(write_csi_v1(shader));
  BOOST_REQUIRE(again);
  BOOST_TEST((*again == shader));
}

BOOST_AUTO_TEST_CASE(v1_rejects_what_it_cannot_describe_v2_restores_it) {
  const Shader shader = shader_of(kRich);
  BOOST_TEST(!load(write_csi_v1(shader)));
  const auto again = load(write_csi_v2(shader));
  BOOST_REQUIRE(again);
  BOOST_TEST((*again == shader));
}

BOOST_AUTO_TEST_CASE(v1_flipped_byte_in_the_code_is_rejected) {
  const auto good = write_csi_v1(shader_of(kPlain));
  BOOST_TEST(good.size() > 32u);
  for (std::size_t at = 32; at < 32 + 5 * 16; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bad = good;
      bad[at] ^= static_cast<std::uint8_t>(1 << bit);
      BOOST_TEST(!load(bad), at);
    }
}

// v1 does not protect immediates; v2 protects every byte.
BOOST_AUTO_TEST_CASE(flipped_immediate) {
  const Shader shader = shader_of(kPlain);
  auto v1 = write_csi_v1(shader);
  v1.back() ^= 1;
  BOOST_TEST(load(v1).has_value());
  const auto v2 = write_csi_v2(shader_of(kRich));
  for (std::size_t at = 0; at < v2.size(); ++at) {
    auto bad = v2;
    bad[at] ^= static_cast<std::uint8_t>(1 << (at % 8));
    BOOST_TEST(!load(bad), at);
  }
}

BOOST_AUTO_TEST_CASE(lengths) {
  for (const auto& good : {write_csi_v1(shader_of(kPlain)), write_csi_v2(shader_of(kRich))}) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      const std::vector<std::uint8_t> cut(good.begin(), good.begin() + static_cast<long>(size));
      BOOST_TEST(!load(cut), size);
    }
    auto longer = good;
    longer.push_back(0);
    BOOST_TEST(!load(longer));
  }
}

// Mutations with the check word made right again reach the verifier: rejected, or a shader that verifies.
BOOST_AUTO_TEST_CASE(repaired_mutations) {
  std::mt19937 random(5);
  unsigned accepted = 0, rejected = 0;
  for (int round = 0; round < 4000; ++round) {
    auto blob = write_csi_v2(gyre::test::RandomShader(random, Stage::kFragment).make(20));
    for (int i = 0; i < 2; ++i) blob[random() % blob.size()] = static_cast<std::uint8_t>(random());
    const std::uint32_t crc = csi_crc(blob.data(), blob.size(), 44);
    for (int i = 0; i < 4; ++i) blob[44 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    (load(blob) ? accepted : rejected)++;
  }
  BOOST_TEST(accepted > 100u);
  BOOST_TEST(rejected > 100u);
}

BOOST_AUTO_TEST_CASE(crc_is_ieee) {
  const std::uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  BOOST_TEST(csi_crc(digits, 9, 100) == 0xCBF43926u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
