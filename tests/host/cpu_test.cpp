// The host CPU in its machine: interrupts of both modes, and halts for a debugger.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "machine.h"

using namespace gyre::test;
using gyre::host::HostCpu;
using gyre::host::HostSystem;
using gyre::host::Privilege;

namespace {

constexpr std::uint64_t kClint = 0x02000000, kPlic = 0x0C000000;

}  // namespace

BOOST_AUTO_TEST_SUITE(host_cpu)

struct PlicRow {
  unsigned source, context;
};
std::ostream& operator<<(std::ostream& out, const PlicRow& row) {
  return out << "source " << row.source << " to context " << row.context;
}
const PlicRow kPlicRows[] = {{1, 0}, {2, 0}, {10, 0}, {31, 0}, {1, 1}, {2, 1}, {10, 1}, {31, 1}};

// From the line through priority, enable and threshold to a vectored handler of the context's mode, and back.
BOOST_DATA_TEST_CASE(every_source_reaches_both_contexts, boost::unit_test::data::make(kPlicRows), row) {
  const unsigned source = row.source, context = row.context;
  run_forked([=] {
    Machine m;
    Asm a;
    const bool supervisor = context == 1;
    const unsigned cause = supervisor ? 9 : 11;
    a.la(t0, "vectors");
    a.addi(t0, t0, 1);
    a.csrw(supervisor ? 0x105 : 0x305, t0);
    a.li(s0, kPlic);
    a.li(t1, 3);
    a.sw(t1, s0, static_cast<std::int32_t>(4 * source));
    a.li(s1, kPlic + 0x2000 + 0x80 * context);
    a.li(t1, 1u << source);
    a.sw(t1, s1);
    a.li(s2, kPlic + 0x200000 + 0x1000 * context);
    a.li(t1, 2);
    a.sw(t1, s2);
    a.li(t0, 1u << cause);
    a.csrs(0x304, t0);
    if (supervisor) {
      a.csrs(0x303, t0);
      a.li(t0, ~0ull);
      a.csrw(0x3B0, t0);
      a.li(t0, 0x1F);
      a.csrw(0x3A0, t0);
      a.li(t0, 1 << 11 | 2);  // to supervisor mode, its interrupts on
      a.csrw(0x300, t0);
      a.la(t0, "sleep");
      a.csrw(0x341, t0);
      a.mret();
    } else {
      a.csrsi(0x300, 8);
    }
    a.label("sleep");
    a.wfi();
    a.j("sleep");
    a.align(4);
    a.label("vectors");
    for (unsigned n = 0; n < 12; ++n) a.j(n == cause ? "handler" : "wrong");
    a.label("handler");
    a.csrr(s3, supervisor ? 0x142 : 0x342);
    a.lw(s4, s2, 4);  // claim
    a.lw(s5, s2, 4);  // nothing left
    a.sw(s4, s2, 4);  // complete: the line is still high
    a.lw(s6, s2, 4);
    a.li(t1, 3);
    a.sw(t1, s2);     // the threshold hides it
    a.sw(s6, s2, 4);
    a.csrr(s7, supervisor ? 0x144 : 0x344);
    finish(a, zero);
    a.label("wrong");
    finish(a, t0);
    m.build();
    struct Device : sc_core::sc_module {
      SC_HAS_PROCESS(Device);
      Device(sc_core::sc_module_name n, HostSystem& s, unsigned irq) : sc_module(n), system(s), number(irq) { SC_THREAD(raise); }
      void raise() {
        wait(777, sc_core::SC_US);
        system.plic.set_irq(number, true);
      }
      HostSystem& system;
      unsigned number;
    } device("device", *m.system, source);
    m.run(a);
    const auto& hart = m.system->cpu.hart();
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->exit.code, 0);
    GYRE_CHECK((hart.privilege() == (supervisor ? Privilege::kSupervisor : Privilege::kMachine)));
    GYRE_CHECK_EQUAL(hart.reg(s3), 1ull << 63 | cause);
    GYRE_CHECK_EQUAL(hart.reg(s4), source);
    GYRE_CHECK_EQUAL(hart.reg(s5), 0u);
    GYRE_CHECK_EQUAL(hart.reg(s6), source);
    GYRE_CHECK_EQUAL(hart.reg(s7) & 1u << cause, 0u);
    GYRE_CHECK(sc_core::sc_time_stamp() >= sc_core::sc_time(777, sc_core::SC_US));
    GYRE_CHECK(sc_core::sc_time_stamp() < sc_core::sc_time(780, sc_core::SC_US));
    return std::string();
  });
}

struct AccessRow {
  const char* what;
  std::uint64_t address;
  unsigned function;  // funct3
  bool store;
  std::uint64_t cause;
};
std::ostream& operator<<(std::ostream& out, const AccessRow& row) { return out << row.what; }
const AccessRow kAccesses[] = {
    {"UART byte", 0x10000005, 0, false, 0},
    {"UART word", 0x10000004, 2, false, 5},
    {"PLIC word", kPlic + 4, 2, false, 0},
    {"PLIC doubleword", kPlic + 8, 3, true, 7},
    {"PLIC word, misaligned", kPlic + 6, 2, false, 5},
    {"PLIC byte", kPlic + 4, 0, true, 7},
    {"mtime whole", kClint + 0xBFF8, 3, false, 0},
    {"mtime half", kClint + 0xBFFC, 2, false, 0},
    {"mtime, misaligned", kClint + 0xBFFA, 2, false, 5},
    {"between devices", 0x18000000, 2, false, 5},
    {"ROM, misaligned", 0x1001, 3, false, 0},
    {"store to ROM", 0x1000, 2, true, 7},
    {"RAM, misaligned", 0x80100001, 3, true, 0},
    {"last bytes of RAM and beyond", 0x80FFFFFC, 3, false, 5},
    {"the end of the address space", ~3ull, 3, false, 5},
};

BOOST_DATA_TEST_CASE(sizes_and_alignment_of_accesses, boost::unit_test::data::make(kAccesses), row) {
  run_forked([=] {
    Machine m;
    Asm a;
    a.la(t0, "handler");
    a.csrw(0x305, t0);
    a.li(a0, row.address);
    if (row.store) a.store(row.function, zero, a0, 0);
    else a.load(row.function, a1, a0, 0);
    finish(a, zero);
    a.align(4);
    a.label("handler");
    a.csrr(s0, 0x342);
    a.csrr(s1, 0x343);
    finish(a, zero);
    m.run(a);
    const auto& hart = m.system->cpu.hart();
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(hart.reg(s0), row.cause);
    GYRE_CHECK_EQUAL(hart.reg(s1), row.cause == 0 ? 0 : row.address);
    return std::string();
  });
}

namespace {

// Counts in s0 up to 1,000 with a timer interrupt (counted in s1) every 20 us, then sleeps through ten more and ends.
Asm busy_program(std::uint64_t& count_at) {
  Asm a;
  a.la(t0, "handler");
  a.csrw(0x305, t0);
  a.li(s2, kClint + 0x4000);
  a.li(s3, 200);
  a.sd(s3, s2);
  a.li(t0, 0x80);
  a.csrs(0x304, t0);
  a.csrsi(0x300, 8);
  a.li(t1, 1000);
  a.li(a0, 0x80100000);
  a.label("count");
  count_at = a.here();
  a.addi(s0, s0, 1);
  a.sd(s0, a0);
  a.li(t2, 100);
  a.label("delay");
  a.addi(t2, t2, -1);
  a.bne(t2, zero, "delay");
  a.bne(s0, t1, "count");
  a.addi(t1, s1, 10);
  a.label("sleep");
  a.wfi();
  a.bltu(s1, t1, "sleep");
  finish(a, zero);
  a.align(4);
  a.label("handler");
  a.addi(s1, s1, 1);
  a.addi(s3, s3, 200);
  a.sd(s3, s2);
  a.mret();
  return a;
}

}  // namespace

// Stops of every kind on the way: the program does the same in the same simulated time.
BOOST_AUTO_TEST_CASE(a_debugged_run_is_the_same_run) {
  run_forked([] {
    Machine m(100'000'000);
    std::uint64_t count_at = 0;
    Asm a = busy_program(count_at);
    m.build();
    HostCpu& cpu = m.system->cpu;
    unsigned requests = 0, breaks = 0, watches = 0, steps = 0;
    std::uint64_t step_pc = 0;
    cpu.on_halt = [&](HostCpu::Halt reason) {
      switch (reason) {
        case HostCpu::Halt::kRequest:
          ++requests;
          if (requests == 1) cpu.debug().add_breakpoint(count_at);
          return HostCpu::Resume::kRun;
        case HostCpu::Halt::kBreakpoint:
          ++breaks;
          if (cpu.hart().pc() != count_at || cpu.hart().reg(s0) != breaks - 1) std::abort();
          step_pc = count_at;
          return HostCpu::Resume::kStep;
        case HostCpu::Halt::kStep:
          ++steps;
          if (cpu.hart().pc() == step_pc) std::abort();
          if (breaks == 50) {
            cpu.debug().remove_breakpoint(count_at);
            cpu.debug().add_watchpoint(0x80100000, 8, false, true);
          }
          return HostCpu::Resume::kRun;
        case HostCpu::Halt::kWatchpoint:
          ++watches;
          if (watches == 20) cpu.debug().clear();
          return HostCpu::Resume::kRun;
      }
      return HostCpu::Resume::kRun;
    };
    cpu.request_halt();
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(requests, 1u);
    GYRE_CHECK_EQUAL(breaks, 50u);
    GYRE_CHECK_EQUAL(steps, 50u);
    GYRE_CHECK_EQUAL(watches, 20u);
    GYRE_CHECK_EQUAL(cpu.hart().reg(s0), 1000u);
    // 1,000 rounds of about 205 cycles: 205 us and ten interrupts; then ten more.
    GYRE_CHECK_EQUAL(cpu.hart().reg(s1), 20u);
    GYRE_CHECK_EQUAL(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_US) < 401, true);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_halt_ends_the_wait_of_wfi_and_it_goes_on_waiting) {
  run_forked([] {
    Machine m;
    Asm a;
    a.li(t0, 0x80);
    a.csrs(0x304, t0);
    a.li(s2, kClint + 0x4000);
    a.li(t1, 10'000);  // 1 ms
    a.sd(t1, s2);
    const std::uint64_t wfi_at = a.here();
    a.wfi();
    a.csrr(s0, 0xC01);
    finish(a, zero);
    m.build();
    struct Person : sc_core::sc_module {
      SC_HAS_PROCESS(Person);
      Person(sc_core::sc_module_name n, HostSystem& s) : sc_module(n), system(s) { SC_THREAD(ask); }
      void ask() {
        for (unsigned n = 0; n < 3; ++n) {
          wait(100, sc_core::SC_US);
          system.cpu.request_halt();
        }
      }
      HostSystem& system;
    } person("person", *m.system);
    std::vector<double> at;
    bool right_place = true;
    m.system->cpu.on_halt = [&](HostCpu::Halt reason) {
      at.push_back(sc_core::sc_time_stamp().to_seconds() * 1e6);
      right_place = right_place && reason == HostCpu::Halt::kRequest && m.system->cpu.hart().pc() == wfi_at;
      return HostCpu::Resume::kRun;
    };
    m.run(a);
    GYRE_CHECK_EQUAL(at.size(), 3u);
    for (unsigned n = 0; n < at.size(); ++n) GYRE_CHECK(at[n] >= 100 * (n + 1) && at[n] < 100 * (n + 1) + 1);
    GYRE_CHECK(right_place);
    GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s0), 10'000u);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
