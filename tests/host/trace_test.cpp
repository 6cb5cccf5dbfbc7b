// The instruction trace's ear at a hart: every instruction and trap in order, with registers as they were; and a traced
// run is cycle for cycle the run without it.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "asm.h"
#include "flat_bus.h"
#include "hart_trace.h"

using namespace gyre::test;
using gyre::host::Hart;
using gyre::host::Stop;

namespace {

struct Recorder : gyre::host::InsnListener {
  struct Entry {
    std::uint64_t pc, cycle, a0;
    std::uint32_t word;
  };
  std::vector<Entry> entries;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> traps;  // cause, pc

  void next(const Hart& hart, std::uint64_t pc, std::uint32_t word, std::uint64_t cycle) override {
    entries.push_back({pc, cycle, hart.reg(10), word});
  }
  void trapped(const Hart& hart, std::uint64_t cause) override { traps.emplace_back(cause, hart.pc()); }
};

// A loop with loads, stores (beside code), taken and untaken branches, calls, a misaligned access and an ecall a turn.
std::vector<std::uint8_t> program(std::uint64_t* spin) {
  Asm a;
  a.la(t0, "handler");
  a.csrw(0x305, t0);
  a.li(a0, 0);
  a.li(s0, 50);
  a.la(s1, "data");
  a.label("loop");
  a.sd(s0, s1);
  a.ld(t1, s1);
  a.lw(t1, s1, 2);
  a.op(0, 0, a0, a0, t1);
  a.word(0x00000073);  // ecall
  a.bne(a0, zero, "odd");
  a.addi(a0, a0, 1);
  a.label("odd");
  a.jal(ra, "call");
  a.addi(s0, s0, -1);
  a.bne(s0, zero, "loop");
  *spin = a.here();
  a.label("spin");
  a.j("spin");
  a.label("call");
  a.addi(a0, a0, 3);
  a.jalr(zero, ra);
  a.label("handler");
  a.csrr(t2, 0x341);
  a.addi(t2, t2, 4);
  a.csrw(0x341, t2);
  a.word(0x30200073);  // mret
  a.label("data");
  a.word(0);
  a.word(0);
  a.word(0);
  a.word(0);
  return a.bytes();
}

struct Run {
  FlatBus bus{1 << 20};
  Hart hart{bus};
  std::uint64_t spin = 0;
  std::vector<std::uint64_t> stops;  // pc, cycle and retired count at the end of every slice

  explicit Run(Recorder* recorder, std::uint64_t slice) {
    const auto code = program(&spin);
    bus.load(code);
    hart.reset(FlatBus::kBase);
    if (recorder != nullptr) hart.trace(recorder);
    while (hart.pc() != spin && hart.cycle() < 100'000) {
      hart.run(hart.cycle() + slice);
      stops.insert(stops.end(), {hart.pc(), hart.cycle(), hart.retired()});
    }
    BOOST_TEST(hart.pc() == spin);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(hart_trace)

BOOST_DATA_TEST_CASE(a_traced_run_is_the_same_run, boost::unit_test::data::make({1, 7, 64, 1000, 100'000}), slice) {
  Recorder recorder;
  Run plain(nullptr, static_cast<std::uint64_t>(slice)), traced(&recorder, static_cast<std::uint64_t>(slice));
  BOOST_TEST(plain.stops == traced.stops, boost::test_tools::per_element());
  for (unsigned r = 0; r < 32; ++r) BOOST_TEST(plain.hart.reg(r) == traced.hart.reg(r));
  BOOST_TEST(plain.bus.memory == traced.bus.memory);
}

BOOST_AUTO_TEST_CASE(every_instruction_in_order) {
  Recorder recorder;
  Run run(&recorder, 100);
  std::size_t until = recorder.entries.size();
  while (until > 0 && recorder.entries[until - 1].pc == run.spin) --until;
  const std::size_t spins = recorder.entries.size() - until;
  BOOST_TEST(recorder.entries.size() == run.hart.retired() + recorder.traps.size());
  BOOST_TEST(recorder.traps.size() == 50u);
  for (std::size_t i = 0; i < recorder.entries.size(); ++i) {
    const auto& entry = recorder.entries[i];
    std::uint32_t word = 0;
    std::memcpy(&word, run.bus.memory.data() + (entry.pc - FlatBus::kBase), 4);
    BOOST_REQUIRE(entry.cycle == i);  // an instruction is a cycle
    BOOST_REQUIRE(entry.word == word);
  }
  for (const auto& [cause, pc] : recorder.traps) BOOST_TEST(cause == 11u);
  BOOST_TEST(spins < 100u);
  // Registers are those before the instruction.
  std::uint64_t last = 0;
  unsigned checked = 0;
  for (std::size_t i = 1; i < until; ++i) {
    const auto& entry = recorder.entries[i - 1];
    if (entry.word == 0x00350513) {  // addi a0, a0, 3
      BOOST_TEST(recorder.entries[i].a0 == entry.a0 + 3);
      ++checked;
    }
    last = entry.a0;
  }
  BOOST_TEST(checked == 50u);
  BOOST_TEST(last != 0u);
}

BOOST_AUTO_TEST_CASE(an_end) {
  Recorder recorder;
  FlatBus bus(1 << 20);
  Hart hart(bus);
  std::uint64_t spin = 0;
  bus.load(program(&spin));
  hart.reset(FlatBus::kBase);
  hart.trace(&recorder);
  hart.run(20);
  hart.trace(nullptr);
  const std::size_t heard = recorder.entries.size();
  BOOST_TEST(heard >= 20u);
  hart.run(1000);
  BOOST_TEST(recorder.entries.size() == heard);
}

BOOST_AUTO_TEST_SUITE_END()
