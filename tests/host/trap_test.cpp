// Traps, delegation, returns and who may do what: against the rules of the privileged architecture.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "privileged.h"

using namespace gyre::test;
using gyre::host::Privilege;

namespace {

constexpr std::uint64_t kSie = 1 << 1, kMie = 1 << 3, kSpie = 1 << 5, kMpie = 1 << 7, kSpp = 1 << 8, kMpp = 3 << 11,
                        kTvm = 1 << 20, kTw = 1 << 21, kTsr = 1 << 22, kInterrupt = 1ull << 63;
constexpr Privilege kModes[] = {Privilege::kUser, Privilege::kSupervisor, Privilege::kMachine};
constexpr unsigned level(Privilege privilege) { return static_cast<unsigned>(privilege); }

struct Open : PrivilegedMachine {
  Open() { open(); }
};

struct ExceptionRow {
  const char* what;
  std::uint32_t instruction;  // t0 holds kBase + 0x2001, t1 an address that is nobody's
  unsigned cause;             // + mode for ecall
  std::uint64_t value;
};
std::ostream& operator<<(std::ostream& out, const ExceptionRow& row) { return out << row.what; }
const ExceptionRow kExceptions[] = {
    {"illegal", 0x0000007F, 2, 0x7F},
    {"compressed illegal", 0x00000000, 2, 0},
    {"breakpoint", 0x00100073, 3, PrivilegedMachine::kCode},
    {"load misaligned (lr)", 0x1002A3AF, 4, FlatBus::kBase + 0x2001},
    {"load access", 0x00033383, 5, 0x4000},
    {"store misaligned (amo)", 0x0002A3AF, 6, FlatBus::kBase + 0x2001},
    {"store access", 0x00733023, 7, 0x4000},
    {"ecall", 0x00000073, 8, 0},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(traps)

BOOST_DATA_TEST_CASE_F(Open, exceptions_go_where_they_are_delegated, boost::unit_test::data::make(kExceptions), row) {
  for (const Privilege mode : kModes)
    for (const bool delegated : {false, true})
      for (const std::uint64_t enables : {std::uint64_t{0}, kSie, kMie, kSie | kMie}) {
        const unsigned cause = row.cause == 8 ? 8 + level(mode) : row.cause;
        csr(0x302, delegated ? 1ull << cause : ~(1ull << cause));
        csr(0x300, enables);
        for (const unsigned number : {0x341u, 0x342u, 0x343u, 0x141u, 0x142u, 0x143u}) csr(number, 0x55);
        hart.set_reg(t1, 0x4000);
        const std::uint64_t retired = hart.retired();
        const Outcome outcome = attempt(Try::kLoad, kBase + 0x2001, mode, row.instruction == 0 ? 0x00010000 : row.instruction);
        const bool to_supervisor = delegated && mode != Privilege::kMachine;
        const unsigned base = to_supervisor ? 0x140 : 0x340;
        BOOST_TEST(outcome.cause == cause);
        BOOST_TEST(outcome.value == row.value);
        BOOST_TEST(csr(base + 1) == kCode);
        BOOST_TEST((outcome.handler == (to_supervisor ? Privilege::kSupervisor : Privilege::kMachine)));
        BOOST_TEST(csr(to_supervisor ? 0x342 : 0x142) == 0x55u);  // the other one's registers are as they were
        BOOST_TEST(hart.retired() == retired);
        const std::uint64_t status = csr(0x300) & (kSie | kMie | kSpie | kMpie | kSpp | kMpp);
        const std::uint64_t want =
            to_supervisor ? (enables & kMie) | ((enables & kSie) != 0 ? kSpie : 0) | (mode == Privilege::kUser ? 0 : kSpp)
                          : (enables & kSie) | ((enables & kMie) != 0 ? kMpie : 0) | std::uint64_t{level(mode)} << 11;
        BOOST_TEST(status == want);
      }
}

// Every set of pending interrupts, every delegation, every mode and enable.
BOOST_FIXTURE_TEST_CASE(interrupts_by_rule, Open) {
  constexpr unsigned kAll[] = {11, 3, 7, 9, 1, 5};  // in the order of priority
  csr(0x305, kHandler | 1);
  csr(0x105, (kHandler + 0x400) | 1);
  for (unsigned set = 0; set < 64; ++set)
    for (unsigned deleg = 0; deleg < 8; ++deleg)
      for (const Privilege mode : kModes)
        for (const std::uint64_t enables : {std::uint64_t{0}, kSie, kMie, kSie | kMie}) {
          std::uint64_t lines = 0, mideleg = 0;
          for (unsigned n = 0; n < 6; ++n) lines |= static_cast<std::uint64_t>(set >> n & 1) << kAll[n];
          for (unsigned n = 0; n < 3; ++n) mideleg |= static_cast<std::uint64_t>(deleg >> n & 1) << kAll[3 + n];
          csr(0x303, mideleg);
          csr(0x304, 0xAAA);
          csr(0x300, enables);
          debug.set_privilege(mode);
          hart.set_pc(kCode);
          hart.set_lines(lines);
          int want = -1;
          bool to_supervisor = false;
          const bool machine_on = mode != Privilege::kMachine || (enables & kMie) != 0;
          const bool supervisor_on = mode == Privilege::kUser || (mode == Privilege::kSupervisor && (enables & kSie) != 0);
          for (const bool supervisor : {false, true})
            for (const unsigned cause : kAll)
              if (want < 0 && (lines >> cause & 1) != 0 && ((mideleg >> cause & 1) != 0) == supervisor &&
                  (supervisor ? supervisor_on : machine_on)) {
                want = static_cast<int>(cause);
                to_supervisor = supervisor;
              }
          const bool taken = hart.take_interrupt();
          const std::uint64_t vector = to_supervisor ? kHandler + 0x400 : kHandler;
          bool good = taken == (want >= 0);
          if (good && taken)
            good = hart.pc() == vector + 4u * static_cast<unsigned>(want) &&
                   csr(to_supervisor ? 0x142 : 0x342) == (kInterrupt | static_cast<unsigned>(want)) &&
                   csr(to_supervisor ? 0x141 : 0x341) == kCode &&
                   hart.privilege() == (to_supervisor ? Privilege::kSupervisor : Privilege::kMachine);
          if (good && !taken) good = hart.pc() == kCode && hart.privilege() == mode;
          if (!good)
            BOOST_FAIL("lines " << std::hex << lines << " mideleg " << mideleg << " mode " << level(mode) << " enables "
                                << enables << ": want " << std::dec << want << ", came to " << std::hex << hart.pc());
          BOOST_REQUIRE_EQUAL(hart.wakes(), lines != 0);
        }
}

BOOST_FIXTURE_TEST_CASE(exceptions_are_not_vectored, Open) {
  csr(0x305, kHandler | 1);
  BOOST_TEST(attempt(Try::kLoad, 0, Privilege::kUser, 0x73).pc == kHandler);
}

// What the supervisor sees of mip and mie, and what it can change.
BOOST_FIXTURE_TEST_CASE(supervisor_interrupt_registers_are_a_window, Open) {
  csr(0x304, 0xAAA);
  hart.set_lines(0x200 | 0x80);
  csr(0x344, 0x22);
  csr(0x303, 0x202);
  BOOST_TEST(csr(0x344) == 0x2A2u);
  BOOST_TEST(csr(0x144) == 0x202u);
  BOOST_TEST(csr(0x104) == 0x202u);
  csr(0x144, 0);
  BOOST_TEST(csr(0x344) == 0x2A0u);  // SSIP only
  csr(0x104, 0);
  BOOST_TEST(csr(0x304) == 0x8A8u);
  csr(0x303, ~0ull);
  BOOST_TEST(csr(0x303) == 0x222u);
  hart.set_lines(0);
  csr(0x344, 0x222);
  csr(0x144, 0);  // the others are machine mode's to clear, even delegated
  BOOST_TEST(csr(0x344) == 0x220u);
  csr(0x302, ~0ull);
  BOOST_TEST((csr(0x302) & 1 << 11) == 0u);
}

struct RightRow {
  const char* what;
  std::uint32_t instruction;
  std::uint64_t status;
  unsigned allowed;  // bit = mode
};
std::ostream& operator<<(std::ostream& out, const RightRow& row) { return out << row.what; }
constexpr std::uint32_t csrr(unsigned number) { return number << 20 | 0x2373; }        // csrr t1
constexpr std::uint32_t csrw(unsigned number) { return number << 20 | 0x00001073; }    // csrw x0
const RightRow kRights[] = {
    {"mret", 0x30200073, 0, 8},
    {"sret", 0x10200073, 0, 8 | 2},
    {"sret with TSR", 0x10200073, kTsr, 8},
    {"wfi", 0x10500073, 0, 8 | 2 | 1},
    {"wfi with TW", 0x10500073, kTw, 8},
    {"sfence.vma", 0x12000073, 0, 8 | 2},
    {"sfence.vma with TVM", 0x12000073, kTvm, 8},
    {"satp", csrr(0x180), 0, 8 | 2},
    {"satp with TVM", csrr(0x180), kTvm, 8},
    {"write satp with TVM", csrw(0x180), kTvm, 8},
    {"sstatus", csrr(0x100), 0, 8 | 2},
    {"mstatus", csrr(0x300), 0, 8},
    {"mhartid", csrr(0xF14), 0, 8},
    {"write mhartid", csrw(0xF14), 0, 0},
    {"unknown", csrr(0x5C0), 0, 0},
    {"cycle, counteren off", csrr(0xC00), 0, 8},
    {"fcsr, FS off", csrr(0x003), 0, 0},
    {"fcsr, FS on", csrr(0x003), 1 << 13, 8 | 2 | 1},
    {"fadd.s, FS off", 0x00000053, 0, 0},
    {"fadd.s, FS on", 0x00000053, 3 << 13, 8 | 2 | 1},
    {"fadd.s, rounding mode 5", 0x00005053, 3 << 13, 0},
    {"flw, FS off", 0x0002A007, 0, 0},
    {"uret", 0x00200073, 0, 0},
    {"fence.tso", 0x8330000F, 0, 8 | 2 | 1},
    {"dret", 0x7B200073, 0, 0},
};

BOOST_DATA_TEST_CASE_F(Open, rights, boost::unit_test::data::make(kRights), row) {
  for (const Privilege mode : kModes) {
    csr(0x300, row.status | kMpp);
    csr(0x341, kCode);
    csr(0x141, kCode);
    const Outcome outcome = attempt(Try::kLoad, kBase + 0x2000, mode, row.instruction);
    BOOST_TEST(outcome.cause == ((row.allowed >> level(mode) & 1) != 0 ? 0u : 2u), "mode " << level(mode));
    if (outcome.cause == 2) BOOST_TEST(outcome.value == row.instruction);
  }
}

BOOST_FIXTURE_TEST_CASE(counters_are_opened_mode_by_mode, Open) {
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned open = 0; open < 4; ++open) {
      csr(0x306, open & 1 ? 1u << n : ~(1u << n));
      csr(0x106, open & 2 ? 1u << n : ~(1u << n));
      BOOST_TEST((attempt(Try::kLoad, 0, Privilege::kSupervisor, csrr(0xC00 + n)).cause == 0) == ((open & 1) != 0));
      BOOST_TEST((attempt(Try::kLoad, 0, Privilege::kUser, csrr(0xC00 + n)).cause == 0) == (open == 3));
    }
}

BOOST_FIXTURE_TEST_CASE(returns_restore_what_the_trap_kept, Open) {
  for (const bool machine : {true, false})
    for (unsigned previous = 0; previous < 4; ++previous)
      for (const std::uint64_t enables : {std::uint64_t{0}, kSpie, kMpie, kSpie | kMpie}) {
        if (previous == 2 || (!machine && previous > 1)) continue;
        constexpr std::uint64_t kMprv = 1 << 17;
        csr(0x300, enables | kMprv | (machine ? std::uint64_t{previous} << 11 : previous << 8));
        csr(0x341, kCode + 0x100);
        csr(0x141, kCode + 0x200);
        instruction(kCode, machine ? 0x30200073 : 0x10200073);
        hart.invalidate_code();
        hart.set_pc(kCode);
        debug.set_privilege(Privilege::kMachine);
        debug.step();
        BOOST_TEST(hart.pc() == kCode + (machine ? 0x100 : 0x200));
        BOOST_TEST(level(hart.privilege()) == previous);
        const std::uint64_t status = csr(0x300) & (kSie | kMie | kSpie | kMpie | kSpp | kMpp | kMprv);
        const std::uint64_t want =
            (machine ? ((enables & kMpie) != 0 ? kMie : 0) | kMpie | (enables & kSpie)
                     : ((enables & kSpie) != 0 ? kSie : 0) | kSpie | (enables & kMpie)) |
            (previous == 3 ? kMprv : 0);
        BOOST_TEST(status == want);
      }
}

BOOST_AUTO_TEST_SUITE_END()
