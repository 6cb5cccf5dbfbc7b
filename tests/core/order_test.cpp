// The order guard (launch.md §5.3), reproducibility, and independence of the quantum.
#include <algorithm>
#include <map>
#include <random>

#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

// Exports `words` records per covered lane (the k-th at rt k) after a delay looked up by primitive id; pid bit 15: the
// lane discards. Colour = pid.
void fragment_kernel(Asm& k, int targets) {
  k.csrr(s2, GYRE_CSR_FRAG_POS);
  k.csrr(s3, GYRE_CSR_FRAG_PID);
  k.andi(t0, s3, 255);
  k.addi(t0, t0, 1);
  k.csrr(t6, GYRE_CSR_ACTIVE_THREADS);
  const int wait = k.bound();  // lanes of one wave have different pids: the longest decides
  k.addi(t0, t0, -1);
  k.slt(t1, zero, t0);
  k.pred(t1, t6);
  k.bnez(t1, wait);
  k.srli(t1, s2, 31);
  k.srli(t2, s3, 15);
  k.op(7, 7, t1, t1, t2);  // covered and not discarded
  const int skip = k.label();
  k.split(t2, t1);
  k.beqz(t1, skip);
  k.li(t3, 0x7FFFFFFF);
  k.op(7, 0, t3, t3, s2);
  k.slli(t4, t3, 16);
  k.srli(t4, t4, 16);
  k.srli(t5, t3, 16);
  k.slli(t5, t5, 8);
  k.add(t4, t4, t5);
  k.slli(t4, t4, 3);
  k.li(t5, GYRE_DEV_APERTURE_BASE);
  k.add(t4, t4, t5);
  k.li(t6, 1 << 20);
  for (int i = 0; i < targets; ++i) {
    k.om_export(3, t4, s3, s3);
    k.add(t4, t4, t6);
  }
  k.bind(skip);
  k.join(t2);
  k.ret();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_order)

// launch.md §5.3: whatever the warps do in between, exports of a pixel leave in launch order, and for several
// attachments the k-th export of a later warp follows the k-th of an earlier one.
BOOST_AUTO_TEST_CASE(exports_of_a_pixel_leave_in_launch_order) {
  std::string pictures;
  for (unsigned seed = 1; seed <= 16; ++seed)
    run_forked([=] {
      RigConfig c;
      const unsigned nts[] = {4, 8, 16, 32}, nws[] = {2, 4, 8, 32};
      const std::uint64_t quanta[] = {10'000, 1'000'000, 100'000'000};
      c.threads = nts[seed % 4];
      c.warps = nws[seed / 4 % 4];
      c.quantum_ps = quanta[seed % 3];
      Rig rig(c);
      rig.memory.om_cycles = seed % 2 * 20;
      Asm k(kKernel);
      const int targets = 1 + static_cast<int>(seed % 3);
      fragment_kernel(k, targets);
      rig.program(k);
      std::mt19937 rng(seed);
      std::map<u32, std::vector<u32>> expect;  // aperture address -> pids in launch order
      for (u32 wave = 0; wave < 300; ++wave) {
        std::vector<kernel::QuadStamp> quads;
        const u32 n = 1 + rng() % (c.threads / 4);
        for (u32 q = 0; q < n; ++q) {
          kernel::QuadStamp s;
          s.x = static_cast<std::uint16_t>(rng() % 4);
          s.y = static_cast<std::uint16_t>(rng() % 3);
          s.mask = static_cast<std::uint8_t>(1 + rng() % 15);
          s.pid = static_cast<std::uint16_t>(rng() % 3 == 0 ? rng() % 256 : rng() % 8) |
                  static_cast<std::uint16_t>((wave & 63) << 8) | (rng() % 8 == 0 ? 0x8000 : 0);
          bool twice = false;
          for (const auto& other : quads) twice |= other.x == s.x && other.y == s.y;
          if (twice) continue;
          quads.push_back(s);
          for (u32 sub = 0; sub < 4; ++sub)
            if ((s.mask >> sub & 1) != 0 && (s.pid & 0x8000) == 0)
              for (u32 t = 0; t < static_cast<u32>(targets); ++t)
                expect[GYRE_DEV_APERTURE_BASE + (t << 20) + 8 * ((2u * s.y + (sub >> 1)) * 256 + 2u * s.x + (sub & 1))]
                    .push_back(s.pid);
        }
        rig.fragments(quads);
      }
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());
      std::map<u32, std::vector<u32>> got;
      for (std::size_t i = 0; i < rig.memory.exports.size(); ++i) {
        const Export& e = rig.memory.exports[i];
        if ((e.address & 4) == 0) {
          got[e.address].push_back(e.value);
          GYRE_CHECK_EQUAL(rig.memory.exports[i + 1].address, e.address + 4);  // colour and depth stay adjacent
        }
      }
      GYRE_CHECK(got == expect);
      if (c.warps > 2) GYRE_CHECK(rig.core.engine().count.guard_stalls > 0);
      return std::string();
    });
}

// A single overlap, spelled out: the first warp is slow, the second must wait for each of its exports; a third one of
// another pixel must not wait.
BOOST_AUTO_TEST_CASE(the_guard_holds_only_the_colliding_warp) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    fragment_kernel(k, 2);
    rig.program(k);
    rig.fragments({{1, 1, 0xF, 200}});
    rig.fragments({{1, 1, 0x1, 2}});
    rig.fragments({{2, 1, 0x1, 3}});
    rig.run_to_idle();
    std::vector<u32> order;
    for (const Export& e : rig.memory.exports)
      if ((e.address & 4) == 0 && (order.empty() || order.back() != e.value)) order.push_back(e.value);
    GYRE_CHECK((order == std::vector<u32>{3, 200, 2}) || (order == std::vector<u32>{3, 200, 2, 200, 2}));
    GYRE_CHECK(rig.core.engine().count.guard_stalls >= 1);
    // Stamps respect the order too.
    kernel::Cycle slow = 0, fast = ~kernel::Cycle{0};
    for (const Export& e : rig.memory.exports) {
      if (e.value == 200 && (e.address >> 20 & 1) == 0) slow = std::max(slow, e.stamp);
      if (e.value == 2) fast = std::min(fast, e.stamp);
    }
    GYRE_CHECK(fast >= slow);
    return std::string();
  });
}

// A lane that discards releases its successors when its warp retires.
BOOST_AUTO_TEST_CASE(discarding_warps_release_their_successors) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    fragment_kernel(k, 1);
    rig.program(k);
    for (u32 i = 0; i < 50; ++i) rig.fragments({{1, 1, 0xF, static_cast<std::uint16_t>(i % 2 == 0 ? 0x8000 + 90 : i)}});
    rig.run_to_idle();
    u32 last = 0;
    for (const Export& e : rig.memory.exports) {
      GYRE_CHECK(e.value >= last);
      last = e.value;
    }
    GYRE_CHECK_EQUAL(rig.memory.exports.size(), std::size_t{25 * 8});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_quantum) {
  std::string first;
  for (std::uint64_t quantum : {10'000ull, 100'000ull, 1'000'000ull, 10'000'000ull, 100'000'000ull}) {
    const std::string result = run_forked([=] {
      RigConfig c;
      c.threads = 8;
      c.quantum_ps = quantum;
      Rig rig(c);
      Asm k(kKernel);
      fragment_kernel(k, 1);
      rig.program(k);
      std::mt19937 rng(9);
      for (int i = 0; i < 200; ++i)
        rig.fragments({{static_cast<std::uint16_t>(rng() % 3), 0, 0xF, static_cast<std::uint16_t>(rng() % 64)},
                       {static_cast<std::uint16_t>(3 + rng() % 3), 0, 0x9, static_cast<std::uint16_t>(rng() % 64)}});
      rig.run_to_idle();
      std::map<u32, std::string> picture;
      for (const Export& e : rig.memory.exports) picture[e.address] += fmt::format("{} ", e.value);
      std::string text;
      for (const auto& [address, values] : picture) text += fmt::format("{:x}: {}\n", address, values);
      return text;
    });
    BOOST_TEST(!result.empty());
    if (first.empty()) first = result;
    BOOST_TEST((result == first));
  }
}

BOOST_AUTO_TEST_CASE(runs_are_reproducible_to_the_cycle) {
  std::string first;
  for (int i = 0; i < 3; ++i) {
    const std::string result = run_forked([] {
      Rig rig({});
      Asm k(kKernel);
      fragment_kernel(k, 2);
      rig.program(k);
      std::mt19937 rng(3);
      for (int n = 0; n < 100; ++n)
        rig.fragments({{static_cast<std::uint16_t>(rng() % 3), 1, 0xF, static_cast<std::uint16_t>(rng() % 64)}});
      rig.run_to_idle();
      std::string text = fmt::format("{} ", rig.ctx.busy.last_stamp());
      for (const auto& [name, value] : rig.ctx.counters.entries()) text += fmt::format("{}={} ", name, *value);
      return text;
    });
    if (first.empty()) first = result;
    BOOST_TEST(result == first);
  }
}

BOOST_AUTO_TEST_SUITE_END()
