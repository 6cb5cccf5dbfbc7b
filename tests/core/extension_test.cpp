// Optional extensions of the core: what is off is illegal, misa, packed loads, barriers of the cluster, strict mode.
#include <random>

#include "decode.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;
using enc::amo;
using enc::kLr;

BOOST_AUTO_TEST_SUITE(core_extensions)

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
