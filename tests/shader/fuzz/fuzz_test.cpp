// A short deterministic run of what the fuzzers do: mutated blobs and sources, seeds from the gallery.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler.h"
#include "csi_binary.h"
#include "gyre_paths.h"
#include "one_input.h"
#include "random_shader.h"
#include "shader_file.h"
#include "sheet.h"

namespace {

using namespace gyre::shader;
using Bytes = std::vector<std::uint8_t>;

std::vector<std::pair<std::string, Bytes>> gallery() {
  std::vector<std::pair<std::string, Bytes>> out;
  for (const auto& entry : std::filesystem::directory_iterator(GYRE_SOURCE_DIR "/scenes/shaders")) {
    std::ifstream file(entry.path(), std::ios::binary);
    out.emplace_back(entry.path().string(), Bytes((std::istreambuf_iterator<char>(file)), {}));
  }
  std::sort(out.begin(), out.end());
  return out;
}

Bytes mutated(Bytes bytes, std::mt19937& random) {
  for (int i = 0, n = 1 + static_cast<int>(random() % 4); i < n && !bytes.empty(); ++i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        break;
      case 2:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 3:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random()));
        break;
      default:
        bytes[at] = bytes[random() % bytes.size()];
        break;
    }
  }
  return bytes;
}

BOOST_AUTO_TEST_SUITE(fuzz)

BOOST_AUTO_TEST_CASE(mutated_csi) {
  std::mt19937 random(31);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    const Shader shader = gyre::test::RandomShader(random, round % 2 ? Stage::kVertex : Stage::kFragment)
                              .make(static_cast<int>(random() % 40));
    const Bytes blob = mutated(round % 3 ? write_csi_v2(shader) : write_csi_v1(shader), random);
    accepted += gyre::test::fuzz_csi(blob.data(), blob.size());
  }
  BOOST_TEST(accepted > 50);
}

// Pairs of the gallery, mutated in either blob: most do not link any more, some draw something else.
BOOST_AUTO_TEST_CASE(mutated_pairs) {
  std::mt19937 random(33);
  int drawn = 0, pairs = 0;
  for (const std::string& stem : shader_pairs(GYRE_SOURCE_DIR "/scenes/shaders")) {
    const LoadedShader vertex = load_shader(stem + ".vert"), fragment = load_shader(stem + ".frag");
    BOOST_REQUIRE(vertex.shader.has_value());
    BOOST_REQUIRE(fragment.shader.has_value());
    for (int round = 0; round < 300; ++round) {
      Bytes first = write_csi_v2(*vertex.shader), second = write_csi_v2(*fragment.shader);
      if (round > 0) (round % 2 ? first : second) = mutated(round % 2 ? first : second, random);
      Bytes both = {static_cast<std::uint8_t>(first.size() & 255), static_cast<std::uint8_t>(first.size() >> 8)};
      both.insert(both.end(), first.begin(), first.end());
      both.insert(both.end(), second.begin(), second.end());
      const int done = gyre::test::fuzz_pair(both.data(), both.size());
      if (round == 0) BOOST_TEST(done == 1, stem);
      drawn += done;
    }
    ++pairs;
  }
  BOOST_TEST(pairs >= 9);
  BOOST_TEST(drawn > 3 * pairs);
}

BOOST_AUTO_TEST_CASE(gallery_compiles_and_its_mutations_do_not_crash) {
  std::mt19937 random(32);
  const auto files = gallery();
  BOOST_TEST(files.size() >= 16u);
  for (const auto& [name, bytes] : files) {
    BOOST_TEST(gyre::test::fuzz_source(bytes.data(), bytes.size()) >= 1, name);
    for (int round = 0; round < 60; ++round) {
      const Bytes bad = mutated(bytes, random);
      gyre::test::fuzz_source(bad.data(), bad.size());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
