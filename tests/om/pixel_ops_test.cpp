#include "pixel_ops.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "om_program.h"

using namespace gyre::om;
using gyre::test::RefOm;
namespace data = boost::unit_test::data;

namespace {

OmState state_of(const RefOm& ref) {
  OmState state;
  gyre::test::program(ref, [&](unsigned reg, std::uint32_t value) { state.write(reg, value); });
  return state;
}

std::uint32_t blend_of(unsigned src_factor, unsigned dst_factor, unsigned mode, std::uint32_t src, std::uint32_t dst,
                       unsigned logic = 0) {
  RefOm om;
  om.mode_rgb = om.mode_a = mode;
  om.src_rgb = om.src_a = src_factor;
  om.dst_rgb = om.dst_a = dst_factor;
  om.logic = logic;
  return blend(state_of(om).target(0), src, dst);
}

// Same result from the product and the scalar reference, whatever the path.
void check_fragment(const RefOm& ref, const OmState& state, unsigned face, std::uint32_t depth, std::uint32_t colour,
                    std::uint32_t z, std::uint32_t c) {
  std::uint32_t got_z = z, got_c = c, want_z = z, want_c = c;
  apply_fragment(state, {0, face, depth, colour}, &got_z, &got_c);
  gyre::test::ref_fragment(ref, static_cast<int>(face), depth, colour, want_z, want_c);
  BOOST_REQUIRE_EQUAL(got_z, want_z);
  BOOST_REQUIRE_EQUAL(got_c, want_c);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(om_blend)

BOOST_AUTO_TEST_CASE(vectors) {
  const std::uint32_t src = 0x80FF4020, dst = 0xFF204080;
  BOOST_TEST(blend_of(6, 7, GYRE_BLEND_ADD, src, dst) == 0xBF904050u);
  BOOST_TEST(blend_of(1, 1, GYRE_BLEND_ADD, src, dst) == 0xFFFF80A0u);
  BOOST_TEST(blend_of(1, 1, GYRE_BLEND_SUB, src, dst) == 0x00DF0000u);
  BOOST_TEST(blend_of(1, 1, GYRE_BLEND_REV_SUB, src, dst) == 0x7F000060u);
  BOOST_TEST(blend_of(14, 1, GYRE_BLEND_ADD, src, 0x40204080) == 0xC0A06090u);
  BOOST_TEST(blend_of(1, 1, GYRE_BLEND_LOGICOP, src, dst, GYRE_LOGIC_XOR) == 0x7FDF00A0u);
  BOOST_TEST(blend_of(1, 1, GYRE_BLEND_LOGICOP, src, dst, GYRE_LOGIC_NAND) == 0x7FDFBFFFu);
  BOOST_TEST(divide_255(0xFF00) == 255u);
  BOOST_TEST(divide_255(65153) == 255u);
  BOOST_TEST(divide_255(128) == 0u);
  BOOST_TEST(divide_255(382) == 1u);
  BOOST_TEST(divide_255(383) == 1u);
}

BOOST_DATA_TEST_CASE(factors_and_modes_equal_the_reference, data::xrange(16) * data::xrange(16), sf, df) {
  std::mt19937 random(static_cast<unsigned>(sf * 16 + df));
  for (unsigned mode = 0; mode < 8; ++mode)
    for (int i = 0; i < 12; ++i) {
      RefOm om;
      om.mode_rgb = mode, om.src_rgb = static_cast<unsigned>(sf), om.dst_rgb = static_cast<unsigned>(df);
      om.mode_a = i % 3 == 0 ? mode : random() % 8;
      om.src_a = i % 3 == 0 ? om.src_rgb : random() % 16;
      om.dst_a = i % 3 == 0 ? om.dst_rgb : random() % 16;
      om.constant = static_cast<std::uint32_t>(random());
      om.logic = random() % 16;
      std::uint32_t src = static_cast<std::uint32_t>(random()), dst = static_cast<std::uint32_t>(random());
      if (i % 4 == 1) src |= 0xFFFF0000u, dst |= 0xFF00FFFFu;  // saturation
      if (i % 4 == 2) src &= 0x00FF00FFu;
      BOOST_REQUIRE_EQUAL(blend(state_of(om).target(0), src, dst), gyre::test::ref_blend(om, src, dst));
    }
}

BOOST_DATA_TEST_CASE(logic_ops_equal_the_reference, data::xrange(16), code) {
  for (unsigned mode_a : {unsigned{GYRE_BLEND_LOGICOP}, unsigned{GYRE_BLEND_MAX}}) {
    RefOm om;
    om.mode_rgb = GYRE_BLEND_LOGICOP, om.mode_a = mode_a, om.logic = static_cast<unsigned>(code);
    const OmState state = state_of(om);
    std::mt19937 random(static_cast<unsigned>(code));
    for (int i = 0; i < 100; ++i) {
      const auto src = static_cast<std::uint32_t>(random()), dst = static_cast<std::uint32_t>(random());
      BOOST_REQUIRE_EQUAL(blend(state.target(0), src, dst), gyre::test::ref_blend(om, src, dst));
    }
  }
}

BOOST_AUTO_TEST_CASE(source_alpha_shortcut_is_exact_for_every_channel_value) {
  for (std::uint32_t a = 0; a < 256; ++a)
    for (std::uint32_t s = 0; s < 256; s += 5)
      for (std::uint32_t d = 0; d < 256; d += 3) {
        const std::uint32_t src = a << 24 | s << 16 | (255 - s) << 8 | d, dst = s << 24 | d << 16 | s << 8 | (255 - d);
        RefOm om;
        om.src_rgb = om.src_a = 6, om.dst_rgb = om.dst_a = 7;
        BOOST_REQUIRE_EQUAL(blend_src_alpha(src, dst), gyre::test::ref_blend(om, src, dst));
      }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(om_depth_stencil)

const std::uint32_t kEdges[] = {0, 1, 0x7FFFFF, 0xFFFFFE, 0xFFFFFF};

BOOST_DATA_TEST_CASE(compare_codes_at_the_boundaries, data::xrange(8) * data::xrange(2), code, write) {
  RefOm om;
  om.depth_func = static_cast<unsigned>(code), om.depth_write = static_cast<unsigned>(write);
  const OmState state = state_of(om);
  for (std::uint32_t a : kEdges)
    for (std::uint32_t b : kEdges) {
      BOOST_REQUIRE_EQUAL(compare(static_cast<unsigned>(code), a, b), gyre::test::ref_compare(om.depth_func, a, b));
      check_fragment(om, state, 0, a, 0x11223344, b | 0xA5000000u, 0x55667788);
      check_fragment(om, state, 0, a | 0xFF000000u, 0x11223344, b | 0xA5000000u, 0x55667788);  // 24 bits count
    }
}

BOOST_DATA_TEST_CASE(stencil_operations_under_write_masks, data::xrange(8), op) {
  for (std::uint32_t writemask : {0x00u, 0x0Fu, 0xF0u, 0xFFu})
    for (unsigned func = 0; func < 8; ++func)
      for (unsigned depth_func : {unsigned{GYRE_CMP_ALWAYS}, unsigned{GYRE_CMP_LESS}, unsigned{GYRE_CMP_NEVER}}) {
        RefOm om;
        om.depth_func = depth_func, om.depth_write = 1;
        om.func[0] = func, om.func[1] = 7 - func;
        om.zpass[0] = unsigned(op), om.zfail[0] = unsigned(op + 1) % 8, om.fail[0] = unsigned(op + 2) % 8;
        om.zpass[1] = unsigned(op + 3) % 8, om.zfail[1] = unsigned(op + 4) % 8, om.fail[1] = unsigned(op + 5) % 8;
        om.ref[0] = 0x5A, om.ref[1] = 0xC3, om.mask[0] = 0xFF, om.mask[1] = 0x3C;
        om.writemask[0] = writemask, om.writemask[1] = 0xFF - writemask;
        const OmState state = state_of(om);
        for (std::uint32_t stored : {0x00u, 0x01u, 0x5Au, 0x7Fu, 0x80u, 0xC3u, 0xFEu, 0xFFu})
          for (std::uint32_t depth : {0x100u, 0x800u, 0xF00u})
            for (unsigned face = 0; face < 2; ++face)
              check_fragment(om, state, face, depth, 0xFFFFFFFF, stored << 24 | 0x800, 0);
      }
}

BOOST_AUTO_TEST_CASE(stencil_failure_keeps_depth) {
  RefOm om;
  om.depth_func = GYRE_CMP_ALWAYS, om.depth_write = 1;
  om.func[0] = GYRE_CMP_NEVER, om.fail[0] = GYRE_STENCIL_INCR, om.mask[0] = om.writemask[0] = 0xFF;
  std::uint32_t z = 0x10000042, colour = 7;
  const bool pass = apply_fragment(state_of(om), {0, 0, 0x99, 0xFFFFFFFF}, &z, &colour);
  BOOST_TEST(!pass);
  BOOST_TEST(z == 0x11000042u);
  BOOST_TEST(colour == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(om_pixel_ops)

BOOST_DATA_TEST_CASE(write_masks_in_bypass_and_read_modify_write, data::xrange(16) * data::xrange(2), mask, blending) {
  RefOm om;
  om.colour_mask = static_cast<unsigned>(mask);
  if (blending != 0) om.dst_rgb = om.dst_a = 1;
  const OmState state = state_of(om);
  const DrawMode active = blending != 0 ? DrawMode::kReadModifyWrite : DrawMode::kBypass;
  BOOST_CHECK(state.target(0).mode == (mask == 0 ? DrawMode::kDrop : active));
  check_fragment(om, state, 0, 0, 0x11223344, 0, 0xA0B0C0D0);
}

BOOST_AUTO_TEST_CASE(random_states_equal_the_reference) {
  std::mt19937 random(42);
  int modes[3] = {};
  for (int i = 0; i < 20000; ++i) {
    const RefOm om = gyre::test::random_state(random);
    const OmState state = state_of(om);
    ++modes[static_cast<int>(state.target(0).mode)];
    for (int k = 0; k < 4; ++k) {
      const auto depth = static_cast<std::uint32_t>(random()), z = static_cast<std::uint32_t>(random());
      check_fragment(om, state, k % 2, k < 2 ? depth : z, static_cast<std::uint32_t>(random()), z,
                     static_cast<std::uint32_t>(random()));
    }
  }
  for (int count : modes) BOOST_TEST(count > 50);
}

BOOST_AUTO_TEST_CASE(drop_mode_never_writes) {
  std::mt19937 random(7);
  int seen = 0;
  for (int i = 0; i < 20000; ++i) {
    const OmState state = state_of(gyre::test::random_state(random));
    if (state.target(0).mode != DrawMode::kDrop) continue;
    ++seen;
    const auto z = static_cast<std::uint32_t>(random());
    for (unsigned face = 0; face < 2; ++face) {
      const FragmentResult r = process_fragment(state, {0, face, z + 1, 1}, z, 2);
      BOOST_REQUIRE(!r.write_colour);
      BOOST_REQUIRE(!r.write_depth);
    }
  }
  BOOST_TEST(seen > 100);
}

BOOST_AUTO_TEST_SUITE_END()
