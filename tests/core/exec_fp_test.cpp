// Single-precision executors against the host's arithmetic under fesetround, results and flags; the round-away mode and
// the conversions against independent models.
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "bare_warp.h"
#include "fp.h"

using namespace gyre;
using namespace gyre::test;
using riscv::Op;
using u32 = std::uint32_t;
namespace fp = riscv::fp;

namespace {

float as_float(u32 bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
u32 as_bits(float f) {
  u32 b;
  std::memcpy(&b, &f, 4);
  return b;
}

u32 operand(std::mt19937& rng) {
  static const u32 special[] = {0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                0x7F800001, 0xFFC12345, 0xFF812345, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,
                                0x7F7FFFFF, 0xFF7FFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0x3F000000, 0x3EFFFFFF,
                                0x4B800000, 0x33800000, 0x34000000, 0x00FFFFFF, 0x1F800000, 0x20000000};
  switch (rng() % 4) {
    case 0:
      return special[rng() % std::size(special)];
    case 1:
      return static_cast<u32>(rng());
    case 2:
      return (static_cast<u32>(rng()) & 0x80000000u) | (110 + rng() % 40) << 23 | (static_cast<u32>(rng()) & 0x7FFFFF);
    default:  // few significant bits: exact results and ties
      return (static_cast<u32>(rng()) & 0x80000000u) | (100 + rng() % 60) << 23 |
             (static_cast<u32>(rng()) & 7) << rng() % 21;
  }
}

struct Reference {
  u32 result;
  unsigned flags;
};

unsigned host_flags() {
  const int e = std::fetestexcept(FE_ALL_EXCEPT);
  return ((e & FE_INVALID) != 0) << 4 | ((e & FE_DIVBYZERO) != 0) << 3 | ((e & FE_OVERFLOW) != 0) << 2 |
         ((e & FE_UNDERFLOW) != 0) << 1 | ((e & FE_INEXACT) != 0);
}

bool snan(u32 a) { return std::isnan(as_float(a)) && (a >> 22 & 1) == 0; }

// The operation itself, in the rounding mode that is set. volatile keeps it between the mode changes.
Reference host(Op op, u32 ab, u32 bb, u32 cb, int mode) {
  volatile float a = as_float(ab), b = as_float(bb), c = as_float(cb), r = 0;
  std::fesetround(mode);
  std::feclearexcept(FE_ALL_EXCEPT);
  switch (op) {
    case Op::kFaddS:
      r = a + b;
      break;
    case Op::kFsubS:
      r = a - b;
      break;
    case Op::kFmulS:
      r = a * b;
      break;
    case Op::kFdivS:
      r = a / b;
      break;
    case Op::kFsqrtS:
      r = std::sqrt(a);
      break;
    case Op::kFmaddS:
      r = std::fma(a, b, c);
      break;
    case Op::kFmsubS:
      r = std::fma(a, b, -c);
      break;
    case Op::kFnmsubS:
      r = std::fma(-a, b, c);
      break;
    case Op::kFnmaddS:
      r = std::fma(-a, b, -c);
      break;
    case Op::kFcvtSW:
      r = static_cast<float>(static_cast<std::int32_t>(ab));
      break;
    case Op::kFcvtSWu:
      r = static_cast<float>(ab);
      break;
    default:
      break;
  }
  Reference out{as_bits(r), host_flags()};
  std::fesetround(FE_TONEAREST);
  std::feclearexcept(FE_ALL_EXCEPT);
  if (std::isnan(as_float(out.result))) {
    out.result = 0x7FC00000;
    const bool fused = op == Op::kFmaddS || op == Op::kFmsubS || op == Op::kFnmsubS || op == Op::kFnmaddS;
    const bool product =
        fused && ((std::isinf(as_float(ab)) && as_float(bb) == 0) || (as_float(ab) == 0 && std::isinf(as_float(bb))));
    if (product || snan(ab) || (op != Op::kFsqrtS && snan(bb)) || (fused && snan(cb))) out.flags |= 16;
  }
  return out;
}

// Exact value rounded to nearest, ties away from zero, from 113 bits.
u32 away(__float128 v) {
  if (v == 0) return std::signbit(static_cast<double>(v)) ? 0x80000000u : 0;
  const bool negative = v < 0;
  const __float128 magnitude = negative ? -v : v;
  u32 low = as_bits(static_cast<float>(magnitude));
  if (as_float(low) > magnitude) --low;  // the largest float not above it
  const __float128 lower = as_float(low);
  const __float128 upper =
      low + 1 == 0x7F800000u ? static_cast<__float128>(0x1p127) * 2 : static_cast<__float128>(as_float(low + 1));
  const u32 r = magnitude - lower >= upper - magnitude ? low + 1 : low;
  return r | (negative ? 0x80000000u : 0);
}

constexpr Op kRounded[] = {Op::kFaddS,  Op::kFsubS,   Op::kFmulS,   Op::kFdivS,  Op::kFsqrtS, Op::kFmaddS,
                           Op::kFmsubS, Op::kFnmsubS, Op::kFnmaddS, Op::kFcvtSW, Op::kFcvtSWu};

core::Inst inst3(unsigned rm) {
  core::Inst i;
  i.rs1 = 33;
  i.rs2 = 34;
  i.rs3 = 35;
  i.rd = 36;
  i.rm = static_cast<std::uint8_t>(rm);
  return i;
}

void fill(BareWarp& b, std::mt19937& rng) {
  for (u32& r : b.registers) r = operand(rng);
}

template <class Body>
void both_builds(Body body) {
  for (bool baseline : {false, true}) {
    core::use_baseline_executors(baseline);
    std::mt19937 rng(11);
    body(rng);
  }
  core::use_baseline_executors(false);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_exec_fp)

BOOST_AUTO_TEST_CASE(arithmetic_equals_the_host_in_four_rounding_modes) {
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  both_builds([&](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (Op op : kRounded)
        for (unsigned rm = 0; rm < 4; ++rm)
          for (int round = 0; round < 150; ++round) {
            BareWarp b(threads);
            fill(b, rng);
            b.set_mask(random_mask(rng, b.w.full));
            const bool dynamic = rng() % 2 == 0;
            b.w.frm = static_cast<std::uint8_t>(rm);
            const core::Inst i = inst3(dynamic ? 7 : rm);
            const std::vector<u32> before = b.registers;
            const unsigned flags = b.run(op, i);
            unsigned expect_flags = 0;
            for (unsigned l = 0; l < threads; ++l) {
              const u32 x = before[33 * threads + l], y = before[34 * threads + l], z = before[35 * threads + l];
              if (!b.on(l)) {
                BOOST_REQUIRE(b.row(36)[l] == before[36 * threads + l]);
                continue;
              }
              const Reference ref = host(op, x, y, z, modes[rm]);
              expect_flags |= ref.flags;
              BOOST_REQUIRE_MESSAGE(b.row(36)[l] == ref.result, "op " << int(op) << " rm " << rm << std::hex << " " << x
                                                                      << " " << y << " " << z << " -> " << b.row(36)[l]
                                                                      << " not " << ref.result);
            }
            BOOST_REQUIRE_MESSAGE(flags == expect_flags, "flags of op " << int(op) << " rm " << rm << ": " << flags
                                                                        << " not " << expect_flags);
          }
  });
}

BOOST_AUTO_TEST_CASE(round_away_equals_a_wide_model) {
  std::mt19937 rng(13);
  auto moderate = [&] {
    return (static_cast<u32>(rng()) & 0x80000000u) | (112 + rng() % 28) << 23 |
           (static_cast<u32>(rng()) & 0x7FFFFF & (~0u << rng() % 24));
  };
  for (int round = 0; round < 40000; ++round) {
    const u32 a = moderate(), b = moderate(), c = moderate();
    const __float128 x = as_float(a), y = as_float(b), z = as_float(c);
    unsigned flags = 0;
    BOOST_REQUIRE(fp::add<fp::Single>(a, b, fp::kRmm, flags) == away(x + y));
    BOOST_REQUIRE(fp::sub<fp::Single>(a, b, fp::kRmm, flags) == away(x - y));
    BOOST_REQUIRE(fp::mul<fp::Single>(a, b, fp::kRmm, flags) == away(x * y));
    BOOST_REQUIRE(fp::fma<fp::Single>(a, b, c, fp::kRmm, flags) == away(x * y + z));
    BOOST_REQUIRE(fp::div<fp::Single>(a, b, fp::kRmm, flags) == away(x / y));
    flags = 0;
    const u32 n = static_cast<u32>(rng()) >> rng() % 20;
    BOOST_REQUIRE(fp::from_int<fp::Single>(n, true, fp::kRmm, flags) == away(static_cast<__float128>(n)));
    BOOST_REQUIRE(flags == (away(static_cast<__float128>(n)) == as_bits(static_cast<float>(n)) &&
                                    static_cast<double>(static_cast<float>(n)) == n
                                ? 0u
                                : 1u));
    // Tiny results: ties between subnormal numbers.
    const u32 tiny = (rng() % 64) << 23 | (static_cast<u32>(rng()) & 0x7FFFFF & (~0u << rng() % 24));
    const u32 factor = (50 + rng() % 60) << 23 | (static_cast<u32>(rng()) & 0x700000);
    BOOST_REQUIRE(fp::mul<fp::Single>(tiny, factor, fp::kRmm, flags) ==
                  away(static_cast<__float128>(as_float(tiny)) * as_float(factor)));
  }
  // Agrees with nearest-even wherever there is no tie; square roots never tie.
  for (int round = 0; round < 20000; ++round) {
    const u32 a = operand(rng) & 0x7FFFFFFF;
    unsigned flags = 0;
    const Reference ref = host(Op::kFsqrtS, a, 0, 0, FE_TONEAREST);
    BOOST_REQUIRE(fp::sqrt<fp::Single>(a, fp::kRmm, flags) == ref.result);
    BOOST_REQUIRE(flags == ref.flags);
  }
  unsigned flags = 0;
  BOOST_TEST(fp::add<fp::Single>(0x7F7FFFFF, 0x7F7FFFFF, fp::kRmm, flags) == 0x7F800000u);
  BOOST_TEST(flags == (fp::kOf | fp::kNx));
}

BOOST_AUTO_TEST_CASE(away_mode_reaches_the_executors_and_reserved_modes_are_illegal) {
  for (unsigned threads : kThreadCounts) {
    BareWarp b(threads);
    for (unsigned l = 0; l < threads; ++l) {
      b.row(33)[l] = 0x3F800001;  // 1 + 2^-23
      b.row(34)[l] = 0x33800000;  // 2^-24: a tie; away goes up, even goes up too from an odd number
      b.row(35)[l] = 0x3F800000;
    }
    core::Inst i = inst3(4);
    i.rs1 = 35;
    b.run(Op::kFaddS, i);
    BOOST_TEST(b.row(36)[0] == 0x3F800001u);
    i.rm = 0;
    b.run(Op::kFaddS, i);
    BOOST_TEST(b.row(36)[0] == 0x3F800000u);
    for (unsigned frm = 5; frm < 8; ++frm) {
      b.w.frm = static_cast<std::uint8_t>(frm);
      i.rm = 7;
      b.illegal = 0;
      b.run(Op::kFaddS, i);
      b.run(Op::kFcvtWS, i);
      BOOST_TEST(b.illegal == 2u);
    }
  }
}

BOOST_AUTO_TEST_CASE(min_max_compare_classify_and_signs) {
  auto total = [](u32 a) {
    return (a >> 31) != 0 ? -static_cast<std::int64_t>(a & 0x7FFFFFFF) - 1 : static_cast<std::int64_t>(a);
  };
  both_builds([&](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (int round = 0; round < 400; ++round) {
        BareWarp b(threads);
        fill(b, rng);
        b.set_mask(random_mask(rng, b.w.full));
        const core::Inst i = inst3(0);
        auto check = [&](Op op, auto model, auto flag_model) {
          const std::vector<u32> before = b.registers;
          const unsigned flags = b.run(op, i);
          unsigned expect_flags = 0;
          for (unsigned l = 0; l < threads; ++l) {
            const u32 x = before[33 * threads + l], y = before[34 * threads + l];
            if (b.on(l)) expect_flags |= flag_model(x, y) ? 16 : 0;
            BOOST_REQUIRE_MESSAGE(b.row(36)[l] == (b.on(l) ? model(x, y) : before[36 * threads + l]),
                                  "op " << int(op) << std::hex << " " << x << " " << y);
          }
          BOOST_REQUIRE(flags == expect_flags);
        };
        auto nan = [](u32 a) { return std::isnan(as_float(a)); };
        auto any_snan = [](u32 x, u32 y) { return snan(x) || snan(y); };
        auto any_nan = [&](u32 x, u32 y) { return nan(x) || nan(y); };
        auto none = [](u32, u32) { return false; };
        check(
            Op::kFminS,
            [&](u32 x, u32 y) {
              return nan(x) ? (nan(y) ? 0x7FC00000u : y) : nan(y) ? x : total(x) < total(y) ? x : y;
            },
            any_snan);
        check(
            Op::kFmaxS,
            [&](u32 x, u32 y) {
              return nan(x) ? (nan(y) ? 0x7FC00000u : y) : nan(y) ? x : total(x) > total(y) ? x : y;
            },
            any_snan);
        check(
            Op::kFeqS, [](u32 x, u32 y) -> u32 { return as_float(x) == as_float(y); }, any_snan);
        check(
            Op::kFltS, [](u32 x, u32 y) -> u32 { return as_float(x) < as_float(y); }, any_nan);
        check(
            Op::kFleS, [](u32 x, u32 y) -> u32 { return as_float(x) <= as_float(y); }, any_nan);
        check(
            Op::kFsgnjS, [](u32 x, u32 y) { return (x & 0x7FFFFFFF) | (y & 0x80000000); }, none);
        check(
            Op::kFsgnjnS, [](u32 x, u32 y) { return (x & 0x7FFFFFFF) | (~y & 0x80000000); }, none);
        check(
            Op::kFsgnjxS, [](u32 x, u32 y) { return x ^ (y & 0x80000000); }, none);
        check(
            Op::kFmvXW, [](u32 x, u32) { return x; }, none);
        check(
            Op::kFclassS,
            [](u32 x, u32) -> u32 {
              const bool n = x >> 31;
              switch (std::fpclassify(as_float(x))) {
                case FP_INFINITE:
                  return n ? 1 : 128;
                case FP_NORMAL:
                  return n ? 2 : 64;
                case FP_SUBNORMAL:
                  return n ? 4 : 32;
                case FP_ZERO:
                  return n ? 8 : 16;
                default:
                  return snan(x) ? 256 : 512;
              }
            },
            none);
      }
  });
}

BOOST_AUTO_TEST_CASE(conversions_to_integers_saturate) {
  both_builds([](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (bool is_unsigned : {false, true})
        for (unsigned rm = 0; rm < 5; ++rm)
          for (int round = 0; round < 300; ++round) {
            BareWarp b(threads);
            const bool tame = rng() % 2 == 0;
            for (u32& r : b.registers)
              r = tame ? as_bits(static_cast<float>(static_cast<int>(rng() % 4000) - (is_unsigned ? 0 : 2000)) / 4)
                       : operand(rng);
            b.set_mask(random_mask(rng, b.w.full));
            const std::vector<u32> before = b.registers;
            const unsigned flags = b.run(is_unsigned ? Op::kFcvtWuS : Op::kFcvtWS, inst3(rm));
            unsigned expect_flags = 0;
            for (unsigned l = 0; l < threads; ++l) {
              if (!b.on(l)) continue;
              const double x = as_float(before[33 * threads + l]);
              double r = x;  // exact in double
              switch (rm) {
                case 0:
                  r = std::nearbyint(x);
                  break;
                case 1:
                  r = std::trunc(x);
                  break;
                case 2:
                  r = std::floor(x);
                  break;
                case 3:
                  r = std::ceil(x);
                  break;
                default:
                  r = std::round(x);
                  break;
              }
              const double low = is_unsigned ? 0 : -2147483648.0, high = is_unsigned ? 4294967295.0 : 2147483647.0;
              u32 expect;
              if (std::isnan(x) || r > high)
                expect = is_unsigned ? ~0u : 0x7FFFFFFF;
              else if (r < low)
                expect = is_unsigned ? 0 : 0x80000000;
              else
                expect = static_cast<u32>(static_cast<std::int64_t>(r));
              if (std::isnan(x) || r > high || r < low)
                expect_flags |= 16;
              else if (r != x)
                expect_flags |= 1;
              BOOST_REQUIRE_MESSAGE(b.row(36)[l] == expect,
                                    "rm " << rm << " " << x << " -> " << b.row(36)[l] << " not " << expect);
            }
            BOOST_REQUIRE(flags == expect_flags);
          }
  });
}

BOOST_AUTO_TEST_SUITE_END()
