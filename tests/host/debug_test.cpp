// What a debugger relies on: points stop before the instruction, steps are single, and nothing else changes.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "asm.h"
#include "flat_bus.h"
#include "hart_debug.h"

using namespace gyre::test;
using gyre::host::Hart;
using gyre::host::HartDebug;
using gyre::host::Privilege;
using gyre::host::Stop;

namespace {

constexpr std::uint64_t kBase = FlatBus::kBase, kData = kBase + 0x10000;

struct Fixture {
  FlatBus bus{1 << 20};
  Hart hart{bus};
  HartDebug debug{hart};
  Asm a;

  void start() {
    bus.load(a.bytes());
    hart.reset(kBase);
  }
  Stop run_on(std::uint64_t cycles = 100'000) { return hart.run(hart.cycle() + cycles); }
};

// A loop that stores s0 = 1..n to kData and counts through a subroutine, both kinds of jump and a trap.
struct Program : Fixture {
  std::uint64_t store_at = 0, sub_at = 0, ecall_at = 0;
  Program() {
    a.la(t0, "handler");
    a.csrw(0x305, t0);
    a.li(t1, kData);
    a.li(t3, 5);
    a.label("round");
    a.addi(s0, s0, 1);
    store_at = a.here();
    a.sd(s0, t1);
    a.jal(ra, "sub");
    ecall_at = a.here();
    a.ecall();
    a.bne(s0, t3, "round");
    a.label("spin");
    a.j("spin");
    a.label("sub");
    sub_at = a.here();
    a.ld(s1, t1);
    a.jalr(zero, ra);
    a.align(4);
    a.label("handler");
    a.addi(s2, s2, 1);
    a.csrr(t0, 0x341);
    a.addi(t0, t0, 4);
    a.csrw(0x341, t0);
    a.mret();
    start();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(debug)

BOOST_FIXTURE_TEST_CASE(breakpoints_stop_before_the_instruction_every_time, Program) {
  run_on(40);  // the code is cached and linked when the breakpoints come
  const std::uint64_t none = 0;
  debug.write(kData, &none, 8);
  hart.reset(kBase);
  debug.add_breakpoint(store_at);
  debug.add_breakpoint(sub_at);
  debug.add_breakpoint(sub_at);
  for (unsigned round = 1; round <= 5; ++round) {
    BOOST_REQUIRE((run_on() == Stop::kBreakpoint));
    BOOST_TEST(hart.pc() == store_at);
    BOOST_TEST(hart.reg(s0) == round);
    std::uint64_t stored = 99;
    BOOST_TEST(debug.read(kData, &stored, 8) == 8u);
    BOOST_TEST(stored == round - 1);
    BOOST_REQUIRE((run_on() == Stop::kBreakpoint));  // it is still there
    BOOST_TEST(hart.pc() == store_at);
    debug.step(true);
    BOOST_REQUIRE((run_on() == Stop::kBreakpoint));
    BOOST_TEST(hart.pc() == sub_at);
    debug.step(true);
  }
  debug.remove_breakpoint(store_at);
  debug.remove_breakpoint(sub_at);
  BOOST_TEST((run_on() == Stop::kLimit));
  BOOST_TEST(hart.reg(s2) == 5u);
}

BOOST_FIXTURE_TEST_CASE(steps_are_single_and_count_like_a_run, Program) {
  Program whole;
  whole.run_on(60);
  unsigned steps = 0;
  while (hart.cycle() < whole.hart.cycle()) {
    debug.step();
    BOOST_TEST(hart.cycle() == ++steps);
  }
  BOOST_TEST(hart.pc() == whole.hart.pc());
  BOOST_TEST(hart.retired() == whole.hart.retired());
  BOOST_TEST(steps - hart.retired() > 0u);  // there were traps
  for (unsigned r = 0; r < 32; ++r) BOOST_TEST(hart.reg(r) == whole.hart.reg(r));
  BOOST_TEST((bus.memory == whole.bus.memory));
}

BOOST_FIXTURE_TEST_CASE(a_step_takes_the_exception_and_stops_in_the_handler, Program) {
  debug.add_breakpoint(ecall_at);
  run_on();
  BOOST_TEST(hart.pc() == ecall_at);
  debug.step();
  std::uint64_t vector = 0;
  BOOST_TEST(debug.read_csr(0x305, vector));
  BOOST_TEST(hart.pc() == vector);
}

struct WatchRow {
  std::uint64_t address, bytes;
  bool reads, writes;
  unsigned hits;  // in five rounds of one 8-byte store and one 8-byte load at kData
};
std::ostream& operator<<(std::ostream& out, const WatchRow& row) {
  return out << std::hex << row.address << '+' << row.bytes << (row.reads ? " r" : "") << (row.writes ? " w" : "");
}
const WatchRow kWatches[] = {
    {kData, 8, false, true, 5},    {kData, 8, true, false, 5},     {kData, 8, true, true, 10},
    {kData + 7, 1, true, true, 10}, {kData + 8, 8, true, true, 0}, {kData - 8, 8, true, true, 0},
    {kData - 4, 8, false, true, 5}, {kData, 0, true, true, 0},     {0, ~0ull, true, true, 10}};

BOOST_DATA_TEST_CASE_F(Program, watchpoints_stop_before_the_access, boost::unit_test::data::make(kWatches), row) {
  run_on(40);  // translations are cached
  std::uint64_t none = 0;
  debug.write(kData, &none, 8);
  hart.reset(kBase);
  debug.add_watchpoint(row.address, row.bytes, row.reads, row.writes);
  unsigned hits = 0;
  Stop stop;
  while ((stop = run_on(1000)) == Stop::kWatchpoint) {
    ++hits;
    BOOST_TEST(hart.pc() == (debug.watched_write() ? store_at : sub_at));
    BOOST_TEST(debug.watched_address() == std::max(row.address, kData));
    std::uint64_t stored = 0;
    debug.read(kData, &stored, 8);
    BOOST_TEST(stored == hart.reg(s0) - (debug.watched_write() ? 1 : 0));
    const std::uint64_t cycle = hart.cycle(), retired = hart.retired();
    BOOST_TEST((debug.step() == Stop::kWatchpoint));  // not past it by itself
    BOOST_TEST(hart.cycle() == cycle);
    BOOST_TEST((debug.step(true) == Stop::kLimit));
    BOOST_TEST(hart.retired() == retired + 1);
  }
  BOOST_TEST((stop == Stop::kLimit));
  BOOST_TEST(hits == row.hits);
  debug.remove_watchpoint(row.address, row.bytes, row.reads, row.writes);
  hart.reset(kBase);
  BOOST_TEST((run_on() == Stop::kLimit));
}

BOOST_FIXTURE_TEST_CASE(atomics_are_watched_too, Fixture) {
  a.li(t0, kData);
  a.amo(0, true, t1, t0, t0);
  a.label("spin");
  a.j("spin");
  start();
  debug.add_watchpoint(kData, 8, false, true);
  BOOST_TEST((run_on() == Stop::kWatchpoint));
  BOOST_TEST(hart.reg(t1) == 0u);
  debug.step(true);
  std::uint64_t value = 0;
  debug.read(kData, &value, 8);
  BOOST_TEST(value == kData);
}

BOOST_FIXTURE_TEST_CASE(a_breakpoint_written_over_and_code_changed_by_the_debugger, Fixture) {
  a.addi(s0, s0, 1);
  a.addi(s0, s0, 1);
  a.label("spin");
  a.j("spin");
  start();
  run_on(10);
  const std::uint32_t more = 0x06440413;  // addi s0, s0, 100
  BOOST_TEST(debug.write(kBase + 4, &more, 4) == 4u);
  hart.reset(kBase);
  debug.add_breakpoint(kBase + 4);
  BOOST_TEST((run_on() == Stop::kBreakpoint));
  debug.step();
  BOOST_TEST(hart.reg(s0) == 101u);
}

BOOST_FIXTURE_TEST_CASE(memory_is_seen_through_the_translation_without_rights_or_marks, Fixture) {
  // One 4 KiB page at 0x40000000, user only, neither accessed nor readable by the supervisor.
  const std::uint64_t root = kBase + 0x20000, middle = root + 0x1000, leaf = root + 0x2000;
  const auto pointer = [](std::uint64_t to) { return to >> 12 << 10 | 1; };
  const std::uint64_t entries[][2] = {{root + 8, pointer(middle)}, {middle, pointer(leaf)}, {leaf, kData >> 12 << 10 | 0x19}};
  start();
  for (const auto& [at, entry] : entries) BOOST_TEST(debug.write(at, &entry, 8) == 8u);
  BOOST_TEST(debug.write_csr(0x180, 8ull << 60 | root >> 12));
  debug.set_privilege(Privilege::kSupervisor);
  const char text[] = "seen";
  BOOST_TEST(debug.write(0x40000FFC, text, 5) == 4u);  // and no further
  char back[5] = {};
  BOOST_TEST(debug.read(0x40000FFC, back, 5) == 4u);
  BOOST_TEST(std::string(back) == text);
  BOOST_TEST(debug.read(0x40001000, back, 1) == 0u);
  BOOST_TEST(debug.read(1ull << 40, back, 1) == 0u);
  std::uint64_t physical = 0;
  BOOST_TEST(debug.translate(0x40000123, physical));
  BOOST_TEST(physical == kData + 0x123);
  debug.set_privilege(Privilege::kMachine);
  std::uint64_t entry = 0;
  BOOST_TEST(debug.read(leaf, &entry, 8) == 8u);
  BOOST_TEST(entry == entries[2][1]);
  BOOST_TEST(debug.read(kBase + (1 << 20) - 2, back, 4) == 2u);
}

BOOST_FIXTURE_TEST_CASE(csrs_are_seen_from_every_mode, Fixture) {
  start();
  debug.set_privilege(Privilege::kUser);
  BOOST_TEST(debug.write_csr(0x340, 77));
  std::uint64_t value = 0;
  BOOST_TEST(debug.read_csr(0x340, value));
  BOOST_TEST(value == 77u);
  BOOST_TEST(debug.write_csr(0x003, 0xA5));  // floating point is off
  BOOST_TEST(debug.read_csr(0x001, value));
  BOOST_TEST(value == 5u);
  BOOST_TEST(debug.read_csr(0x002, value));
  BOOST_TEST(value == 5u);
  BOOST_TEST(!debug.write_csr(0xF14, 1));
  BOOST_TEST(!debug.read_csr(0x7FF, value));
  BOOST_TEST((hart.privilege() == Privilege::kUser));
}

BOOST_AUTO_TEST_SUITE_END()
