// The hart against the reference: single instructions of every encoding, and random programs with loops.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include "asm.h"
#include "flat_bus.h"
#include "hart_debug.h"
#include "reference.h"

using namespace gyre::test;
using gyre::host::Hart;
using gyre::host::Stop;

namespace {

constexpr std::size_t kMemory = 1 << 16;
constexpr std::uint64_t kBase = FlatBus::kBase, kData = kBase + 0x8000, kHandler = kBase + 0x4000;
constexpr std::uint32_t kSelf = 0x0000006F;  // j .

using Random = std::mt19937_64;

std::uint64_t interesting(Random& random) {
  switch (random() % 8) {
    case 0: return 0;
    case 1: return ~0ull;
    case 2: return 1ull << (random() % 64);
    case 3: return (1ull << (random() % 64)) - 1;
    case 4: return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(random())));
    case 5: return random() % 64;
    default: return random();
  }
}

// Operands of floating point: the other kinds of value, singles boxed or not.
std::uint64_t fp_value(Random& random) {
  const std::uint64_t sign = random() % 2;
  const bool wide = random() % 2 == 0;
  const unsigned fraction = wide ? 52 : 23;
  const std::uint64_t ones = wide ? 0x7FF : 0xFF, low = random() & ((1ull << fraction) - 1), middle = ones / 2;
  std::uint64_t exponent = random() % (ones + 1), bits = low;
  switch (random() % 8) {
    case 0: exponent = 0; break;
    case 1: exponent = ones; break;
    case 2: exponent = random() % 2 * ones; bits = 0; break;
    case 3: bits = 1ull << random() % fraction; break;
    case 4: case 5: exponent = middle - 4 + random() % 70; break;
    default: break;
  }
  const std::uint64_t value = (sign << (wide ? 11 : 8) | exponent) << fraction | bits;
  return wide ? value : random() % 16 == 0 ? value : value | 0xFFFFFFFF00000000u;
}

// A mostly legal floating-point instruction, never with rounding mode 4, which the reference does not have.
std::uint32_t fp_word(Random& random, std::uint32_t word) {
  static constexpr std::uint32_t groups[] = {0, 1, 2, 3, 4, 5, 8, 0xB, 0x14, 0x18, 0x1A, 0x1C, 0x1E};
  if (random() % 8 != 0) word = (word & ~(3u << 25)) | static_cast<std::uint32_t>(random() % 2) << 25;
  const bool fused = (word & 0x7F) != 0x53;
  std::uint32_t group = word >> 27;
  if (!fused && random() % 8 != 0) {
    group = groups[random() % std::size(groups)];
    word = (word & 0x07FFFFFF) | group << 27;
  }
  if (!fused && group >= 8 && group != 0x14 && random() % 8 != 0)  // rs2 selects
    word = (word & ~(31u << 20)) |
           (group == 8 ? ~word >> 25 & 1u : group == 0x18 || group == 0x1A ? static_cast<std::uint32_t>(random() % 4) : 0u) << 20;
  if (!fused && (group == 4 || group == 5 || group == 0x14 || group == 0x1C || group == 0x1E) && random() % 8 != 0)
    word = (word & ~(7u << 12)) | static_cast<std::uint32_t>(random() % 3) << 12;
  else if (random() % 2 == 0) word |= 7u << 12;
  if ((word >> 12 & 7) == 4) word |= 7u << 12;
  return word;
}

// A word that is often, not always, a legal instruction.
std::uint32_t random_word(Random& random) {
  static constexpr std::uint32_t opcodes[] = {0x37, 0x17, 0x6F, 0x67, 0x63, 0x03, 0x23, 0x13, 0x1B, 0x33, 0x3B, 0x2F, 0x0F,
                                              0x07, 0x27, 0x43, 0x47, 0x4B, 0x4F, 0x53, 0x53, 0x53, 0x53};
  auto word = static_cast<std::uint32_t>(random());
  if (random() % 3 == 0) return word & 0xFFFF;  // a compressed one in two thirds of these
  word = (word & ~0x7Fu) | opcodes[random() % std::size(opcodes)];
  const std::uint32_t opcode = word & 0x7F;
  if ((opcode == 0x33 || opcode == 0x3B || opcode == 0x1B) && random() % 8 != 0)
    word = (word & 0x01FFFFFF) | (random() % 3 == 0 ? 0u : random() % 2 == 0 ? 0x02000000u : 0x40000000u);
  if (opcode == 0x13 && random() % 4 != 0) word &= 0xC3FFFFFFu;
  if (opcode == 0x2F) {
    static constexpr std::uint32_t functions[] = {0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28};
    word = (word & 0x07FFFFFF) | functions[random() % std::size(functions)] << 27;
    word = (word & ~0x7000u) | (random() % 8 == 0 ? random() % 8 : 2 + random() % 2) << 12;
    if (word >> 27 == 2 && random() % 8 != 0) word &= ~0x01F00000u;
  }
  if (opcode == 0x53 || (opcode >= 0x43 && opcode <= 0x4F)) word = fp_word(random, word);
  if (word == 0x73 || (word & 0xFFF) == 0x073) word |= 4;
  return word;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(differential)

BOOST_DATA_TEST_CASE(single_instructions, boost::unit_test::data::xrange(4), seed) {
  Random random(static_cast<std::uint64_t>(seed) + 1);
  FlatBus bus(kMemory);
  Hart hart(bus);
  hart.csr_write(0x305, kHandler);
  hart.csr_write(0x300, 0x6000);
  const std::uint32_t self = kSelf;
  for (unsigned i = 0; i < 15'000; ++i) {
    const std::uint32_t word = random_word(random);
    const unsigned length = (word & 3) == 3 ? 4 : 2;
    bus.debug(kBase, const_cast<std::uint32_t*>(&word), length, true);
    bus.debug(kBase + length, const_cast<std::uint32_t*>(&self), 4, true);
    bus.debug(kHandler, const_cast<std::uint32_t*>(&self), 4, true);
    Reference reference(kMemory);
    for (unsigned r = 1; r < 32; ++r) {
      // Half of the registers point into memory, aligned or not, some near its end.
      const std::uint64_t value = random() % 2 == 0 ? interesting(random)
                                  : random() % 8 == 0 ? kBase + kMemory - random() % 12
                                                      : kData + (random() % 2 == 0 ? random() % 0x1000 & ~7ull : random() % 0x1000);
      reference.x[r] = value;
      hart.set_reg(r, value);
    }
    for (unsigned r = 0; r < 32; ++r) {
      reference.fp.f[r] = random() % 16 == 0 ? interesting(random) : fp_value(random);
      hart.set_freg(r, reference.fp.f[r]);
    }
    const unsigned frm = random() % 16 == 0 ? 5 + static_cast<unsigned>(random() % 3) : random() % 2 == 0 ? 0 : static_cast<unsigned>(random() % 4);
    const unsigned accrued = random() % 2 == 0 ? 0 : random() % 2 == 0 ? 1 : static_cast<unsigned>(random() % 32);
    reference.fp.frm = frm;
    reference.fp.flags = accrued;
    hart.csr_write(0x003, frm << 5 | accrued);
    reference.memory = bus.memory;
    hart.set_pc(kBase);
    hart.invalidate_code();
    const std::uint64_t retired = hart.retired();
    const bool went_on = reference.step();
    hart.run(hart.cycle() + 1);
    BOOST_TEST_INFO("instruction " << std::hex << word);
    if (!went_on) {
      std::uint64_t cause = 0, epc = 0, tval = 0;
      hart.csr_read(0x342, cause);
      hart.csr_read(0x341, epc);
      hart.csr_read(0x343, tval);
      BOOST_REQUIRE_EQUAL(cause, reference.cause);
      BOOST_REQUIRE_EQUAL(epc, kBase);
      BOOST_REQUIRE_EQUAL(tval, reference.tval);
      BOOST_REQUIRE_EQUAL(hart.pc(), kHandler);
      BOOST_REQUIRE_EQUAL(hart.retired(), retired);
    } else {
      BOOST_REQUIRE_EQUAL(hart.pc(), reference.pc);
    }
    for (unsigned r = 0; r < 32; ++r) {
      if (hart.reg(r) != reference.x[r])
        BOOST_FAIL("register " << r << " of instruction " << std::hex << word << ": " << hart.reg(r) << " not " << reference.x[r]);
    }
    for (unsigned r = 0; r < 32; ++r)
      if (hart.freg(r) != reference.fp.f[r])
        BOOST_FAIL("register f" << r << " of instruction " << std::hex << word << ": " << hart.freg(r) << " not " << reference.fp.f[r]);
    std::uint64_t fcsr = 0;
    hart.csr_read(0x003, fcsr);
    BOOST_TEST_INFO("instruction " << std::hex << word);
    BOOST_REQUIRE_EQUAL(fcsr, frm << 5 | reference.fp.flags);
    BOOST_REQUIRE(bus.memory == reference.memory);
  }
}

namespace {

std::uint64_t instructions = 0;  // of the programs that were equal

// In a program: loads and stores at `base`, arithmetic, moves to and from the integer registers that are free.
template <class Free>
std::uint32_t program_fp_word(Random& random, Free free, unsigned base, std::int32_t offset) {
  const unsigned rd = static_cast<unsigned>(random() % 32), wide = static_cast<unsigned>(random() % 2);
  switch (random() % 8) {
    case 0: return enc::i(0x07, 2 + wide, rd, base, offset);
    case 1: return enc::s(2 + wide, base, rd, offset) | 4;
    default: break;
  }
  std::uint32_t word = static_cast<std::uint32_t>(random());
  if (random() % 4 == 0) return fp_word(random, ((word & 0xF9FF8F80) | wide << 25 | 7 << 12 | 0x43 | (random() % 4 << 2)));
  static constexpr std::uint32_t groups[] = {0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 0xB, 0x14, 0x18, 0x1A, 0x1C, 0x1E};
  const std::uint32_t group = groups[random() % std::size(groups)];
  unsigned f3 = 7, to = rd, rs1 = static_cast<unsigned>(random() % 32), rs2 = static_cast<unsigned>(random() % 32);
  if (group == 4 || group == 0x14) f3 = static_cast<unsigned>(random() % 3);
  if (group == 5 || group == 0x1C) f3 = static_cast<unsigned>(random() % 2);
  if (group == 0x1E) f3 = 0;
  if (group == 8) rs2 = 1 - wide;
  if (group == 0x18 || group == 0x1A) rs2 = static_cast<unsigned>(random() % 4);
  if (group == 0xB || group == 0x1C || group == 0x1E) rs2 = 0;
  if (group == 0x14 || group == 0x18 || group == 0x1C) to = free();
  if (group == 0x1A || group == 0x1E) rs1 = free();
  return enc::r(0x53, f3, group << 2 | wide, to, rs1, rs2);
}

// Random straight code with short forward branches, in a loop: x2 and x8 point to data, x3 counts, x4 is free for
// addresses, all others are operands. Ends with the retired-instruction count in x3 and a jump to itself.
Asm random_program(Random& random, unsigned length, unsigned rounds) {
  Asm a;
  for (unsigned r = 5; r < 32; ++r) a.li(r, interesting(random));
  a.li(3, rounds);
  a.label("round");
  a.li(2, kData + 0x400);
  a.li(8, kData + 0x800);
  unsigned skip = 0;
  std::vector<std::pair<unsigned, std::string>> open;
  for (unsigned n = 0; n < length; ++n) {
    for (std::size_t k = 0; k < open.size();) {
      if (open[k].first == n) {
        a.label(open[k].second);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
    const auto free = [&] { const unsigned r = static_cast<unsigned>(random() % 27) + 5; return r == 8 ? 9u : r; };
    const unsigned rd = random() % 16 == 0 ? 0 : free(), rs1 = free(), rs2 = static_cast<unsigned>(random() % 32);
    const unsigned base = random() % 2 == 0 ? 2 : 8;
    const auto offset = static_cast<std::int32_t>(random() % 1024) - 512;
    switch (random() % 18) {
      case 12: case 13: case 14: case 15: case 16: a.word(program_fp_word(random, free, base, offset)); break;
      case 17:
        if (random() % 4 == 0) {
          a.addi(4, zero, random() % 2 == 0 ? 0 : static_cast<std::int32_t>(random() % 4));
          a.csrw(2, 4);
        } else {
          a.half(static_cast<std::uint16_t>((random() % 2 == 0 ? 0x2002 | (random() & 0x1FFC) : 0xA002 | (random() & 0x1FFC))));
        }
        break;
      case 0: case 1: {
        static constexpr unsigned kinds[] = {0, 1, 4, 5, 6, 7};
        const std::string name = "skip" + std::to_string(skip++);
        open.emplace_back(n + 1 + random() % 6, name);
        if (random() % 8 == 0) a.jal(random() % 2 == 0 ? 0 : rd, name);
        else a.branch(kinds[random() % 6], rs1, rs2, name);
        break;
      }
      case 2: a.load(static_cast<unsigned>(random() % 7), rd, base, offset); break;
      case 3: a.store(static_cast<unsigned>(random() % 4), rs2, base, offset); break;
      case 4: {
        static constexpr unsigned kinds[] = {0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28};
        const bool wide = random() % 2 == 0;
        const unsigned kind = kinds[random() % 11];
        a.addi(4, base, offset & ~7);
        a.amo(kind, wide, rd, 4, kind == 2 ? 0 : rs2);
        break;
      }
      case 5: {  // compressed: lw/ld/sw/sd on the stack pointer and x8, arithmetic
        static constexpr std::uint16_t memory_forms[] = {0x4002, 0x6002, 0xC002, 0xE002};
        const unsigned pick = static_cast<unsigned>(random() % 8);
        if (pick < 2) a.half(static_cast<std::uint16_t>(memory_forms[pick] | free() << 7 | (random() % 32 << 2 & 0x7C)));
        else if (pick < 4) a.half(static_cast<std::uint16_t>(memory_forms[pick] | rs2 << 2 | (random() % 64 << 7 & 0x1F80)));
        else if (pick == 4) a.half(static_cast<std::uint16_t>(0x0001 | free() << 7 | (random() & 0x107C)));
        else if (pick == 5) a.half(static_cast<std::uint16_t>(0x2001 | free() << 7 | (random() & 0x107C)));
        else if (pick == 6) a.half(static_cast<std::uint16_t>(0x9002 | free() << 7 | free() << 2));
        else a.half(static_cast<std::uint16_t>(0x8002 | free() << 7 | free() << 2));
        break;
      }
      case 6: a.word(enc::i(0x1B, 0, rd, rs1, offset)); break;
      case 7: {
        static constexpr unsigned kinds[] = {0, 2, 3, 4, 6, 7};
        a.word(enc::i(0x13, kinds[random() % 6], rd, rs1, offset));
        break;
      }
      case 8: a.word(enc::r(0x3B, static_cast<unsigned>(random() % 4) + 4, 1, rd == 0 ? 1 : rd, rs1, rs2)); break;
      case 9: a.op(static_cast<unsigned>(random() % 8), 1, rd, rs1, rs2); break;
      case 10: a.word((random() % 2 == 0 ? 0x37u : 0x17u) | rd << 7 | (static_cast<std::uint32_t>(random()) & 0xFFFFF000u)); break;
      default: a.op(static_cast<unsigned>(random() % 8), 0, rd, rs1, rs2); break;
    }
  }
  for (const auto& [at, name] : open) a.label(name);
  a.addi(3, 3, -1);
  a.beq(3, 0, "done");
  a.j("round");
  a.label("done");
  a.csrr(3, 0xC02);
  a.label("end");
  a.j("end");
  return a;
}

}  // namespace

namespace {

// Where the program's memory really is. Every fourth program runs in supervisor mode behind page tables that put its
// pages in another order.
struct Layout {
  static constexpr std::size_t kPages = kMemory >> 12;
  static constexpr std::uint64_t kRoot = kBase + 2 * kMemory;
  std::size_t page[kPages];

  Layout(Random& random, bool scrambled) {
    for (std::size_t i = 0; i < kPages; ++i) page[i] = i;
    if (scrambled) std::shuffle(page, page + kPages, random);
  }
  static std::uint64_t entry(std::uint64_t physical, unsigned bits) { return physical >> 12 << 10 | bits; }
  void copy_in(FlatBus& bus, const std::vector<std::uint8_t>& from) const {
    for (std::size_t i = 0; i < kPages; ++i) std::memcpy(&bus.memory[page[i] << 12], &from[i << 12], 4096);
  }
  bool equal(const FlatBus& bus, const std::vector<std::uint8_t>& to) const {
    for (std::size_t i = 0; i < kPages; ++i)
      if (std::memcmp(&bus.memory[page[i] << 12], &to[i << 12], 4096) != 0) return false;
    return true;
  }
  void page_tables(FlatBus& bus, Hart& hart) const {
    const auto put = [&bus](std::uint64_t at, std::uint64_t value) { bus.debug(at, &value, 8, true); };
    put(kRoot + 8 * (kBase >> 30), entry(kRoot + 0x1000, 1));
    put(kRoot + 0x1000, entry(kRoot + 0x2000, 1));
    for (std::size_t i = 0; i < kPages; ++i) put(kRoot + 0x2000 + 8 * i, entry(kBase + (page[i] << 12), 0x0F));
    hart.csr_write(0x3B0, ~0ull);
    hart.csr_write(0x3A0, 0x1F);
    hart.csr_write(0x306, 7);
    hart.csr_write(0x180, 8ull << 60 | kRoot >> 12);
  }
};

}  // namespace

BOOST_DATA_TEST_CASE(random_programs, boost::unit_test::data::xrange(64), seed) {
  Random random(1000 + static_cast<std::uint64_t>(seed));
  Asm program = random_program(random, 20 + static_cast<unsigned>(random() % 1500), 30);
  const std::uint64_t end = program.here() - 4;
  const bool paged = seed % 4 == 1;
  const Layout layout(random, paged);
  FlatBus bus(4 * kMemory);
  Reference reference(kMemory);
  const std::vector<std::uint8_t> code = program.bytes();
  std::copy(code.begin(), code.end(), reference.memory.begin());
  for (std::size_t i = 0x8000; i < kMemory; ++i) reference.memory[i] = static_cast<std::uint8_t>(random());
  layout.copy_in(bus, reference.memory);
  bus.windows = seed % 8 != 7;  // every eighth without direct access
  Hart hart(bus);
  hart.reset(kBase);
  hart.csr_write(0x300, 0x6000);
  if (paged) {
    layout.page_tables(bus, hart);
    gyre::host::HartDebug(hart).set_privilege(gyre::host::Privilege::kSupervisor);
  }
  for (unsigned r = 0; r < 32; ++r) {
    reference.fp.f[r] = fp_value(random);
    hart.set_freg(r, reference.fp.f[r]);
  }
  while (reference.pc != end - 4) BOOST_REQUIRE_MESSAGE(reference.step(), "reference trapped at " << std::hex << reference.pc);
  const std::uint64_t count = reference.retired;
  const std::uint64_t chunk = 1 + random() % 1000;
  for (unsigned guard = 0; hart.pc() != end; ++guard) {
    BOOST_REQUIRE(guard < 4'000'000);
    const Stop stop = hart.run(hart.cycle() + chunk);
    BOOST_REQUIRE(stop == Stop::kLimit || stop == Stop::kCheck);
  }
  BOOST_TEST(hart.reg(3) == count);
  for (unsigned r = 0; r < 32; ++r)
    if (r != 3) BOOST_REQUIRE_EQUAL(hart.reg(r), reference.x[r]);
  for (unsigned r = 0; r < 32; ++r) BOOST_REQUIRE_EQUAL(hart.freg(r), reference.fp.f[r]);
  std::uint64_t fcsr = 0;
  hart.csr_read(0x003, fcsr);
  BOOST_REQUIRE_EQUAL(fcsr, reference.fp.frm << 5 | reference.fp.flags);
  BOOST_REQUIRE(layout.equal(bus, reference.memory));
  instructions += count;
}

BOOST_AUTO_TEST_CASE(enough_was_compared) { BOOST_TEST(instructions >= 1'000'000u); }

BOOST_AUTO_TEST_SUITE_END()
