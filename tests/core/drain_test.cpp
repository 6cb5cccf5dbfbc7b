// FENCE waits for the warp's loads and stores, a barrier for those of the whole core (isa.md §1, §6), in both styles.
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>

#include "cached_rig.h"
#include "csr.h"
#include "requests_rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

using Body = std::function<void(Asm&)>;

// Cycles from before to after the last instruction of `last`, by warp 0, while warp 1 does `other`. Both come here at the
// same time, and warp 0 does `first` before.
template <class Bench>
u32 spent(const Body& first, const Body& other, const Body& last, const std::function<void(MachineConfig&)>& tweak) {
  const std::string text = run_forked([&] {
    Bench rig(RigConfig{}, tweak);
    Asm k(kKernel);
    const int second = k.label(), over = k.label();
    k.li(s2, 0x20000);
    k.li(a5, 1);
    k.csrr(t0, GYRE_CSR_CTA_BLOCK_ID_X);
    k.bnez(t0, second);
    first(k);
    k.csrr(a2, GYRE_CSR_MCYCLE);
    last(k);
    k.csrr(a3, GYRE_CSR_MCYCLE);
    k.sub(a3, a3, a2);
    k.sw(a3, a0);
    k.jump(zero, over);
    k.bind(second);
    other(k);
    k.bind(over);
    k.ret();
    rig.program(k);
    rig.grid(2, 1);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    return std::to_string(rig.memory.word(kData));
  });
  return static_cast<u32>(std::stoul(text));
}

using Styles = boost::mpl::list<CachedRig, RequestsRig>;

void nothing(Asm&) {}
void fence(Asm& k) { k.word(enc::i(0x0F, 0, 0, 0, 0)); }
void barrier(Asm& k) { k.bar(zero, a5); }  // of one warp
// Longer than a warp runs before another one gets its turn, in one line of code.
void delay(Asm& k) {
  k.li(t3, 40);
  const int top = k.bound();
  k.addi(t3, t3, -1);
  k.bnez(t3, top);
}
void load(Asm& k) { k.lw(t2, s2); }
// Into lines of one bank that pass the cache by.
void stores(Asm& k) {
  for (int i = 0; i < 8; ++i) k.sw(a5, s2, 128 * i);
}

void slow_memory(MachineConfig& m) { m.gpu.dram.latency = 2000; }
void slow_stores(MachineConfig& m) {
  m.gpu.dram.banks = 1;
  m.gpu.dram.burst = 200;
  m.gpu.dram.queue = 1;
  m.gpu.dcache.write = WritePolicy::kThrough;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(drain)

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fence_waits_for_the_loads_of_its_warp, Bench, Styles) {
  BOOST_TEST(spent<Bench>(load, nothing, fence, slow_memory) > 1000u);
  BOOST_TEST(spent<Bench>(nothing, nothing, fence, slow_memory) < 30u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fence_waits_for_the_stores_of_its_warp, Bench, Styles) {
  const u32 with = spent<Bench>(stores, nothing, fence, slow_stores);
  const u32 without = spent<Bench>(stores, nothing, nothing, slow_stores);
  BOOST_TEST(with >= without + 50, with << " with, " << without << " without");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_barrier_waits_for_the_loads_of_other_warps, Bench, Styles) {
  BOOST_TEST(spent<Bench>(delay, load, barrier, slow_memory) > 500u);
  BOOST_TEST(spent<Bench>(delay, nothing, barrier, slow_memory) < 40u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_barrier_waits_for_the_stores_of_other_warps, Bench, Styles) {
  const u32 with = spent<Bench>(delay, stores, barrier, slow_stores);
  const u32 without = spent<Bench>(delay, nothing, barrier, slow_stores);
  BOOST_TEST(with >= without + 50, with << " with, " << without << " without");
}

BOOST_AUTO_TEST_SUITE_END()
