// The assembled host system: boot, devices, interrupts in time, semihosting.
#include <boost/test/unit_test.hpp>

#include "machine.h"

using namespace gyre::test;
using gyre::host::HostSystem;

namespace {

constexpr std::uint64_t kQuanta[] = {10'000, 1'000'000, 100'000'000, 1'000'000'000};
constexpr std::uint64_t kUart = 0x10000000, kClint = 0x02000000, kPlic = 0x0C000000, kDisplay = 0x10010000;

}  // namespace

BOOST_AUTO_TEST_SUITE(host_system)

BOOST_AUTO_TEST_CASE(reset_code_hands_over_hart_tree_and_entry) {
  run_forked([] {
    Machine m;
    Asm a;
    a.lw(s0, a1);  // big-endian magic of the device tree
    a.li(t0, 0xEDFE0DD0);
    a.word(enc::i(0x13, 1, t0, t0, 32));
    a.word(enc::r(0x13, 5, 0x20, t0, t0, 0) | (32u << 20));  // sign-extend, as lw does
    a.op(4, 0, s1, s0, t0);
    a.op(6, 0, s1, s1, a0);
    finish(a, s1);
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->exit.code, 0);
    GYRE_CHECK_EQUAL(m.system->exit.reason, std::string("finisher: pass"));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(finisher_reports_the_code) {
  run_forked([] {
    Machine m;
    Asm a;
    a.li(s0, 42);
    finish(a, s0);
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->exit.code, 42);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(uart_sends_and_receives) {
  run_forked([] {
    Machine m;
    Asm a;
    a.li(s0, kUart);
    a.label("wait");
    a.lbu(t0, s0, 5);
    a.word(enc::i(0x13, 7, t0, t0, 1));
    a.beq(t0, zero, "wait");
    a.lbu(t1, s0, 0);
    a.addi(t1, t1, 1);
    a.sb(t1, s0, 0);
    a.li(t2, 'z' + 1);
    a.bne(t1, t2, "wait");
    finish(a, zero);
    m.build().uart.receive("HAL and many more than sixteen bytes z");
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    std::string expected = "HAL and many more than sixteen bytes z";
    for (char& c : expected) ++c;
    GYRE_CHECK_EQUAL(m.text, expected);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(timer_interrupt_ends_wfi_at_the_right_time) {
  for (const std::uint64_t quantum : kQuanta) {
    run_forked([&] {
      Machine m(quantum);
      Asm a;
      a.la(t0, "handler");
      a.csrw(0x305, t0);
      a.li(s0, kClint + 0x4000);
      a.li(t1, 20'000);  // 2 ms
      a.sd(t1, s0);
      a.li(t0, 0x80);
      a.csrs(0x304, t0);
      a.csrsi(0x300, 8);
      a.label("sleep");
      a.wfi();
      a.j("sleep");
      a.align(4);
      a.label("handler");
      a.csrr(s1, 0xC01);   // time
      a.csrr(s2, 0x342);   // mcause
      a.csrr(s3, 0xB02);   // minstret
      a.csrr(s4, 0xB00);   // mcycle
      finish(a, zero);
      m.run(a);
      GYRE_CHECK(m.system->exit.exited);
      const auto& hart = m.system->cpu.hart();
      GYRE_CHECK_EQUAL(hart.reg(s1), 20'000u);
      GYRE_CHECK_EQUAL(hart.reg(s2), 0x8000000000000007u);
      GYRE_CHECK(hart.reg(s3) < 100);  // no busy loop
      GYRE_CHECK(hart.reg(s4) >= 2'000'000 && hart.reg(s4) < 2'000'020);
      return std::string();
    });
  }
}

BOOST_AUTO_TEST_CASE(timer_interrupts_running_code_on_time) {
  for (const std::uint64_t quantum : kQuanta) {
    run_forked([&] {
      Machine m(quantum);
      Asm a;
      a.la(t0, "table");
      a.addi(t0, t0, 1);  // vectored
      a.csrw(0x305, t0);
      a.li(s0, kClint + 0x4000);
      a.li(t1, 300);  // 30 µs
      a.sd(t1, s0);
      a.li(t0, 0x80);
      a.csrs(0x304, t0);
      a.csrsi(0x300, 8);
      a.label("spin");
      a.addi(s5, s5, 1);
      a.j("spin");
      a.align(64);
      a.label("table");
      for (int i = 0; i < 7; ++i) a.word(0);
      a.j("handler");
      a.label("handler");
      a.csrr(s1, 0xC01);
      finish(a, zero);
      m.run(a);
      GYRE_CHECK(m.system->exit.exited);
      GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s1), 300u);
      return std::string();
    });
  }
}

BOOST_AUTO_TEST_CASE(software_interrupt_through_msip) {
  run_forked([] {
    Machine m;
    Asm a;
    a.la(t0, "handler");
    a.csrw(0x305, t0);
    a.li(t0, 8);
    a.csrs(0x304, t0);
    a.csrsi(0x300, 8);
    a.li(s0, kClint);
    a.li(t1, 1);
    a.sw(t1, s0);
    a.label("after");
    a.li(s3, 1);  // must not be reached
    a.align(4);
    a.label("handler");
    a.csrr(s1, 0x342);
    a.sw(zero, s0);
    a.csrr(s2, 0x344);  // mip
    finish(a, zero);
    m.run(a);
    GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s1), 0x8000000000000003u);
    GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s2) & 8, 0u);
    GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s3), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(uart_interrupt_through_the_plic) {
  run_forked([] {
    Machine m;
    Asm a;
    a.la(t0, "handler");
    a.csrw(0x305, t0);
    a.li(s0, kPlic);
    a.li(t1, 5);
    a.sw(t1, s0, 40);  // priority of source 10
    a.li(s1, kPlic + 0x2000);
    a.li(t1, 1 << 10);
    a.sw(t1, s1);
    a.li(s2, kUart);
    a.li(t1, 1);
    a.sb(t1, s2, 1);  // receive interrupt
    a.li(t0, 0x800);
    a.csrs(0x304, t0);
    a.csrsi(0x300, 8);
    a.label("sleep");
    a.wfi();
    a.j("sleep");
    a.align(4);
    a.label("handler");
    a.li(s3, kPlic + 0x200004);
    a.lw(s4, s3);      // claim
    a.lbu(s5, s2, 2);  // IIR
    a.lbu(s6, s2, 0);
    a.lw(s7, s3);      // nothing left
    a.sw(s4, s3);      // complete
    a.lw(s8, s3);
    finish(a, zero);
    m.build();
    struct Typist : sc_core::sc_module {
      SC_HAS_PROCESS(Typist);
      Typist(sc_core::sc_module_name n, HostSystem& s) : sc_module(n), system(s) { SC_THREAD(type); }
      void type() {
        wait(777, sc_core::SC_US);
        system.uart.receive("x");
      }
      HostSystem& system;
    } typist("typist", *m.system);
    m.run(a);
    const auto& hart = m.system->cpu.hart();
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(hart.reg(s4), 10u);
    GYRE_CHECK_EQUAL(hart.reg(s5), 4u);
    GYRE_CHECK_EQUAL(hart.reg(s6), std::uint64_t{'x'});
    GYRE_CHECK_EQUAL(hart.reg(s7), 0u);
    GYRE_CHECK_EQUAL(hart.reg(s8), 0u);
    GYRE_CHECK(sc_core::sc_time_stamp() >= sc_core::sc_time(777, sc_core::SC_US));
    GYRE_CHECK(sc_core::sc_time_stamp() < sc_core::sc_time(780, sc_core::SC_US));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(display_presents_and_refuses) {
  run_forked([] {
    Machine m;
    Asm a;
    a.li(s0, kDisplay);
    a.li(s1, 0x80100000);
    a.li(t0, 0xFF112233);
    a.sw(t0, s1, 0);
    a.li(t0, 0xFF445566);
    a.sw(t0, s1, 16 + 4);
    a.lw(s2, s0, 0);
    a.li(t0, 2);
    a.sw(t0, s0, 0x0C);
    a.sw(t0, s0, 0x10);
    a.li(t0, 16);
    a.sw(t0, s0, 0x14);
    a.sw(s1, s0, 0x1C);
    a.sw(zero, s0, 0x24);  // present
    a.lw(s3, s0, 0x28);
    a.lw(s4, s0, 0x08);
    a.li(t0, 1);
    a.sw(t0, s0, 0x20);    // beyond RAM
    a.sw(zero, s0, 0x24);
    a.lw(s5, s0, 0x28);
    a.lw(s6, s0, 0x08);
    a.sw(s6, s0, 0x08);
    a.lw(s7, s0, 0x08);
    a.sw(zero, s0, 0x20);
    a.sw(zero, s0, 0x0C);  // width 0
    a.sw(zero, s0, 0x24);
    a.lw(s8, s0, 0x08);
    finish(a, zero);
    std::vector<gyre::host::DisplayFrame> frames;
    m.build().display.on_present = [&](const gyre::host::DisplayFrame& f) { frames.push_back(f); };
    m.run(a);
    const auto& hart = m.system->cpu.hart();
    GYRE_CHECK_EQUAL(hart.reg(s2), 0x47595245u);
    GYRE_CHECK_EQUAL(hart.reg(s3), 1u);
    GYRE_CHECK_EQUAL(hart.reg(s4), 0u);
    GYRE_CHECK_EQUAL(hart.reg(s5), 1u);
    GYRE_CHECK_EQUAL(hart.reg(s6), 2u);
    GYRE_CHECK_EQUAL(hart.reg(s7), 0u);
    GYRE_CHECK_EQUAL(hart.reg(s8), 2u);
    GYRE_CHECK_EQUAL(frames.size(), 1u);
    GYRE_CHECK_EQUAL(frames[0].pixels.size(), 4u);
    GYRE_CHECK_EQUAL(frames[0].pixels[0], 0xFF112233u);
    GYRE_CHECK_EQUAL(frames[0].pixels[3], 0xFF445566u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(vertical_blank_comes_at_the_refresh_rate) {
  run_forked([] {
    Machine m;
    Asm a;
    a.la(t0, "handler");
    a.csrw(0x305, t0);
    a.li(s0, kPlic);
    a.li(t1, 1);
    a.sw(t1, s0, 8);
    a.li(s1, kPlic + 0x2000);
    a.li(t1, 4);
    a.sw(t1, s1);
    a.li(s2, kDisplay);
    a.li(t1, 100);
    a.sw(t1, s2, 0x2C);
    a.li(t1, 3);
    a.sw(t1, s2, 4);
    a.li(t0, 0x800);
    a.csrs(0x304, t0);
    a.csrsi(0x300, 8);
    a.li(s3, 0);
    a.label("sleep");
    a.wfi();
    a.j("sleep");
    a.align(4);
    a.label("handler");
    a.li(t0, kPlic + 0x200004);
    a.lw(t1, t0);
    a.li(t2, 1);
    a.sw(t2, s2, 8);
    a.sw(t1, t0);
    a.addi(s3, s3, 1);
    a.li(t0, 3);
    a.beq(s3, t0, "done");
    a.mret();
    a.label("done");
    finish(a, zero);
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    const double ms = sc_core::sc_time_stamp().to_seconds() * 1e3;
    GYRE_CHECK(ms > 30.0 && ms < 30.1);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(semihosting_works_in_the_machine) {
  run_forked([] {
    Machine m;
    Asm a;
    a.li(a0, 4);
    a.la(a1, "text");
    a.semihost();
    a.li(a0, 0x15);
    a.la(a1, "block");
    a.semihost();
    a.addi(s0, a0, 0);
    a.li(a0, 4);
    a.li(a1, 0x80001000);
    a.semihost();
    a.li(a0, 0x20);
    a.la(a1, "exit");
    a.semihost();
    a.label("spin");
    a.j("spin");
    a.align(8);
    a.label("block");
    a.dword(0x80001000);
    a.dword(64);
    a.label("exit");
    a.dword(0x20026);
    a.dword(7);
    a.label("text");
    for (const char c : std::string("hello ")) a.half(static_cast<std::uint8_t>(c));  // only the first letter: NUL follows
    a.half(0);
    m.build().semihost.command_line = "player --package P";
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->exit.code, 7);
    GYRE_CHECK_EQUAL(m.system->exit.reason, std::string("semihosting exit"));
    GYRE_CHECK_EQUAL(m.text, std::string("hplayer --package P"));
    GYRE_CHECK_EQUAL(m.system->cpu.hart().reg(s0), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_trap_without_a_handler_ends_the_run_with_a_reason) {
  run_forked([] {
    Machine m;
    Asm a;
    a.lw(t0, zero, 0);  // nothing at 0
    m.run(a);
    GYRE_CHECK(m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->exit.code, 1);
    GYRE_CHECK(m.system->exit.reason.find("load access fault) at pc 0x80000000") != std::string::npos);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(wfi_that_nobody_ends_is_described) {
  run_forked([] {
    Machine m;
    Asm a;
    a.wfi();
    m.run(a);
    GYRE_CHECK(!m.system->exit.exited);
    GYRE_CHECK_EQUAL(m.system->cpu.describe(),
                     std::string("waits for an interrupt (WFI before pc 0x80000004); enabled in mie: none"));
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
