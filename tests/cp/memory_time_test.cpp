// Device memory in the time of the command processor: what its accesses take and how many there are, in both styles.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "bench.h"

using namespace gyre;
using gyre::test::Bench;
using gyre::test::Commands;
using gyre::test::kDeviceBase;
using gyre::test::kHostBase;
using gyre::test::on_machine;
using kernel::Cycle;
namespace data = boost::unit_test::data;

namespace {

constexpr std::uint64_t kSlot = kHostBase + 0x200, kHost = kHostBase + 0x10000;
constexpr Cycle kStartup = 10, kArbiter = 1, kLatency = 50;

MachineConfig machine(Timing style) {
  MachineConfig config;
  config.sim.timing = style;
  return config;
}

// Cycles of one command.
Cycle cycles_of(Bench& m, unsigned opcode, const std::vector<std::uint64_t>& args) {
  m.submit(Commands().op(opcode, args, GYRE_CP_F_PROFILE, kSlot));
  m.wait_idle();
  GYRE_CHECK_EQUAL(m.error_code(), unsigned{GYRE_CP_ERR_OK});
  return m.host_memory.word64(kSlot + 8) - m.host_memory.word64(kSlot);
}

const Timing kStyles[] = {Timing::kLoose, Timing::kApproximate};

}  // namespace

namespace gyre {
std::ostream& operator<<(std::ostream& out, Timing style) { return out << (style == Timing::kLoose ? "loose" : "approximate"); }
}  // namespace gyre

BOOST_AUTO_TEST_SUITE(memory_time)

BOOST_DATA_TEST_CASE(a_copy_moves_a_beat_a_cycle, data::make(kStyles), style) {
  on_machine(machine(style), [](Bench& m) {
    m.set_up(12, 0x11);
    for (const std::uint64_t bytes : {0ull, 1ull, 64ull, 65ull, 8192ull, 65536ull}) {
      const Cycle beats = (bytes + 63) / 64;
      // The last beat begins `beats` - 1 cycles after the first.
      const Cycle written = bytes == 0 ? 0 : kStartup + beats - 1 + kArbiter + 1;
      const Cycle read = bytes == 0 ? 0 : kStartup + beats - 1 + kArbiter + kLatency;
      GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_MEM_WRITE, {kDeviceBase, kHost, bytes}), written);
      GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_MEM_READ, {kHost, kDeviceBase, bytes}), read);
    }
    GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_MEM_COPY, {kDeviceBase + 0x8000, kDeviceBase, 64}),
                     kStartup + kArbiter + kLatency + kArbiter + 1);
  });
}

BOOST_DATA_TEST_CASE(beats_under_way_are_bounded, data::make(kStyles) * data::make({1u, 4u, 16u}), style, queue) {
  MachineConfig config = machine(style);
  config.gpu.dram.banks = 1;
  config.gpu.dram.queue = queue;
  on_machine(config, [queue](Bench& m) {
    m.set_up(12, 0x11);
    // As many as there is room for are asked for side by side; the next ones as each of them comes.
    const Cycle rounds = 64 / queue;
    GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_MEM_READ, {kHost, kDeviceBase, 4096}),
                     kStartup + rounds * (kArbiter + kLatency) + queue - 1);
  });
}

BOOST_DATA_TEST_CASE(copies_wait_for_the_data_buses, data::make(kStyles), style) {
  MachineConfig config = machine(style);
  config.gpu.dram.burst = 8;
  on_machine(config, [](Bench& m) {
    m.set_up(12, 0x11);
    const Cycle write = cycles_of(m, GYRE_CMD_MEM_WRITE, {kDeviceBase, kHost, 32768});
    const Cycle copy = cycles_of(m, GYRE_CMD_MEM_COPY, {kDeviceBase + 0x8000, kDeviceBase, 32768});
    // Two buses, 8 cycles a block; a copy reads and writes. A calendar is exact to a bucket of 16 cycles.
    const Cycle blocks = 32768 / 64 * 8 / 2;
    GYRE_CHECK(write >= blocks - 16 && write <= blocks * 103 / 100);
    GYRE_CHECK(copy >= 2 * blocks - 16 && copy <= 2 * blocks * 107 / 100);
  });
}

// A line after the other for a QMD, one line ahead for a draw; an event word is one access.
BOOST_DATA_TEST_CASE(descriptors_and_events, data::make(kStyles), style) {
  on_machine(machine(style), [](Bench& m) {
    m.set_up(12, 0x11);
    const Cycle access = kArbiter + kLatency;
    GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_EVENT_SIGNAL, {kDeviceBase, 7}), 1 + kArbiter + 1);
    GYRE_CHECK_EQUAL(cycles_of(m, GYRE_CMD_EVENT_WAIT, {kDeviceBase, 7, 0}), access);
    m.device.duration = 1000;
    std::vector<Cycle> qmd;
    for (const std::uint32_t pairs : {1u, 8u, 16u}) {  // 12, 68 and 132 bytes
      m.device_memory.put32(kDeviceBase + 0x1000, pairs);
      for (std::uint32_t i = 0; i < pairs; ++i) m.device_memory.put32(kDeviceBase + 0x1004 + 8 * i, 0x100);
      qmd.push_back(cycles_of(m, GYRE_CMD_LAUNCH_QMD, {kDeviceBase + 0x1000}) - pairs);
    }
    GYRE_CHECK_EQUAL(qmd[1] - qmd[0], access);
    GYRE_CHECK_EQUAL(qmd[2] - qmd[1], access);
    // 2 steps a line, 3 cycles a step: the next line has not come.
    std::vector<Cycle> draw;
    for (const std::uint32_t steps : {0u, 2u, 20u}) {
      m.device_memory.put32(kDeviceBase + 0x2000, steps);
      for (std::uint32_t i = 0; i < steps; ++i) m.device_memory.put32(kDeviceBase + 0x2004 + 28 * i, GYRE_CMD_NOP);
      draw.push_back(cycles_of(m, GYRE_CMD_DRAW, {kDeviceBase + 0x2000}));
    }
    GYRE_CHECK_EQUAL(draw[0], access);
    GYRE_CHECK_EQUAL(draw[1], access + 2);
    // 564 bytes in 9 lines, each asked for when the one before has come; a step is decoded behind the last.
    GYRE_CHECK_EQUAL(draw[2], 9 * access + 2);
  });
}

BOOST_DATA_TEST_CASE(blocks_are_counted_and_none_is_lost, data::make(kStyles), style) {
  on_machine(machine(style), [](Bench& m) {
    m.set_up();
    const auto cp = [&](const char* name) { return m.ctx.counters.sum(name); };
    m.submit(Commands().op(GYRE_CMD_MEM_WRITE, {kDeviceBase + 60, kHost, 8}));  // in two blocks
    m.wait_idle();
    GYRE_CHECK_EQUAL(cp("cp.memory.writes"), 2u);
    GYRE_CHECK_EQUAL(cp("cp.memory.bytes"), 8u);
    m.submit(Commands().op(GYRE_CMD_MEM_COPY, {kDeviceBase + 4096 + 32, kDeviceBase, 4096}));  // 64 blocks into 65
    m.wait_idle();
    GYRE_CHECK_EQUAL(cp("cp.memory.reads"), 64u + 1);  // two bursts share a block
    GYRE_CHECK_EQUAL(cp("cp.memory.writes"), 2u + 65);
    GYRE_CHECK_EQUAL(cp("cp.memory.bytes"), 8u + 2 * 4096u);
    m.device_memory.put64(kDeviceBase, 1);
    m.submit(Commands().op(GYRE_CMD_EVENT_SIGNAL, {kDeviceBase + 4, 7}).op(GYRE_CMD_DRAW, {kDeviceBase + 0x2000}));
    m.wait_idle();
    const memory::DramCounters& dram = m.dates.dram.counters();
    GYRE_CHECK_EQUAL(dram.reads, cp("cp.memory.reads"));
    GYRE_CHECK_EQUAL(dram.writes, cp("cp.memory.writes"));
    GYRE_CHECK_EQUAL(m.requests.open(), 0u);
  });
}

// Every cycle the command processor waited for its blocks is booked as memory, and no other.
BOOST_DATA_TEST_CASE(waiting_is_booked_as_memory, data::make(kStyles), style) {
  on_machine(machine(style), [](Bench& m) {
    m.set_up(12, 0x11);
    const auto booked = [&] {
      for (const auto& unit : m.ctx.utilisation.units())
        if (unit.kind == "cp") return unit.activity(~Cycle{0});
      return kernel::Activity{};
    };
    const kernel::Activity before = booked();
    const Cycle cycles = cycles_of(m, GYRE_CMD_MEM_READ, {kHost, kDeviceBase, 4096});
    const kernel::Activity after = booked();
    GYRE_CHECK_EQUAL(cycles, kStartup + 63 + kArbiter + kLatency);
    GYRE_CHECK_EQUAL(after.memory - before.memory, 60 + kArbiter + kLatency - 1);  // and the line of the ring
    GYRE_CHECK_EQUAL(after.output, before.output);
  });
}

BOOST_AUTO_TEST_SUITE_END()
