// CTA dispatch and fragment launch (launch.md §6 - §9), cycles of simple loops, the hang report.
#include <algorithm>

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

// Block and thread indices in three dimensions, including a last warp that is partly empty.
BOOST_AUTO_TEST_CASE(thread_and_block_indices) {
  struct Shape {
    std::array<u32, 3> grid, block;
  };
  const Shape shapes[] = {{{2, 3, 2}, {3, 2, 2}},
                          {{1, 1, 4}, {1, 1, 7}},
                          {{3, 1, 1}, {5, 3, 1}},
                          {{2, 2, 1}, {16, 1, 1}},
                          {{1, 2, 1}, {1, 13, 1}}};
  for (unsigned threads : {1u, 2u, 4u, 8u, 32u})
    for (const Shape& s : shapes)
      run_forked([=] {
        RigConfig c;
        c.threads = threads;
        c.warps = 16;
        Rig rig(c);
        Asm k(kKernel);
        const u32 t[] = {GYRE_CSR_CTA_THREAD_ID_X, GYRE_CSR_CTA_THREAD_ID_Y, GYRE_CSR_CTA_THREAD_ID_Z};
        const u32 b[] = {GYRE_CSR_CTA_BLOCK_ID_X, GYRE_CSR_CTA_BLOCK_ID_Y, GYRE_CSR_CTA_BLOCK_ID_Z};
        const u32 d[] = {GYRE_CSR_CTA_BLOCK_DIM_X, GYRE_CSR_CTA_BLOCK_DIM_Y, GYRE_CSR_CTA_BLOCK_DIM_Z};
        const u32 g[] = {GYRE_CSR_CTA_GRID_DIM_X, GYRE_CSR_CTA_GRID_DIM_Y, GYRE_CSR_CTA_GRID_DIM_Z};
        // linear = block-linear * block size + thread-linear; the store also packs the thread index.
        auto linear = [&](u32 rd, const u32* id, const u32* dim) {
          k.csrr(rd, id[2]);
          for (int axis : {1, 0}) {
            k.csrr(t0, dim[axis]);
            k.mul(rd, rd, t0);
            k.csrr(t0, id[axis]);
            k.add(rd, rd, t0);
          }
        };
        linear(s2, b, g);
        linear(s3, t, d);
        k.csrr(t0, d[0]);
        k.csrr(t1, d[1]);
        k.mul(t0, t0, t1);
        k.csrr(t1, d[2]);
        k.mul(t0, t0, t1);
        k.mul(s2, s2, t0);
        k.add(s2, s2, s3);
        k.slli(s2, s2, 2);
        k.add(s2, s2, a0);
        k.csrr(t1, t[0]);
        k.csrr(t2, t[1]);
        k.slli(t2, t2, 8);
        k.add(t1, t1, t2);
        k.csrr(t2, t[2]);
        k.slli(t2, t2, 16);
        k.add(t1, t1, t2);
        k.csrr(t2, GYRE_CSR_CTA_RANK);
        k.slli(t2, t2, 24);
        k.add(t1, t1, t2);
        k.lw(t3, s2);
        k.add(t1, t1, t3);  // runs once
        k.sw(t1, s2);
        k.ret();
        rig.program(k);
        rig.grid3(s.grid, s.block);
        rig.run_to_idle();
        GYRE_CHECK(!rig.ctx.faults.valid());
        const u32 size = s.block[0] * s.block[1] * s.block[2];
        const u32 blocks = s.grid[0] * s.grid[1] * s.grid[2];
        for (u32 n = 0; n < blocks * size; ++n) {
          const u32 l = n % size, x = l % s.block[0], y = l / s.block[0] % s.block[1],
                    z = l / (s.block[0] * s.block[1]);
          GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * n), x | y << 8 | z << 16 | (l / threads) << 24);
        }
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * blocks * size), 0u);
        return std::string();
      });
}

// LMEM bases are slot * stride, no two resident CTAs share a slot, contents survive barriers.
BOOST_AUTO_TEST_CASE(slots_partition_local_memory) {
  for (u32 bytes : {0u, 64u, 4096u, 6000u, 16384u})
    run_forked([=] {
      Rig rig({});
      Asm k(kKernel);
      k.csrr(s2, GYRE_CSR_CTA_LMEM_ADDR);
      k.csrr(s3, GYRE_CSR_CTA_ID);
      k.csrr(s4, GYRE_CSR_CTA_BLOCK_ID_X);
      k.csrr(s5, GYRE_CSR_CTA_RANK);
      k.slli(t0, s5, 2);
      k.add(t0, t0, s2);
      if (bytes != 0) k.sw(s4, t0);  // own block number, one word a warp
      k.li(t1, 50);
      const int delay = k.bound();
      k.addi(t1, t1, -1);
      k.bnez(t1, delay);
      k.mv(t2, s4);
      if (bytes != 0) k.lw(t2, t0);
      k.sub(t2, t2, s4);  // 0 unless somebody else wrote there
      k.slli(t3, s4, 4);
      k.add(t3, t3, a0);
      k.sw(s2, t3);
      k.sw(s3, t3, 4);
      k.lw(t4, t3, 8);
      k.op(6, 0, t4, t4, t2);
      k.sw(t4, t3, 8);
      k.ret();
      rig.program(k);
      rig.grid(20, 8, kKernel, kData, 1, bytes);
      rig.run_to_idle();
      const u32 stride = (bytes + 63) & ~63u, usable = stride == 0 ? 4 : std::clamp(16384 / stride, 1u, 4u);
      for (u32 b = 0; b < 20; ++b) {
        const u32 slot = rig.memory.word(kData + 16 * b + 4);
        GYRE_CHECK_EQUAL(slot, b % usable);  // round robin
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * b), GYRE_DEV_LMEM_BASE + slot * stride);
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * b + 8), 0u);
      }
      return std::string();
    });
}

// All CTAs of a cluster are resident together: a barrier over the cluster (slot 0) completes.
BOOST_AUTO_TEST_CASE(clusters_get_neighbouring_slots) {
  run_forked([] {
    RigConfig c;
    c.warps = 8;
    Rig rig(c);
    Asm k(kKernel);
    k.li(t0, 0x700);
    k.li(t1, 3);
    k.bar(t0, t1);
    k.csrr(t2, GYRE_CSR_CTA_BLOCK_ID_X);
    k.slli(t2, t2, 2);
    k.add(t2, t2, a0);
    k.csrr(t3, GYRE_CSR_CTA_ID);
    k.csrr(t4, GYRE_CSR_CTA_CLUSTER_SIZE);
    k.slli(t4, t4, 8);
    k.add(t3, t3, t4);
    k.sw(t3, t2);
    k.ret();
    rig.program(k);
    rig.grid(12, 4);
    for (std::size_t i = 0; i < 12; ++i) {
      auto& m = rig.launches[i].message;
      m.compute.cluster_size = 3;
      m.compute.first_of_cluster = i % 3 == 0;
      m.eop = i % 3 == 2;
    }
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    // Eight slots: clusters at 0, 3, then 0 again (6 + 3 does not fit), 3.
    for (u32 b = 0; b < 12; ++b) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * b), (b % 6) | 3 << 8);
    return std::string();
  });
}

// The prologue before the dispatch window runs once per warp and context (launch.md §8).
BOOST_AUTO_TEST_CASE(prologue_runs_once_per_warp_and_context) {
  run_forked([] {
    Rig rig({});
    Asm start(kImage);
    start.csrr(t0, GYRE_CSR_WARP_ID);
    start.slli(t0, t0, 2);
    start.csrr(t1, GYRE_CSR_MSCRATCH);
    start.add(t0, t0, t1);
    start.lw(t1, t0, 1024);
    start.addi(t1, t1, 1);
    start.sw(t1, t0, 1024);
    start.entry();
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_WARP_ID);
    k.slli(t0, t0, 2);
    k.add(t0, t0, a0);
    k.lw(t1, t0);
    k.addi(t1, t1, 1);
    k.sw(t1, t0);
    k.ret();
    rig.program(k);
    rig.memory.load(kImage, start.finish());
    rig.grid(40, 4, kKernel, kData, 1);
    rig.grid(40, 4, kKernel, kData, 2);
    for (std::size_t i = 40; i < 80; ++i) rig.launches[i].stamp = 100000;
    rig.run_to_idle();
    u32 runs = 0;
    for (u32 w = 0; w < 4; ++w) {
      const u32 kernels = rig.memory.word(kData + 4 * w), prologues = rig.memory.word(kData + 1024 + 4 * w);
      runs += kernels;
      GYRE_CHECK(kernels > 2);
      GYRE_CHECK_EQUAL(prologues, 2u);
    }
    GYRE_CHECK_EQUAL(runs, 80u);
    return std::string();
  });
}

// A warp that died elsewhere must not be rewound into the middle of code.
BOOST_AUTO_TEST_CASE(warps_that_died_elsewhere_restart_at_the_image) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    result_address(k, a1, t0);
    k.lw(t1, a1);
    k.addi(t1, t1, 1);
    k.sw(t1, a1);
    k.tmc(zero);  // not through the window
    rig.program(k);
    rig.grid(40, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    for (u32 t = 0; t < 160; ++t) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t), 1u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_full_launch_queue_pushes_back) {
  for (unsigned depth : {1u, 3u})
    run_forked([=] {
      RigConfig c;
      c.launch_queue = depth;
      Rig rig(c);
      Asm k(kKernel);
      result_address(k, a1, t0);
      k.li(t1, 500);
      const int delay = k.bound();
      k.addi(t1, t1, -1);
      k.bnez(t1, delay);
      k.li(t1, 1);
      k.sw(t1, a1);
      k.ret();
      rig.program(k);
      rig.grid(30, 16);  // the whole core each
      rig.run_to_idle();
      GYRE_CHECK(rig.refused > 0);
      GYRE_CHECK(rig.last_offer > 26 * 500 * 18 / 2);  // the producer felt the time of the CTAs before
      for (u32 t = 0; t < 30 * 16; ++t) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t), 1u);
      GYRE_CHECK(rig.ctx.busy.last_stamp() > rig.last_offer);
      return std::string();
    });
}

// timing.md §7
BOOST_AUTO_TEST_CASE(cycles_of_simple_loops) {
  struct Case {
    unsigned warps_used;
    bool fma;
    double low, high;  // core cycles per warp instruction
  };
  for (const Case& t :
       {Case{1, false, 6.0, 6.4}, Case{4, false, 1.5, 1.6}, Case{8, false, 1.0, 1.1}, Case{1, true, 12.5, 13.5}})
    run_forked([=] {
      RigConfig c;
      c.warps = 8;
      Rig rig(c);
      Asm k(kKernel);
      k.li(s0, 200);
      const int top = k.bound();
      for (int i = 0; i < 48; ++i) {
        if (t.fma)
          k.word(enc::r4(0x43, 7, 0, 1, 1, 2, 3));
        else
          k.addi(t0 + static_cast<u32>(i % 3), zero, i);
      }
      k.addi(s0, s0, -1);
      k.bnez(s0, top);
      k.ret();
      rig.program(k);
      rig.grid(t.warps_used, 4);
      rig.run_to_idle();
      const double cycles =
          static_cast<double>(rig.ctx.busy.last_stamp()) / static_cast<double>(rig.core.engine().count.instructions);
      if (cycles < t.low || cycles > t.high) throw std::runtime_error(fmt::format("{} cycles per instruction", cycles));
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(hang_report_names_what_warps_wait_for) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.li(t0, 0x300);
    k.li(t1, 5);
    k.bar(t0, t1);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run();
    GYRE_CHECK(!rig.ctx.busy.idle());
    const std::string text = rig.core.describe_wait();
    GYRE_CHECK(text.find("waits at barrier 3 of CTA slot 0 (1 arrived)") != std::string::npos);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(divergent_branch_is_counted) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    const int end = k.label();
    k.bnez(t0, end);
    k.sw(t0, a0);
    k.bind(end);
    k.ret();
    rig.program(k);
    rig.grid(3, 4);
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{3});
    GYRE_CHECK_EQUAL(rig.ctx.counters.sum("divergent_branches"), std::uint64_t{3});
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
