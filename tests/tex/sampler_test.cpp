#include "sampler.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "tex_reference.h"

using namespace gyre::tex;
namespace data = boost::unit_test::data;

namespace tex_test {
struct Memory {
  std::vector<std::uint8_t> bytes;
  std::uint64_t base;
  std::uint32_t operator()(std::uint64_t address, unsigned count) const {
    std::uint32_t value = 0;
    BOOST_REQUIRE(address >= base && address - base + count <= bytes.size());
    std::memcpy(&value, &bytes[address - base], count);
    return value;
  }
};
}  // namespace tex_test
using tex_test::Memory;

namespace {

int tap(int a, int b, unsigned f) { return static_cast<int>(tap_lerp(spread(unsigned(a)), spread(unsigned(b)), f)); }
int mip(int a, int b, unsigned g) { return static_cast<int>(level_lerp(spread(unsigned(a)), spread(unsigned(b)), g)); }

TexBank bank_of(unsigned log_w, unsigned log_h, unsigned format, unsigned wrap, bool bilinear) {
  TexState state;
  state.write(GYRE_DCR_TEX_LOGDIM, log_h << 16 | log_w);
  state.write(GYRE_DCR_TEX_FORMAT, format);
  state.write(GYRE_DCR_TEX_WRAP, wrap << 16 | wrap);
  state.write(GYRE_DCR_TEX_FILTER, bilinear ? GYRE_TEX_FILTER_BILINEAR : 0);
  return state.bank(0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tex_filter)

BOOST_AUTO_TEST_CASE(vectors_of_the_two_lerps) {
  BOOST_TEST(tap(0, 255, 128) == 128);
  BOOST_TEST(tap(10, 20, 64) == 13);
  BOOST_TEST(tap(0, 1, 127) == 0);
  BOOST_TEST(tap(0, 1, 128) == 1);
  BOOST_TEST(tap(200, 100, 1) == 200);
  BOOST_TEST(mip(10, 20, 64) == 12);
  BOOST_TEST(mip(0, 255, 128) == 127);
  BOOST_TEST(mip(0, 255, 255) == 254);
}

BOOST_AUTO_TEST_CASE(spreading_four_channels_loses_nothing) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto x = static_cast<std::uint32_t>(random());
    BOOST_REQUIRE_EQUAL(gather(spread(x)), x);
  }
}

BOOST_AUTO_TEST_CASE(lerps_equal_the_scalar_formulas_and_keep_their_ends) {
  for (int a = 0; a < 256; a += 3)
    for (int b = 0; b < 256; b += 5)
      for (unsigned f = 0; f < 256; ++f) {
        BOOST_REQUIRE_EQUAL(tap(a, b, f), gyre::test::ref_lerp(a, b, int(f)));
        BOOST_REQUIRE_EQUAL(mip(a, b, f), gyre::test::ref_level_lerp(a, b, int(f)));
      }
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      BOOST_REQUIRE_EQUAL(tap(a, b, 0), a);
      BOOST_REQUIRE_EQUAL(tap(a, b, 255), b);
      BOOST_REQUIRE_EQUAL(mip(a, b, 0), a);
      if (a < b) BOOST_REQUIRE(mip(a, b, 255) < b);
      BOOST_REQUIRE_EQUAL(tap(a, a, unsigned(b)), a);
      BOOST_REQUIRE_EQUAL(mip(a, a, unsigned(b)), a);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tex_texel)

BOOST_AUTO_TEST_CASE(vectors) {
  BOOST_TEST(decode_texel(GYRE_TEX_FORMAT_R5G6B5, 0x1234) == 0xFF1045A5u);
  BOOST_TEST(decode_texel(GYRE_TEX_FORMAT_R5G6B5, 0x8410) == 0xFF848284u);
  BOOST_TEST(decode_texel(GYRE_TEX_FORMAT_A1R5G5B5, 0x9234) == 0xFF218CA5u);
  BOOST_TEST(decode_texel(GYRE_TEX_FORMAT_A1R5G5B5, 0x1234) == 0x00218CA5u);
  BOOST_TEST(decode_texel(GYRE_TEX_FORMAT_A4R4G4B4, 0x9ABC) == 0x99AABBCCu);
}

BOOST_DATA_TEST_CASE(every_16_bit_texel_equals_the_reference, data::xrange(7), format) {
  for (std::uint32_t t = 0; t < (gyre::test::ref_bytes(format) == 1 ? 256u : 65536u); ++t)
    BOOST_REQUIRE_EQUAL(decode_texel(unsigned(format), t), gyre::test::pack(gyre::test::ref_decode(format, t)));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tex_address)

void check(const LevelTaps& taps, std::vector<std::uint32_t> offsets, unsigned alpha, unsigned beta) {
  for (unsigned t = 0; t < offsets.size(); ++t) BOOST_TEST(taps.offset[t] == offsets[t]);
  BOOST_TEST(taps.alpha == alpha);
  BOOST_TEST(taps.beta == beta);
}

BOOST_AUTO_TEST_CASE(vectors) {
  const TexBank square = bank_of(6, 6, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_WRAP_REPEAT, true);
  check(level_taps<true>(square, 0x400000, 0x200000, 0), {3964, 3968, 4220, 4224}, 128, 128);
  check(level_taps<true>(square, 0x400000, 0x200000, 2), {220, 224, 284, 288}, 128, 128);
  check(level_taps<true>(square, 0, 0, 0), {16380, 16128, 252, 0}, 128, 128);

  const TexBank clamp = bank_of(6, 5, GYRE_TEX_FORMAT_R5G6B5, GYRE_TEX_WRAP_CLAMP, true);
  check(level_taps<true>(clamp, static_cast<std::uint32_t>(-0x200000), 0xC00000, 0), {3968, 3968, 3968, 3968}, 0, 255);
  const TexBank mirror = bank_of(6, 5, GYRE_TEX_FORMAT_R5G6B5, GYRE_TEX_WRAP_MIRROR, false);
  check(level_taps<false>(mirror, static_cast<std::uint32_t>(-0x200000), 0xC00000, 0), {1950}, 0, 0);

  BOOST_TEST(level_taps<false>(bank_of(6, 6, 0, GYRE_TEX_WRAP_REPEAT, false), 0x800000, 0, 0).offset[0] == 0u);
  BOOST_TEST(level_taps<false>(bank_of(6, 6, 0, GYRE_TEX_WRAP_CLAMP, false), 0x800000, 0, 0).offset[0] == 63u * 4);

  const LevelTaps border =
      level_taps<true>(bank_of(2, 2, GYRE_TEX_FORMAT_L8, GYRE_TEX_WRAP_BORDER, true), 0x7FDF3B, 0x400000, 0);
  BOOST_TEST(border.border == 0b1010u);
  BOOST_TEST(border.offset[0] % 4 == 3u);
  BOOST_TEST(border.offset[2] % 4 == 3u);
  BOOST_TEST(border.alpha == 126u);
  BOOST_TEST(border.beta == 128u);
}

BOOST_AUTO_TEST_CASE(the_largest_texture_needs_all_32_offset_bits) {
  const TexBank bank = bank_of(15, 15, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_WRAP_CLAMP, false);
  BOOST_TEST(level_taps<false>(bank, kFracMask, kFracMask, 0).offset[0] == 0xFFFFFFFCu);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tex_sampler)

BOOST_DATA_TEST_CASE(equals_the_scalar_reference, data::xrange(7) * data::xrange(16) * data::xrange(4), format, wraps,
                     filter) {
  std::mt19937 random(static_cast<unsigned>(format * 100 + wraps * 4 + filter));
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 6; ++round) {
    gyre::test::RefTexture ref;
    ref.log_w = pick(8);
    ref.log_h = pick(8);
    ref.format = format;
    ref.wrap_u = wraps & 3;
    ref.wrap_v = wraps >> 2;
    ref.bilinear = (filter & 1) != 0;
    ref.mip_linear = (filter & 2) != 0;
    ref.base = 0x10000u + 64u * static_cast<unsigned>(pick(1000));
    ref.border = static_cast<std::uint32_t>(random());
    std::uint32_t size = 0;
    const auto bytes = static_cast<std::uint32_t>(gyre::test::ref_bytes(format));
    for (int l = 0; l < 16; ++l) {
      const int top = std::max(ref.log_w, ref.log_h);
      ref.mip[l] = l <= top ? size : ref.mip[top];
      if (l <= top) size += bytes << (std::max(ref.log_w - l, 0) + std::max(ref.log_h - l, 0));
    }
    Memory memory{std::vector<std::uint8_t>(size), ref.base};
    for (auto& byte : memory.bytes) byte = static_cast<std::uint8_t>(random());

    TexState state;
    state.write(GYRE_DCR_TEX_STAGE, 1);
    state.write(GYRE_DCR_TEX_ADDR, static_cast<std::uint32_t>(ref.base >> 6));
    state.write(GYRE_DCR_TEX_LOGDIM, static_cast<std::uint32_t>(ref.log_h << 16 | ref.log_w));
    state.write(GYRE_DCR_TEX_FORMAT, static_cast<std::uint32_t>(format));
    state.write(GYRE_DCR_TEX_FILTER, static_cast<std::uint32_t>(filter));
    state.write(GYRE_DCR_TEX_WRAP, static_cast<std::uint32_t>(ref.wrap_v << 16 | ref.wrap_u));
    state.write(GYRE_DCR_TEX_BORDER, ref.border);
    for (unsigned l = 0; l < 16; ++l) state.write(GYRE_DCR_TEX_MIPOFF0 + l, ref.mip[l]);

    const auto read = [&](std::uint64_t a) { return static_cast<int>(memory(a, 1)); };
    for (int i = 0; i < 60; ++i) {
      // [-4, 4) in 23-bit fixed point, with the seams of the unit square sampled often.
      std::int32_t u = static_cast<std::int32_t>(random() % (8u << 23)) - (4 << 23);
      std::int32_t v = static_cast<std::int32_t>(random() % (8u << 23)) - (4 << 23);
      if (i % 4 == 0) u = (pick(9) - 4) * (1 << 23) + pick(5) - 2;
      if (i % 5 == 0) v = (pick(9) - 4) * (1 << 23) + pick(5) - 2;
      std::uint32_t lod = static_cast<std::uint32_t>(random());
      if (i % 7 == 0) lod |= 0xF0F;  // last level
      const std::uint32_t got =
          sample(state.bank(1), static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), lod, memory);
      BOOST_REQUIRE_EQUAL(got, gyre::test::ref_sample(ref, u, v, lod, read));
      if (ref.mip_linear) {
        TexBank one = state.bank(1);
        one.mip_linear = false;
        const unsigned l0 = lod >> 8 & 15, l1 = l0 == 15 ? 15 : l0 + 1;
        const auto uu = static_cast<std::uint32_t>(u), vv = static_cast<std::uint32_t>(v);
        const std::uint64_t c0 = spread(sample(one, uu, vv, l0, memory)), c1 = spread(sample(one, uu, vv, l1, memory));
        BOOST_REQUIRE_EQUAL(got, gather(level_lerp(c0, c1, lod & 255)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(border_colour_is_exact_when_every_tap_is_outside) {
  TexBank bank = bank_of(3, 3, GYRE_TEX_FORMAT_R5G6B5, GYRE_TEX_WRAP_BORDER, true);
  bank.border = 0x12345678;
  int fetches = 0;
  const auto fetch = [&](std::uint64_t, unsigned) { return static_cast<std::uint32_t>(++fetches); };
  BOOST_TEST(sample(bank, 3u << 23, 1u << 22, 0, fetch) == 0x12345678u);
  BOOST_TEST(fetches == 4);  // border taps are fetched and dropped
  bank.mip_linear = true;
  BOOST_TEST(sample(bank, 3u << 23, 1u << 22, 0x180, fetch) == 0x12345678u);
  BOOST_TEST(fetches == 12);
}

// A filtered row of texels is a continuous function of u, whatever the wrap mode does at the ends; mirrored, it is also
// symmetric about them.
BOOST_DATA_TEST_CASE(filtering_is_continuous, data::xrange(4) * data::xrange(6), wrap, level) {
  TexBank bank = bank_of(4, 4, GYRE_TEX_FORMAT_L8, static_cast<unsigned>(wrap), true);
  bank.border = 0xFFFFFFFFu;
  std::mt19937 rng(static_cast<unsigned>(wrap));
  std::uint8_t texels[256];
  for (auto& t : texels) t = static_cast<std::uint8_t>(rng());
  const auto fetch = [&](std::uint64_t address, unsigned) { return std::uint32_t{texels[address & 255]}; };
  const auto at = [&](std::int32_t u) {
    return static_cast<int>(sample(bank, static_cast<std::uint32_t>(u), 1 << 22, static_cast<unsigned>(level), fetch) & 255);
  };
  const int step = 1 << (23 - 4 - 8);  // 1/256 texel of level 0
  for (int u = -(2 << 23); u < (2 << 23); u += step) {
    BOOST_REQUIRE_LE(std::abs(at(u + step) - at(u)), 2);
    if (wrap == GYRE_TEX_WRAP_MIRROR) {
      BOOST_REQUIRE_LE(std::abs(at(-1 - u) - at(u)), 1);
      BOOST_REQUIRE_LE(std::abs(at((2 << 23) - 1 - u) - at(u)), 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(coordinates_wrap_at_32_bits) {
  // u - du below INT32_MIN wraps to a large positive value; nothing but the two's complement rule is promised.
  TexBank bank = bank_of(2, 2, GYRE_TEX_FORMAT_L8, GYRE_TEX_WRAP_CLAMP, true);
  const LevelTaps taps = level_taps<true>(bank, 0x80000000u, 0, 0);
  BOOST_TEST((taps.offset[0] & 3) == 3u);
  BOOST_TEST((taps.offset[1] & 3) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
