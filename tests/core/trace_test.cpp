// The instruction trace's ear at a core: who hears of what, on RV32 and RV64, with stores to code, warps that wait and
// masks that change; and that nothing else changes.
#include <boost/test/unit_test.hpp>

#include "core_trace.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

struct Recorder : core::InsnListener {
  struct Entry {
    u32 pc, word, mask;
    std::uint64_t cycle;
    bool faulted;
  };
  std::vector<Entry> entries;
  u32 first = 0, last = ~0u;
  unsigned asked = 0, stop_after = ~0u;
  core::Engine* engine = nullptr;

  bool wants(const core::Engine&, u32 pc) override {
    ++asked;
    return pc >= first && pc <= last;
  }
  void executed(const core::Engine&, const core::Executed& done) override {
    entries.push_back({done.pc, done.word, done.mask, done.cycle, done.faulted});
    if (entries.size() == stop_after) engine->trace(nullptr);
  }
};

constexpr u32 kLoop = kKernel + 24;  // first instruction of the loop

// A loop with divergence that writes over an instruction of its own.
void program(Rig& rig) {
  Asm k(kKernel);
  k.csrr(t0, GYRE_CSR_THREAD_ID);
  k.li(t3, 5);
  k.li(t4, 0x00328293);    // addi t0, t0, 3
  k.word(t5 << 7 | 0x17);  // auipc t5, 0
  k.addi(t5, t5, 20);      // where the addition below stands
  const int loop = k.label();
  k.bind(loop);
  k.andi(t1, t0, 1);
  k.split(t2, t1);
  k.word(enc::b(0, t1, zero, 8));  // beqz over the next
  k.addi(t0, t0, 2);
  k.join(t2);
  k.sw(t4, t5);
  k.addi(t3, t3, -1);
  k.bnez(t3, loop);
  result_address(k, a1, t1);
  k.sw(t0, a1);
  k.ret();
  rig.program(k);
}

struct Facts {
  std::uint64_t instructions, lanes, cycles;
  std::vector<u32> words;
};

Facts run(unsigned xlen, Recorder* recorder) {
  Rig rig({}, [&](MachineConfig& m) { m.gpu.core.xlen = xlen; });
  program(rig);
  rig.grid(6, 4);
  if (recorder != nullptr) {
    recorder->engine = &rig.core.engine();
    rig.core.engine().trace(recorder);
  }
  rig.run_to_idle();
  Facts facts{
      rig.core.engine().count.instructions, rig.core.engine().count.thread_instructions, rig.ctx.busy.last_stamp(), {}};
  for (u32 i = 0; i < 64; ++i) facts.words.push_back(rig.memory.word(kData + 4 * i));
  return facts;
}

std::string in_child(const std::function<void()>& body) {
  body();
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_trace)

BOOST_AUTO_TEST_CASE(every_instruction_once) {
  for (const unsigned xlen : {32u, 64u})
    run_forked([&] {
      return in_child([&] {
        Recorder recorder;
        const Facts facts = run(xlen, &recorder);
        GYRE_CHECK_EQUAL(recorder.entries.size(), facts.instructions);
        std::uint64_t lanes = 0;
        for (const auto& entry : recorder.entries) {
          lanes += static_cast<unsigned>(__builtin_popcount(entry.mask));
          GYRE_CHECK(!entry.faulted && entry.mask != 0);
        }
        GYRE_CHECK_EQUAL(lanes, facts.lanes);
      });
    });
}

// A run that is listened to, in whole, in part or for a while, is the run that is not. A process makes one run, so the
// facts travel in its text.
BOOST_AUTO_TEST_CASE(nothing_else_changes) {
  for (const unsigned xlen : {32u, 64u}) {
    auto facts_of = [&](const std::function<void(Recorder&)>& set) {
      return run_forked([&]() -> std::string {
        Recorder recorder;
        if (set) set(recorder);
        const Facts f = run(xlen, set ? &recorder : nullptr);
        return fmt::format("{} {} {} {}", f.instructions, f.lanes, f.cycles, fmt::join(f.words, ","));
      });
    };
    const std::string plain = facts_of(nullptr);
    BOOST_TEST(!plain.empty());
    BOOST_TEST(facts_of([](Recorder&) {}) == plain);
    BOOST_TEST(facts_of([](Recorder& r) { r.first = kLoop, r.last = kLoop + 8; }) == plain);
    BOOST_TEST(facts_of([](Recorder& r) { r.stop_after = 17; }) == plain);
  }
}

// Only what is wanted is heard, and the question is asked when code is decoded, not when it runs.
BOOST_AUTO_TEST_CASE(a_range) {
  run_forked([] {
    return in_child([] {
      Recorder recorder;
      recorder.first = recorder.last = kLoop;
      const Facts facts = run(32, &recorder);
      GYRE_CHECK_EQUAL(recorder.entries.size(), std::size_t{6 * 5});
      for (const auto& entry : recorder.entries) GYRE_CHECK_EQUAL(entry.pc, kLoop);
      GYRE_CHECK(recorder.asked < facts.instructions / 4);
    });
  });
}

// After the listener has gone nobody is called.
BOOST_AUTO_TEST_CASE(an_end) {
  run_forked([] {
    return in_child([] {
      Recorder recorder;
      recorder.stop_after = 9;
      run(32, &recorder);
      GYRE_CHECK_EQUAL(recorder.entries.size(), std::size_t{9});
    });
  });
}

// WSPAWN waits until its warp is alone: heard once, when it executes.
BOOST_AUTO_TEST_CASE(an_instruction_that_waits) {
  run_forked([] {
    return in_child([] {
      Rig rig({});
      Asm k(kKernel);
      k.csrr(t0, GYRE_CSR_WARP_ID);
      const int end = k.label();
      k.bnez(t0, end);
      k.li(t0, 1);
      k.word(enc::r(0x0B, 1, 0, 0, t0, t0));
      k.bind(end);
      k.ret();
      rig.program(k);
      rig.grid(4, 4);
      Recorder recorder;
      rig.core.engine().trace(&recorder);
      rig.run_to_idle();
      GYRE_CHECK_EQUAL(recorder.entries.size(), rig.core.engine().count.instructions);
      unsigned spawns = 0;
      for (const auto& entry : recorder.entries) spawns += (entry.word & 0xFE00707F) == 0x100B;
      GYRE_CHECK(spawns >= 1);
    });
  });
}

BOOST_AUTO_TEST_CASE(faults) {
  run_forked([] {
    return in_child([] {
      Rig rig({});
      Asm k(kKernel);
      k.lw(t0, zero);
      k.ret();
      rig.program(k);
      rig.grid(1, 4);
      Recorder recorder;
      rig.core.engine().trace(&recorder);
      rig.run_to_idle();
      GYRE_CHECK(recorder.entries.back().faulted);
      GYRE_CHECK_EQUAL(recorder.entries.back().pc, kKernel);
      GYRE_CHECK_EQUAL(recorder.entries.back().mask, 15u);
    });
  });
}

BOOST_AUTO_TEST_SUITE_END()
