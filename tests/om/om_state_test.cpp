#include "om_state.h"

#include <boost/test/unit_test.hpp>

using namespace gyre::om;

BOOST_AUTO_TEST_SUITE(om_state)

BOOST_AUTO_TEST_CASE(aperture_vectors) {
  BOOST_TEST(encode_address({7, 7, 3, false}, {5, 9, 0, 0}) == 0xE0002428u);
  BOOST_TEST(encode_address({7, 7, 3, false}, {5, 9, 1, 2}) == 0xE00A2428u);
  BOOST_TEST(encode_address({11, 11, 3, false}, {1919, 1079, 1, 3}) == 0xEF0DFBF8u);
  BOOST_TEST(encode_address({7, 7, 2, false}, {5, 9, 0, 0}) == 0xE0001214u);
}

BOOST_AUTO_TEST_CASE(aperture_round_trip_at_the_corners_of_every_size) {
  for (std::uint8_t xbits = 0; xbits <= 14; ++xbits)
    for (std::uint8_t ybits = 0; ybits <= 14; ++ybits)
      for (std::uint8_t shift = 2; shift <= 3; ++shift)
        for (std::uint32_t rt = 0; rt < 4; ++rt)
          for (std::uint32_t face = 0; face < 2; ++face)
            for (int corner = 0; corner < 4; ++corner) {
              const ApertureGeometry g{xbits, ybits, shift, false};
              if (xbits + ybits + 3 + shift > 28) continue;
              const Pixel p{(corner & 1) != 0 ? (1u << xbits) - 1 : 0, (corner & 2) != 0 ? (1u << ybits) - 1 : 0, face,
                            rt};
              const std::uint32_t address = encode_address(g, p);
              BOOST_REQUIRE(address >= GYRE_DEV_APERTURE_BASE && address < GYRE_DEV_APERTURE_END);
              const Pixel q = decode_record(g, (address - GYRE_DEV_APERTURE_BASE) >> shift);
              BOOST_REQUIRE(q.x == p.x && q.y == p.y && q.face == p.face && q.rt == p.rt);
            }
}

BOOST_AUTO_TEST_CASE(per_attachment_registers_go_to_the_selected_bank_only) {
  OmState state;
  for (std::uint32_t rt = 0; rt < 4; ++rt) {
    state.write(GYRE_DCR_OM_RT_SELECT, rt);
    state.write(GYRE_DCR_OM_CBUF_ADDR, 0x100 + rt);
    state.write(GYRE_DCR_OM_CBUF_PITCH, 64 + 4 * rt);
    state.write(GYRE_DCR_OM_CBUF_WRITEMASK, 1u << rt);
  }
  for (unsigned rt = 0; rt < 4; ++rt) {
    BOOST_TEST(state.target(rt).address(3, 2) == ((0x100u + rt) << 6) + 2 * (64 + 4 * rt) + 12);
    BOOST_TEST(state.target(rt).byte_mask == 0xFFu << (8 * rt));
  }
  BOOST_CHECK(state.write(GYRE_DCR_OM_RT_SELECT, 4) == DcrWrite::kBadValue);
  state.write(GYRE_DCR_OM_LOGIC_OP, 9);  // the old selection stays
  BOOST_TEST(state.target(3).logic_op == 9);
  BOOST_TEST(state.target(0).logic_op == 0);
}

BOOST_AUTO_TEST_CASE(bypass_needs_exactly_the_documented_state) {
  OmState state;
  state.write(GYRE_DCR_OM_CBUF_WRITEMASK, 15);
  // Code 0 in every factor is ZERO / ZERO, not a pass-through.
  BOOST_CHECK(state.target(0).mode == DrawMode::kReadModifyWrite);
  state.write(GYRE_DCR_OM_BLEND_FUNC, 0x00000101);
  BOOST_CHECK(state.target(0).mode == DrawMode::kBypass);
  BOOST_CHECK(state.target(1).mode == DrawMode::kDrop);
  state.write(GYRE_DCR_OM_DEPTH_WRITEMASK, 1);
  BOOST_CHECK(state.target(0).mode == DrawMode::kReadModifyWrite);
  BOOST_CHECK(state.target(1).mode == DrawMode::kReadModifyWrite);
  state.write(GYRE_DCR_OM_DEPTH_WRITEMASK, 0);
  state.write(GYRE_DCR_OM_STENCIL_FAIL, 0x00020002);  // cannot happen under ALWAYS
  BOOST_CHECK(state.target(0).mode == DrawMode::kBypass);
  state.write(GYRE_DCR_OM_STENCIL_ZPASS, 0x00020000);  // back face only
  BOOST_CHECK(state.target(0).mode == DrawMode::kReadModifyWrite);
}

BOOST_AUTO_TEST_CASE(bad_values_are_reported) {
  OmState state;
  BOOST_CHECK(state.write(GYRE_DCR_OM_CBUF_PITCH, 66) == DcrWrite::kBadValue);
  BOOST_TEST(state.target(0).pitch == 64u);
  BOOST_CHECK(state.write(GYRE_DCR_OM_ZBUF_PITCH, 1u << 18) == DcrWrite::kBadValue);
  BOOST_CHECK(state.write(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 1) == DcrWrite::kBadValue);
  BOOST_TEST(state.aperture().record_shift == 0);
  BOOST_CHECK(state.write(GYRE_DCR_OM_APERTURE_XBITS, 16) == DcrWrite::kBadValue);
  BOOST_CHECK(state.write(0x07F, 0) == DcrWrite::kNotMine);
  BOOST_CHECK(state.write(0x098, 0) == DcrWrite::kNotMine);
}

BOOST_AUTO_TEST_CASE(capacity_rule) {
  BOOST_TEST(ApertureGeometry({11, 11, 3, false}).fits());
  BOOST_TEST(!ApertureGeometry({14, 14, 3, false}).fits());
}

BOOST_AUTO_TEST_CASE(a_fragment_uses_what_its_state_turns_on) {
  const auto bit = [](unsigned reg) { return 1u << (reg - GYRE_DCR_OM_CBUF_ADDR); };
  struct Step {
    unsigned reg;
    std::uint32_t value, more;  // registers that matter from then on
  };
  OmState state;
  state.write(GYRE_DCR_OM_DEPTH_FUNC, GYRE_CMP_ALWAYS);
  state.write(GYRE_DCR_OM_STENCIL_FUNC, GYRE_CMP_ALWAYS << 16 | GYRE_CMP_ALWAYS);
  state.write(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 3);
  state.write(GYRE_DCR_OM_BLEND_FUNC, 0x00000101);
  const Step steps[] = {
      {GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 2, bit(GYRE_DCR_OM_APERTURE_DEPTH_ONLY)},
      {GYRE_DCR_OM_CBUF_WRITEMASK, 1,
       bit(GYRE_DCR_OM_CBUF_ADDR) | bit(GYRE_DCR_OM_CBUF_PITCH) | bit(GYRE_DCR_OM_BLEND_MODE) |
           bit(GYRE_DCR_OM_BLEND_FUNC)},
      {GYRE_DCR_OM_BLEND_MODE, GYRE_BLEND_LOGICOP << 16, bit(GYRE_DCR_OM_LOGIC_OP)},
      {GYRE_DCR_OM_BLEND_FUNC, GYRE_FACTOR_ONE_MINUS_CONST_A << 24, bit(GYRE_DCR_OM_BLEND_CONST)},
      {GYRE_DCR_OM_DEPTH_WRITEMASK, 1, bit(GYRE_DCR_OM_ZBUF_ADDR) | bit(GYRE_DCR_OM_ZBUF_PITCH)},
      {GYRE_DCR_OM_STENCIL_ZPASS, 1 << 16, bit(GYRE_DCR_OM_STENCIL_WRITEMASK)},
      {GYRE_DCR_OM_STENCIL_ZPASS, GYRE_STENCIL_REPLACE << 16, bit(GYRE_DCR_OM_STENCIL_REF)},
      {GYRE_DCR_OM_STENCIL_FUNC, GYRE_CMP_ALWAYS << 16 | GYRE_CMP_NEVER, bit(GYRE_DCR_OM_STENCIL_FAIL)},
      {GYRE_DCR_OM_STENCIL_FUNC, GYRE_CMP_ALWAYS << 16 | GYRE_CMP_LESS, bit(GYRE_DCR_OM_STENCIL_MASK)},
  };
  for (const Step& step : steps) {
    const std::uint32_t before = state.used(0);
    state.write(step.reg, step.value);
    BOOST_TEST(state.used(0) == (before | step.more));
    BOOST_TEST((before & step.more) == 0u);
  }
  BOOST_TEST((state.used(1) & bit(GYRE_DCR_OM_CBUF_ADDR)) == 0u);  // of the bank of attachment 0
}

BOOST_AUTO_TEST_CASE(what_was_written_is_kept_by_bank) {
  OmState state;
  state.write(GYRE_DCR_OM_RT_SELECT, 2);
  state.write(GYRE_DCR_OM_LOGIC_OP, 5);
  state.write(GYRE_DCR_OM_ZBUF_ADDR, 5);
  BOOST_TEST(state.written(2) == (1u << 0x17 | 1u << 0x11 | 1u << 3));
  BOOST_TEST(state.written(0) == (1u << 0x17 | 1u << 3));
}

BOOST_AUTO_TEST_SUITE_END()
