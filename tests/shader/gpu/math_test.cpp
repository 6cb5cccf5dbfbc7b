// The device mathematics, computed on the host, against the interpreter's and against double precision.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

#include "compat_math.h"
#include "exec_support.h"
#include "host_machine.h"
#include "math_routines.h"

namespace {

using namespace gyre::shader;
using namespace gyre::shader::gpu;
using gyre::test::ulps;

constexpr float kInfinity = INFINITY;

// Bit for bit; which NaN it is means nothing.
bool same(float a, float b) { return float_bits(a) == float_bits(b) || (a != a && b != b); }
// Units in the last place between two finite floats of one sign.
std::uint32_t apart(float a, float b) {
  const std::uint32_t x = float_bits(a), y = float_bits(b);
  return x > y ? x - y : y - x;
}

struct Fixture {
  HostMachine machine;
  MathRoutines<HostMachine> device{&machine};
  std::mt19937 random{5};

  float any() { return float_from_bits(random()); }
  float moderate() { return static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) * 1e-5f; }
  float odd() {
    static const float kOdd[] = {0.0f,       -0.0f,  1.0f,        -1.0f,        0.5f,        2.0f,      1e-30f,
                                 1e30f,      -3e38f, 3.0f,        1e-42f,       1e-45f,      7.0f,      kInfinity,
                                 -kInfinity, NAN,    16777216.0f, -16777217.0f, 3.14159265f, 1.5707963f};
    return kOdd[random() % (sizeof kOdd / sizeof kOdd[0])];
  }
  float value(int round) { return round % 7 == 0 ? odd() : round % 2 == 0 ? any() : moderate(); }
};

constexpr int kRounds = 400000;

BOOST_FIXTURE_TEST_SUITE(gpu_math, Fixture)

BOOST_AUTO_TEST_CASE(the_seeds_series_bit_for_bit) {
  for (int round = 0; round < kRounds / 2; ++round) {
    const float x = value(round), y = value(static_cast<int>(random() % 32));
    BOOST_REQUIRE_MESSAGE(same(device.compat_sin(x), compat_sin(x)), "sin " << x);
    BOOST_REQUIRE_MESSAGE(same(device.compat_cos(x), compat_cos(x)), "cos " << x);
    BOOST_REQUIRE_MESSAGE(same(device.compat_rsq(x), compat_rsq(x)), "rsq " << x);
    BOOST_REQUIRE_MESSAGE(same(device.compat_pow(x, y), compat_pow(x, y)), "pow " << x << " " << y);
    const float n = static_cast<float>(random() % 20);
    BOOST_REQUIRE_MESSAGE(same(device.compat_pow(x, n), compat_pow(x, n)), "pow " << x << " " << n);
  }
}

BOOST_AUTO_TEST_CASE(accurate_sin_and_cos_are_the_interpreters) {
  for (int round = 0; round < kRounds; ++round) {
    const float x = value(round);
    BOOST_REQUIRE_MESSAGE(same(device.precise_sin(x), precise_sin(x)),
                          "sin " << x << " " << device.precise_sin(x) << " " << precise_sin(x));
    BOOST_REQUIRE_MESSAGE(same(device.precise_cos(x), precise_cos(x)),
                          "cos " << x << " " << device.precise_cos(x) << " " << precise_cos(x));
  }
}

// Next to multiples of a quarter turn nearly all of the argument cancels.
BOOST_AUTO_TEST_CASE(angles_next_to_quarter_turns) {
  for (int round = 0; round < kRounds; ++round) {
    const double turns = static_cast<double>(1 + random() % (round % 2 == 0 ? 100u : 600000u)) * 1.57079632679489661923;
    const float x = float_from_bits(float_bits(static_cast<float>(turns)) + random() % 5 - 2);
    BOOST_REQUIRE_MESSAGE(ulps(device.precise_sin(x), std::sin(static_cast<double>(x))) < 1, "sin " << x);
    BOOST_REQUIRE_MESSAGE(ulps(device.precise_cos(x), std::cos(static_cast<double>(x))) < 1, "cos " << x);
  }
  // The float closest to a multiple of a quarter turn, 16367173 * 2^72.
  const float worst = std::ldexp(16367173.0f, 72);
  BOOST_TEST(ulps(device.precise_cos(worst), std::cos(static_cast<double>(worst))) < 1);
}

// A power whose exact value is the middle between two floats (a square of 25 bits) may be rounded either way.
BOOST_AUTO_TEST_CASE(accurate_pow_is_the_interpreters) {
  int different = 0;
  for (int round = 0; round < kRounds; ++round) {
    float a = value(round), b = value(static_cast<int>(random() % 32));
    if (round % 3 == 0) b = static_cast<float>(static_cast<int>(random() % 64) - 32);
    if (round % 5 == 0) a = float_from_bits(0x3F800000 + random() % 2000 - 1000), b *= 10000;
    if (round % 4 == 0) a = std::fabs(a);
    const float device_value = device.precise_pow(a, b), exact = precise_pow(a, b);
    if (same(device_value, exact)) continue;
    ++different;
    BOOST_REQUIRE_MESSAGE(apart(device_value, exact) <= 1,
                          "pow " << a << " " << b << ": " << device_value << " " << exact);
  }
  BOOST_TEST(different <= 2);
}

BOOST_AUTO_TEST_CASE(special_cases_of_pow) {
  const float values[] = {0.0f,  -0.0f, 1.0f,      -1.0f,      2.0f, -2.0f,  0.5f,        -0.5f,       3.0f,
                          -3.0f, 1e30f, kInfinity, -kInfinity, NAN,  1e-42f, 16777216.0f, 16777217.0f, 2.5f};
  for (const float a : values)
    for (const float b : values) BOOST_TEST(same(device.precise_pow(a, b), precise_pow(a, b)), a << " ^ " << b);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
