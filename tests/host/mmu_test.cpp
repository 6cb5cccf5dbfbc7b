// Sv39 and physical memory protection: every combination against the rules as the manual states them.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <random>

#include "privileged.h"

using namespace gyre::test;
using gyre::host::Privilege;

namespace {

constexpr std::uint64_t kPage = 0x40000000, kData = FlatBus::kBase + 0x2000;
constexpr unsigned kPageFaults[] = {12, 13, 15}, kAccessFaults[] = {1, 5, 7};
constexpr std::uint64_t kSum = 1ull << 18, kMxr = 1ull << 19, kMprv = 1ull << 17;

// The instruction to try runs in the mode under test: its page belongs to that mode.
struct Paged : PrivilegedMachine {
  Paged() { open(); }
  void code_for(Privilege privilege) {
    map(kCode, kCode, kV | kR | kX | kA | (privilege == Privilege::kUser ? kU : 0));
    debug.write_csr(0x180, 0);
    paging();
  }
};

// The manual's rules for a leaf (§4.3.2), in its order.
bool allowed(std::uint64_t pte, Try kind, Privilege privilege, bool sum, bool mxr) {
  if ((pte & kV) == 0 || ((pte & kW) != 0 && (pte & kR) == 0)) return false;
  if ((pte & (kR | kX)) == 0) return false;  // a pointer, at the last level
  if (privilege == Privilege::kUser && (pte & kU) == 0) return false;
  if (privilege == Privilege::kSupervisor && (pte & kU) != 0 && (kind == Try::kFetch || !sum)) return false;
  if (kind == Try::kFetch) return (pte & kX) != 0;
  if (kind == Try::kStore) return (pte & kW) != 0;
  return (pte & kR) != 0 || (mxr && (pte & kX) != 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mmu)

BOOST_FIXTURE_TEST_CASE(every_entry_in_every_mode, Paged) {
  instruction(kData, kNop);
  for (const Privilege privilege : {Privilege::kUser, Privilege::kSupervisor}) {
    code_for(privilege);
    for (unsigned bits = 0; bits < 256; ++bits)
      for (const std::uint64_t status : {std::uint64_t{0}, kSum, kMxr, kSum | kMxr})
        for (const Try kind : {Try::kFetch, Try::kLoad, Try::kStore}) {
          map(kPage, kData, bits);
          csr(0x300, status);
          csr(0x180, csr(0x180));  // forgets translations
          const std::uint64_t address = kPage + (kind == Try::kFetch ? 0 : 8);
          const Outcome outcome = attempt(kind, address, privilege);
          const bool good = allowed(bits, kind, privilege, (status & kSum) != 0, (status & kMxr) != 0);
          const std::uint64_t after = word(entry_at(kPage, 0)) & 0xFF;
          const std::uint64_t marks = kA | (kind == Try::kStore ? kD : 0);
          if (outcome.cause != (good ? 0 : kPageFaults[static_cast<int>(kind)]) || (!good && outcome.value != address) ||
              after != (good ? bits | marks : bits))
            BOOST_FAIL("entry " << std::hex << bits << " kind " << static_cast<int>(kind) << " mode "
                                << static_cast<int>(privilege) << " status " << status << ": cause " << outcome.cause
                                << " value " << outcome.value << " entry after " << after);
        }
  }
}

struct WalkRow {
  const char* what;
  int level;
  std::uint64_t entry;    // at that level, for kPage
  std::uint64_t address;  // loaded
  std::uint64_t cause, physical;
};
std::ostream& operator<<(std::ostream& out, const WalkRow& row) { return out << row.what; }
constexpr std::uint64_t kLeafBits = kV | kR | kW | kX | kA | kD;
constexpr std::uint64_t ppn(std::uint64_t address) { return address >> 12 << 10; }
const WalkRow kWalks[] = {
    {"2 MiB page", 1, ppn(FlatBus::kBase) | kLeafBits, kPage + 0x2008, 0, kData + 8},
    {"1 GiB page", 2, ppn(FlatBus::kBase) | kLeafBits, kPage + 0x2010, 0, kData + 16},
    {"2 MiB page that is not aligned", 1, ppn(FlatBus::kBase + 0x1000) | kLeafBits, kPage, 13, 0},
    {"1 GiB page that is not aligned", 2, ppn(FlatBus::kBase + 0x200000) | kLeafBits, kPage, 13, 0},
    {"pointer at the last level", 0, ppn(kData) | kV, kPage, 13, 0},
    {"pointer with A", 1, ppn(kData) | kV | kA, kPage, 13, 0},
    {"pointer with D", 1, ppn(kData) | kV | kD, kPage, 13, 0},
    {"pointer with U", 1, ppn(kData) | kV | kU, kPage, 13, 0},
    {"pointer to nowhere", 1, ppn(0x1000) | kV, kPage, 5, 0},
    {"leaf to nowhere", 0, ppn(0x1000) | kLeafBits, kPage, 5, 0},
    {"reserved bit 54", 0, ppn(kData) | kLeafBits | 1ull << 54, kPage, 13, 0},
    {"reserved bit 60", 0, ppn(kData) | kLeafBits | 1ull << 60, kPage, 13, 0},
    {"memory type without Svpbmt", 0, ppn(kData) | kLeafBits | 1ull << 61, kPage, 13, 0},
    {"NAPOT without Svnapot", 0, ppn(kData) | kLeafBits | 1ull << 63, kPage, 13, 0},
    {"RSW bits are software's", 0, ppn(kData) | kLeafBits | 3 << 8, kPage, 0, kData},
    {"global", 0, ppn(kData) | kLeafBits | kG, kPage, 0, kData},
    {"address with bit 39 only", 0, ppn(kData) | kLeafBits, kPage | 1ull << 39, 13, 0},
    {"address with bit 38 not extended", 0, ppn(kData) | kLeafBits, kPage | 1ull << 38, 13, 0},
    {"address not mapped", 0, ppn(kData) | kLeafBits, kPage + 0x1000, 13, 0},
};

BOOST_DATA_TEST_CASE_F(Paged, walks, boost::unit_test::data::make(kWalks), row) {
  code_for(Privilege::kSupervisor);
  word(entry_at(kPage, row.level), row.entry);
  csr(0x300, 0);
  for (unsigned i = 0; i < 8; ++i) word(kData + 8 * i, 0x1111 * i + 7);
  const Outcome outcome = attempt(Try::kLoad, row.address, Privilege::kSupervisor);
  BOOST_TEST(outcome.cause == row.cause);
  if (row.cause == 0) BOOST_TEST(hart.reg(t1) == word(row.physical));
  else BOOST_TEST(outcome.value == row.address);
}

BOOST_FIXTURE_TEST_CASE(high_half_addresses_and_accesses_across_pages_anywhere, Paged) {
  code_for(Privilege::kSupervisor);
  const std::uint64_t high = 0xFFFFFFC000000000;
  map(high, kData, kLeafBits);
  map(high + 0x1000, kData + 0x5000, kLeafBits);  // not the next page
  csr(0x300, 0);
  hart.set_reg(t1, 0x1122334455667788);
  BOOST_TEST(attempt(Try::kStore, high + 0xFFD, Privilege::kSupervisor).cause == 0u);
  BOOST_TEST(word(kData + 0xFF8) >> 40 == 0x667788u);
  BOOST_TEST((word(kData + 0x5000) & 0xFFFFFFFFFF) == 0x1122334455u);
  hart.set_reg(t1, 0);
  BOOST_TEST(attempt(Try::kLoad, high + 0xFFD, Privilege::kSupervisor).cause == 0u);
  BOOST_TEST(hart.reg(t1) == 0x1122334455667788u);
  // Into a page that is not there: the fault is the second page's, and nothing of a store is done.
  hart.set_reg(t1, 0);
  const std::uint64_t before = word(kData + 0x5FF8);
  const Outcome torn = attempt(Try::kStore, high + 0x1FFD, Privilege::kSupervisor);
  BOOST_TEST(torn.cause == 15u);
  BOOST_TEST(torn.value == high + 0x2000);
  BOOST_TEST(word(kData + 0x5FF8) == before);
}

BOOST_FIXTURE_TEST_CASE(an_instruction_across_pages_faults_at_its_second_half, Paged) {
  code_for(Privilege::kSupervisor);
  map(kPage, kData, kLeafBits);
  csr(0x300, 0);
  instruction(kData + 0xFFC, 0x00130001);  // c.nop; first half of a nop
  Outcome outcome = attempt(Try::kFetch, kPage + 0xFFE, Privilege::kSupervisor);
  BOOST_TEST(outcome.cause == 12u);
  BOOST_TEST(outcome.value == kPage + 0x1000);
  BOOST_TEST(csr(0x341) == kPage + 0xFFE);
  // With the second page, and then with another one there, after sfence.vma.
  map(kPage + 0x1000, kData + 0x3000, kLeafBits);
  instruction(kData + 0x3000, 0x00000000 | 0x0070);  // upper half: addi x0, x0, 7... as an immediate of the nop
  BOOST_TEST(attempt(Try::kFetch, kPage + 0xFFE, Privilege::kSupervisor).cause == 0u);
  map(kPage + 0x1000, kData + 0x4000, kV | kR | kA);
  csr(0x180, csr(0x180));
  outcome = attempt(Try::kFetch, kPage + 0xFFE, Privilege::kSupervisor);
  BOOST_TEST(outcome.cause == 12u);
  BOOST_TEST(outcome.value == kPage + 0x1000);
}

BOOST_FIXTURE_TEST_CASE(the_second_half_of_an_instruction_may_move, Paged) {
  code_for(Privilege::kSupervisor);
  csr(0x300, 0);
  map(kPage, kData, kLeafBits);
  const std::uint32_t low = enc::i(0x13, 0, a0, a0, 0) & 0xFFFF, high = enc::i(0x13, 0, a0, a0, 0) >> 16;
  instruction(kData + 0xFFC, low << 16 | 1);
  instruction(kData + 0x3000, high | 7 << 4);
  instruction(kData + 0x4000, high | 9 << 4);
  for (const std::uint64_t second : {0x3000, 0x4000, 0x3000}) {
    map(kPage + 0x1000, kData + second, kLeafBits);
    csr(0x180, csr(0x180));
    debug.set_privilege(Privilege::kSupervisor);
    hart.set_reg(a0, 0);
    hart.set_pc(kPage + 0xFFE);
    hart.run(hart.cycle() + 1);
    BOOST_TEST(hart.reg(a0) == (second == 0x3000 ? 7u : 9u));
  }
}

BOOST_FIXTURE_TEST_CASE(a_change_of_mxr_needs_no_fence, Paged) {
  code_for(Privilege::kSupervisor);
  map(kPage, kData, kV | kX | kA);
  for (const bool on : {true, false, true}) {
    csr(0x300, on ? kMxr : 0);
    BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == (on ? 0u : 13u));
  }
}

// A program that goes round while its page tables change under it: sfence.vma and writes of satp must be enough.
BOOST_FIXTURE_TEST_CASE(sfence_vma_makes_changes_seen, Paged) {
  code_for(Privilege::kSupervisor);
  map(kPage, kData, kLeafBits);
  map(kPage + 0x1000, kData + 0x1000, kLeafBits);
  csr(0x300, 0);
  word(kData, 5);
  word(kData + 0x1000, 6);
  BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == 0u);
  BOOST_TEST(hart.reg(t1) == 5u);
  map(kPage, kData + 0x1000, kLeafBits);
  // sfence.vma with an address, with an address-space identifier, and with both zero
  for (const std::uint32_t fence : {0x12028073u, 0x12600073u, 0x12000073u}) {
    BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor, fence).cause == 0u);
    BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == 0u);
    BOOST_TEST(hart.reg(t1) == (word(entry_at(kPage, 0)) == (ppn(kData) | kLeafBits) ? 5u : 6u));
    map(kPage, (word(entry_at(kPage, 0)) >> 10 << 12) == kData ? kData + 0x1000 : kData, kLeafBits);
  }
  // Code too: the same virtual page, other code.
  const std::uint32_t ones[] = {0x00100313, 0x00200313};  // li t1, 1; li t1, 2
  for (unsigned i = 0; i < 4; ++i) {
    instruction(kData, ones[0]);
    instruction(kData + 0x1000, ones[1]);
    map(kPage, kData + 0x1000 * (i & 1), kLeafBits);
    BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor, 0x12000073).cause == 0u);
    hart.set_pc(kPage);
    hart.run(hart.cycle() + 1);
    BOOST_TEST(hart.reg(t1) == (i & 1) + 1u);
  }
  code_for(Privilege::kUser);
  BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kUser, 0x12000073).cause == 2u);
}

// Code that moves: one virtual page is two physical ones in turn, called directly and through a register, with the
// decoded blocks and their links warm.
BOOST_FIXTURE_TEST_CASE(remapped_code_is_the_new_code_after_sfence_vma, Paged) {
  constexpr std::uint64_t kWindow = kBase + 0x40000, kFirst = kBase + 0x50000, kSecond = kBase + 0x60000;
  for (std::uint64_t page = 0; page < 512; ++page) map(kBase + (page << 12), kBase + (page << 12), kLeafBits);
  for (const auto& [at, value] : {std::pair{kFirst, 1}, {kSecond, 100}}) {
    instruction(at, enc::i(0x13, 0, a0, a0, value));
    instruction(at + 4, 0x00008067);  // ret
  }
  Asm a(kCode);
  a.li(s1, entry_at(kWindow, 0));
  a.li(s2, ppn(kFirst) | kLeafBits);
  a.li(s3, ppn(kSecond) | kLeafBits);
  a.li(s4, kWindow);
  a.li(s5, 20);
  a.label("round");
  a.sd(s2, s1);
  a.word(0x12000073);
  a.word(enc::j(ra, static_cast<std::int32_t>(kWindow - a.here())));
  a.jalr(ra, s4);
  a.addi(t0, s2, 0);
  a.addi(s2, s3, 0);
  a.addi(s3, t0, 0);
  a.addi(s5, s5, -1);
  a.bne(s5, zero, "round");
  const std::uint64_t end = a.here();
  a.label("spin");
  a.j("spin");
  bus.load(a.bytes(), kCode);
  paging();
  csr(0x300, 0);
  debug.set_privilege(Privilege::kSupervisor);
  hart.set_pc(kCode);
  hart.run(hart.cycle() + 1000);
  BOOST_TEST(hart.pc() == end);
  BOOST_TEST(hart.reg(a0) == 20u * 101u);
}

BOOST_FIXTURE_TEST_CASE(mprv_uses_the_previous_mode_for_data_only, Paged) {
  code_for(Privilege::kSupervisor);
  map(kPage, kData, kV | kR | kW | kA | kD | kU);
  word(kData, 42);
  for (const std::uint64_t mpp : {0, 1, 3}) {
    csr(0x300, kMprv | mpp << 11);
    const Outcome outcome = attempt(Try::kLoad, kPage, Privilege::kMachine);
    BOOST_TEST(outcome.cause == (mpp == 0 ? 0u : mpp == 1 ? 13u : 5u));
    if (mpp == 0) BOOST_TEST(hart.reg(t1) == 42u);
  }
}

// ---- PMP --------------------------------------------------------------------------------------------------------------

namespace {

struct PmpModel {
  std::uint8_t config[16] = {};
  std::uint64_t address[16] = {};

  bool matches(unsigned i, std::uint64_t byte) const {
    const std::uint64_t a = address[i];
    switch (config[i] >> 3 & 3) {
      case 1: return byte >= (i == 0 ? 0 : address[i - 1] << 2) && byte < a << 2;
      case 2: return byte >> 2 == a;
      case 3: {
        unsigned ones = 0;
        while ((a >> ones & 1) != 0) ++ones;
        return byte >> (ones + 3) == a >> (ones + 1);
      }
      default: return false;
    }
  }
  bool allows(std::uint64_t at, unsigned bytes, Try kind, Privilege privilege) const {
    for (unsigned i = 0; i < 16; ++i) {
      unsigned matching = 0;
      for (unsigned b = 0; b < bytes; ++b) matching += matches(i, at + b);
      if (matching == 0) continue;
      if (matching != bytes) return false;
      if (privilege == Privilege::kMachine && (config[i] & 0x80) == 0) return true;
      return (config[i] >> (kind == Try::kFetch ? 2 : kind == Try::kStore ? 1 : 0) & 1) != 0;
    }
    return privilege == Privilege::kMachine;
  }
  // Register writes as the manual has them.
  void write_config(unsigned i, std::uint8_t value) {
    if ((config[i] & 0x80) == 0) config[i] = (value & 3) == 2 ? value & 0x9C : value & 0x9F;
  }
  void write_address(unsigned i, std::uint64_t value) {
    const bool top_of_locked = i < 15 && (config[i + 1] & 0x98) == 0x88;
    if ((config[i] & 0x80) == 0 && !top_of_locked) address[i] = value & ((1ull << 54) - 1);
  }
};

void write(PrivilegedMachine& machine, PmpModel& model, unsigned i, std::uint8_t config, std::uint64_t address) {
  machine.csr(0x3B0 + i, address);
  model.write_address(i, address);
  const unsigned number = 0x3A0 + (i / 8) * 2, shift = 8 * (i % 8);
  machine.csr(number, (machine.csr(number) & ~(0xFFull << shift)) | static_cast<std::uint64_t>(config) << shift);
  model.write_config(i, config);
}

}  // namespace

BOOST_DATA_TEST_CASE(pmp_as_the_rules_say, boost::unit_test::data::xrange(60), seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  PrivilegedMachine machine;
  PmpModel model;
  // Entries around one page of data; the code has the first entry, so that it always runs.
  constexpr std::uint64_t kRegion = FlatBus::kBase + 0x2000;
  write(machine, model, 0, 0x1F, (FlatBus::kBase >> 2) | 0x3FF);  // 8 KiB: code and handlers
  for (unsigned offset = 0; offset < 0x1000; offset += 4) machine.instruction(kRegion + offset, PrivilegedMachine::kNop);
  for (unsigned round = 0; round < 12; ++round) {
    const unsigned i = 1 + static_cast<unsigned>(random() % 15);
    const unsigned ones = static_cast<unsigned>(random() % 11);
    std::uint64_t address = (kRegion >> 2) + random() % 0x400;
    if (random() % 2 == 0) address = (address & ~((1ull << ones) - 1)) | ((1ull << ones) / 2 - (ones > 0 ? 1 : 0));
    if (random() % 8 == 0) address = random();
    auto config = static_cast<std::uint8_t>(random() & 0x1F);
    if (random() % 6 == 0) config |= 0x80;
    write(machine, model, i, config, address);
    for (unsigned n = 0; n < 16; ++n) BOOST_REQUIRE_EQUAL(machine.csr(0x3B0 + n), model.address[n]);
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned n = 0; n < 8; ++n)
        BOOST_REQUIRE_EQUAL(machine.csr(0x3A0 + 2 * half) >> (8 * n) & 0xFF, model.config[8 * half + n]);
    for (unsigned t = 0; t < 120; ++t) {
      const auto kind = static_cast<Try>(random() % 3);
      const auto privilege = random() % 2 == 0 ? Privilege::kMachine : Privilege::kSupervisor;
      const std::uint64_t at = kRegion + (random() % 0xFF8 & (kind == Try::kFetch ? ~3ull : random() % 2 == 0 ? ~7ull : ~0ull));
      const Outcome outcome = machine.attempt(kind, at, privilege);
      const bool fetch = kind == Try::kFetch;
      const bool good = fetch ? model.allows(at, 2, kind, privilege) && model.allows(at + 2, 2, kind, privilege)
                              : model.allows(at, 8, kind, privilege);
      BOOST_TEST_INFO("access " << std::hex << at << " kind " << static_cast<int>(kind) << " mode " << static_cast<int>(privilege));
      BOOST_REQUIRE_EQUAL(outcome.cause, good ? 0 : kAccessFaults[static_cast<int>(kind)]);
      if (kind == Try::kStore && good)
        for (unsigned n = 0; n < 3; ++n) machine.instruction((at & ~3ull) + 4 * n, PrivilegedMachine::kNop);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(page_tables_are_protected_too, Paged) {
  code_for(Privilege::kSupervisor);
  map(kPage, kData, kLeafBits & ~kD);
  csr(0x300, 0);
  const std::uint64_t table = entry_at(kPage, 0) & ~0xFFFull;
  csr(0x3B0, table >> 2 | 0x1FF);
  csr(0x3B1, ~0ull);
  const auto rights = [&](std::uint64_t r) { csr(0x3A0, 0x1F00 | 0x18 | r); };
  rights(3);
  BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == 0u);
  rights(1);  // readable: good for a load, but D cannot be set
  BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == 0u);
  BOOST_TEST(attempt(Try::kStore, kPage, Privilege::kSupervisor).cause == 7u);
  rights(0);
  BOOST_TEST(attempt(Try::kLoad, kPage, Privilege::kSupervisor).cause == 5u);
  BOOST_TEST(attempt(Try::kFetch, kPage, Privilege::kSupervisor).cause == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
