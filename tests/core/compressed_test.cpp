// Compressed code on a core.
#include <random>

#include "decode.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

void with_c(MachineConfig& m) { m.gpu.core.isa_c = true; }

// A program of halfwords: 32-bit instructions may start at any of them.
struct Halves {
  std::vector<u32> words() const {
    std::vector<u32> out((halves.size() + 1) / 2);
    std::memcpy(out.data(), halves.data(), halves.size() * 2);
    return out;
  }
  void half(u32 h) { halves.push_back(static_cast<std::uint16_t>(h)); }
  void word(u32 w) {
    half(w);
    half(w >> 16);
  }
  std::vector<std::uint16_t> halves;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(core_compressed)

// Random straight-line code, 16 and 32 bits wide at every alignment and over page ends, against its expansion.
BOOST_AUTO_TEST_CASE(compressed_code_equals_its_expansion) {
  using riscv::Op;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 rng(seed);
    Halves compressed;
    Asm plain(kKernel);
    auto both = [&](u32 word) {
      compressed.word(word);
      plain.word(word);
    };
    if (seed % 2 == 0) {
      compressed.half(0x0001);  // c.nop: everything moves by two bytes
      plain.addi(zero, zero, 0);
    }
    for (u32 r = 2; r < 32; ++r)
      if (r != a0) both(static_cast<u32>(rng()) << 12 | r << 7 | 0x37);
    const riscv::Isa isa{32, true, false, true, false, true, true, true};
    for (int count = 0; count < 6000;) {
      if (rng() % 4 == 0) {
        const u32 rd = 2 + rng() % 30;
        if (rd == a0) continue;
        both(enc::r(0x33, rng() % 8, 0, rd, rng() % 32, rng() % 32));
        ++count;
        continue;
      }
      const u32 half = static_cast<u32>(rng()) & 0xFFFF;
      if ((half & 3) == 3) continue;
      const riscv::Decoded d = riscv::decode(half, isa);
      const bool computes = (d.op >= Op::kAddi && d.op <= Op::kAnd) || d.op == Op::kLui;
      if (!computes || d.rd == a0 || d.rd == ra) continue;
      compressed.half(half);
      plain.word(riscv::expand_compressed(static_cast<std::uint16_t>(half), 32, true, false));
      ++count;
    }
    for (u32 r = 2; r < 32; ++r)
      if (r != a0) both(enc::s(0x23, 2, a0, r, static_cast<int>(4 * r)));
    both(enc::i(0x67, 0, 0, ra, 0));
    const u32 instructions = 6000 + 29 + 29 + 1 + (seed % 2 == 0);
    auto run = [&](bool use_c) {
      return run_forked([&] {
        Rig rig({}, [&](MachineConfig& m) { m.gpu.core.isa_c = use_c; });
        Asm empty(kKernel);
        rig.program(empty);
        rig.memory.load(kKernel, use_c ? compressed.words() : plain.finish());
        rig.grid(1, 4);
        rig.run_to_idle();
        GYRE_CHECK(!rig.ctx.faults.valid());
        GYRE_CHECK_EQUAL(rig.core.engine().count.instructions, std::uint64_t{instructions + 5});
        return std::string(reinterpret_cast<const char*>(rig.memory.at(kData, 128)), 128);
      });
    };
    const std::string a = run(true), b = run(false);
    BOOST_TEST(a == b);
  }
}

// Links count from the instruction's own length, and code that changes is seen, at the end of a page too.
BOOST_AUTO_TEST_CASE(compressed_links_and_changing_code) {
  run_forked([] {
    Rig rig({}, with_c);
    Asm empty(kKernel);
    rig.program(empty);
    Halves p;
    p.half(0x832E);                           // 0x00: c.mv t1, a1 (any)
    p.half(0x8386);                           // 0x02: c.mv t2, ra
    p.word(1u << 12 | 0x17 | s2 << 7);        // 0x04: auipc s2, 1: page end below is at + 0xFFE
    p.word(enc::i(0x13, 0, s2, s2, -4 - 2));  // 0x08: s2 = kKernel + 0xFFE
    p.half(0x9902);                           // 0x0C: c.jalr s2
    p.word(enc::s(0x23, 2, a0, s3, 0));       // 0x0E: first result
    p.word(enc::s(0x23, 2, a0, s4, 4));       // 0x12: link seen
    p.word(0x13 | t0 << 7 | 0x123u << 20);    // 0x16: li t0, 0x123
    p.word(enc::s(0x23, 1, s2, t0, 2));       // 0x1A: sh t0, 2(s2): upper half of the straddling instruction
    p.half(0x9902);                           // 0x1E: c.jalr s2
    p.word(enc::s(0x23, 2, a0, s3, 8));       // 0x20
    p.half(0x8382);                           // 0x24: c.jr t2
    while (p.halves.size() < 0xFFE / 2) p.half(1);
    p.word(enc::i(0x13, 0, s3, 0, 5));  // 0xFFE: addi s3, zero, 5
    p.half(0x8A06);                     // c.mv s4, ra
    p.half(0x8082);                     // c.jr ra
    rig.memory.load(kKernel, p.words());
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    GYRE_CHECK_EQUAL(rig.memory.word(kData), 5u);
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 4), kKernel + 0x0E);
    // 0x0123 in the upper half of addi s3, rs1, imm: imm 0x012, rs1 field bits 19:16 = 3 -> x6 with bit 15 of the low
    // half
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 8), 0x12u + rig.core.read_register(0, 0, 6));
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
