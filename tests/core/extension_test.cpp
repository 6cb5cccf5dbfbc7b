// Optional extensions of the core: atomics, compressed code, packed loads, barriers of the cluster, strict mode.
#include <random>

#include "decode.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

u32 amo(u32 funct5, u32 rd, u32 address, u32 operand) { return enc::r(0x2F, 2, funct5 << 2, rd, address, operand); }
constexpr u32 kLr = 2, kSc = 3;

struct Amo {
  u32 funct5;
  u32 (*model)(u32 old, u32 value);
};
const Amo kAmos[] = {
    {0x01, [](u32, u32 v) { return v; }},
    {0x00, [](u32 o, u32 v) { return o + v; }},
    {0x04, [](u32 o, u32 v) { return o ^ v; }},
    {0x0C, [](u32 o, u32 v) { return o & v; }},
    {0x08, [](u32 o, u32 v) { return o | v; }},
    {0x10, [](u32 o, u32 v) { return static_cast<std::int32_t>(o) < static_cast<std::int32_t>(v) ? o : v; }},
    {0x14, [](u32 o, u32 v) { return static_cast<std::int32_t>(o) > static_cast<std::int32_t>(v) ? o : v; }},
    {0x18, [](u32 o, u32 v) { return o < v ? o : v; }},
    {0x1C, [](u32 o, u32 v) { return o > v ? o : v; }},
};

void with_a(MachineConfig& m) { m.gpu.core.isa_a = true; }
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

BOOST_AUTO_TEST_SUITE(core_extensions)

// Lanes that meet at a word are served in ascending order, each seeing what the one before left.
BOOST_AUTO_TEST_CASE(atomics_equal_a_sequential_model) {
  for (bool local : {false, true})
    for (bool dmi : {true, false})
      for (unsigned threads : {1u, 4u, 8u, 32u})
        run_forked([=] {
          RigConfig c;
          c.threads = threads;
          c.dmi = dmi;
          Rig rig(c, with_a);
          std::mt19937 rng(threads * 4 + local * 2 + dmi);
          const u32 cells = local ? GYRE_DEV_LMEM_BASE + 256 : 0x00040000u;
          const u32 mask =
              threads == 1 ? 1 : (static_cast<u32>(rng()) | 1) & (threads == 32 ? ~0u : (1u << threads) - 1);
          std::vector<u32> cell(8), which(threads), operand(threads);
          for (u32 k = 0; k < 8; ++k) rig.memory.put(kData + 4 * k, cell[k] = static_cast<u32>(rng()));
          for (u32 l = 0; l < threads; ++l) {
            rig.memory.put(kData + 256 + 4 * l, which[l] = rng() % 8);
            rig.memory.put(kData + 512 + 4 * l, operand[l] = static_cast<u32>(rng()) >> (rng() & 15));
          }
          Asm k(kKernel);
          k.csrr(t0, GYRE_CSR_THREAD_ID);
          k.slli(t0, t0, 2);
          k.add(t0, t0, a0);
          k.lw(s2, t0, 256);
          k.slli(s2, s2, 2);
          k.lw(s3, t0, 512);
          k.li(s4, cells);
          k.add(s2, s2, s4);
          for (int i = 0; i < 8; ++i) {  // every lane writes the same
            k.lw(t1, a0, 4 * i);
            k.sw(t1, s4, 4 * i);
          }
          k.addi(t0, t0, 1024);
          k.li(t1, mask);
          k.tmc(t1);
          for (const Amo& op : kAmos) {
            k.word(amo(op.funct5, s5, s2, s3) | 3u << 25);  // aq and rl make no difference
            k.sw(s5, t0);
            k.addi(t0, t0, 128);
          }
          for (int i = 0; i < 8; ++i) {
            k.lw(t1, s4, 4 * i);
            k.sw(t1, a0, 32 + 4 * i);
          }
          k.ret();
          rig.program(k);
          rig.grid(1, threads);
          rig.run_to_idle();
          GYRE_CHECK(!rig.ctx.faults.valid());
          u32 out = kData + 1024;
          for (const Amo& op : kAmos) {
            for (u32 l = 0; l < threads; ++l) {
              if ((mask >> l & 1) == 0) continue;
              u32& word = cell[which[l]];
              GYRE_CHECK_EQUAL(rig.memory.word(out + 4 * l), word);
              word = op.model(word, operand[l]);
            }
            out += 128;
          }
          for (u32 i = 0; i < 8; ++i) GYRE_CHECK_EQUAL(rig.memory.word(kData + 32 + 4 * i), cell[i]);
          return std::string();
        });
}

// Every lane of every warp increments one counter through LR/SC until its SC succeeds: no increment is lost.
BOOST_AUTO_TEST_CASE(lr_sc_loops_lose_nothing) {
  for (bool local : {false, true})
    for (unsigned threads : {4u, 8u, 32u})
      run_forked([=] {
        RigConfig c;
        c.threads = threads;
        c.warps = 8;
        Rig rig(c, with_a);
        Asm k(kKernel);
        k.li(s2, local ? GYRE_DEV_LMEM_BASE : 0x00040000u);
        k.li(s4, 5);
        const int outer = k.bound();
        k.csrr(s3, GYRE_CSR_ACTIVE_THREADS);
        const int top = k.bound();
        k.word(amo(kLr, t0, s2, 0));
        k.addi(t0, t0, 1);
        k.word(amo(kSc, t1, s2, t0));
        const int done = k.label();
        k.vote(1, t2, t1);
        k.beqz(t2, done);
        k.pred(t1, s3);
        k.jump(zero, top);
        k.bind(done);
        k.tmc(s3);
        k.addi(s4, s4, -1);
        k.bnez(s4, outer);
        k.lw(t3, s2);
        k.sw(t3, a0);
        k.ret();
        rig.program(k);
        rig.grid(1, threads * 8);
        rig.run_to_idle();
        GYRE_CHECK(!rig.ctx.faults.valid());
        GYRE_CHECK_EQUAL(rig.memory.word(kData), threads * 8 * 5);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(reservations_end_at_stores_and_at_any_sc) {
  run_forked([] {
    Rig rig({}, with_a);
    Asm k(kKernel);
    k.li(t0, 1);
    k.tmc(t0);
    k.addi(s2, a0, 64);
    u32 at = 0;
    auto sc = [&](u32 address) {
      k.word(amo(kSc, t1, address, t0));
      k.sw(t1, a0, static_cast<int>(4 * at++));
    };
    sc(s2);  // 0: no reservation
    k.word(amo(kLr, t2, s2, 0));
    sc(s2);  // 1: succeeds
    sc(s2);  // 2: used up
    k.word(amo(kLr, t2, s2, 0));
    k.word(enc::s(0x23, 0, s2, t0, 3));  // a byte of the word
    sc(s2);                              // 3: broken by the store
    k.word(amo(kLr, t2, s2, 0));
    k.sw(t0, s2, 4);
    sc(s2);  // 4: the store was next to it
    k.word(amo(kLr, t2, s2, 0));
    k.addi(s3, s2, 8);
    sc(s3);  // 5: another word
    sc(s2);  // 6: any SC ends the reservation
    k.word(amo(kLr, t2, s2, 0));
    k.word(amo(0, t2, s2, t0));
    sc(s2);  // 7: broken by the AMO
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    const u32 expect[] = {1, 0, 1, 1, 0, 1, 1, 1};
    for (u32 i = 0; i < 8; ++i) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * i), expect[i]);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(extensions_that_are_off_are_illegal_and_bad_addresses_fault) {
  struct Case {
    const char* what;
    u32 word;
    unsigned cause;
    bool on;  // A, C and packing enabled
    u32 address;
  };
  const Case cases[] = {
      {"amo without A", amo(0, t0, a1, a2), GYRE_FAULT_ILLEGAL_INSTR, false, kData},
      {"compressed without C", 0x00010001, GYRE_FAULT_ILLEGAL_INSTR, false, kData},
      {"packlb without it", enc::r(0x0B, 1, 4, 1, a1, a2), GYRE_FAULT_ILLEGAL_INSTR, false, kData},
      {"all zeros", 0, GYRE_FAULT_ILLEGAL_INSTR, true, kData},
      {"misaligned amo", amo(0, t0, a1, a2), GYRE_FAULT_MISALIGNED, true, kData + 2},
      {"misaligned lr", amo(kLr, t0, a1, 0), GYRE_FAULT_MISALIGNED, true, kData + 1},
      {"amo on the aperture", amo(0, t0, a1, a2), GYRE_FAULT_APERTURE_LOAD, true, GYRE_DEV_APERTURE_BASE},
      {"amo on nothing", amo(0, t0, a1, a2), GYRE_FAULT_ACCESS, true, 0x20000000},
      {"amo past local memory", amo(0, t0, a1, a2), GYRE_FAULT_ACCESS, true, GYRE_DEV_LMEM_BASE + 16384},
      {"misaligned packlh", enc::r(0x0B, 2, 4, 1, a1, a2), GYRE_FAULT_MISALIGNED, true, kData + 1},
  };
  for (const Case& c : cases) BOOST_TEST_CONTEXT(c.what) {
      run_forked([&] {
        Rig rig({}, [&](MachineConfig& m) { m.gpu.core.isa_a = m.gpu.core.isa_c = m.gpu.core.isa_pack = c.on; });
        Asm k(kKernel);
        k.li(a1, c.address);
        k.li(a2, 2);
        const u32 pc = k.here();
        k.word(c.word);
        k.ret();
        rig.program(k);
        rig.grid(1, 4);
        rig.run_to_idle();
        GYRE_CHECK(rig.ctx.faults.valid());
        GYRE_CHECK_EQUAL(rig.ctx.faults.first().cause, c.cause);
        GYRE_CHECK_EQUAL(rig.ctx.faults.first().pc, pc);
        return std::string();
      });
    }
}

BOOST_AUTO_TEST_CASE(misa_names_the_extensions) {
  for (unsigned bits = 0; bits < 4; ++bits)
    run_forked([=] {
      Rig rig({}, [&](MachineConfig& m) {
        m.gpu.core.isa_a = (bits & 1) != 0;
        m.gpu.core.isa_c = (bits & 2) != 0;
      });
      Asm k(kKernel);
      k.csrr(t0, GYRE_CSR_MISA);
      k.sw(t0, a0);
      k.ret();
      rig.program(k);
      rig.grid(1, 4);
      rig.run_to_idle();
      GYRE_CHECK_EQUAL(rig.memory.word(kData), 0x40901120u + (bits & 1) + (bits & 2) * 2);
      return std::string();
    });
}

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

BOOST_AUTO_TEST_CASE(packed_loads) {
  for (bool bytes : {true, false})
    for (bool dmi : {true, false})
      for (unsigned threads : {4u, 32u})
        run_forked([=] {
          RigConfig c;
          c.threads = threads;
          c.dmi = dmi;
          Rig rig(c, [](MachineConfig& m) { m.gpu.core.isa_pack = true; });
          std::mt19937 rng(threads);
          for (u32 i = 0; i < 4096; ++i) *rig.memory.at(kData + 0x1000 + i, 1) = static_cast<std::uint8_t>(rng());
          std::vector<u32> base(threads), stride(threads);
          for (u32 l = 0; l < threads; ++l) {
            const u32 unit = bytes ? 1 : 2;
            rig.memory.put(kData + 4 * l, base[l] = kData + 0x1800 + rng() % 100 * unit);
            rig.memory.put(kData + 128 + 4 * l, stride[l] = (rng() % 600 - 300) * unit);
          }
          Asm k(kKernel);
          k.csrr(t0, GYRE_CSR_THREAD_ID);
          k.slli(t0, t0, 2);
          k.add(t0, t0, a0);
          k.lw(s2, t0);
          k.lw(s3, t0, 128);
          k.word(enc::r(0x0B, bytes ? 1 : 2, 4, 7, s2, s3));
          k.word(enc::s(0x27, 2, t0, 7, 256));
          k.ret();
          rig.program(k);
          rig.grid(1, threads);
          rig.run_to_idle();
          GYRE_CHECK(!rig.ctx.faults.valid());
          for (u32 l = 0; l < threads; ++l) {
            u32 expect = 0;
            for (u32 n = 0; n < (bytes ? 4u : 2u); ++n) {
              const std::uint8_t* at = rig.memory.at(base[l] + n * stride[l], 2);
              expect |= (bytes ? u32{at[0]} : u32{at[0]} | u32{at[1]} << 8) << (bytes ? 8 : 16) * n;
            }
            GYRE_CHECK_EQUAL(rig.memory.word(kData + 256 + 4 * l), expect);
          }
          return std::string();
        });
}

// A cluster of one core: the barrier opens when all active warps have arrived or left, in both forms.
BOOST_AUTO_TEST_CASE(global_barrier_of_one_core) {
  for (bool split_phase : {false, true})
    run_forked([=] {
      RigConfig c;
      c.warps = 8;
      Rig rig(c);
      Asm k(kKernel);
      k.li(s2, 0x80000300u);
      k.li(s3, 1);
      k.csrr(s4, GYRE_CSR_CTA_RANK);
      k.slli(s5, s4, 2);
      k.add(s5, s5, a0);
      const int out = k.label();
      k.li(t0, 3);
      k.beq(s4, t0, out);  // warp 3 leaves without a word
      k.li(t1, 50);
      k.mul(t1, t1, s4);
      const int delay = k.bound();
      k.addi(t1, t1, -1);
      k.blt(zero, t1, delay);
      k.li(t0, 7);
      k.sw(t0, s5);
      if (split_phase) {
        k.bar_arrive(t2, s2, s3);
        k.bar_wait(s2, t2);
      } else {
        k.bar(s2, s3);
      }
      k.lw(t0, a0, 0);
      for (int w : {1, 2, 4, 5}) {
        k.lw(t1, a0, 4 * w);
        k.add(t0, t0, t1);
      }
      k.sw(t0, s5, 64);
      k.bind(out);
      k.ret();
      rig.program(k);
      rig.grid(1, 24);
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());
      for (u32 w : {0u, 1u, 2u, 4u, 5u}) GYRE_CHECK_EQUAL(rig.memory.word(kData + 64 + 4 * w), 35u);
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(strict_mode_stops_at_the_fault) {
  run_forked([] {
    Rig rig({}, [](MachineConfig& m) { m.gpu.core.strict = true; });
    Asm k(kKernel);
    k.word(0);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run();
    GYRE_CHECK(rig.ctx.faults.valid());
    GYRE_CHECK(sc_core::sc_get_status() == sc_core::SC_STOPPED);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
