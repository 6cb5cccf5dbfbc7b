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
using gyre::test::kHostBytes;
using gyre::test::kRing;
using gyre::test::on_machine;
namespace data = boost::unit_test::data;

namespace {

// Runs one good command, then `bad`, then another good one, and checks that the queue stopped in between.
void expect_error(Bench& m, unsigned code, unsigned opcode, Commands bad) {
  Commands commands;
  commands.op(GYRE_CMD_NOP, {}, 0x80).end_line();
  const auto& bytes = bad.bytes();
  commands.raw(bytes).op(GYRE_CMD_DCR_WRITE, {0x7FF, 1});
  m.submit(commands);
  m.wait_idle();
  GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), code | opcode << 8 | 1u << 16);
  GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 2u);
  GYRE_CHECK_EQUAL(m.read(GYRE_CP_IRQ_STATUS), 3u);
  GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
  GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), 1u);
  GYRE_CHECK_EQUAL(m.cp.queue().head, 64u);
  for (const auto& [reg, value] : m.log.writes) GYRE_CHECK(reg != 0x7FF);
  // recovery
  m.qwrite(GYRE_CPQ_CONTROL, 2);
  GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 0u);
  m.set_up();
  m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {0x7FE, 1}));
  m.wait_idle();
  GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
}

void expect_error(const MachineConfig& config, unsigned code, unsigned opcode, Commands bad,
                  const std::function<void(Bench&)>& prepare = {}) {
  on_machine(config, [&](Bench& m) {
    m.set_up();
    if (prepare) prepare(m);
    expect_error(m, code, opcode, bad);
  });
}

Commands one(unsigned opcode, std::vector<std::uint64_t> args, unsigned flags = 0, std::uint64_t slot = 0) {
  Commands commands;
  commands.op(opcode, std::move(args), flags, slot);
  return commands;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(errors)

BOOST_DATA_TEST_CASE(bad_opcode, data::make({0x0D, 0x10, 0x7F, 0xFF}), opcode) {
  expect_error({}, GYRE_CP_ERR_BAD_OPCODE, opcode, one(opcode, {}));
}

BOOST_AUTO_TEST_CASE(commands_before_a_bad_one_have_retired) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {0x40, 1}).op(0x55).op(GYRE_CMD_DCR_WRITE, {0x40, 2}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x00015501u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 1u);
    GYRE_CHECK_EQUAL(m.cp.queue().head, 0u);
  });
}

BOOST_AUTO_TEST_CASE(line_overrun) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands()
                 .op(GYRE_CMD_NOP, {}, 0x80)
                 .op(GYRE_CMD_MEM_COPY, {kDeviceBase, kDeviceBase, 0})
                 .op(GYRE_CMD_MEM_COPY, {kDeviceBase, kDeviceBase, 0})  // ends at byte 60
                 .op(GYRE_CMD_LAUNCH, {0}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x00030602u);
    GYRE_CHECK_EQUAL(m.device.launches, 0u);
  });
}

BOOST_AUTO_TEST_CASE(doorbell_errors) {
  struct Case {
    std::uint64_t tail;
    std::uint32_t log2;
    std::uint32_t base;
    unsigned code;
  };
  for (const Case& c : {Case{32, 12, 0, GYRE_CP_ERR_RING_RANGE}, Case{8192, 12, 0, GYRE_CP_ERR_RING_RANGE},
                        Case{1ull << 33, 12, 0, GYRE_CP_ERR_RING_RANGE}, Case{64, 5, 0, GYRE_CP_ERR_RING_CFG},
                        Case{64, 17, 0, GYRE_CP_ERR_RING_CFG}, Case{64, 12, 0x20, GYRE_CP_ERR_RING_CFG}}) {
    on_machine(MachineConfig{}, [&](Bench& m) {
      m.set_up(c.log2);
      m.qwrite(GYRE_CPQ_RING_BASE_LO, static_cast<std::uint32_t>(kRing + c.base));
      m.doorbell(c.tail);
      GYRE_CHECK_EQUAL(m.error_code(), c.code);
      GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 2u);
      GYRE_CHECK_EQUAL(m.cp.queue().tail, 0u);
      m.wait_cycles(1000);
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 0u);
    });
  }
}

BOOST_AUTO_TEST_CASE(ring_broken_after_the_doorbell) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up(12, 0);
    m.submit(one(GYRE_CMD_NOP, {}, 0x80));
    m.qwrite(GYRE_CPQ_RING_SIZE_LOG2, 200);
    m.qwrite(GYRE_CPQ_CONTROL, 1);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), GYRE_CP_ERR_RING_CFG);
  });
}

BOOST_AUTO_TEST_CASE(ring_outside_memory) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.qwrite(GYRE_CPQ_RING_BASE_HI, 0x1234);
    m.doorbell(64);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), unsigned{GYRE_CP_ERR_ADDR_FAULT});
    GYRE_CHECK_EQUAL(m.cp.queue().head, 0u);
  });
}

BOOST_AUTO_TEST_CASE(bus_errors_on_every_master) {
  const std::uint64_t device_end = kDeviceBase + kDeviceBytes, host_end = kHostBase + kHostBytes;
  const std::pair<unsigned, std::vector<std::uint64_t>> cases[] = {
      {GYRE_CMD_MEM_WRITE, {0, kHostBase, 4}},
      {GYRE_CMD_MEM_WRITE, {device_end - 4, kHostBase, 5}},
      {GYRE_CMD_MEM_WRITE, {kDeviceBase, 0, 4}},
      {GYRE_CMD_MEM_WRITE, {kDeviceBase, host_end - 1, 2}},
      {GYRE_CMD_MEM_WRITE, {kDeviceBase | 1ull << 32, kHostBase, 4}},
      {GYRE_CMD_MEM_WRITE, {kDeviceBase, kHostBase, ~0ull}},
      {GYRE_CMD_MEM_WRITE, {~0ull, kHostBase, 2}},
      {GYRE_CMD_MEM_READ, {0x10, kDeviceBase, 1}},
      {GYRE_CMD_MEM_READ, {kHostBase, device_end, 1}},
      {GYRE_CMD_MEM_READ, {kHostBase, ~0ull - 3, 16}},
      {GYRE_CMD_MEM_COPY, {kDeviceBase, device_end - 1, 2}},
      {GYRE_CMD_MEM_COPY, {device_end - 10, device_end - 20, 16}},
      {GYRE_CMD_MEM_COPY, {kDeviceBase + 1, kDeviceBase, 1ull << 63}},
      {GYRE_CMD_EVENT_SIGNAL, {device_end - 4, 1}},
      {GYRE_CMD_EVENT_SIGNAL, {~0ull - 3, 1}},
      {GYRE_CMD_EVENT_WAIT, {0, 1, 0}},
      {GYRE_CMD_LAUNCH_QMD, {device_end}},
      {GYRE_CMD_LAUNCH_QMD, {~0ull}},
      {GYRE_CMD_DRAW, {device_end - 3}},
      {GYRE_CMD_DRAW, {1ull << 32}},
  };
  for (const auto& [opcode, args] : cases) expect_error({}, GYRE_CP_ERR_ADDR_FAULT, opcode, one(opcode, args));
}

BOOST_AUTO_TEST_CASE(beats_already_sent_stay) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    std::memset(m.host_memory.at(kHostBase + 0x20000), 0x5A, 10000);
    const std::uint64_t target = kDeviceBase + kDeviceBytes - 4096;
    m.submit(one(GYRE_CMD_MEM_WRITE, {target, kHostBase + 0x20000, 5000}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), GYRE_CP_ERR_ADDR_FAULT);
    GYRE_CHECK_EQUAL(*m.device_memory.at(target + 4095), 0x5A);
  });
}

BOOST_AUTO_TEST_CASE(completion_and_profile_outside_memory) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.qwrite(GYRE_CPQ_CMPL_ADDR_LO, 0x40);
    m.submit(one(GYRE_CMD_NOP, {}, 0x80));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), GYRE_CP_ERR_ADDR_FAULT);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 0u);
  });
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up(12, 0x11);
    m.submit(one(GYRE_CMD_LAUNCH, {0}, GYRE_CP_F_PROFILE, 0x40));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0607u);
  });
}

BOOST_AUTO_TEST_CASE(refused_launch) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.device.refuse = true;
    expect_error(m, GYRE_CP_ERR_LAUNCH_INVALID, GYRE_CMD_LAUNCH, one(GYRE_CMD_LAUNCH, {0}));
  });
}

BOOST_AUTO_TEST_CASE(gpu_fault_is_reported_when_the_launch_has_drained) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.device.fault = true;
    m.device.duration = 5000;
    m.submit(Commands().op(GYRE_CMD_NOP, {}, 0x80).op(GYRE_CMD_LAUNCH, {0}).op(GYRE_CMD_NOP, {}, 0x80));
    m.wait_cycles(3000);
    GYRE_CHECK(m.ctx.faults.valid());
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0001060Au);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO0), 0x87000203u);
    // An old record does not fail the next launch.
    m.device.fault = false;
    m.qwrite(GYRE_CPQ_CONTROL, 2);
    m.set_up();
    m.submit(one(GYRE_CMD_LAUNCH, {0}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
  });
}

BOOST_AUTO_TEST_CASE(watchdog) {
  MachineConfig config;
  config.gpu.cp.watchdog_cycles = 20000;
  on_machine(config, [](Bench& m) {
    m.set_up();
    m.device.duration = 15000;  // long, but within patience
    m.submit(one(GYRE_CMD_LAUNCH, {0}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    m.device.hang = true;
    m.submit(one(GYRE_CMD_LAUNCH, {0}));
    m.wait_cycles(60000);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0001060Cu);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 3u);  // the device is still busy
    // The next launch waits for the remains of this one.
    m.qwrite(GYRE_CPQ_CONTROL, 2);
    m.set_up();
    m.submit(one(GYRE_CMD_LAUNCH, {0}));
    m.wait_cycles(1000);
    GYRE_CHECK_EQUAL(m.device.launches, 2u);
    m.device.hang = false;
    m.device.release.notify(sc_core::SC_ZERO_TIME);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.device.launches, 3u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
  });
}

BOOST_AUTO_TEST_CASE(compat_drops_the_rest_of_a_line) {
  MachineConfig config;
  config.gpu.cp.compat = true;
  on_machine(config, [](Bench& m) {
    m.set_up();
    const auto warnings = kernel::warnings_logged();
    m.submit(Commands()
                 .op(GYRE_CMD_DCR_WRITE, {0x40, 1})
                 .op(0x77)
                 .op(GYRE_CMD_DCR_WRITE, {0x40, 2})
                 .end_line()
                 .op(GYRE_CMD_DCR_WRITE, {0x40, 3}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 2u);
    GYRE_CHECK_EQUAL(m.log.writes.at(1).second, 3u);
    GYRE_CHECK(kernel::warnings_logged() > warnings);
  });
}

// A ring full of garbage never hangs, crashes or runs past its tail.
BOOST_DATA_TEST_CASE(garbage_in_the_ring, data::make({false, true}), compat) {
  MachineConfig config;
  config.gpu.cp.compat = compat;
  for (unsigned seed = 0; seed < 25; ++seed) {
    on_machine(config, [&](Bench& m) {
      std::mt19937 random(seed);
      for (auto& byte : m.device_memory.bytes) byte = static_cast<std::uint8_t>(random() % 16);
      m.device.duration = 10;
      m.set_up();
      std::vector<std::uint8_t> bytes(4096);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      for (unsigned at = 0; at < 4096; at += 4)
        if (random() % 4 != 0) bytes[at] = static_cast<std::uint8_t>(random() % 13);
      m.place(bytes);
      m.doorbell(4096);
      m.wait_cycles(2'000'000);
      GYRE_CHECK(m.cp.queue().head <= 4096u);
      if ((m.read(GYRE_CP_STATUS) & 1) != 0) {  // an event that never comes
        m.write(GYRE_CP_CTRL, 2);
        m.wait_idle(100'000);
      }
      GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS) & 1, 0u);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
