// Privileged behaviour, counters, code that changes: what the instruction tests do not see.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "asm.h"
#include "flat_bus.h"

using namespace gyre::test;
using gyre::host::Hart;
using gyre::host::Privilege;
using gyre::host::Stop;

namespace {

constexpr std::uint64_t kBase = FlatBus::kBase;

struct Fixture {
  FlatBus bus{1 << 20};
  Hart hart{bus};
  Asm a;

  void start() {
    bus.load(a.bytes());
    hart.reset(kBase);
  }
  // Until the program spins at `label` (an address) or `limit` cycles are over.
  void run_to(std::uint64_t end, std::uint64_t limit = 100'000) {
    while (hart.pc() != end && hart.cycle() < limit) {
      hart.take_interrupt();
      if (hart.run(hart.cycle() + 100) == Stop::kWfi) break;
    }
    BOOST_TEST(hart.pc() == end);
  }
  std::uint64_t csr(unsigned number) {
    std::uint64_t value = 0;
    BOOST_TEST(hart.csr_read(number, value));
    return value;
  }
  std::uint64_t spin() {
    const std::uint64_t at = a.here();
    a.label("spin");
    a.j("spin");
    return at;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hart, Fixture)

BOOST_AUTO_TEST_CASE(user_mode_has_no_machine_rights) {
  a.la(t0, "handler");
  a.csrw(0x305, t0);
  a.la(t0, "user");
  a.csrw(0x341, t0);
  a.li(t0, ~0ull >> 10);
  a.csrw(0x3B0, t0);
  a.li(t0, 0x1F);  // all of memory, every right
  a.csrw(0x3A0, t0);
  a.csrw(0x300, zero);
  a.mret();
  a.label("user");
  a.csrr(s0, 0x300);  // illegal in user mode
  a.ecall();
  a.align(4);
  a.label("handler");
  a.csrr(s1, 0x342);
  a.csrr(s2, 0x300);
  a.li(t0, 2);
  a.bne(s1, t0, "ecall");
  a.csrr(s3, 0x343);
  a.csrr(t1, 0x341);
  a.addi(t1, t1, 4);
  a.csrw(0x341, t1);
  a.mret();
  a.label("ecall");
  const std::uint64_t end = spin();
  start();
  run_to(end);
  BOOST_TEST(hart.reg(s1) == 8u);
  BOOST_TEST(hart.reg(s3) == 0x30002473u);
  BOOST_TEST((hart.reg(s2) & 0x1800) == 0u);
  BOOST_TEST((hart.privilege() == Privilege::kMachine));
}

BOOST_AUTO_TEST_CASE(interrupts_have_priorities_and_vectors) {
  spin();
  start();
  hart.csr_write(0x305, kBase + 0x1001);
  hart.csr_write(0x304, 0x888);
  hart.set_lines(0x888);
  BOOST_TEST(hart.wakes());
  BOOST_TEST(!hart.take_interrupt());  // mstatus.MIE is off
  for (const unsigned cause : {11u, 3u, 7u}) {
    hart.csr_write(0x300, 8);
    BOOST_TEST(hart.take_interrupt());
    BOOST_TEST(csr(0x342) == (0x8000000000000000u | cause));
    BOOST_TEST(hart.pc() == kBase + 0x1000 + 4 * cause);
    BOOST_TEST((csr(0x300) & 0x88) == 0x80u);
    hart.set_lines(csr(0x344) & ~(1ull << cause));
  }
  BOOST_TEST(!hart.wakes());
}

BOOST_AUTO_TEST_CASE(counters_count_instructions_exactly) {
  a.csrr(s0, 0xB02);
  for (int i = 0; i < 150; ++i) a.addi(s5, s5, 1);  // longer than a block
  a.csrr(s1, 0xC02);
  a.li(t0, 1000);
  a.csrw(0xB02, t0);
  a.csrr(s2, 0xB02);
  a.csrr(s3, 0xB02);
  const std::uint64_t end = spin();
  start();
  run_to(end);
  BOOST_TEST(hart.reg(s1) - hart.reg(s0) == 151u);
  BOOST_TEST(hart.reg(s2) == 1000u);
  BOOST_TEST(hart.reg(s3) == 1001u);
}

BOOST_AUTO_TEST_CASE(wfi_stops_until_something_is_pending) {
  a.wfi();
  a.li(s0, 1);
  const std::uint64_t end = spin();
  start();
  hart.csr_write(0x304, 0x80);
  BOOST_TEST((hart.run(1000) == Stop::kWfi));
  BOOST_TEST(hart.pc() == kBase + 4);
  hart.set_pc(kBase);
  hart.set_lines(0x80);
  run_to(end);
  BOOST_TEST(hart.reg(s0) == 1u);
}

BOOST_AUTO_TEST_CASE(unknown_and_read_only_csrs_are_illegal) {
  for (const unsigned number : {0x001u, 0x003u, 0x7C0u, 0x5A8u, 0x3A1u, 0x3C0u}) {
    std::uint64_t value;
    BOOST_TEST(!hart.csr_read(number, value));
  }
  for (const unsigned number : {0xF11u, 0xF14u, 0xC00u, 0xC02u}) BOOST_TEST(!hart.csr_write(number, 0));
  hart.csr_write(0x300, 0x1000);  // MPP = 2 does not exist: keeps machine
  BOOST_TEST((csr(0x300) & 0x1800) == 0x1800u);
  hart.csr_write(0x341, 0x80000003);
  BOOST_TEST(csr(0x341) == 0x80000002u);
  hart.csr_write(0x304, ~0ull);
  BOOST_TEST(csr(0x304) == 0xAAAu);
}

BOOST_AUTO_TEST_CASE(semihosting_needs_the_exact_sequence) {
  a.semihost();
  a.word(0x01F01013);
  a.ebreak();  // no srai behind it
  start();
  hart.csr_write(0x305, kBase + 0x800);
  bus.load({0x6F, 0, 0, 0}, kBase + 0x800);
  run_to(kBase + 0x800);
  BOOST_TEST(bus.semihost_calls == 1u);
  BOOST_TEST(csr(0x342) == 3u);
}

BOOST_AUTO_TEST_CASE(semihosting_across_a_page_is_a_breakpoint) {
  Asm code(kBase + 0xFFC);
  code.word(0x01F01013);
  code.ebreak();
  code.word(0x40705013);
  bus.load(code.bytes(), kBase + 0xFFC);
  bus.load({0x6F, 0, 0, 0}, kBase + 0x800);
  hart.reset(kBase + 0xFFC);
  hart.csr_write(0x305, kBase + 0x800);
  run_to(kBase + 0x800);
  BOOST_TEST(bus.semihost_calls == 0u);
}

BOOST_AUTO_TEST_CASE(a_store_over_the_next_instruction_is_seen) {
  a.la(t0, "patch");
  a.la(t1, "new");
  a.lw(t1, t1);
  a.li(s1, 3);
  a.label("again");
  a.sw(t1, t0);
  a.label("patch");
  a.addi(s0, s0, 1);
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "again");
  const std::uint64_t end = spin();
  a.label("new");
  a.addi(s0, s0, 100);
  start();
  run_to(end);
  BOOST_TEST(hart.reg(s0) == 300u);
}

// Another instruction every time, so that each of the stores has to be seen.
BOOST_AUTO_TEST_CASE(stores_over_code_are_seen_every_time) {
  a.la(t0, "patch");
  a.la(t1, "new");
  a.lw(t2, t1, 4);
  a.lw(t1, t1);
  a.li(s1, 10);
  a.label("again");
  a.sw(t1, t0);
  a.label("patch");
  a.addi(s0, s0, 0);
  a.addi(t3, t1, 0);
  a.addi(t1, t2, 0);
  a.addi(t2, t3, 0);
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "again");
  const std::uint64_t end = spin();
  a.label("new");
  a.addi(s0, s0, 1);
  a.addi(s0, s0, 100);
  start();
  run_to(end);
  BOOST_TEST(hart.reg(s0) == 505u);
}

// Data and code in one page: however the page is first touched, a store to its code is seen.
BOOST_AUTO_TEST_CASE(stores_to_data_beside_code_do_not_hide_stores_to_code) {
  constexpr std::uint64_t kPage = kBase + 0x3000;
  for (const bool data_first : {true, false}) {
    Asm program;
    program.li(t0, kPage);
    program.li(t1, 0x06440413);  // addi s0, s0, 100
    if (data_first) program.sd(zero, t0, 0x400);
    program.jalr(ra, t0);
    program.sd(zero, t0, 0x400);
    program.sw(t1, t0);
    program.jalr(ra, t0);
    const std::uint64_t end = program.here();
    program.label("spin");
    program.j("spin");
    bus.load(program.bytes());
    Asm callee(kPage);
    callee.addi(s0, s0, 1);
    callee.jalr(zero, ra);
    bus.load(callee.bytes(), kPage);
    hart.invalidate_code();
    hart.reset(kBase);
    run_to(end, hart.cycle() + 1000);
    BOOST_TEST(hart.reg(s0) == 101u);
  }
}

BOOST_AUTO_TEST_CASE(code_written_by_others_needs_fence_i) {
  a.label("again");
  a.addi(s0, s0, 1);
  a.fence_i();
  a.j("again");
  start();
  hart.run(300);
  const std::uint64_t before = hart.reg(s0);
  BOOST_TEST(before > 90u);
  bus.load({0x13, 0x04, 0x04, 0x10}, kBase);  // addi s0, s0, 256: memory changes behind the hart
  hart.run(303);
  BOOST_TEST(hart.reg(s0) - before >= 256u);
}

BOOST_AUTO_TEST_CASE(instructions_across_pages_and_their_overwriting) {
  Asm code(kBase + 0xFFA);
  code.label("top");
  code.half(0x0405);            // c.addi s0, 1
  code.half(0x0001);            // c.nop
  code.addi(s0, s0, 16);        // at 0xFFE: crosses
  code.sw(t1, t0);
  code.j("top");
  bus.load(code.bytes(), kBase + 0xFFA);
  hart.reset(kBase + 0xFFA);
  hart.set_reg(t0, kBase + 0x1000);           // the upper half of the crossing instruction and the store's lower half
  std::uint32_t word = 0;
  bus.debug(kBase + 0x1000, &word, 4, false);
  hart.set_reg(t1, (word & 0xFFFF0000u) | 0x0204);  // immediate 16 -> 32
  hart.run(3);
  BOOST_TEST(hart.reg(s0) == 17u);
  while (hart.cycle() < 8) hart.run(8);  // sw, j, c.addi, c.nop and the new addi
  BOOST_TEST(hart.reg(s0) == 17u + 33u);
}

BOOST_AUTO_TEST_CASE(windows_are_asked_for_once_and_again_after_invalidation) {
  a.li(t0, kBase + 0x10000);
  a.label("again");
  a.ld(t1, t0, 0);
  a.sd(t1, t0, 8);
  a.j("again");
  start();
  hart.run(1000);
  const unsigned asked = bus.asked;
  hart.run(10'000);
  BOOST_TEST(bus.asked == asked);
  hart.invalidate_windows();
  bus.windows = false;
  std::uint64_t marker = 0x1234;
  bus.debug(kBase + 0x10000, &marker, 8, true);
  for (int i = 0; i < 10; ++i) hart.run(hart.cycle() + 10);
  BOOST_TEST(bus.asked > asked);
  BOOST_TEST(hart.reg(t1) == 0x1234u);
  bus.debug(kBase + 0x10008, &marker, 8, false);
  BOOST_TEST(marker == 0x1234u);
}

BOOST_AUTO_TEST_CASE(a_missing_handler_is_noticed) {
  a.ecall();
  start();
  BOOST_TEST((hart.run(1000) == Stop::kStuck));
  BOOST_TEST(hart.describe_trap() == "mcause 11 (environment call from machine mode) at pc 0x80000000, mtval 0x0");
}

BOOST_AUTO_TEST_CASE(sc_fails_when_memory_changed_or_without_reservation) {
  a.li(t0, kBase + 0x1000);
  a.amo(3, true, s0, t0, zero);   // no reservation
  a.amo(2, true, t1, t0, zero);
  a.li(t2, 5);
  a.sd(t2, t0);
  a.amo(3, true, s1, t0, zero);   // somebody wrote another value
  a.amo(2, true, t1, t0, zero);
  a.amo(3, true, s2, t0, zero);
  a.amo(3, true, s3, t0, zero);   // the reservation is used up
  const std::uint64_t end = spin();
  start();
  run_to(end);
  BOOST_TEST(hart.reg(s0) == 1u);
  BOOST_TEST(hart.reg(s1) == 1u);
  BOOST_TEST(hart.reg(s2) == 0u);
  BOOST_TEST(hart.reg(s3) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
