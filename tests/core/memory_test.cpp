// Loads, stores, local memory, code changes, TEX, faults, CSRs (isa.md §7, §10, §11).
#include <random>

#include "rig.h"
#include "simulate.h"

using namespace gyre;
using namespace gyre::test;

BOOST_AUTO_TEST_SUITE(core_memory)

// Every width and sign, lanes scattered over global, stack and local memory at once.
BOOST_AUTO_TEST_CASE(scattered_accesses_of_every_width) {
  for (bool dmi : {true, false})
    for (unsigned threads : {1u, 4u, 8u, 32u})
      for (bool mixed : {false, true})
        run_forked([=] {
          RigConfig c;
          c.threads = threads;
          c.dmi = dmi;
          Rig rig(c);
          const u32 areas[] = {0x00020000, 0xFFE10000, GYRE_DEV_LMEM_BASE + 0x400};
          std::mt19937 rng(threads + dmi);
          Asm k(kKernel);
          k.csrr(s2, GYRE_CSR_CTA_THREAD_ID_X);
          k.slli(s3, s2, 2);  // inputs above the parameter, results below
          k.add(s3, s3, a0);
          k.lw(s4, s3);        // where this lane works
          k.lw(s5, s3, 1024);  // what it stores
          k.word(enc::s(0x23, 2, s4, s5, 0));
          k.word(enc::s(0x23, 1, s4, s5, 6));
          k.word(enc::s(0x23, 0, s4, s5, 9));
          struct {
            u32 f3;
            int offset;
          } loads[] = {{2, 0}, {0, 1}, {4, 3}, {1, 2}, {5, 6}, {0, 9}, {2, 8}};
          int out = -2048;
          for (const auto& l : loads) {
            k.word(enc::i(0x03, l.f3, t0, s4, l.offset));
            k.sw(t0, s3, out);
            out += 128;
          }
          k.ret();
          rig.program(k);
          std::vector<u32> value(threads);
          for (u32 l = 0; l < threads; ++l) {
            value[l] = static_cast<u32>(rng());
            const u32 area = mixed ? areas[l % 3] : areas[threads % 3];
            rig.memory.put(kData + 0x1000 + 4 * l, area + 16 * ((l * 7) % threads));
            rig.memory.put(kData + 0x1000 + 1024 + 4 * l, value[l]);
          }
          rig.grid(1, threads, kKernel, kData + 0x1000);
          rig.run_to_idle();
          GYRE_CHECK(!rig.ctx.faults.valid());
          for (u32 l = 0; l < threads; ++l) {
            const u32 v = value[l];
            const u32 expect[] = {v,
                                  static_cast<u32>(static_cast<std::int8_t>(v >> 8)),
                                  v >> 24,
                                  static_cast<u32>(static_cast<std::int16_t>(v >> 16)),
                                  v & 0xFFFF,
                                  static_cast<u32>(static_cast<std::int8_t>(v)),
                                  (v & 0xFF) << 8};
            for (u32 n = 0; n < 7; ++n)
              GYRE_CHECK_EQUAL(rig.memory.word(kData + 0x1000 + 4 * l + 128 * n - 2048), expect[n]);
          }
          GYRE_CHECK((rig.memory.transactions > 0) == !dmi);
          return std::string();
        });
}

BOOST_AUTO_TEST_CASE(of_several_lanes_at_one_address_the_highest_wins) {
  for (bool dmi : {true, false})
    run_forked([=] {
      RigConfig c;
      c.dmi = dmi;
      Rig rig(c);
      Asm k(kKernel);
      k.csrr(t0, GYRE_CSR_THREAD_ID);
      k.sw(t0, a0);
      k.ret();
      rig.program(k);
      rig.grid(1, 3);
      rig.run_to_idle();
      GYRE_CHECK_EQUAL(rig.memory.word(kData), 2u);
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(stores_into_code_are_executed_at_once) {
  for (bool dmi : {true, false})
    run_forked([=] {
      RigConfig c;
      c.dmi = dmi;
      Rig rig(c);
      Asm k(kKernel);
      k.li(t2, 0);
      k.li(t3, 3);
      const int top = k.bound();
      const u32 patched = k.here();
      k.addi(t2, t2, 1);
      k.li(t0, patched);
      k.li(t1, enc::i(0x13, 0, t2, t2, 100));
      k.sw(t1, t0);
      k.addi(t3, t3, -1);
      k.bnez(t3, top);
      k.sw(t2, a0);
      k.ret();
      rig.program(k);
      rig.grid(1, 4);
      rig.run_to_idle();
      GYRE_CHECK_EQUAL(rig.memory.word(kData), 201u);
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(a_new_launch_sees_code_loaded_by_others) {
  run_forked([] {
    Rig rig({});
    auto store = [](u32 v) {
      Asm k(kKernel);
      k.li(t0, v);
      k.sw(t0, a0);
      k.ret();
      return k.finish();
    };
    Asm first(kKernel);
    first.words = store(1);
    rig.program(first);
    rig.grid(1, 4);
    rig.grid(1, 4, kKernel, kData + 4, 2);
    rig.launches[1].stamp = 10000;
    kernel::simulate(10000000);
    rig.memory.load(kKernel, store(2));
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.memory.word(kData), 1u);
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 4), 2u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(texels_come_from_the_port_per_lane) {
  for (unsigned threads : {4u, 16u})
    run_forked([=] {
      RigConfig c;
      c.threads = threads;
      Rig rig(c);
      Asm k(kKernel);
      result_address(k, a1, t0);
      k.csrr(t0, GYRE_CSR_CTA_THREAD_ID_X);
      k.addi(t1, t0, 100);
      k.slli(t2, t0, 4);
      k.tex(0, t3, t0, t1, t2);
      k.tex(1, t4, t2, t1, t0);
      k.add(t3, t3, t4);
      k.sw(t3, a1);
      k.ret();
      rig.program(k);
      rig.grid(1, threads - 1);
      rig.run_to_idle();
      for (u32 t = 0; t < threads - 1; ++t)
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t),
                         TestTexture::texel(0, t, t + 100, t * 16) + TestTexture::texel(1, t * 16, t + 100, t));
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(faults_kill_the_warp_and_the_device_drains) {
  struct Case {
    const char* name;
    unsigned cause;
    u32 value;
    void (*body)(Asm&);
    bool texture;
  };
  static const Case cases[] = {
      {"illegal", GYRE_FAULT_ILLEGAL_INSTR, 0x0000005B, [](Asm& k) { k.word(0x0000005B); }, true},
      {"wfi", GYRE_FAULT_ILLEGAL_INSTR, 0x10500073, [](Asm& k) { k.word(0x10500073); }, true},
      {"amo", GYRE_FAULT_ILLEGAL_INSTR, 0x0000202F, [](Asm& k) { k.word(0x0000202F); }, true},
      {"compressed", GYRE_FAULT_ILLEGAL_INSTR, 0x00010001, [](Asm& k) { k.word(0x00010001); }, true},
      {"tex unbound", GYRE_FAULT_ILLEGAL_INSTR, enc::r4(0x2B, 5, 0, t0, t1, t2, t3),
       [](Asm& k) { k.tex(0, t0, t1, t2, t3); }, false},
      {"csr", GYRE_FAULT_BAD_CSR, 0x7CE, [](Asm& k) { k.csrr(t0, 0x7CE); }, true},
      {"csr 123", GYRE_FAULT_BAD_CSR, 0x123, [](Asm& k) { k.csrw(0x123, t0); }, true},
      {"join", GYRE_FAULT_IPDOM, 1,
       [](Asm& k) {
         k.li(t0, 3);
         k.join(t0);
       },
       true},
      {"split", GYRE_FAULT_IPDOM, 0,
       [](Asm& k) {
         k.csrr(t0, GYRE_CSR_THREAD_ID);
         for (int i = 0; i < 40; ++i) {  // endless nesting: lanes split one by one, then overflow by re-enabling
           k.opi(3, t1, t0, 1);
           k.split(t2, t1);
           k.li(t3, 15);
           k.tmc(t3);
         }
       },
       true},
      {"barrier", GYRE_FAULT_BARRIER_ZERO, 0x105,
       [](Asm& k) {
         k.li(t0, 0x105);
         k.bar(t0, zero);
       },
       true},
      {"misaligned load", GYRE_FAULT_MISALIGNED, kData + 2, [](Asm& k) { k.lw(t0, a0, 2); }, true},
      {"misaligned store", GYRE_FAULT_MISALIGNED, kData + 1, [](Asm& k) { k.word(enc::s(0x23, 1, a0, t0, 1)); }, true},
      {"misaligned jump", GYRE_FAULT_MISALIGNED, kData + 2, [](Asm& k) { k.word(enc::i(0x67, 0, ra, a0, 2)); }, true},
      {"misaligned export", GYRE_FAULT_MISALIGNED, GYRE_DEV_APERTURE_BASE + 2,
       [](Asm& k) {
         k.li(t0, GYRE_DEV_APERTURE_BASE + 2);
         k.om_export(1, t0, t1, t2);
       },
       true},
      {"aperture load", GYRE_FAULT_APERTURE_LOAD, GYRE_DEV_APERTURE_BASE,
       [](Asm& k) {
         k.li(t0, GYRE_DEV_APERTURE_BASE);
         k.lw(t0, t0);
       },
       true},
      {"null load", GYRE_FAULT_ACCESS, 0x3C, [](Asm& k) { k.lw(t0, zero, 0x3C); }, true},
      {"unmapped store", GYRE_FAULT_ACCESS, 0x40000000,
       [](Asm& k) {
         k.li(t0, 0x40000000);
         k.sw(t0, t0);
       },
       true},
      {"unmapped load", GYRE_FAULT_ACCESS, 0x40000000,
       [](Asm& k) {
         k.li(t0, 0x40000000);
         k.lw(t0, t0);
       },
       true},
      {"beyond lmem", GYRE_FAULT_ACCESS, GYRE_DEV_LMEM_BASE + 16384,
       [](Asm& k) {
         k.li(t0, GYRE_DEV_LMEM_BASE + 16384);
         k.lw(t0, t0);
       },
       true},
      {"fetch", GYRE_FAULT_ACCESS, 0x40000000,
       [](Asm& k) {
         k.li(t0, 0x40000000);
         k.word(enc::i(0x67, 0, ra, t0, 0));
       },
       true},
      {"fetch lmem", GYRE_FAULT_ACCESS, GYRE_DEV_LMEM_BASE,
       [](Asm& k) {
         k.li(t0, GYRE_DEV_LMEM_BASE);
         k.word(enc::i(0x67, 0, ra, t0, 0));
       },
       true},
      {"trap", GYRE_FAULT_TRAP_NO_VECTOR, 11, [](Asm& k) { k.word(0x00000073); }, true},
  };
  for (const Case& c : cases)
    for (bool dmi : {true, false})
      run_forked([&] {
        RigConfig config;
        config.dmi = dmi;
        config.texture = c.texture;
        Rig rig(config);
        Asm k(kKernel);
        const int good = k.label();
        k.csrr(t0, GYRE_CSR_CTA_BLOCK_ID_X);
        k.li(t1, 3);
        k.bne(t0, t1, good);
        c.body(k);
        k.bind(good);
        result_address(k, a1, t0);
        k.li(t0, 1);
        k.sw(t0, a1);
        k.ret();
        rig.program(k);
        rig.grid(8, 4);
        rig.run_to_idle();
        const std::string what = c.name;
        if (!rig.ctx.faults.valid()) throw std::runtime_error(what + ": no fault");
        const kernel::Fault& f = rig.ctx.faults.first();
        if (f.cause != c.cause || f.value != c.value || f.core != 0)
          throw std::runtime_error(fmt::format("{}: cause {} value {:#x}", what, f.cause, f.value));
        GYRE_CHECK_EQUAL(rig.ctx.faults.count(), std::uint64_t{1});
        if (what.rfind("fetch", 0) == 0 || what == "misaligned jump")
          GYRE_CHECK_EQUAL(f.pc, c.value);
        else
          GYRE_CHECK(f.pc >= kKernel && f.pc < kKernel + 4096);
        for (u32 b = 0; b < 8; ++b) GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * b), b == 3 ? 0u : 1u);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(csr_values) {
  run_forked([] {
    RigConfig c;
    c.threads = 8;
    c.warps = 4;
    Rig rig(c, [](MachineConfig& m) {
      m.gpu.clusters = 2;
      m.gpu.cores = 3;
    });
    const u32 csrs[] = {GYRE_CSR_NUM_THREADS,
                        GYRE_CSR_NUM_WARPS,
                        GYRE_CSR_NUM_CORES,
                        GYRE_CSR_LOCAL_MEM_BASE,
                        GYRE_CSR_NUM_BARRIERS,
                        GYRE_CSR_MSCRATCH,
                        GYRE_CSR_CTA_ENTRY,
                        GYRE_CSR_CTA_SIZE,
                        GYRE_CSR_CTA_CLUSTER_SIZE,
                        GYRE_CSR_CTA_GRID_DIM_Y,
                        GYRE_CSR_MISA,
                        GYRE_CSR_FRAG_POS,
                        0x302,
                        GYRE_CSR_MIMPID,
                        0xF14,
                        GYRE_CSR_CORE_ID};
    Asm k(kKernel);
    k.csrr(s2, GYRE_CSR_CTA_THREAD_ID_X);
    k.slli(s2, s2, 2);
    k.add(s2, s2, a0);
    for (u32 i = 0; i < std::size(csrs); ++i) {
      k.csrr(t0, csrs[i]);
      k.sw(t0, s2, static_cast<int>(64 * i));
    }
    k.li(t0, 0xFFFFFFFF);
    k.csrw(GYRE_CSR_FCSR, t0);
    k.csrr(t1, GYRE_CSR_FRM);
    k.sw(t1, s2, 1024);
    k.word(GYRE_CSR_FFLAGS << 20 | 10 << 15 | 7 << 12 | t1 << 7 | 0x73);  // csrrci fflags, 10
    k.csrr(t1, GYRE_CSR_FCSR);
    k.sw(t1, s2, 1088);
    k.csrw(GYRE_CSR_NUM_THREADS, t0);  // read only: ignored
    k.csrr(t1, GYRE_CSR_NUM_THREADS);
    k.sw(t1, s2, 1152);
    k.ret();
    rig.program(k);
    rig.grid(1, 12);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    const u32 expect[] = {8, 4, 6, GYRE_DEV_LMEM_BASE, 8, kData, kKernel, 2, 1, 1, 0x40901120, 0, 0, 0, 0, 0};
    for (u32 t = 0; t < 12; ++t) {
      for (u32 i = 0; i < std::size(csrs); ++i)
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t + 64 * i), csrs[i] == 0xF14 ? t : expect[i]);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t + 1024), 7u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t + 1088), 0xF5u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t + 1152), 8u);
    }
    return std::string();
  });
}

// Flags are or-ed over active lanes only and stay with the warp that raised them.
BOOST_AUTO_TEST_CASE(floating_point_flags_belong_to_the_warp) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    result_address(k, a1, t0);
    k.csrr(s2, GYRE_CSR_CTA_BLOCK_ID_X);
    k.andi(s2, s2, 1);
    k.csrw(GYRE_CSR_FCSR, zero);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.opi(3, t1, t0, 1);                      // lane 0
    k.word(enc::r(0x53, 0, 0x78, 1, s2, 0));  // fmv.w.x f1, s2 (0 or a subnormal)
    k.li(t2, 0x3F800000);
    k.word(enc::r(0x53, 0, 0x78, 2, t2, 0));
    const int skip = k.label();
    k.split(t3, t1);
    k.bnez(t1, skip);
    k.word(enc::r(0x53, 7, 0x0C, 3, 2, 1));  // lanes 1..: 1 / f1
    k.bind(skip);
    k.join(t3);
    for (int i = 0; i < 100; ++i) k.addi(t4, t4, 1);
    k.csrr(t5, GYRE_CSR_FFLAGS);
    k.sw(t5, a1);
    k.ret();
    rig.program(k);
    rig.grid(8, 4);
    rig.run_to_idle();
    for (u32 b = 0; b < 8; ++b) GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * b), b % 2 == 0 ? 8u : 5u);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
