#include <boost/test/unit_test.hpp>

#include "bench.h"

using namespace gyre;
using gyre::test::Bench;
using gyre::test::Commands;
using gyre::test::kCompletion;
using gyre::test::kDeviceBase;
using gyre::test::on_machine;

namespace {
Commands write_dcr(unsigned value) {
  Commands commands;
  commands.op(GYRE_CMD_DCR_WRITE, {0x40, value});
  return commands;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(ring)

BOOST_AUTO_TEST_CASE(wraps_many_times) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up(8);  // four lines
    for (unsigned i = 0; i < 50; ++i) {
      Commands commands;
      const unsigned lines = 1 + i % 4;
      for (unsigned k = 0; k < lines; ++k) commands.op(GYRE_CMD_DCR_WRITE, {0x40, i * 10 + k}).end_line();
      m.submit(commands);
      m.wait_idle();
    }
    std::size_t at = 0;
    for (unsigned i = 0; i < 50; ++i)
      for (unsigned k = 0; k < 1 + i % 4; ++k) GYRE_CHECK_EQUAL(m.log.writes.at(at++).second, i * 10 + k);
    GYRE_CHECK_EQUAL(m.log.writes.size(), at);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), at);
    GYRE_CHECK_EQUAL(m.cp.queue().head, at * 64);
    GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), at);
  });
}

BOOST_AUTO_TEST_CASE(runs_only_when_both_enables_are_set) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up(12, 0);
    m.submit(write_dcr(1));
    m.wait_cycles(1000);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 0u);
    m.write(GYRE_CP_CTRL, 0);
    m.qwrite(GYRE_CPQ_CONTROL, 1);
    m.wait_cycles(1000);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 0u);
    m.write(GYRE_CP_CTRL, 1);
    m.wait_cycles(1000);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
  });
}

BOOST_AUTO_TEST_CASE(disabled_in_a_line_it_goes_on_where_it_was) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.device.duration = 10000;
    m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {0x40, 1}).op(GYRE_CMD_LAUNCH, {0}).op(GYRE_CMD_DCR_WRITE, {0x40, 2}));
    m.wait_cycles(2000);
    m.qwrite(GYRE_CPQ_CONTROL, 0);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 1u);  // the launch goes on
    m.wait_cycles(20000);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 0u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 2u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 1u);
    GYRE_CHECK_EQUAL(m.cp.queue().head, 0u);
    m.qwrite(GYRE_CPQ_CONTROL, 1);
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 3u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 2u);
    GYRE_CHECK_EQUAL(m.device.launches, 1u);
    GYRE_CHECK_EQUAL(m.cp.queue().head, 64u);
  });
}

BOOST_AUTO_TEST_CASE(reset_waits_for_the_command) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.device.duration = 10000;
    m.submit(Commands().op(GYRE_CMD_LAUNCH, {0}).op(GYRE_CMD_DCR_WRITE, {0x40, 2}));
    m.wait_cycles(2000);
    m.qwrite(GYRE_CPQ_CONTROL, 3);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS) & 1, 1u);
    m.wait_idle();
    GYRE_CHECK(m.log.writes.empty());
    GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), 1u);  // the launch itself retired
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 0u);
    GYRE_CHECK_EQUAL(m.cp.queue().tail, 0u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_CONTROL), 0u);
    m.set_up();  // and the queue works again
    m.submit(write_dcr(9));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.log.writes.at(0).second, 9u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
  });
}

BOOST_AUTO_TEST_CASE(reset_abandons_an_event_wait) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.submit(Commands().op(GYRE_CMD_EVENT_WAIT, {kDeviceBase, 1, 0}));
    m.wait_cycles(3000);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 1u);
    m.write(GYRE_CP_CTRL, 3);
    m.wait_idle(100'000);
    GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), 0u);  // it did not retire
    m.set_up();
    m.submit(write_dcr(9));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.log.writes.at(0).second, 9u);
  });
}

BOOST_AUTO_TEST_CASE(no_completion_word_without_an_address) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.qwrite(GYRE_CPQ_CMPL_ADDR_LO, 0);
    m.submit(write_dcr(1));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
    GYRE_CHECK_EQUAL(m.host_memory.word64(kCompletion), 0u);
  });
}

// Several submissions ahead of the engine, doorbells while it runs.
BOOST_AUTO_TEST_CASE(doorbells_while_running) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    for (unsigned i = 0; i < 40; ++i) {
      m.submit(write_dcr(i));
      m.wait_cycles(i * 7 % 50);
    }
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 40u);
    for (unsigned i = 0; i < 40; ++i) GYRE_CHECK_EQUAL(m.log.writes.at(i).second, i);
  });
}

BOOST_AUTO_TEST_SUITE_END()
