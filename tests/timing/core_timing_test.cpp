// What a core's memory path and functional units cost, in cycles of a loop's iteration (timing.md, memory.md).
#include "measure.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr double kLoop = 6 + 12;   // addi and the taken branch
constexpr double kLoad = 11 + 5;   // dcache hit: issue to use
constexpr double kStraight = 6;

Loop loop_of(std::function<void(Asm&)> body) {
  Loop loop;
  loop.body = std::move(body);
  return loop;
}

// A ring of pointers, `stride` bytes apart, `bytes` long; all lanes walk it together.
Loop chase(unsigned bytes, unsigned stride) {
  Loop loop;
  loop.data = [=](Rig& rig) {
    const unsigned n = bytes / stride;
    for (unsigned i = 0; i < n; ++i) rig.memory.put(0x20000 + i * stride, 0x20000 + (i + 1) % n * stride);
  };
  loop.setup = [](Asm& k) { k.li(t0, 0x20000); };
  loop.body = [](Asm& k) {
    for (int i = 0; i < 8; ++i) k.lw(t0, t0);
  };
  loop.few = bytes / stride / 8 + 20;  // the ring has been walked once
  loop.many = loop.few + 200;
  return loop;
}
// The two channels of a warp of 4 ask for the word apart: a cycle more at the bank.
constexpr double kUniform = 1;

}  // namespace

BOOST_AUTO_TEST_SUITE(core_timing)

BOOST_AUTO_TEST_CASE(pointer_chase) {
  const auto link = [](double iteration) { return iteration / 8; };
  // Seven links wait for the one before; the eighth comes after addi and branch, which take longer than a hit.
  const auto closed = [](double latency) { return (7 * latency + std::max(latency, kStraight + kLoop)) / 8; };
  expect("dcache hit", chase(4096, 64), closed(kLoad + kUniform), link);
  // Two misses of the two channels' words: fill, then two replays.
  expect("memory, no L2", chase(64 << 10, 64), closed(kLoad + 57 + kUniform * 2), link);
  Loop l2 = chase(64 << 10, 64);
  l2.tweak = [](MachineConfig& m) { m.gpu.l2.enabled = true; };
  expect("L2 hit", l2, closed(kLoad + 11 + kUniform * 2), link);
  Loop l3 = chase(1 << 20, 512);
  l3.tweak = [](MachineConfig& m) {
    m.gpu.l2.enabled = m.gpu.l3.enabled = true;
    m.gpu.l2.bytes = 64 << 10;
  };
  expect("L3 hit behind a small L2", l3, closed(kLoad + 11 + 6 + kUniform * 2), link);
  Loop far = chase(3 << 20, 1024);
  far.tweak = [](MachineConfig& m) {
    m.gpu.l2.enabled = m.gpu.l3.enabled = true;
    m.gpu.l2.bytes = 64 << 10;
    m.gpu.l3.bytes = 128 << 10;
  };
  expect("memory behind L2 and L3", far, closed(kLoad + 11 + 6 + 51 + 2 + kUniform * 2), link);  // and the L3's own fill and replay
  Loop lmem = loop_of([](Asm& k) {
    for (int i = 0; i < 8; ++i) k.lw(t0, t0);
  });
  lmem.setup = [](Asm& k) {
    k.li(t0, GYRE_DEV_LMEM_BASE);
    k.sw(t0, t0);
  };
  expect("local memory", lmem, closed(6 + 5), link);
}

// Page tables of two levels: the image in place, and the first pages of memory.
void map_pages(Rig& rig) {
  constexpr u32 root = 0x100000, leaf = 0x101000;
  rig.memory.put(root + (kImage >> 22) * 4, kImage >> 2 | 0xF);
  rig.memory.put(root, leaf >> 2 | 1);
  for (u32 page = 0x10; page < 0x100; ++page) rig.memory.put(leaf + page * 4, page << 10 | 0xF);
}
void turn_on(Asm& k) {
  k.li(t1, 0x80000100u);
  k.csrw(GYRE_CSR_SATP, t1);
}

BOOST_AUTO_TEST_CASE(translations) {
  // A link a page, in sets of their own; the entries of the tables hit the data cache.
  const auto paged = [](unsigned dtlb, unsigned second, unsigned walk_cache, unsigned latency) {
    Loop loop = chase(32 * 4160, 4160);
    loop.tweak = [=](MachineConfig& m) {
      m.gpu.vm = true;
      m.gpu.mmu.dtlb = dtlb;
      m.gpu.mmu.l2tlb = second;
      m.gpu.mmu.l2tlb_ways = std::min(second, 4u);
      m.gpu.mmu.walk_cache = walk_cache;
      m.gpu.mmu.l2tlb_latency = latency;
    };
    const auto ring = loop.data;
    loop.data = [=](Rig& rig) {
      ring(rig);
      map_pages(rig);
    };
    loop.setup = [](Asm& k) {
      turn_on(k);
      k.li(t0, 0x20000);
    };
    return loop;
  };
  const auto link = [](double iteration) { return iteration / 8; };
  constexpr double kHit = kLoad + kUniform, kEntry = 2;
  // The warp is held for the translation, so that addi and branch of the eighth link wait for it as well.
  const auto closed = [=](double held) { return (7 * kHit + std::max(kHit, kStraight + kLoop)) / 8 + held; };
  expect("first level of the TLB", paged(64, 512, 16, 2), closed(0), link);
  expect("second level, 2 cycles", paged(1, 512, 16, 2), closed(2), link);
  expect("second level, 12 cycles", paged(1, 512, 16, 12), closed(12), link);
  expect("walk of one level", paged(1, 1, 16, 2), closed(2 + kEntry), link);
  expect("walk of two levels", paged(1, 1, 0, 2), closed(2 + 2 * kEntry), link);
}

BOOST_AUTO_TEST_CASE(walks_side_by_side) {
  // Eight warps, sixteen pages each, all of whose translations are walked: two entries of 50 cycles.
  for (const unsigned walkers : {1u, 2u, 4u}) {
    Loop loop;
    loop.warps = loop.rig.warps = 8;
    loop.tweak = [=](MachineConfig& m) {
      m.gpu.vm = true;
      m.gpu.mmu.dtlb = m.gpu.mmu.l2tlb = m.gpu.mmu.l2tlb_ways = 1;
      m.gpu.mmu.walk_cache = 0;
      m.gpu.mmu.walkers = walkers;
      m.gpu.dcache.latency = 50;
    };
    loop.data = map_pages;
    loop.setup = [](Asm& k) {
      turn_on(k);
      k.csrr(t0, GYRE_CSR_CTA_BLOCK_ID_X);
      k.li(t1, 16 * 4160);
      k.mul(t0, t0, t1);
      k.li(t1, 0x20000);
      k.add(t3, t0, t1);
      k.li(t2, 4160);
    };
    loop.body = [](Asm& k) {
      k.mv(t0, t3);
      for (u32 i = 0; i < 16; ++i) {
        k.lw(a2 + i % 4, t0);
        k.add(t0, t0, t2);
      }
    };
    loop.few = 4;
    loop.many = 24;
    expect(std::to_string(walkers) + " walkers: cycles a walk", loop, 100.0 / walkers,
           [](double iteration) { return iteration / (8 * 16); });
  }
}

BOOST_AUTO_TEST_CASE(bank_conflicts) {
  // Every lane on its own: stride words apart. Enough warps that the port is the limit, not a warp's latency.
  const auto strided = [](unsigned bytes, unsigned threads, bool local) {
    Loop loop;
    loop.rig.threads = threads;
    loop.rig.warps = loop.warps = 16;
    loop.setup = [=](Asm& k) {
      k.csrr(t0, GYRE_CSR_THREAD_ID);
      k.li(t1, bytes);
      k.mul(t0, t0, t1);
      k.li(t1, local ? GYRE_DEV_LMEM_BASE : 0x20000);
      k.add(t0, t0, t1);
    };
    loop.body = [](Asm& k) {
      for (int i = 0; i < 16; ++i) k.lw(static_cast<u32>(t1 + i % 2), t0);
    };
    return loop;
  };
  // 16 warps, 16 loads each an iteration.
  const auto per_load = [](double iteration) { return iteration / (16 * 16); };
  expect("4 lanes, one line: 2 words at one bank", strided(4, 4, false), 2, per_load);
  expect("4 lanes, a line each: 4 words at 2 banks", strided(64, 4, false), 2, per_load);
  expect("4 lanes, 128 bytes apart: 4 words at one bank", strided(128, 4, false), 4, per_load);
  expect("8 lanes, one line: 2 words of 16 bytes at one bank", strided(4, 8, false), 2, per_load);
  expect("8 lanes, 128 bytes apart: 8 words at one bank", strided(128, 8, false), 8, per_load);
}

BOOST_AUTO_TEST_CASE(misses_in_parallel) {
  // Independent misses: one warp, every load another line, more loads under way than the pool holds.
  const auto streaming = [](unsigned pool, unsigned mshr, unsigned banks) {
    Loop loop;
    loop.rig.warps = 8;
    loop.warps = 8;
    loop.tweak = [=](MachineConfig& m) {
      m.gpu.dcache.banks = banks;
      m.gpu.core.lsu_pending = pool;
      m.gpu.dcache.mshr = mshr;
    };
    // Each warp its own 64 KiB, a line a load, the same word for all lanes.
    loop.setup = [](Asm& k) {
      k.csrr(t0, GYRE_CSR_CTA_BLOCK_ID_X);
      k.slli(t0, t0, 16);
      k.li(t1, 0x20000);
      k.add(t0, t0, t1);
    };
    loop.body = [](Asm& k) {
      for (u32 i = 0; i < 16; ++i) k.lw(a2 + i % 4, t0, static_cast<int>(64 * i));
      k.addi(t0, t0, 1024);
    };
    loop.few = 8;
    loop.many = 48;
    return loop;
  };
  const auto rate = [](double iteration) { return 8 * 16 / iteration; };
  // Residency in the pool: from dispatch to gathering, hit 11 and miss 57 and the second channel's word.
  const double resident = 11 + 57 + 2;
  expect("pool of 2: loads a cycle", streaming(2, 64, 8), 2 / resident, rate);
  expect("pool of 4: loads a cycle", streaming(4, 64, 8), 4 / resident, rate);
  expect("pool of 8: loads a cycle", streaming(8, 64, 8), 8 / resident, rate);
  // A miss of two words holds two entries of its bank. Fills and replays go before requests, so misses go in batches: as
  // many as there are entries go in, the first is back after 58 cycles, and each takes the bank for its fill and two
  // replays before the next batch begins; two banks.
  const auto batches = [](double misses) { return 2 * misses / (58 + 3 * misses); };
  expect("MSHR of 4 a bank: loads a cycle", streaming(64, 4, 2), batches(2), rate);
  expect("MSHR of 8 a bank: loads a cycle", streaming(64, 8, 2), batches(4), rate);
}

BOOST_AUTO_TEST_CASE(functional_units) {
  const auto chain = [](std::function<void(Asm&)> one) {
    return loop_of([=](Asm& k) {
      for (int i = 0; i < 16; ++i) one(k);
    });
  };
  expect("dependent ADD", chain([](Asm& k) { k.add(t0, t0, t0); }), 16 * kStraight + kLoop,
         [](double iteration) { return iteration; });
  const auto link = [](double iteration) { return (iteration - kLoop) / 16; };
  // The sixteenth result may come while addi and branch go by.
  const auto linked = [](double latency) { return (15 * latency + std::max(latency, kStraight + kLoop) - kLoop) / 16; };
  expect("dependent FMA: link", chain([](Asm& k) { k.word(enc::r4(0x43, 7, 0, 4, 4, 4, 4)); }), linked(13), link);
  expect("dependent MUL: link", chain([](Asm& k) { k.mul(t0, t0, t0); }), linked(3 + 5), link);
  expect("dependent DIV: link", chain([](Asm& k) { k.op(4, 1, t0, t0, t0); }), linked(34 + 5), link);
  for (const unsigned warps : {1u, 4u, 8u}) {
    Loop adds = chain([](Asm& k) { k.add(t0, t1, t2); });
    adds.rig.warps = 8;
    adds.warps = warps;
    // Six cycles from one instruction of a warp to its next, one issue a cycle; the branch hides behind other warps.
    const double alone = 16 * kStraight + kLoop;
    expect(std::to_string(warps) + " warps, ADD: instructions a cycle", adds, std::min(1.0, warps * 18 / alone),
           [=](double iteration) { return warps * 18 / iteration; });
  }
}

BOOST_AUTO_TEST_CASE(barrier_and_launch) {
  Loop barrier = loop_of([](Asm& k) {
    for (int i = 0; i < 8; ++i) k.bar(t0, t1);
  });
  barrier.setup = [](Asm& k) {
    k.csrr(t0, GYRE_CSR_CTA_ID);
    k.li(t1, 1);
  };
  expect("barrier of one warp", barrier, 14 + 1, [](double iteration) { return (iteration - kLoop) / 8; });

  Loop empty;
  empty.body = [](Asm&) {};
  empty.few = 1;
  // Cold: the prologue's lines come from memory. Message, dispatcher, window, and the loop of one iteration.
  for (const Timing style : {Timing::kLoose, Timing::kApproximate}) {
    const double cold = static_cast<double>(cycles(empty, 1, style));
    std::printf("%-52s %19.0f\n", "launch to drain, one iteration, cold icache", cold);
    BOOST_TEST(cold > 100);
    BOOST_TEST(cold < 600);
  }
}

BOOST_AUTO_TEST_SUITE_END()
