// What the merger leaves in memory, and which faults it records.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "dcr_names.h"
#include "om_bench.h"

using namespace gyre;
using test::FaultPair;
using test::OmBench;
using test::RefOm;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(om_merger)

BOOST_AUTO_TEST_CASE(record_shapes) {
  test::run_forked([] {
    OmBench bench("bench");
    // Pairs: nothing happens before the depth word.
    bench.set_up(3);
    bench.store(bench.record_address({5, 9, 0, 0}), 0x11223344);
    GYRE_CHECK_EQUAL(bench.word(bench.colour_at(0, 5, 9)), 0u);
    bench.store(bench.record_address({5, 9, 0, 0}) + 4, 0);
    GYRE_CHECK_EQUAL(bench.word(bench.colour_at(0, 5, 9)), 0x11223344u);
    GYRE_CHECK_EQUAL(bench.merger.fragments_in(), std::uint64_t{1});

    // One colour word a record; depth is 0.
    bench.set_up(2);
    bench.store(bench.record_address({6, 9, 1, 2}), 0x55667788);
    GYRE_CHECK_EQUAL(bench.word(bench.colour_at(2, 6, 9)), 0x55667788u);

    // One depth word a record, stored at rs1 + 4: it must not land one pixel to the right.
    bench.set_up(2, true);
    RefOm depth;
    depth.depth_func = GYRE_CMP_ALWAYS, depth.depth_write = 1, depth.colour_mask = 0;
    bench.state(depth);
    bench.store(bench.record_address({7, 9, 0, 0}) + 4, 0xAB123456);
    GYRE_CHECK_EQUAL(bench.word(bench.depth_at(7, 9)), 0x123456u);
    GYRE_CHECK_EQUAL(bench.word(bench.depth_at(8, 9)), 0u);
    bench.store(bench.record_address({0, 0, 0, 0}) + 4, 0x77);
    GYRE_CHECK_EQUAL(bench.word(bench.depth_at(0, 0)), 0x77u);
    GYRE_CHECK(!bench.ctx.faults.valid());
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_beat_carries_a_whole_line_lowest_address_first) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    // Eight pairs of one line; record 3 is masked out, record 5 has only its colour.
    std::uint32_t words[16];
    std::uint8_t enables[64];
    std::memset(enables, 0xFF, sizeof enables);
    std::memset(enables + 24, 0, 8);
    std::memset(enables + 44, 0, 4);
    for (unsigned i = 0; i < 16; ++i) words[i] = 0x100 + i;
    kernel::Cycle when = 100;
    GYRE_CHECK(bench.lsu0.write_transaction(bench.record_address({0, 1, 0, 0}), words, 64, enables, true, &when));
    for (unsigned x = 0; x < 8; ++x)
      GYRE_CHECK_EQUAL(bench.word(bench.colour_at(0, x, 1)), x == 3 || x == 5 ? 0u : 0x100 + 2 * x);
    bench.store(bench.record_address({5, 1, 0, 0}) + 4, 0);
    GYRE_CHECK_EQUAL(bench.word(bench.colour_at(0, 5, 1)), 0x10Au);
    GYRE_CHECK_EQUAL(bench.merger.fragments_in(), std::uint64_t{7});
    GYRE_CHECK(!bench.ctx.faults.valid());
    return std::string();
  });
}

// Long random streams from two sockets, colours of a whole warp before its depths as the LSU sends them; pixels
// collide all the time. Memory must equal the fragments applied one after the other.
BOOST_DATA_TEST_CASE(streams_equal_the_sequential_model, data::xrange(12) * data::make({true, false}), seed, dmi) {
  test::run_forked([&] {
    OmBench bench("bench", dmi, seed % 2 == 0 ? 1 : 2, seed % 3 == 0 ? 1 : 4);
    kernel::logger().set_level(spdlog::level::off);
    bench.set_up(3);
    std::mt19937 random(static_cast<unsigned>(seed));
    std::map<std::uint64_t, std::uint32_t> model;
    for (int draw = 0; draw < 12; ++draw) {
      // Attachments share depth and stencil; blending and masks are their own.
      std::array<RefOm, 4> refs;
      refs[0] = test::random_state(random);
      for (unsigned rt = 1; rt < 4; ++rt) {
        const RefOm other = test::random_state(random);
        refs[rt] = refs[0];
        refs[rt].mode_rgb = other.mode_rgb, refs[rt].mode_a = other.mode_a, refs[rt].constant = other.constant;
        refs[rt].src_rgb = other.src_rgb, refs[rt].src_a = other.src_a, refs[rt].dst_rgb = other.dst_rgb;
        refs[rt].dst_a = other.dst_a, refs[rt].logic = other.logic, refs[rt].colour_mask = other.colour_mask;
      }
      for (unsigned rt = 0; rt < 4; ++rt) bench.state(refs[rt], rt);
      kernel::Cycle at = static_cast<kernel::Cycle>(draw) * 1000;
      for (int warp = 0; warp < 40; ++warp) {
        const unsigned socket = random() & 1, rt = random() % 4, lanes = 4;
        std::array<om::Pixel, 4> pixels;
        std::array<std::uint32_t, 4> depth, colour;
        for (unsigned lane = 0; lane < lanes; ++lane) {
          // Lanes of a warp never share a pixel; a tiny area makes warps share them.
          pixels[lane] = {static_cast<std::uint32_t>(random() % 4) * 4 + lane, static_cast<std::uint32_t>(random() % 2),
                          static_cast<std::uint32_t>(random() % 2), rt};
          depth[lane] = static_cast<std::uint32_t>(random());
          colour[lane] = static_cast<std::uint32_t>(random());
          bench.store(bench.record_address(pixels[lane]), colour[lane], at, socket);
        }
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const om::Pixel& p = pixels[lane];
          if (random() % 4 == 0) depth[lane] = model[bench.depth_at(p.x, p.y)];
          bench.store(bench.record_address(p) + 4, depth[lane], at, socket);
          test::ref_fragment(refs[rt], static_cast<int>(p.face), depth[lane], colour[lane],
                             model[bench.depth_at(p.x, p.y)], model[bench.colour_at(rt, p.x, p.y)]);
        }
        at += random() % 3;
      }
      for (const auto& [address, value] : model) GYRE_CHECK_EQUAL(bench.word(address), value);
      GYRE_CHECK_EQUAL(bench.merger.drain_check(), 0u);
    }
    GYRE_CHECK_EQUAL(bench.merger.fragments_in(), std::uint64_t{12 * 40 * 4});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(orphans_and_open_records_are_dropped_with_a_fault) {
  test::run_forked([] {
    OmBench bench("bench");
    kernel::logger().set_level(spdlog::level::off);
    bench.set_up(3);
    const std::uint32_t offset = bench.record_address({5, 9, 0, 0}) - GYRE_DEV_APERTURE_BASE;
    bench.store(GYRE_DEV_APERTURE_BASE + offset + 4, 1);
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_OM_DEPTH_ORPHAN, offset + 4));
    // Same pixel, other attachment or face: another record.
    bench.store(bench.record_address({5, 9, 1, 0}), 7);
    bench.store(GYRE_DEV_APERTURE_BASE + offset + 4, 1);
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_OM_DEPTH_ORPHAN, offset + 4));
    // The other socket's ingress does not know the record.
    bench.store(bench.record_address({5, 9, 1, 0}) + 4, 1, 0, 1);
    GYRE_CHECK_EQUAL(bench.fault().first, unsigned{GYRE_FAULT_OM_DEPTH_ORPHAN});
    GYRE_CHECK_EQUAL(bench.merger.drain_check(), 1u);
    GYRE_CHECK(bench.fault() ==
               FaultPair(GYRE_FAULT_OM_COLOUR_OPEN, bench.record_address({5, 9, 1, 0}) - GYRE_DEV_APERTURE_BASE));
    GYRE_CHECK_EQUAL(bench.merger.drain_check(), 0u);

    // More colour words than lanes (1 core x 4 threads): the oldest is given up, the rest still works.
    for (std::uint32_t x = 0; x < 5; ++x) bench.store(bench.record_address({x, 0, 0, 0}), 0x10 + x);
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_OM_COLOUR_OPEN, 0));
    for (std::uint32_t x : {3u, 1u, 4u, 2u}) bench.store(bench.record_address({x, 0, 0, 0}) + 4, 0);
    for (std::uint32_t x = 0; x < 5; ++x) GYRE_CHECK_EQUAL(bench.word(bench.colour_at(0, x, 0)), x == 0 ? 0 : 0x10 + x);
    GYRE_CHECK(!bench.ctx.faults.valid());
    GYRE_CHECK_EQUAL(bench.merger.drain_check(), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(impossible_draws_fault_once_a_draw) {
  test::run_forked([] {
    OmBench bench("bench");
    kernel::logger().set_level(spdlog::level::off);
    const auto state = [](std::uint32_t reg) { return FaultPair(GYRE_FAULT_UNIT_STATE, reg); };
    // Never programmed aperture.
    bench.write_dcr(GYRE_DCR_OM_CBUF_WRITEMASK, 15);
    bench.store(GYRE_DEV_APERTURE_BASE, 1);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_APERTURE_RECORD_SHIFT));

    // Several attachments with depth writes: processed, reported once until a register changes.
    bench.set_up(3);
    bench.write_dcr(GYRE_DCR_OM_DEPTH_WRITEMASK, 1);
    bench.fragment({1, 1, 0, 0}, 5, 1);
    GYRE_CHECK(!bench.ctx.faults.valid());
    bench.fragment({1, 1, 0, 3}, 6, 0x33);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_DEPTH_WRITEMASK));
    GYRE_CHECK_EQUAL(bench.word(bench.colour_at(3, 1, 1)), 0x33u);
    GYRE_CHECK_EQUAL(bench.word(bench.depth_at(1, 1)), 6u);
    bench.fragment({1, 1, 0, 2}, 6, 2);
    GYRE_CHECK(!bench.ctx.faults.valid());
    bench.write_dcr(GYRE_DCR_OM_EARLYZ_SAFE, 0);
    bench.fragment({1, 1, 0, 2}, 6, 2);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_DEPTH_WRITEMASK));

    // Depth-only records with a colour write mask.
    bench.set_up(2, true);
    bench.write_dcr(GYRE_DCR_OM_CBUF_WRITEMASK, 15);
    bench.store(bench.record_address({1, 1, 0, 0}) + 4, 1);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_APERTURE_DEPTH_ONLY));

    // A geometry that does not fit the window.
    bench.set_up(3);
    bench.write_dcr(GYRE_DCR_OM_APERTURE_XBITS, 15);
    bench.write_dcr(GYRE_DCR_OM_APERTURE_YBITS, 15);
    bench.fragment({1, 1, 0, 0}, 1, 1);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_APERTURE_XBITS));

    // Bad values at the register.
    bench.write_dcr(GYRE_DCR_OM_RT_SELECT, 4);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_RT_SELECT));
    bench.write_dcr(GYRE_DCR_OM_ZBUF_PITCH, 2);
    GYRE_CHECK(bench.fault() == state(GYRE_DCR_OM_ZBUF_PITCH));
    bench.write_dcr(0x043, 99);  // another unit's
    GYRE_CHECK(!bench.ctx.faults.valid());
    return std::string();
  });
}

BOOST_DATA_TEST_CASE(frame_buffers_outside_memory_fault_and_lose_the_write, data::make({true, false}), dmi) {
  test::run_forked([&] {
    OmBench bench("bench", dmi);
    kernel::logger().set_level(spdlog::level::off);
    bench.set_up(3);
    bench.write_dcr(GYRE_DCR_OM_CBUF_ADDR, 0xE0000000u >> 6);
    bench.fragment({2, 0, 0, 0}, 0, 5);
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_UNIT_ACCESS, 0xE0000008u));
    bench.write_dcr(GYRE_DCR_OM_ZBUF_ADDR, 0);
    bench.write_dcr(GYRE_DCR_OM_DEPTH_FUNC, GYRE_CMP_LESS);
    bench.fragment({2, 0, 0, 0}, 0, 5);
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_UNIT_ACCESS, 8u));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(the_steer_peels_off_exports_only) {
  test::run_forked([] {
    OmBench bench("bench");
    kernel::logger().set_level(spdlog::level::off);
    bench.set_up(3);
    std::uint32_t word = 0x12345678;
    // Ordinary writes pass, with DMI and without; an aperture address without the attribute is not memory.
    GYRE_CHECK(bench.lsu0.write_transaction(0x200000, &word, 4, nullptr, false, nullptr));
    GYRE_CHECK_EQUAL(bench.word(0x200000), word);
    GYRE_CHECK(bench.lsu0.direct(0x200000, 4, true) != nullptr);
    GYRE_CHECK(!bench.lsu0.write_transaction(GYRE_DEV_APERTURE_BASE, &word, 4, nullptr, false, nullptr));
    GYRE_CHECK_EQUAL(bench.merger.fragments_in(), std::uint64_t{0});
    // Exports outside the aperture, misaligned or too long are refused.
    GYRE_CHECK(!bench.store(0x200000, 1));
    GYRE_CHECK(!bench.store(GYRE_DEV_APERTURE_BASE + 2, 1));
    std::uint32_t line[32] = {};
    GYRE_CHECK(!bench.lsu0.write_transaction(GYRE_DEV_APERTURE_BASE, line, 128, nullptr, true, nullptr));
    // A word with some of its bytes enabled is dropped with a fault.
    const std::uint8_t enables[4] = {0xFF, 0xFF, 0, 0};
    GYRE_CHECK(bench.lsu0.write_transaction(GYRE_DEV_APERTURE_BASE + 8, &word, 4, enables, true, nullptr));
    GYRE_CHECK(bench.fault() == FaultPair(GYRE_FAULT_UNIT_ACCESS, GYRE_DEV_APERTURE_BASE + 8));
    GYRE_CHECK_EQUAL(bench.merger.drain_check(), 0u);
    return std::string();
  });
}

// Lint dcr-unset: what fragments use of the state, by attachment, once a programming.
BOOST_AUTO_TEST_CASE(registers_nobody_has_written_are_named) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up();
    bench.fragment({1, 2, 0, 0}, 5, 6);
    bench.fragment({1, 2, 0, 3}, 5, 6);
    GYRE_CHECK(bench.ctx.lints.findings().empty());
    return std::string();
  });
  test::run_forked([] {
    OmBench bench("bench");
    const std::pair<unsigned, std::uint32_t> written[] = {
        {GYRE_DCR_OM_DEPTH_FUNC, GYRE_CMP_LESS}, {GYRE_DCR_OM_DEPTH_WRITEMASK, 1}, {GYRE_DCR_OM_STENCIL_FUNC, GYRE_CMP_ALWAYS << 16 | GYRE_CMP_ALWAYS},
        {GYRE_DCR_OM_STENCIL_ZPASS, 0},          {GYRE_DCR_OM_STENCIL_ZFAIL, 0},   {GYRE_DCR_OM_APERTURE_XBITS, 6},
        {GYRE_DCR_OM_APERTURE_YBITS, 6},         {GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 3}};
    for (const auto& [reg, value] : written) bench.write_dcr(reg, value);
    bench.write_dcr(GYRE_DCR_OM_CBUF_WRITEMASK, 0);
    bench.set_word(0x100, 0);
    bench.fragment({1, 2, 0, 0}, 5, 6);
    bench.fragment({3, 2, 0, 0}, 5, 6);
    bench.write_dcr(GYRE_DCR_OM_ZBUF_ADDR, OmBench::kDepth >> 6);
    bench.fragment({1, 2, 0, 0}, 5, 6);
    bench.fragment({1, 2, 0, 1}, 5, 6);  // its write mask was not written
    const auto& lints = bench.ctx.lints;
    std::string text;
    for (const auto& [key, finding] : lints.findings()) {
      GYRE_CHECK(key.first == kernel::Lint::kDcrUnset);
      text += kernel::dcr_name(static_cast<unsigned>(finding.pc)) + " " + std::to_string(finding.count) + ", ";
    }
    GYRE_CHECK_EQUAL(text, std::string("OM_CBUF_WRITEMASK 1, OM_ZBUF_ADDR 1, OM_ZBUF_PITCH 3, OM_RT_SELECT 3, "));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(an_unset_register_ends_the_run_or_says_nothing) {
  for (const Severity severity : {Severity::kError, Severity::kOff})
    test::run_forked([&] {
      sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
      MachineConfig config = OmBench::with(1, 1);
      config.lint.dcr_unset = severity;
      OmBench bench("bench", config);
      bench.write_dcr(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 3);
      bench.fragment({0, 0, 0, 0}, 5, 6);
      GYRE_CHECK_EQUAL(bench.ctx.lints.failed(), severity == Severity::kError);
      GYRE_CHECK_EQUAL(bench.ctx.lints.findings().empty(), severity == Severity::kOff);
      if (severity == Severity::kError)
        GYRE_CHECK_EQUAL(bench.ctx.lints.failure().rfind("lint dcr-unset: DCR 0x082 (OM_CBUF_WRITEMASK): ", 0), 0u);
      return std::string();
    });
}

BOOST_AUTO_TEST_SUITE_END()
