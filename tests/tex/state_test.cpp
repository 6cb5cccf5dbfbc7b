#include <boost/test/unit_test.hpp>

#include "tex_state.h"

using namespace gyre::tex;

BOOST_AUTO_TEST_SUITE(tex_state)

BOOST_AUTO_TEST_CASE(writes_go_to_the_selected_bank_and_persist) {
  TexState state;
  BOOST_CHECK(state.write(GYRE_DCR_TEX_STAGE, 1) == DcrWrite::kDone);
  BOOST_CHECK(state.write(GYRE_DCR_TEX_BORDER, 7) == DcrWrite::kDone);
  BOOST_CHECK(state.write(GYRE_DCR_TEX_STAGE, 0) == DcrWrite::kDone);
  BOOST_CHECK(state.write(GYRE_DCR_TEX_MIPOFF0 + 15, 9) == DcrWrite::kDone);
  BOOST_TEST(state.bank(0).border == 0u);
  BOOST_TEST(state.bank(1).border == 7u);
  BOOST_TEST(state.bank(0).mip_offset[15] == 9u);
  BOOST_TEST(state.bank(1).mip_offset[15] == 0u);
  BOOST_TEST(state.written(0) == (1u | 1u << 0x15));
  BOOST_TEST(state.written(1) == (1u | 1u << 0x16));
}

BOOST_AUTO_TEST_CASE(bad_values_follow_the_error_table) {
  TexState state;
  BOOST_CHECK(state.write(GYRE_DCR_TEX_STAGE, 2) == DcrWrite::kBadValue);
  BOOST_TEST(state.selected() == 0u);
  state.write(GYRE_DCR_TEX_FORMAT, GYRE_TEX_FORMAT_L8);
  BOOST_CHECK(state.write(GYRE_DCR_TEX_FORMAT, 7) == DcrWrite::kBadValue);
  BOOST_TEST(state.bank(0).format == GYRE_TEX_FORMAT_A8R8G8B8);
  BOOST_TEST(state.bank(0).log_stride == 2);
  BOOST_CHECK(state.write(GYRE_DCR_TEX_LOGDIM, 0x00150011) == DcrWrite::kBadValue);
  BOOST_TEST(state.bank(0).log_width == 1);
  BOOST_TEST(state.bank(0).log_height == 5);
  BOOST_CHECK(state.write(0x057, 0) == DcrWrite::kReserved);
  BOOST_CHECK(state.write(0x05F, 0) == DcrWrite::kReserved);
  BOOST_CHECK(state.write(0x060, 0) == DcrWrite::kNotMine);
  BOOST_CHECK(state.write(0x03F, 0) == DcrWrite::kNotMine);
}

BOOST_AUTO_TEST_CASE(the_base_reaches_the_whole_32_bit_space) {
  TexState state;
  state.write(GYRE_DCR_TEX_ADDR, 0x03FFFFFF);
  BOOST_TEST(state.bank(0).base == 0xFFFFFFC0u);
}

BOOST_AUTO_TEST_CASE(misaligned_levels_are_found) {
  TexState state;
  state.write(GYRE_DCR_TEX_MIPOFF0 + 3, 2);
  BOOST_TEST(state.bank(0).misaligned_level() == 3);
  state.write(GYRE_DCR_TEX_FORMAT, GYRE_TEX_FORMAT_R5G6B5);
  BOOST_TEST(state.bank(0).misaligned_level() == -1);
}

BOOST_AUTO_TEST_CASE(poison_is_not_a_usable_state) {
  TexState state;
  state.poison();
  BOOST_TEST(state.bank(0).misaligned_level() == 0);
  BOOST_TEST(state.bank(1).border == 0xFFFFFFFFu);
  BOOST_TEST(state.written(0) == 0u);
}

BOOST_AUTO_TEST_CASE(a_sample_uses_its_levels_and_the_border_it_may_meet) {
  TexState state;
  BOOST_TEST(state.used(0, 0x0005) == (0x3Fu | 0x5u << 6));
  state.write(GYRE_DCR_TEX_WRAP, GYRE_TEX_WRAP_BORDER << 16);
  BOOST_TEST(state.used(0, 0x8000) == (0x3Fu | 0x8000u << 6 | 1u << 22));
  BOOST_TEST(state.used(1, 1) == (0x3Fu | 1u << 6));
}

BOOST_AUTO_TEST_SUITE_END()
