// The integer-only floating point against the C library and the processor, with fesetround: results and flags.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

#include "fp.h"

namespace {

namespace fp = gyre::riscv::fp;
using Random = std::mt19937_64;

template <class F>
struct Native;
template <>
struct Native<fp::Single> { using type = float; };
template <>
struct Native<fp::Double> { using type = double; };
template <class F>
using Number = typename Native<F>::type;

template <class F>
Number<F> number(typename F::Bits bits) {
  Number<F> value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class F>
typename F::Bits bits_of(Number<F> value) {
  typename F::Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return std::isnan(value) ? fp::kCanonicalNan<F> : bits;
}

// Values where things happen: zeros, infinities, NaNs, subnormals, ends of the range, few bits set.
template <class F>
typename F::Bits operand(Random& random) {
  using Bits = typename F::Bits;
  const Bits sign = random() % 2 == 0 ? fp::kSign<F> : 0;
  const auto few = [&random] { return static_cast<Bits>(Bits{1} << random() % (F::kFraction + 1)); };
  switch (random() % 12) {
    case 0: return sign;
    case 1: return sign | fp::kInfinity<F>;
    case 2: return sign | fp::kInfinity<F> | (static_cast<Bits>(random()) & fp::kFractionMask<F>);
    case 3: return sign | (static_cast<Bits>(random()) & fp::kFractionMask<F>);
    case 4: return sign | few();
    case 5: return sign | (fp::kInfinity<F> - few());
    case 6: return sign | static_cast<Bits>((Bits{F::kExponentMax} << F::kFraction) + (random() % 2 == 0 ? few() : 0 - few()));
    case 7: case 8: {  // near one, so that exponents meet
      const auto exponent = static_cast<Bits>(F::kExponentMax - 30 + static_cast<int>(random() % 60));
      return sign | exponent << F::kFraction | (static_cast<Bits>(random()) & fp::kFractionMask<F>);
    }
    case 9: {  // around the smallest normal number after a product
      const auto exponent = static_cast<Bits>(F::kExponentMax / 2 - 15 + static_cast<int>(random() % 30));
      return sign | exponent << F::kFraction | (static_cast<Bits>(random()) & fp::kFractionMask<F>);
    }
    default: return static_cast<Bits>(random());
  }
}

constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

unsigned native_flags() {
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return ((raised & FE_INEXACT) != 0 ? fp::kNx : 0) | ((raised & FE_UNDERFLOW) != 0 ? fp::kUf : 0) |
         ((raised & FE_OVERFLOW) != 0 ? fp::kOf : 0) | ((raised & FE_DIVBYZERO) != 0 ? fp::kDz : 0) |
         ((raised & FE_INVALID) != 0 ? fp::kNv : 0);
}

template <class F>
struct Outcome {
  typename F::Bits bits;
  unsigned flags;
  bool operator==(const Outcome& other) const { return bits == other.bits && flags == other.flags; }
};

// volatile: the operation must happen between the changes of mode.
template <class F, class Operation>
Outcome<F> natively(unsigned rm, Operation operation) {
  std::fesetround(kModes[rm]);
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile Number<F> result = operation();
  const unsigned flags = native_flags();
  std::fesetround(FE_TONEAREST);
  return {bits_of<F>(result), flags};
}

template <class F>
void arithmetic(Random& random) {
  using Bits = typename F::Bits;
  const Bits a = operand<F>(random), b = random() % 16 == 0 ? a ^ fp::kSign<F> : operand<F>(random);
  volatile Number<F> x = number<F>(a), y = number<F>(b);
  for (unsigned rm = 0; rm < 4; ++rm) {
    const auto check = [&](const char* name, auto ours, auto theirs) {
      unsigned flags = 0;
      const Bits bits = ours(flags);
      const Outcome<F> want = natively<F>(rm, theirs);
      if (!(Outcome<F>{bits, flags} == want))  // a message made for every success would take most of the time
        BOOST_FAIL(name << std::hex << " of a " << a << " b " << b << " rm " << rm << " gave " << bits << ',' << flags
                        << " not " << want.bits << ',' << want.flags);
    };
    check("add", [&](unsigned& f) { return fp::add<F>(a, b, rm, f); }, [&] { return x + y; });
    check("sub", [&](unsigned& f) { return fp::sub<F>(a, b, rm, f); }, [&] { return x - y; });
    check("mul", [&](unsigned& f) { return fp::mul<F>(a, b, rm, f); }, [&] { return x * y; });
    check("div", [&](unsigned& f) { return fp::div<F>(a, b, rm, f); }, [&] { return x / y; });
    check("sqrt", [&](unsigned& f) { return fp::sqrt<F>(a, rm, f); }, [&] { return std::sqrt(x); });
  }
}

template <class F>
void fused(Random& random) {
  using Bits = typename F::Bits;
  const Bits a = operand<F>(random), b = operand<F>(random);
  volatile Number<F> x = number<F>(a), y = number<F>(b);
  // Often an addend that nearly cancels the product.
  Bits c = operand<F>(random);
  if (random() % 2 == 0) c = (bits_of<F>(x * y) ^ fp::kSign<F>) + static_cast<Bits>(random() % 5) - 2;
  volatile Number<F> z = number<F>(c);
  const bool infinite_by_zero = (fp::is_infinite<F>(a) && fp::is_zero<F>(b)) || (fp::is_zero<F>(a) && fp::is_infinite<F>(b));
  for (unsigned rm = 0; rm < 4; ++rm) {
    unsigned flags = 0;
    const Bits bits = fp::fma<F>(a, b, c, rm, flags);
    Outcome<F> want = natively<F>(rm, [&] { return std::fma(x, y, z); });
    if (infinite_by_zero) want.flags |= fp::kNv;  // also with a quiet NaN added; IEEE leaves that open, RISC-V does not
    if (!(Outcome<F>{bits, flags} == want))
      BOOST_FAIL(std::hex << a << " * " << b << " + " << c << " rm " << rm << " gave " << bits << ',' << flags << " not "
                          << want.bits << ',' << want.flags);
  }
}

template <class F>
void integers(Random& random) {
  using Bits = typename F::Bits;
  const std::uint64_t i = random() % 3 == 0 ? random() : random() % 2 == 0 ? random() >> random() % 64 : (1ull << random() % 64) - random() % 3;
  const Bits a = random() % 2 == 0 ? operand<F>(random)
                                   : bits_of<F>(std::ldexp(static_cast<Number<F>>(static_cast<std::int64_t>(random())), -static_cast<int>(random() % 66)));
  volatile Number<F> x = number<F>(a);
  for (unsigned rm = 0; rm < 4; ++rm) {
    unsigned flags = 0;
    Bits bits = fp::from_int<F>(i, false, rm, flags);
    BOOST_REQUIRE((Outcome<F>{bits, flags} == natively<F>(rm, [&] { volatile auto v = static_cast<std::int64_t>(i); return static_cast<Number<F>>(v); })));
    if (i >> 63 == 0) {  // the compiler's own sequence for larger ones rounds twice
      flags = 0;
      bits = fp::from_int<F>(i, true, rm, flags);
      BOOST_REQUIRE((Outcome<F>{bits, flags} == natively<F>(rm, [&] { volatile auto v = static_cast<std::int64_t>(i); return static_cast<Number<F>>(v); })));
    }
    const Number<F> value = x, rounded = rm == fp::kRne   ? std::nearbyint(value)
                                         : rm == fp::kRtz ? std::trunc(value)
                                         : rm == fp::kRdn ? std::floor(value)
                                                          : std::ceil(value);
    const bool inexact = rounded != value;
    for (const unsigned size : {32u, 64u})
      for (const bool is_unsigned : {false, true}) {
        const double low = is_unsigned ? 0 : -std::ldexp(1.0, static_cast<int>(size) - 1);
        const double high = std::ldexp(1.0, static_cast<int>(is_unsigned ? size : size - 1));  // first one too large
        const double r = rounded;
        std::uint64_t want;
        unsigned want_flags = fp::kNv;
        const std::uint64_t largest = is_unsigned ? ~0ull : (1ull << (size - 1)) - 1;
        if (std::isnan(r) || r >= high) want = largest;
        else if (r < low) want = is_unsigned ? 0 : static_cast<std::uint64_t>(-1) << (size - 1);
        else {
          want = is_unsigned ? static_cast<std::uint64_t>(r) : static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
          if (size == 32) want = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(want)));
          want_flags = inexact ? fp::kNx : 0;
        }
        flags = 0;
        const std::uint64_t got = fp::to_int<F>(a, size, is_unsigned, rm, flags);
        if (got != want || flags != want_flags)
          BOOST_FAIL(std::hex << "to_int " << a << " size " << size << " unsigned " << is_unsigned << " rm " << rm << " gave "
                              << got << ',' << flags << " not " << want << ',' << want_flags);
      }
  }
}

template <class F>
void comparisons(Random& random) {
  using Bits = typename F::Bits;
  const Bits a = operand<F>(random), b = random() % 4 == 0 ? a : operand<F>(random);
  volatile Number<F> x = number<F>(a), y = number<F>(b);
  const bool nan = fp::is_nan<F>(a) || fp::is_nan<F>(b), signaling = fp::is_signaling<F>(a) || fp::is_signaling<F>(b);
  unsigned flags = 0;
  BOOST_REQUIRE_EQUAL(fp::eq<F>(a, b, flags), x == y);
  BOOST_REQUIRE_EQUAL(flags, signaling ? fp::kNv : 0);
  flags = 0;
  BOOST_REQUIRE_EQUAL(fp::lt<F>(a, b, flags), x < y);
  BOOST_REQUIRE_EQUAL(fp::le<F>(a, b, flags), x <= y);
  BOOST_REQUIRE_EQUAL(flags, nan ? fp::kNv : 0);
  flags = 0;
  const bool a_first = x < y || (x == y && std::signbit(x));
  const Bits low = fp::is_nan<F>(a) ? (fp::is_nan<F>(b) ? fp::kCanonicalNan<F> : b) : fp::is_nan<F>(b) || a_first ? a : b;
  const Bits high = fp::is_nan<F>(a) ? low : fp::is_nan<F>(b) || !a_first ? a : b;
  BOOST_REQUIRE_EQUAL(fp::min<F>(a, b, flags), low);
  BOOST_REQUIRE_EQUAL(fp::max<F>(a, b, flags), high);
  BOOST_REQUIRE_EQUAL(flags, signaling ? fp::kNv : 0);
  const unsigned kind = fp::classify<F>(a);
  const int category = std::fpclassify(x);
  const bool negative = std::signbit(x);
  const unsigned want = category == FP_NAN         ? (fp::is_signaling<F>(a) ? 1u << 8 : 1u << 9)
                        : category == FP_INFINITE  ? (negative ? 1u : 1u << 7)
                        : category == FP_ZERO      ? (negative ? 1u << 3 : 1u << 4)
                        : category == FP_SUBNORMAL ? (negative ? 1u << 2 : 1u << 5)
                                                   : (negative ? 1u << 1 : 1u << 6);
  BOOST_REQUIRE_EQUAL(kind, want);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(floating_point)

BOOST_DATA_TEST_CASE(arithmetic_as_the_processor_does_it, boost::unit_test::data::xrange(4), seed) {
  Random random(static_cast<std::uint64_t>(seed));
  for (int i = 0; i < 20'000; ++i) {
    arithmetic<fp::Single>(random);
    arithmetic<fp::Double>(random);
    fused<fp::Single>(random);
    fused<fp::Double>(random);
  }
}

BOOST_DATA_TEST_CASE(conversions_and_comparisons, boost::unit_test::data::xrange(4), seed) {
  Random random(100 + static_cast<std::uint64_t>(seed));
  for (int i = 0; i < 20'000; ++i) {
    integers<fp::Single>(random);
    integers<fp::Double>(random);
    comparisons<fp::Single>(random);
    comparisons<fp::Double>(random);
    const std::uint64_t d = random() % 2 == 0 ? operand<fp::Double>(random) : bits_of<fp::Double>(std::ldexp(number<fp::Double>((operand<fp::Double>(random) & 0x800FFFFFFFFFFFFF) | 0x3FF0000000000000), static_cast<int>(random() % 300) - 160));
    const std::uint32_t s = operand<fp::Single>(random);
    volatile double wide = number<fp::Double>(d);
    volatile float thin = number<fp::Single>(s);
    for (unsigned rm = 0; rm < 4; ++rm) {
      unsigned flags = 0;
      const std::uint32_t narrowed = fp::narrow(d, rm, flags);
      BOOST_TEST_INFO(std::hex << d << " rm " << rm);
      BOOST_REQUIRE((Outcome<fp::Single>{narrowed, flags} == natively<fp::Single>(rm, [&] { return static_cast<float>(wide); })));
    }
    unsigned flags = 0;
    const std::uint64_t widened = fp::widen(s, flags);
    BOOST_REQUIRE((Outcome<fp::Double>{widened, flags} == natively<fp::Double>(0, [&] { return static_cast<double>(thin); })));
  }
}

// No processor here rounds ties away from zero: between the two neighbours the nearer one, the larger one on a tie.
BOOST_AUTO_TEST_CASE(ties_away_from_zero) {
  Random random(7);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t a = operand<fp::Single>(random), b = operand<fp::Single>(random);
    if (fp::is_nan<fp::Single>(a) || fp::is_nan<fp::Single>(b)) continue;
    const double exact = static_cast<double>(number<fp::Single>(a)) * number<fp::Single>(b);  // 48 bits
    if (!std::isfinite(exact)) continue;
    unsigned flags = 0, ignored = 0;
    const std::uint32_t got = fp::mul<fp::Single>(a, b, fp::kRmm, flags);
    const float down = number<fp::Single>(fp::mul<fp::Single>(a, b, fp::kRtz, ignored));
    const float up = std::nextafter(down, std::signbit(exact) ? -INFINITY : INFINITY);
    const double to_down = std::fabs(exact - down), to_up = std::isinf(up) ? std::fabs(exact) - std::ldexp(1.0, 128) : up - exact;
    if (std::isinf(up)) {
      BOOST_REQUIRE_EQUAL(got, bits_of<fp::Single>(to_down >= std::ldexp(1.0, 103) ? up : down));
      continue;
    }
    BOOST_TEST_INFO(std::hex << a << " * " << b);
    BOOST_REQUIRE_EQUAL(got, bits_of<fp::Single>(exact == down || to_down < std::fabs(to_up) ? down : up));
    BOOST_REQUIRE_EQUAL((flags & fp::kNx) != 0, exact != down);
  }
  unsigned flags = 0;
  BOOST_TEST(fp::to_int<fp::Double>(bits_of<fp::Double>(-2.5), 32, false, fp::kRmm, flags) == static_cast<std::uint64_t>(-3));
  BOOST_TEST(fp::to_int<fp::Double>(bits_of<fp::Double>(0.49999999999999994), 32, false, fp::kRmm, flags) == 0u);
  BOOST_TEST(fp::add<fp::Double>(bits_of<fp::Double>(1), bits_of<fp::Double>(std::ldexp(1.0, -53)), fp::kRmm, flags) ==
             bits_of<fp::Double>(1 + std::ldexp(1.0, -52)));
}

BOOST_AUTO_TEST_SUITE_END()
