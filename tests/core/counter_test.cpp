// Performance counters of the core and the register map: every number is derived by hand from timing.md §1.1 with the
// default machine (6 cycles from instruction to instruction, 12 after a branch, 14 after warp control).
#include <map>
#include <set>

#include "rig.h"
#include "simulate.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr u32 kMpm = 0xB00;

u32 fadd(u32 rd, u32 a, u32 b) { return enc::r(0x53, 7, 0, rd, a, b); }

}  // namespace

BOOST_AUTO_TEST_SUITE(core_counters)

// One warp; the cycle at which an instruction issues stands beside it.
BOOST_AUTO_TEST_CASE(counters_of_one_warp) {
  for (bool dmi : {true, false})
    run_forked([=] {
      RigConfig c;
      c.dmi = dmi;
      Rig rig(c);
      const u32 counters[] = {0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x11, 0x12, 0x13, 0x14,
                              0x15, 0x16, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x08, 0x0E, 0x0F};
      Asm k(kImage);
      const int otherwise = k.label(), end = k.label();
      k.addi(t0, zero, 15);            //   0
      k.tmc(t0);                       //   6
      k.csrr(t1, GYRE_CSR_THREAD_ID);  //  20, readable at 29
      k.andi(t1, t1, 1);               //  29: 3 cycles late
      k.split(t2, t1);                 //  35: two and two lanes, then first
      k.beqz(t1, otherwise);           //  49, and 93
      k.addi(t3, zero, 1);             //  61
      k.jump(zero, end);               //  67
      k.bind(otherwise);
      k.addi(t3, zero, 2);  // 105
      k.bind(end);
      k.join(t2);             //  79, and 111
      k.li(s0, kData);        // 125 (one instruction)
      k.lw(s1, s0);           // 131, readable at 147 (without direct access: a cycle later)
      k.sw(s1, s0, 4);        // 147: 10 cycles late
      k.word(fadd(1, 0, 0));  // 153, readable at 166
      k.word(fadd(2, 1, 1));  // 166: 7 cycles late
      u32 rd = a0;            // 172, 178, …
      std::map<u32, u32> kept;
      for (const u32 number : counters) {
        if (rd == 32) rd = 1;
        k.csrr(rd, kMpm + number);
        kept[number] = rd++;
      }
      k.li(s0, kData + 64);
      for (const u32 number : counters)
        if (kept[number] != s0) k.sw(kept[number], s0, static_cast<int>(4 * number));
      k.tmc(zero);
      rig.memory.load(kImage, k.finish());
      kernel::simulate(0);
      rig.core.set_mpm_class(GYRE_MPM_CORE);
      rig.core.start_bare(kImage, 0);
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());

      const u32 late = dmi ? 0 : 1;
      u32 n = 0;  // the n-th reading instruction is the (18 + n)-th of all and issues here:
      for (const u32 number : counters) {
        const u32 issue = 172 + late + 6 * n, instructions = 18 + n;
        const std::map<u32, u32> expect = {
            {0x03, issue + 1 - instructions},  // cycles without issue
            {0x04, issue + 1},                 // one warp since cycle 0
            {0x05, 3 * 6 + 4 * 8},             // 3 branches; TMC, SPLIT, 2 JOINs
            {0x06, instructions},
            {0x07, 52 + 4 * n},  // 2 × 1 lane, 3 × 4, 7 × 2, then 4
            {0x0A, 3 + 10 + 7 + late},
            {0x11, 3},
            {0x12, 1},
            {0x13, 8},
            {0x14, 2},
            {0x15, 2},
            {0x16, 6 + n},
            {0x1A, instructions},
            {0x1B, 2 * instructions},
            {0x1C, 1},
            {0x1D, 11 + late},
            {0x1E, 1},
            {0x08, 0},
            {0x0E, 0},
            {0x0F, 0},
        };
        if (kept[number] != s0) {
          const u32 value = rig.memory.word(kData + 64 + 4 * number);
          if (value != expect.at(number))
            throw std::runtime_error(fmt::format("counter {:#x} is {}, not {}", number, value, expect.at(number)));
        }
        ++n;
      }
      GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_CORE, 0x1E), std::uint64_t{21});  // x8 held an address by then
      GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_MEM, 0x07), std::uint64_t{0});
      return std::string();
    });
}

// Two warps and a barrier: waiting counts as stalled, residency is summed.
BOOST_AUTO_TEST_CASE(counters_of_two_warps_at_a_barrier) {
  run_forked([] {
    Rig rig({});
    Asm k(kImage);
    const int worker = k.label();
    k.addi(t0, zero, 2);     //   0
    k.word(0x17 | t1 << 7);  //   6 auipc t1, 0
    k.addi(t1, t1, 10 * 4);  //  12
    k.wspawn(t0, t1);        //  18: warp 1 lives from 32 on
    k.li(s0, 0x100);         //  32
    k.li(s1, 2);             //  38
    k.bar(s0, s1);           //  44: waits from 58
    k.csrr(a0, kMpm + 5);    // 119, simulated after the TMC of warp 1, which opened the barrier
    k.li(a1, kData);         // 125
    k.sw(a0, a1);            // 131 (csrr: readable at 128)
    k.tmc(zero);             // 137: gone at 151
    k.bind(worker);
    for (int i = 0; i < 10; ++i) k.addi(t2, zero, i);  // 32 … 86
    k.li(s0, 0x100);                                   //  92
    k.li(s1, 2);                                       //  98
    k.bar(s0, s1);                                     // 104: arrives at 118, open at 119
    k.tmc(zero);                                       // 119: gone at 133
    rig.memory.load(kImage, k.finish());
    kernel::simulate(0);
    rig.core.set_mpm_class(GYRE_MPM_CORE);
    rig.core.start_bare(kImage, 0);
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.memory.word(kData), u32{4 * 8 + (119 - 58) + (119 - 118)});
    const std::map<unsigned, std::uint64_t> expect = {
        {0x03, 151 - 25}, {0x04, 151 + (133 - 32)}, {0x05, 94 + 8}, {0x06, 11 + 14}, {0x16, 6}, {0x1E, 1}};
    for (const auto& [number, value] : expect) {
      const std::uint64_t is = rig.core.mpm(GYRE_MPM_CORE, number);
      if (is != value) throw std::runtime_error(fmt::format("counter {:#x} is {}, not {}", number, is, value));
    }
    return std::string();
  });
}

// Local memory, fast and slow path; a load that touches both kinds of memory counts once.
BOOST_AUTO_TEST_CASE(local_memory_is_counted_apart) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.slli(t0, t0, 2);
    k.li(t1, GYRE_DEV_LMEM_BASE);
    k.add(t2, t1, t0);
    k.sw(t0, t2);  // local
    k.lw(t3, t2);  // local
    k.lw(t3, a0);  // global
    k.opi(3, t4, t0, 4);
    k.op(7, 7, t5, t2, t4);  // czero.nez: lane 0 goes to device memory, the others stay
    k.op(5, 7, t6, a0, t4);
    k.add(t5, t5, t6);
    k.lw(t3, t5);  // both
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_CORE, 0x1C), std::uint64_t{3});
    GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_CORE, 0x1D), std::uint64_t{6 + 11 + 11});
    GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_CORE, 0x1E), std::uint64_t{1});
    GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_MEM, 0x07), std::uint64_t{2});
    GYRE_CHECK_EQUAL(rig.core.mpm(GYRE_MPM_MEM, 0x08), std::uint64_t{1});
    return std::string();
  });
}

// isa.md §7: what can be read, and what a write changes.
BOOST_AUTO_TEST_CASE(the_register_map_is_complete) {
  run_forked([] {
    Rig rig({});
    kernel::simulate(0);
    core::Engine& e = rig.core.engine();
    core::Warp& w = e.warps[1];
    e.activate(w, core::WarpKind::kPlain, 0xF, 0);
    std::set<unsigned> known;
    auto add = [&](unsigned first, unsigned last) {
      for (unsigned n = first; n <= last; ++n) known.insert(n);
    };
    add(0x001, 0x003);
    add(0x300, 0x305);
    add(0x340, 0x343);
    add(0xB03, 0xB1F);
    add(0xB83, 0xB9F);
    add(0xCC0, 0xCC4);
    add(0xCD0, 0xCE3);
    add(0xF11, 0xF14);
    add(0xFC0, 0xFC4);
    for (unsigned n : {0x180, 0x3A0, 0x3B0, 0x744, 0xB00, 0xB02, 0xB80, 0xB82}) known.insert(n);
    const std::map<unsigned, u32> writable = {{0x001, 31},  {0x002, 7},   {0x003, 255}, {0x180, ~0u}, {0x300, ~0u},
                                              {0x305, ~0u}, {0x340, ~0u}, {0x341, ~0u}, {0x342, ~0u}, {0x343, ~0u}};
    for (unsigned n = 0; n < 4096; ++n) {
      core::RegisterValue out[core::kMaxLanes];
      if (e.csr_read(w, n, out) != (known.count(n) != 0)) throw std::runtime_error(fmt::format("CSR {:#x}", n));
      if (known.count(n) == 0) continue;
      const auto before = out[0];
      e.csr_write(w, n, 0xFFFFFFFFu);
      e.csr_read(w, n, out);
      const auto expect = writable.count(n) != 0 ? writable.at(n) : before;
      if (out[0] != expect) throw std::runtime_error(fmt::format("CSR {:#x} reads {:#x} after a write", n, out[0]));
    }
    return std::string();
  });
}

// isa.md §9: trap state belongs to the warp; the mask stays.
BOOST_AUTO_TEST_CASE(every_warp_traps_on_its_own) {
  run_forked([] {
    RigConfig c;
    c.warps = 8;
    Rig rig(c);
    Asm k(kKernel);
    const int main = k.label();
    k.jump(zero, main);
    u32 handler[2];
    for (u32 which = 0; which < 2; ++which) {  // 8 instructions each
      handler[which] = k.here();
      k.csrr(t0, GYRE_CSR_MCAUSE);
      k.addi(t0, t0, static_cast<int>(100 * (which + 1)));
      k.csrr(t1, GYRE_CSR_MEPC);
      k.csrr(t2, GYRE_CSR_ACTIVE_THREADS);
      k.addi(t3, t1, 4);
      k.csrw(GYRE_CSR_MEPC, t3);
      k.csrr(t4, GYRE_CSR_MTVAL);
      k.word(0x30200073);  // mret
    }
    k.bind(main);
    k.csrr(s2, GYRE_CSR_CTA_RANK);
    k.li(s3, handler[0]);
    k.andi(s4, s2, 1);
    k.slli(s4, s4, 5);
    k.add(s3, s3, s4);
    k.csrw(GYRE_CSR_MTVEC, s3);
    k.slli(s5, s2, 4);
    k.add(s5, s5, a0);
    // Odd warps take a breakpoint with two lanes, the others a call with all.
    const int odd = k.label(), end = k.label();
    k.andi(s6, s2, 1);
    k.bnez(s6, odd);
    const u32 call = k.here();
    k.word(0x00000073);
    k.jump(zero, end);
    k.bind(odd);
    k.li(t5, 10);
    k.tmc(t5);
    k.csrw(GYRE_CSR_MTVAL, t5);  // the trap clears it
    const u32 point = k.here();
    k.word(0x00100073);
    k.bind(end);
    k.sw(t0, s5);
    k.sw(t1, s5, 4);
    k.sw(t2, s5, 8);
    k.sw(t4, s5, 12);
    k.ret();
    rig.program(k);
    rig.grid(1, 24);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    for (u32 warp = 0; warp < 6; ++warp) {
      const bool is_odd = warp % 2 != 0;
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * warp), is_odd ? 203u : 111u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * warp + 4), is_odd ? point : call);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * warp + 8), is_odd ? 10u : 15u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 16 * warp + 12), 0u);
    }
    return std::string();
  });
}

// isa.md §6: EXPECT_TX adds events and does not arrive; the barrier cannot open while any are pending.
BOOST_AUTO_TEST_CASE(expected_events_hold_a_barrier) {
  for (bool global : {false, true})
    run_forked([=] {
      Rig rig({});
      Asm k(kKernel);
      k.li(s2, global ? 0x80000100u : 0x100u);
      k.li(s3, 0x80000001u);
      k.li(s4, 1);
      k.bar_arrive(t0, s2, s3);  // one event
      k.sw(t0, a0);
      k.bar_arrive(t0, s2, s4);  // the only participant
      k.li(t1, 7);
      k.sw(t1, a0, 4);
      k.bar_wait(s2, t0);  // for ever: no unit of this core completes events
      k.sw(t1, a0, 8);
      k.ret();
      rig.program(k);
      rig.grid(1, 4);
      rig.run();
      GYRE_CHECK(!rig.ctx.busy.idle());
      GYRE_CHECK_EQUAL(rig.memory.word(kData), 0u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 4), 7u);
      GYRE_CHECK_EQUAL(rig.memory.word(kData + 8), 0u);
      return std::string();
    });
}

// isa.md §5.2: a token that fits neither the size nor the top of the stack acts on the top and is reported.
BOOST_AUTO_TEST_CASE(a_wrong_token_acts_on_the_top) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.andi(t1, t0, 1);
    k.split(t2, t1);
    k.li(t2, 7);
    k.join(t2);  // twice
    k.csrr(t3, GYRE_CSR_ACTIVE_THREADS);
    k.sw(t3, a0);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    GYRE_CHECK_EQUAL(rig.memory.word(kData), 15u);
    GYRE_CHECK_EQUAL(rig.core.engine().count.ipdom_imbalance, std::uint64_t{2});
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
