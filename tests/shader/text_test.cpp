// Text form of CSIR (csir.md §16): writing and reading are inverse, and mistakes are shown where they stand.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "csi_binary.h"
#include "csir_text.h"
#include "random_shader.h"
#include "verifier.h"

namespace {

using namespace gyre::shader;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(read_of_write_is_identity) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    const Shader shader = gyre::test::RandomShader(random, round % 2 ? Stage::kVertex : Stage::kFragment).make(round % 80);
    Diagnostics none;
    BOOST_REQUIRE_MESSAGE(verify(shader, &none), none.log());
    const std::string text = write_text(shader);
    Diagnostics diagnostics("x.csir", text);
    const auto again = read_text(text, &diagnostics);
    BOOST_REQUIRE_MESSAGE(again, diagnostics.log());
    BOOST_REQUIRE_MESSAGE(*again == shader, text);
    BOOST_REQUIRE(write_text(*again) == text);
    // CSI v2 carries the same.
    const auto blob = write_csi_v2(shader);
    const auto loaded = read_csi(blob.data(), blob.size(), &diagnostics);
    BOOST_REQUIRE_MESSAGE(loaded && *loaded == shader, diagnostics.log());
  }
}

constexpr const char* kEverything = R"(csir 1 vertex   ; a comment
temps 12

imm 1 -0 0x7fc00000 1e-45
imm 0.1
attr pos vec4 0
attr extra vec3 3
vary color vec4 2
uniform model mat4 4
sampler tex sampler2D 1
%0 = load_attr 3
%1 = load_uni 4 count 4
%5 = const.3 @1
%5.y = lane %0.w
%6 = swz.2 %5 yx
%6 = add.3:ivec3 %6 %0
%7 = mulmv4 %1 %0
%8 = mulmv3:vec3 %1 %0
%8 = mulmm4 %1 %1
%6 = dot3:float %7 %8
%6 = cmp.ge:bool %6 %7
%6 = pow %6 %7
%6 = sample2d 1 %6
if %6
  nop
else
  store_var 2 %5
endif
store_pos %7
)";

BOOST_AUTO_TEST_CASE(every_form) {
  Diagnostics diagnostics("x.csir", kEverything);
  const auto shader = read_text(kEverything, &diagnostics);
  BOOST_REQUIRE_MESSAGE(shader, diagnostics.log());
  BOOST_TEST(shader->code.size() == 19u);
  BOOST_TEST(shader->immediates.size() == 5u);
  BOOST_TEST(float_bits(shader->immediates[1]) == 0x80000000u);
  BOOST_TEST(float_bits(shader->immediates[2]) == 0x7FC00000u);
  BOOST_TEST(float_bits(shader->immediates[3]) == 1u);
  BOOST_TEST(shader->code[4].aux == 1);  // swz pattern yx = y | x << 2
  BOOST_TEST(static_cast<int>(shader->code[5].ty) == static_cast<int>(Type::kIvec3));
  BOOST_TEST(write_text(*shader, {false}).find("nop") == std::string::npos);
}

// A line put in the place of the body of a valid text, and what is said about it.
struct Mistake {
  const char* line;
  int column;
  const char* message;
  friend std::ostream& operator<<(std::ostream& out, const Mistake& m) { return out << m.line; }
};
const Mistake kMistakes[] = {
    {"frobnicate %1", 1, "not an operation"},
    {"%1 = frobnicate %1", 6, "not an operation"},
    {"%1 = mov %2", 6, "followed by .1 to .4"},
    {"%1 = mov.5 %2", 6, "followed by .1 to .4"},
    {"%1 = rsq.2 %2", 6, "no suffix"},
    {"%1 mov.4 %2", 4, "expected \"=\""},
    {"%1 = mov.4", 11, "expected a temporary"},
    {"%1 = mov.4 %2 %3", 15, "too much"},
    {"%1 = mov.4 %96", 12, "0 to 95"},
    {"%1 = mov.4 %4", 1, "reaches temporary 4"},
    {"%1 = mov.4:vec9 %2", 6, "not a type"},
    {"mov.4 %2", 1, "needs a destination"},
    {"%1 = endif", 6, "no destination"},
    {"%1.x = mov.4 %2", 1, "only lane"},
    {"%1 = lane %2.x", 1, "only lane"},
    {"%1.q = lane %2.x", 1, "a lane is x, y, z or w"},
    {"%1 = swz.2 %2 xyz", 15, "as many letters"},
    {"%1 = swz.2 %2 xq", 15, "a lane is"},
    {"%1 = cmp %2 %3", 6, "cmp is followed"},
    {"%1 = add.4 %2", 14, "expected a temporary"},
    {"%1 = const.4 2", 14, "expected @"},
    {"%1 = const.4 @2", 1, "immediates 2..5"},
    {"%1 = load_attr 8", 16, "0 to 7"},
    {"%1 = load_attr 1", 1, "attribute is 1"},
    {"%1 = load_uni 0 1", 17, "expected \"count\""},
    {"imm 1 x", 7, "not a float"},
    {"temps 4", 1, "twice"},
    {"attr 1x vec4 0", 6, "not a name"},
    {"attr x vec9 0", 8, "not a type"},
    {"vary x mat3 0", 0, "type mat3"},
    {"endif", 1, "endif without if"},
    {"store_color %1", 1, "store_color in a vertex shader"},
};

BOOST_DATA_TEST_CASE(mistakes, boost::unit_test::data::make(kMistakes), mistake) {
  const std::string text = std::string("csir 1 vertex\ntemps 4\nimm 1 2 3 4\nattr pos vec4 0\n") + mistake.line + "\nstore_pos %0\n";
  Diagnostics diagnostics("x.csir", text);
  BOOST_TEST(!read_text(text, &diagnostics));
  BOOST_REQUIRE(!diagnostics.errors().empty());
  const Diagnostic& first = diagnostics.errors()[0];
  BOOST_TEST_MESSAGE(diagnostics.log());
  BOOST_TEST(first.message.find(mistake.message) != std::string::npos, first.message);
  BOOST_TEST(first.place.column == mistake.column);
  if (mistake.column > 0) {
    BOOST_TEST(first.place.line == 5);
    BOOST_TEST(diagnostics.log().find("x.csir:5:") == 0u);
    BOOST_TEST(diagnostics.log().find(std::string("\n") + std::string(mistake.column - 1, ' ') + "^\n") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(headers) {
  for (const char* text : {"", "\n\n", "temps 4", "csir 2 vertex", "csir 1 geometry", "csir 1", "csir 1 vertex extra", "csir 1 vertex\ntemps 97"}) {
    Diagnostics diagnostics("x.csir", text);
    BOOST_TEST(!read_text(text, &diagnostics), text);
    BOOST_TEST(!diagnostics.ok());
  }
}

BOOST_AUTO_TEST_CASE(log_is_limited) {
  std::string text = "csir 1 vertex\n";
  for (int i = 0; i < 100; ++i) text += std::string(300, 'q') + "\n";
  Diagnostics diagnostics("x.csir", text);
  BOOST_TEST(!read_text(text, &diagnostics));
  BOOST_TEST(diagnostics.errors().size() == 8u);
  BOOST_TEST(diagnostics.log().size() < 1536u);
  BOOST_TEST(!diagnostics.log().empty());
}

BOOST_AUTO_TEST_CASE(any_bytes) {
  std::mt19937 random(3);
  std::string good = kEverything;
  unsigned refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bad = good;
    for (int i = 0, n = 1 + random() % 4; i < n; ++i) {
      const std::size_t at = random() % bad.size();
      switch (random() % 3) {
        case 0: bad[at] = static_cast<char>(random()); break;
        case 1: bad.erase(at, random() % 8); break;
        default: bad.insert(at, good.substr(random() % good.size(), random() % 12)); break;
      }
    }
    Diagnostics diagnostics("x.csir", bad);
    refused += !read_text(bad, &diagnostics);
  }
  BOOST_TEST(refused > 2000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
