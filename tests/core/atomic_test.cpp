// Atomics of a core: AMO, LR/SC, reservations.
#include <random>

#include "rig.h"

using namespace gyre;
using namespace gyre::test;
using enc::amo;
using enc::kLr;
using enc::kSc;

namespace {

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

}  // namespace

BOOST_AUTO_TEST_SUITE(core_atomics)

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

BOOST_AUTO_TEST_SUITE_END()
