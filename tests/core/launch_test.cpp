// CTA dispatch, fragment launch and the order guard (launch.md §5.3, §6 - §9).
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

BOOST_AUTO_TEST_SUITE(core_launch)

BOOST_AUTO_TEST_CASE(every_thread_of_a_grid_runs_once) {
  for (unsigned threads : {1u, 2u, 4u, 8u, 16u, 32u})
    for (std::uint64_t quantum : {10'000ull, 1'000'000ull, 100'000'000ull})
      run_forked([=] {
        RigConfig c;
        c.threads = threads;
        c.quantum_ps = quantum;
        Rig rig(c);
        Asm k(kKernel);
        result_address(k, a1, t0);
        k.lw(t1, a1);
        k.addi(t1, t1, 1);
        k.csrr(t2, GYRE_CSR_CTA_THREAD_ID_X);
        k.slli(t2, t2, 8);
        k.add(t1, t1, t2);
        k.sw(t1, a1);
        k.ret();
        rig.program(k);
        const u32 block = std::min(10u, threads * 4), ctas = 7;
        rig.grid(ctas, block);
        rig.run_to_idle();
        for (u32 b = 0; b < ctas; ++b)
          for (u32 t = 0; t < block; ++t) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * (b * block + t)), 1 + (t << 8));
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * ctas * block), 0u);
        GYRE_CHECK(!rig.ctx.faults.valid());
        GYRE_CHECK_EQUAL(rig.core.engine().count.ctas, std::uint64_t{ctas});
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(fragment_warps_see_their_stamps_and_export) {
  for (unsigned threads : {4u, 8u, 32u})
    run_forked([=] {
      RigConfig c;
      c.threads = threads;
      Rig rig(c);
      Asm k(kKernel);
      k.csrr(t0, GYRE_CSR_FRAG_POS);
      k.csrr(t1, GYRE_CSR_FRAG_PID);
      k.srli(t2, t0, 31);
      const int skip = k.label();
      k.split(t3, t2);
      k.beqz(t2, skip);
      k.andi(t4, t0, 0x3FF);
      k.slli(t4, t4, 3);
      k.li(t5, GYRE_DEV_APERTURE_BASE);
      k.add(t4, t4, t5);
      k.om_export(3, t4, t1, t0);
      k.bind(skip);
      k.join(t3);
      k.ret();
      rig.program(k);
      rig.fragments({{3, 5, 0xB, 77}});
      rig.run_to_idle();
      const auto& e = rig.memory.exports;
      GYRE_CHECK_EQUAL(e.size(), std::size_t{6});
      const u32 xs[] = {6, 7, 7}, ys[] = {10, 10, 11};
      for (unsigned i = 0; i < 3; ++i) {
        bool found = false;
        for (std::size_t n = 0; n + 1 < e.size(); ++n)
          found |= e[n].address == GYRE_DEV_APERTURE_BASE + 8 * xs[i] && e[n].value == 77 &&
                   e[n + 1].address == e[n].address + 4 && e[n + 1].value == (0x80000000u | ys[i] << 16 | xs[i]);
        GYRE_CHECK(found);
      }
      GYRE_CHECK(!rig.ctx.faults.valid());
      GYRE_CHECK_EQUAL(rig.core.engine().count.fragments, std::uint64_t{3});
      return std::string();
    });
}

BOOST_AUTO_TEST_SUITE_END()
