#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "bench.h"
#include "dcr.h"

using namespace gyre;
using gyre::test::Bench;
using gyre::test::Commands;
using gyre::test::kCompletion;
using gyre::test::kDeviceBase;
using gyre::test::kDeviceBytes;
using gyre::test::kHostBase;
using gyre::test::on_machine;
namespace data = boost::unit_test::data;

namespace {

constexpr std::uint64_t kHostData = kHostBase + 0x20000;
constexpr std::uint64_t kDeviceData = kDeviceBase + 0x20000;

MachineConfig with_quantum(std::uint64_t ps) {
  MachineConfig config;
  config.sim.quantum_ps = ps;
  return config;
}

void fill(std::vector<std::uint8_t>& bytes, unsigned seed) {
  std::mt19937 random(seed);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(worked_ring_line) {  // cp.md §11
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {0x061, 12}).op(GYRE_CMD_LAUNCH, {0}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 2u);
    GYRE_CHECK_EQUAL(m.cp.queue().head, 64u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 1u);
    GYRE_CHECK(m.log.writes[0] == std::make_pair(0x061u, 12u));
    GYRE_CHECK_EQUAL(m.device.launches, 1u);
    GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), 2u);
    GYRE_CHECK(m.bus.written(0x061));
    GYRE_CHECK(m.bus.unwritten(0x060, 0x062) == (std::vector<unsigned>{0x060, 0x062}));
  });
}

BOOST_AUTO_TEST_CASE(nop_and_fence_count_padding_does_not) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands()
                 .op(GYRE_CMD_NOP, {}, 0x80)
                 .fence(3)
                 .op(GYRE_CMD_NOP, {}, 2)
                 .end_line()                             // 3
                 .raw(std::vector<std::uint8_t>(64, 0))  // a line of padding
                 .op(GYRE_CMD_NOP, {}, 0x40));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 4u);
    GYRE_CHECK_EQUAL(m.cp.queue().head, 192u);
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
  });
}

BOOST_AUTO_TEST_CASE(sixteen_commands_in_a_line) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    Commands commands;
    for (int i = 0; i < 16; ++i) commands.op(GYRE_CMD_NOP, {}, 0x80);
    m.submit(commands);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 16u);
  });
}

// Random copies in all directions, checked against memcpy/memmove on shadow arrays; with and without DMI.
BOOST_DATA_TEST_CASE(copies_are_byte_exact, data::make({false, true}) * data::make({10'000ull, 1'000'000ull}), dmi,
                     quantum) {
  on_machine(
      with_quantum(quantum),
      [&](Bench& m) {
        m.set_up();
        std::mt19937 random(99);
        fill(m.host_memory.bytes, 1);
        fill(m.device_memory.bytes, 2);
        const std::size_t window = 40000;
        std::vector<std::uint8_t> host(m.host_memory.at(kHostData), m.host_memory.at(kHostData) + window);
        std::vector<std::uint8_t> device(m.device_memory.at(kDeviceData), m.device_memory.at(kDeviceData) + window);
        std::uint64_t moved = 0;
        for (int i = 0; i < 200; ++i) {
          const unsigned opcode = GYRE_CMD_MEM_WRITE + random() % 3;
          const std::size_t limit = i % 3 == 0 ? 20000 : i % 3 == 1 ? 70 : 5000;
          std::size_t bytes = random() % limit;
          std::size_t to = random() % (window - bytes), from = random() % (window - bytes);
          if (opcode == GYRE_CMD_MEM_COPY && i % 2 == 0) from = std::min(window - bytes, to + random() % 100);
          const auto* source = opcode == GYRE_CMD_MEM_WRITE ? host.data() : device.data();
          auto* target = opcode == GYRE_CMD_MEM_READ ? host.data() : device.data();
          std::memmove(target + to, source + from, bytes);
          moved += bytes;
          const std::uint64_t target_base = opcode == GYRE_CMD_MEM_READ ? kHostData : kDeviceData;
          const std::uint64_t source_base = opcode == GYRE_CMD_MEM_WRITE ? kHostData : kDeviceData;
          m.submit(Commands().op(opcode, {target_base + to, source_base + from, bytes}, random() % 2 * 4));
          m.wait_idle();
        }
        GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 200u);
        GYRE_CHECK(std::equal(host.begin(), host.end(), m.host_memory.at(kHostData)));
        GYRE_CHECK(std::equal(device.begin(), device.end(), m.device_memory.at(kDeviceData)));
        GYRE_CHECK_EQUAL(m.ctx.counters.sum("dma_bytes"), moved);
        GYRE_CHECK(m.host_memory.largest <= 4096u);
        GYRE_CHECK(m.device_memory.largest <= 4096u);
      },
      dmi);
}

BOOST_AUTO_TEST_CASE(dcr_read_and_cache_flush) {
  MachineConfig config;
  config.gpu.cores = 4;
  on_machine(config, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_DCR_READ, {GYRE_DCR_MPM_VALUE, 0x00410003}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_LAST_DCR_RSP), 0xA0410003u);
    m.submit(Commands().op(GYRE_CMD_DCR_READ, {0x80, 7}));  // not readable: 0
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_LAST_DCR_RSP), 0u);
    m.reader.reads.clear();
    m.submit(Commands().op(GYRE_CMD_CACHE_FLUSH, {3}).op(GYRE_CMD_CACHE_FLUSH, {0}).op(GYRE_CMD_CACHE_FLUSH, {~0ull}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 5u);
    GYRE_CHECK_EQUAL(m.reader.reads.size(), 7u);  // 3, none, and the 4 that exist
    for (unsigned i = 0; i < 7; ++i) GYRE_CHECK(m.reader.reads[i] == std::make_pair(0u, i < 3 ? i : i - 3));
  });
}

BOOST_AUTO_TEST_CASE(dcr_register_number_has_12_bits) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {0xABCDEF123456F061ull, 0x1234567800000009ull}));
    m.wait_idle();
    GYRE_CHECK(m.log.writes.at(0) == std::make_pair(0x061u, 9u));
  });
}

BOOST_AUTO_TEST_CASE(launch_ends_at_the_last_stamp) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up(12, 0x11);
    const std::uint64_t slot = kHostBase + 0x200;
    m.device.duration = 5000;
    m.device.posted = 300;  // an export that lands after the last warp has gone
    m.submit(Commands().op(GYRE_CMD_LAUNCH, {0}, GYRE_CP_F_PROFILE, slot));
    m.wait_idle();
    const std::uint64_t start = m.host_memory.word64(slot), end = m.host_memory.word64(slot + 8);
    GYRE_CHECK_EQUAL(m.device.begin, start + 1);
    GYRE_CHECK_EQUAL(end, m.device.begin + 5300);
  });
}

BOOST_AUTO_TEST_CASE(profiling_needs_flag_and_control_bit) {
  for (bool control : {false, true}) {
    for (bool flag : {false, true}) {
      on_machine(MachineConfig{}, [&](Bench& m) {
        m.set_up(12, control ? 0x11 : 0x01);
        const std::uint64_t slot = kHostBase + 0x200;
        m.submit(Commands()
                     .op(GYRE_CMD_DCR_WRITE, {0x40, 1}, flag ? GYRE_CP_F_PROFILE : 0, slot)
                     .op(GYRE_CMD_DCR_WRITE, {0x41, 2}));  // decodes only if the slot was skipped
        m.wait_idle();
        GYRE_CHECK_EQUAL(m.log.writes.size(), 2u);
        GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 2u);
        GYRE_CHECK_EQUAL(m.host_memory.word64(slot + 8) != 0, control && flag);
        if (control && flag) GYRE_CHECK_EQUAL(m.host_memory.word64(slot + 8) - m.host_memory.word64(slot), 2u);
      });
    }
  }
}

BOOST_DATA_TEST_CASE(event_wait_compares_unsigned, data::xrange(4), op) {
  const std::uint64_t value = 0x8000000000000000ull;
  for (std::uint64_t memory : {value - 1, value, value + 1, std::uint64_t{1}}) {
    const bool expected[] = {memory == value, memory >= value, memory > value, memory != value};
    on_machine(with_quantum(100'000), [&](Bench& m) {
      m.set_up();
      m.device_memory.put64(kDeviceData + 3, memory);
      m.submit(Commands().op(GYRE_CMD_EVENT_WAIT, {kDeviceData + 3, value, 0xFFFFFFFFFFFFFFFCull | op}));
      m.wait_cycles(5000);
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), expected[op] ? 1u : 0u);
      GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS) & 1, expected[op] ? 0u : 1u);
    });
  }
}

BOOST_DATA_TEST_CASE(event_wait_ends_when_the_word_changes, data::make({10'000ull, 1'000'000ull, 100'000'000ull}),
                     quantum) {
  on_machine(with_quantum(quantum), [&](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_EVENT_SIGNAL, {kDeviceData, 0x1122334455667788}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.device_memory.word64(kDeviceData), 0x1122334455667788u);
    m.submit(Commands().op(GYRE_CMD_EVENT_WAIT, {kDeviceData, 7, 0}).op(GYRE_CMD_DCR_WRITE, {0x40, 1}));
    m.wait_cycles(1000);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 0u);
    m.device_memory.put64(kDeviceData, 7);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.log.writes.size(), 1u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 3u);
  });
}

// What software and the units see does not depend on the quantum: same values at the same cycles.
BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_quantum) {
  std::string first;
  for (std::uint64_t quantum : {10'000ull, 1'000'000ull, 100'000'000ull}) {
    const std::string result = on_machine(with_quantum(quantum), [](Bench& m) {
      m.set_up(12, 0x11);
      std::ostringstream out;
      fill(m.host_memory.bytes, 5);
      Commands commands;
      for (unsigned i = 0; i < 8; ++i) {
        commands
            .op(GYRE_CMD_MEM_WRITE, {kDeviceData + i * 3000, kHostData, 2999 * (i + 1)}, GYRE_CP_F_PROFILE,
                kHostBase + 0x200 + 16 * i)
            .end_line();
        commands.op(GYRE_CMD_LAUNCH, {0}).op(GYRE_CMD_CACHE_FLUSH, {1}).op(GYRE_CMD_DCR_WRITE, {0x40, i}).end_line();
        commands.op(GYRE_CMD_EVENT_SIGNAL, {kDeviceData + 8 * i, i}, GYRE_CP_F_PROFILE, kHostBase + 0x300 + 16 * i)
            .end_line();
      }
      m.submit(commands);
      m.wait_idle();
      out << m.qread(GYRE_CPQ_SEQNUM) << ' ' << m.device.begin;
      for (unsigned i = 0; i < 32; ++i) out << ' ' << m.host_memory.word64(kHostBase + 0x200 + 16 * i);
      std::uint64_t sum = 0;
      for (const std::uint8_t byte : m.device_memory.bytes) sum = sum * 31 + byte;
      out << ' ' << sum;
      return out.str();
    });
    if (first.empty()) first = result;
    BOOST_TEST(result == first);
  }
}

BOOST_AUTO_TEST_CASE(interrupts) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_NOP, {}, 0x80));
    m.wait_idle();
    GYRE_CHECK(m.irq.edges.empty());  // not enabled
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_IRQ_STATUS), 1u);
    m.write(GYRE_CP_IRQ_ENABLE, 0xFF);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_IRQ_ENABLE), 3u);
    GYRE_CHECK_EQUAL(m.irq.edges.size(), 1u);
    GYRE_CHECK(m.irq.edges[0] == std::make_pair(unsigned{GYRE_IRQ_CP}, true));
    m.write(GYRE_CP_IRQ_STATUS, 2);  // another cause: still high
    GYRE_CHECK_EQUAL(m.irq.edges.size(), 1u);
    m.write(GYRE_CP_IRQ_STATUS, 1);
    GYRE_CHECK(m.irq.edges.back() == std::make_pair(unsigned{GYRE_IRQ_CP}, false));
    m.submit(Commands().op(0xFF));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_IRQ_STATUS), 2u);
    GYRE_CHECK_EQUAL(m.irq.edges.size(), 3u);
    GYRE_CHECK_EQUAL(m.irq.edges.back().second, true);
  });
}

BOOST_AUTO_TEST_SUITE_END()
