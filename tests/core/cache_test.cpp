// A core behind caches: results are those without, dates are later, counters add up.
#include <boost/mpl/list.hpp>
#include <boost/test/data/test_case.hpp>
#include <random>

#include "cached_rig.h"
#include "requests_rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

// Every lane walks its own words: sums, stores, local memory, one uncached word.
void walk(Asm& k) {
  result_address(k, s1, t0);
  k.sub(t4, s1, a0);  // a pair of words for each thread of the grid
  k.slli(t4, t4, 1);
  k.li(t5, 0x40000);
  k.add(t4, t4, t5);
  k.li(t6, GYRE_DEV_LMEM_BASE);
  k.csrr(t0, 0xF14);
  k.slli(t0, t0, 5);  // strided: banks conflict
  k.add(t6, t6, t0);
  k.li(t5, 8192);
  k.li(s2, 40);
  k.li(s3, 0);
  const int top = k.bound();
  k.lw(t1, t4);
  k.sw(t1, t6);
  k.lw(t2, t6);
  k.add(s3, s3, t2);
  k.sw(s3, t4, 4);
  k.add(t4, t4, t5);
  k.addi(s2, s2, -1);
  k.bnez(s2, top);
  k.li(t0, 0x400);
  k.lw(t1, t0);
  k.add(s3, s3, t1);
  k.sw(s3, s1);
  k.ret();
}

const memory::Dram& memory_of(const CachedRig& rig) { return rig.dram; }
const memory::Dram& memory_of(const RequestsRig& rig) { return rig.dates.dram; }

template <class Bench>
std::string run(const RigConfig& c, const std::function<void(MachineConfig&)>& tweak, bool counters) {
  return run_forked([&] {
    Bench rig(c, tweak);
    Asm k(kKernel);
    walk(k);
    rig.program(k);
    std::mt19937 random(1);
    for (u32 a = 0x40000; a < 0x98000; a += 4) rig.memory.put(a, static_cast<u32>(random()));
    rig.memory.put(0x400, 77);
    rig.grid(12, 2 * c.threads);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    std::string out;
    for (u32 i = 0; i < 24 * c.threads; ++i) out += std::to_string(rig.memory.word(kData + 4 * i)) + " ";
    if constexpr (std::is_same_v<Bench, RequestsRig>) rig.check();
    if constexpr (!std::is_same_v<Bench, Rig>) {
      const auto& d = rig.caches.dcache(0)->counters();
      const auto& i = rig.caches.icache(0)->counters();
      const auto& m = memory_of(rig).counters();
      GYRE_CHECK_EQUAL(d.reads, d.read_hits + d.read_misses);
      GYRE_CHECK_EQUAL(d.writes, d.write_hits + d.write_misses);
      GYRE_CHECK_EQUAL(d.fills + d.merges, d.read_misses + (rig.resolved.dcache.write == WritePolicy::kBack ? d.write_misses : 0));
      GYRE_CHECK_EQUAL(i.fills + i.merges, i.read_misses);
      GYRE_CHECK_EQUAL(i.reads, rig.core.engine().count.instructions);  // a fetch an instruction
      // Blocks in memory: fills, write-backs, forwards and what bypasses.
      GYRE_CHECK_EQUAL(m.reads, i.fills + d.fills + d.bypasses);
      GYRE_CHECK_EQUAL(m.writes, d.write_backs + d.forwards);
      GYRE_CHECK_EQUAL(d.bypasses, 24u * c.threads);
      GYRE_CHECK(d.read_misses > 0 && i.read_misses > 0);
    }
    if (counters) out += "cycles " + std::to_string(rig.ctx.busy.last_stamp());
    return out;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_caches)

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_caches) {
  for (const unsigned threads : {4u, 8u, 32u})
    for (const bool dmi : {true, false})
      for (const bool through : {false, true}) {
        RigConfig c;
        c.threads = threads;
        c.dmi = dmi;
        const auto tweak = [=](MachineConfig& m) { m.gpu.dcache.write = through ? WritePolicy::kThrough : WritePolicy::kAuto; };
        const std::string expected = run<Rig>(c, tweak, false);
        BOOST_TEST((expected == run<CachedRig>(c, tweak, false)));
        BOOST_TEST((expected == run<RequestsRig>(c, tweak, false)));
      }
}

using Timed = boost::mpl::list<CachedRig, RequestsRig>;

BOOST_AUTO_TEST_CASE_TEMPLATE(dates_are_repeatable_and_do_not_depend_on_direct_access, Bench, Timed) {
  RigConfig c;
  const std::string once = run<Bench>(c, nullptr, true);
  BOOST_TEST((run<Bench>(c, nullptr, true) == once));
  c.dmi = false;
  BOOST_TEST((run<Bench>(c, nullptr, true) == once));
}

// A loop of four lines in an instruction cache of two: every line leaves before it is fetched again, and after each
// FENCE.I everything does. What the core remembers of its lines must not outlive them.
BOOST_DATA_TEST_CASE(every_fetch_of_a_line_that_has_left_misses, boost::unit_test::data::make({false, true}), plru) {
  constexpr unsigned kTurns = 50, kLines = 4;
  const auto fills = [&](unsigned bytes, bool fence) {
    return std::stoul(run_forked([&] {
      RigConfig c;
      CachedRig rig(c, [&](MachineConfig& m) {
        m.gpu.icache.bytes = bytes;
        m.gpu.icache.ways = 2;
        m.gpu.icache.replacement = plru ? Replacement::kPlru : Replacement::kFifo;
      });
      Asm k(kKernel);
      k.li(s0, kTurns);
      while (k.here() % 64 != 0) k.addi(t0, t0, 1);
      const int top = k.bound();
      for (unsigned i = 0; i < kLines * 16 - 3; ++i) k.addi(t0, t0, 1);
      if (fence)
        k.word(0x0000100Fu);
      else
        k.addi(t0, t0, 1);
      k.addi(s0, s0, -1);
      k.bnez(s0, top);
      k.ret();
      rig.program(k);
      rig.grid(1, c.threads);
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());
      const auto& i = rig.caches.icache(0)->counters();
      GYRE_CHECK_EQUAL(i.reads, rig.core.engine().count.instructions);
      GYRE_CHECK_EQUAL(i.reads, i.read_hits + i.read_misses);
      return std::to_string(i.fills);
    }));
  };
  BOOST_TEST(fills(128, false) >= kTurns * kLines);
  BOOST_TEST(fills(16384, false) < 3 * kLines);
  // Fetches are charged by the stretch: some of those before a FENCE.I are charged after it, and spare the next turn.
  BOOST_TEST(fills(16384, true) >= kTurns * kLines * 9 / 10);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(atomics_and_fence_i_go_through_the_caches, Bench, Timed) {
  run_forked([] {
    RigConfig c;
    Bench rig(c, [](MachineConfig& m) { m.gpu.core.isa_a = true; });
    Asm k(kKernel);
    k.li(t0, 0x40000);
    k.li(t1, 1);
    for (int i = 0; i < 3; ++i) k.word(0x0000202Fu | t1 << 20 | t0 << 15 | t2 << 7);
    k.word(0x0000100Fu);  // fence.i
    k.ret();
    rig.program(k);
    rig.grid(1, c.threads);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    GYRE_CHECK_EQUAL(rig.memory.word(0x40000), 12u);
    GYRE_CHECK_EQUAL(rig.caches.dcache(0)->counters().atomics, 12u);
    GYRE_CHECK_EQUAL(rig.caches.icache(0)->counters().flushes, 1u);
    return std::string();
  });
}

// With one place for everything nothing may hang, whatever waits for what.
BOOST_AUTO_TEST_CASE(the_narrowest_path_still_moves) {
  RigConfig c;
  c.warps = 8;
  const std::string expected = run<Rig>(c, nullptr, false);
  const std::string narrow = run<RequestsRig>(
      c,
      [](MachineConfig& m) {
        m.gpu.core.lsu_pending = m.gpu.core.lsu_staging = 1;
        m.gpu.dcache.mshr = m.gpu.icache.mshr = 1;
        m.gpu.dcache.banks = 1;
        m.gpu.dram.queue = 1;
      },
      false);
  BOOST_TEST((narrow == expected));
}

// FENCE holds a warp until its stores have been accepted and its loads are there.
BOOST_AUTO_TEST_CASE(a_fence_waits_for_stores) {
  const auto cycles = [](bool fence, bool flush) {
    return std::stoull(run_forked([=] {
      RigConfig c;
      RequestsRig rig(c, [=](MachineConfig& m) { m.gpu.core.fence_flush = flush; });
      Asm k(kKernel);
      k.li(t0, 0x40000);
      for (int i = 0; i < 8; ++i) {
        k.sw(t0, t0, i * 128);
        if (fence) k.word(0x0FF0000Fu);
      }
      k.ret();
      rig.program(k);
      rig.grid(1, c.threads);
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());
      rig.check();
      GYRE_CHECK_EQUAL(rig.caches.dcache(0)->counters().flushes, fence && flush ? 8u : 0u);
      return std::to_string(rig.ctx.busy.last_stamp());
    }));
  };
  const auto free = cycles(false, false), fenced = cycles(true, false), flushed = cycles(true, true);
  BOOST_TEST(fenced > free + 8 * 8);
  BOOST_TEST(flushed > fenced + 8 * 16);
}

BOOST_AUTO_TEST_SUITE_END()
