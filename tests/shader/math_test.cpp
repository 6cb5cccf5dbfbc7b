// SIN, COS, POW, RSQ, RCP, TRUNC: the numbers of csir.md §6 (COMPAT), double precision (STRICT), and the edges (§18).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "compat_math.h"
#include "exec_support.h"
#include "precise_math.h"

namespace {

using namespace gyre::shader;
using gyre::test::ulps;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float through(const char* body, float a, float b, Math math) { return gyre::test::run(body, {a}, {b}, math).color[0]; }
float sin_of(float x, Math math) { return through("%7 = sin.1 %0", x, 0, math); }
float cos_of(float x, Math math) { return through("%7 = cos.1 %0", x, 0, math); }
float rsq_of(float x, Math math) { return through("%7 = rsq %0", x, 0, math); }
float rcp_of(float x, Math math) { return through("%7 = rcp.1 %0", x, 0, math); }
float pow_of(float x, float y, Math math) { return through("%7 = pow %0 %1", x, y, math); }

BOOST_AUTO_TEST_SUITE(math)

BOOST_AUTO_TEST_CASE(numbers_of_the_seed) {
  const Math compat = Math::kCompat;
  BOOST_TEST(float_bits(sin_of(1, compat)) == 0x3F576AA4u);
  BOOST_TEST(std::abs(sin_of(110, compat) - 249.99f) < 0.01f);
  BOOST_TEST(float_bits(cos_of(3, compat)) == 0xBF7D7024u);
  BOOST_TEST(float_bits(compat_exp(1)) == 0x402DF855u);
  BOOST_TEST(std::abs(compat_exp(-10) - 179.45f) < 0.01f);
  BOOST_TEST(float_bits(compat_log(2)) == 0x3F2B3499u);
  BOOST_TEST(float_bits(pow_of(2, 0.5f, compat)) == 0x3FB2D393u);
  BOOST_TEST(pow_of(2, 15, compat) == 32768.0f);
  BOOST_TEST(std::abs(pow_of(2, 16, compat) - 21430.8f) < 0.1f);
  BOOST_TEST(float_bits(pow_of(2, -1, compat)) == 0x3F032890u);
  BOOST_TEST(float_bits(rsq_of(2, compat)) == 0x3F373D36u);
  BOOST_TEST(float_bits(rsq_of(3, compat)) == 0x3F13CD3Bu);
  BOOST_TEST(float_bits(rsq_of(4, compat)) == 0x3F0191D1u);
  BOOST_TEST(rsq_of(0.25f, compat) == 2.0f);
  BOOST_TEST(pow_of(0, 0, compat) == 0.0f);
  BOOST_TEST(pow_of(-2, 3, compat) == -8.0f);
  BOOST_TEST(pow_of(-2, 4, compat) == 16.0f);
  BOOST_TEST(pow_of(-2, 0.5f, compat) == 0.0f);
  BOOST_TEST(pow_of(-2, 16, compat) == 0.0f);
}

// Inside its range the seed's sine is good to 3e-5, its power to two per cent: tolerances for backends that compare.
BOOST_AUTO_TEST_CASE(compat_tolerance_against_double) {
  for (float x = -6.0f; x < 6.0f; x += 0.01f) {
    BOOST_TEST(std::abs(sin_of(x, Math::kCompat) - std::sin(static_cast<double>(x))) < 3e-5, x);
  }
  for (float a = 0.1f; a < 1.9f; a += 0.05f)
    for (float b = 0.25f; b < 2.1f; b += 0.25f)
      BOOST_TEST(std::abs(pow_of(a, b, Math::kCompat) - std::pow(static_cast<double>(a), b)) < 0.02, a << " " << b);
}

BOOST_AUTO_TEST_CASE(precise_against_double) {
  std::mt19937 random(4);
  double worst = 0;
  const auto check = [&](float value, double exact, float x, float y) {
    if (std::abs(exact) > 3.4e38 || std::abs(exact) < 1.2e-38) return;
    const double off = ulps(value, exact);
    worst = std::max(worst, off);
    BOOST_TEST(off <= 4.0, x << " " << y << ": " << value << " for " << exact);
  };
  for (int round = 0; round < 200000; ++round) {
    const float x = float_from_bits(random() & 0xFFFFFFFFu), y = float_from_bits(random() & 0xFFFFFFFFu);
    const float small = static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) * 1e-4f;
    for (const float angle : {x, small}) {
      if (!std::isfinite(angle)) continue;
      check(precise_sin(angle), std::sin(static_cast<double>(angle)), angle, 0);
      check(precise_cos(angle), std::cos(static_cast<double>(angle)), angle, 0);
    }
    if (x > 0 && std::isfinite(x)) {
      check(precise_rsq(x), 1 / std::sqrt(static_cast<double>(x)), x, 0);
      check(precise_pow(x, small), std::pow(static_cast<double>(x), static_cast<double>(small)), x, small);
      if (std::isfinite(y)) check(precise_pow(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)), x, y);
    }
  }
  BOOST_TEST_MESSAGE("worst: " << worst << " ulp");
  BOOST_TEST(worst > 0.4);  // something was compared
}

// Special cases of pow are those of C.
BOOST_AUTO_TEST_CASE(precise_pow_edges) {
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, 3.0f, -3.0f, 2.5f, -2.5f, kInf, -kInf, kNan, 1e30f,
                          -1e30f, 1e-40f, -1e-40f, 16777216.0f, 16777215.0f, -16777215.0f};
  for (const float a : values)
    for (const float b : values) {
      const auto exact = static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
      const float ours = pow_of(a, b, Math::kPrecise);
      const bool same = std::isnan(exact) ? std::isnan(ours) : ours == exact && std::signbit(ours) == std::signbit(exact);
      BOOST_TEST((same || ulps(ours, exact) <= 4), a << " ^ " << b << " = " << exact << ", not " << ours);
    }
}

BOOST_AUTO_TEST_CASE(reciprocals_at_the_edges) {
  for (const Math math : {Math::kCompat, Math::kPrecise}) {
    BOOST_TEST(rcp_of(0, math) == 0.0f);
    BOOST_TEST(rcp_of(-0.0f, math) == 0.0f);
    BOOST_TEST(rcp_of(-4, math) == -0.25f);
    BOOST_TEST(rcp_of(kInf, math) == 0.0f);
    BOOST_TEST(std::signbit(rcp_of(-kInf, math)));
    BOOST_TEST(std::isnan(rcp_of(kNan, math)));
    BOOST_TEST(rcp_of(1e-42f, math) == kInf);
    BOOST_TEST(rsq_of(0, math) == 0.0f);
    BOOST_TEST(rsq_of(-0.0f, math) == 0.0f);
    BOOST_TEST(rsq_of(-4, math) == 0.0f);
    BOOST_TEST(rsq_of(-kInf, math) == 0.0f);
    BOOST_TEST(rsq_of(kNan, math) == 0.0f);  // not strictly positive
  }
  BOOST_TEST(rsq_of(4, Math::kPrecise) == 0.5f);
  BOOST_TEST(rsq_of(kInf, Math::kPrecise) == 0.0f);
  BOOST_TEST(std::isnan(sin_of(kInf, Math::kPrecise)));
  BOOST_TEST(std::isnan(cos_of(kNan, Math::kPrecise)));
  BOOST_TEST(std::isnan(sin_of(kNan, Math::kCompat)));
}

BOOST_AUTO_TEST_CASE(trunc) {
  const auto trunc_of = [](float x) { return through("%7 = trunc %0", x, 0, Math::kPrecise); };
  const std::pair<float, float> cases[] = {{1.9f, 1}, {-1.9f, -1}, {0.5f, 0}, {16777216.0f, 16777216.0f}, {3e9f, 2147483648.0f},
                                           {-3e9f, -2147483648.0f}, {kInf, 2147483648.0f}, {-kInf, -2147483648.0f}, {kNan, 0}};
  for (const auto& [x, expected] : cases) BOOST_TEST(trunc_of(x) == expected, x);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
