#include <boost/test/unit_test.hpp>

#include "bench.h"
#include "dcr.h"

using namespace gyre;
using gyre::test::Bench;
using gyre::test::Commands;
using gyre::test::kDeviceBase;
using gyre::test::kDeviceBytes;
using gyre::test::kHostBase;
using gyre::test::on_machine;

namespace {

constexpr std::uint64_t kQmd = kDeviceBase + 0x8004;  // no particular alignment
constexpr std::uint64_t kDraw = kDeviceBase + 0xA003;

void put_qmd(Bench& m, std::uint64_t at, std::uint32_t count, std::uint32_t stored) {
  m.device_memory.put32(at, count);
  for (std::uint32_t i = 0; i < stored; ++i) {
    m.device_memory.put32(at + 4 + 8 * i, 0x100 + i);
    m.device_memory.put32(at + 8 + 8 * i, 1000 + i);
  }
}

struct Step {
  unsigned opcode;
  std::uint64_t arg0 = 0, arg1 = 0;
  unsigned flags = 0;
};

void put_draw(Bench& m, std::uint32_t count, const std::vector<Step>& steps) {
  m.device_memory.put32(kDraw, count);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint64_t at = kDraw + 4 + 28 * i;
    m.device_memory.put32(at, steps[i].opcode | steps[i].flags << 8);
    m.device_memory.put64(at + 4, steps[i].arg0);
    m.device_memory.put64(at + 12, steps[i].arg1);
    m.device_memory.put64(at + 20, 0xCCCCCCCCCCCCCCCCull);  // don't care
  }
}

MachineConfig compat() {
  MachineConfig config;
  config.gpu.cp.compat = true;
  return config;
}

MachineConfig with_vm() {
  MachineConfig config;
  config.gpu.cp.vm = true;
  config.gpu.cp.pinned_base = 0x00100000;
  config.gpu.cp.pinned_bytes = 0x1000;
  return config;
}

// Identity for the megabyte at 0, virtual 0x40400000 + x -> kDeviceBase + 0x8000 + x (one page), the rest unmapped.
void put_tables(Bench& m) {
  const std::uint64_t root = kDeviceBase + 0x40000, leaf = root + 0x1000;
  const auto entry = [](std::uint64_t address, unsigned bits) {
    return static_cast<std::uint32_t>(address / 4096 << 10 | bits);
  };
  m.device_memory.put32(root + (0x40400000 >> 22) * 4, entry(leaf, 0x01));
  m.device_memory.put32(leaf, entry(kDeviceBase + 0x8000, 0x07));
  m.device_memory.put32(root + (0x80000000 >> 22) * 4, entry(0, 0x07));       // superpage at 0
  m.device_memory.put32(root + (0xC0000000 >> 22) * 4, entry(0x1000, 0x07));  // misaligned superpage
  m.write(GYRE_CP_SATP_LO, static_cast<std::uint32_t>(0x80000000u | root / 4096));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(descriptors)

BOOST_AUTO_TEST_CASE(qmd_writes_in_order_then_launches) {
  for (std::uint32_t count : {0u, 1u, 20u, 64u}) {
    on_machine(MachineConfig{}, [&](Bench& m) {
      m.set_up();
      put_qmd(m, kQmd, count, count);
      std::size_t written_at_start = ~0u;
      m.device.hook = [&] { written_at_start = m.log.writes.size(); };
      m.submit(Commands().op(GYRE_CMD_LAUNCH_QMD, {kQmd}));
      m.wait_idle();
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
      GYRE_CHECK_EQUAL(m.device.launches, 1u);
      GYRE_CHECK_EQUAL(written_at_start, count);
      for (std::uint32_t i = 0; i < count; ++i) GYRE_CHECK(m.log.writes.at(i) == std::make_pair(0x100 + i, 1000 + i));
    });
  }
}

BOOST_AUTO_TEST_CASE(qmd_too_long) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    put_qmd(m, kQmd, 65, 65);
    m.submit(Commands().op(GYRE_CMD_LAUNCH_QMD, {kQmd}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0B04u);
    GYRE_CHECK(m.log.writes.empty());
    GYRE_CHECK_EQUAL(m.device.launches, 0u);
  });
  on_machine(compat(), [](Bench& m) {
    m.set_up();
    put_qmd(m, kQmd, 1000000, 70);
    m.submit(Commands().op(GYRE_CMD_LAUNCH_QMD, {kQmd}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 64u);
    GYRE_CHECK_EQUAL(m.device.launches, 1u);
  });
}

BOOST_AUTO_TEST_CASE(qmd_that_leaves_memory_writes_nothing) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    const std::uint64_t at = kDeviceBase + kDeviceBytes - 20;
    put_qmd(m, at, 3, 2);
    m.submit(Commands().op(GYRE_CMD_LAUNCH_QMD, {at}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), GYRE_CP_ERR_ADDR_FAULT);
    GYRE_CHECK(m.log.writes.empty());
    GYRE_CHECK_EQUAL(m.device.launches, 0u);
  });
}

BOOST_AUTO_TEST_CASE(draw_is_one_command) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    put_qmd(m, kQmd, 2, 2);
    put_draw(m, 7,
             {{GYRE_CMD_LAUNCH_QMD, kQmd},
              {GYRE_CMD_CACHE_FLUSH, 1},
              {GYRE_CMD_DCR_WRITE, 0x60, 5},
              {GYRE_CMD_NOP},
              {GYRE_CMD_FENCE, 3},
              {GYRE_CMD_DCR_READ, GYRE_DCR_MPM_VALUE, 9},
              {GYRE_CMD_LAUNCH, 0, 0, GYRE_CP_F_PROFILE}});
    m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
    GYRE_CHECK_EQUAL(m.device.launches, 2u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 3u);
    GYRE_CHECK_EQUAL(m.reader.reads.size(), 2u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_LAST_DCR_RSP), 0xA0000009u);
  });
}

BOOST_AUTO_TEST_CASE(draw_limits) {
  for (std::uint32_t count : {0u, 256u}) {
    on_machine(MachineConfig{}, [&](Bench& m) {
      m.set_up();
      put_draw(m, count, std::vector<Step>(count, Step{GYRE_CMD_DCR_WRITE, 0x41, 1}));
      m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
      m.wait_idle();
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_SEQNUM), 1u);
      GYRE_CHECK_EQUAL(m.log.writes.size(), count);
    });
  }
  for (bool original : {false, true}) {
    on_machine(original ? compat() : MachineConfig{}, [&](Bench& m) {
      m.set_up();
      put_draw(m, 257, std::vector<Step>(257, Step{GYRE_CMD_DCR_WRITE, 0x41, 1}));
      m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
      m.wait_idle();
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), original ? 0u : 0x0C05u);
      GYRE_CHECK_EQUAL(m.log.writes.size(), original ? 256u : 0u);
    });
  }
}

BOOST_AUTO_TEST_CASE(last_step_may_end_with_memory) {  // hosts write only 20 bytes of it
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    const std::uint64_t at = kDeviceBase + kDeviceBytes - 24;
    m.device_memory.put32(at, 1);
    m.device_memory.put32(at + 4, GYRE_CMD_DCR_WRITE);
    m.device_memory.put64(at + 8, 0x42);
    m.device_memory.put64(at + 16, 77);
    m.submit(Commands().op(GYRE_CMD_DRAW, {at}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK(m.log.writes.at(0) == std::make_pair(0x42u, 77u));
  });
}

BOOST_AUTO_TEST_CASE(forbidden_steps) {
  for (unsigned opcode : {1u, 2u, 3u, 8u, 9u, 0x0Cu, 0x0Du, 0xFFu}) {
    for (bool original : {false, true}) {
      on_machine(original ? compat() : MachineConfig{}, [&](Bench& m) {
        m.set_up();
        put_draw(m, 3, {{GYRE_CMD_DCR_WRITE, 0x41, 1}, {opcode, kDraw}, {GYRE_CMD_DCR_WRITE, 0x41, 2}});
        m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
        m.wait_idle();
        GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), original ? 0u : 6u | opcode << 8);
        GYRE_CHECK_EQUAL(m.log.writes.size(), original ? 2u : 1u);
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(errors_inside_a_draw_name_the_step) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    put_qmd(m, kQmd, 65, 0);
    put_draw(m, 2, {{GYRE_CMD_LAUNCH, 0}, {GYRE_CMD_LAUNCH_QMD, kQmd}});
    m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0B04u);
    GYRE_CHECK_EQUAL(m.device.launches, 1u);
  });
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    put_draw(m, 2, {{GYRE_CMD_LAUNCH, 0}, {GYRE_CMD_DCR_WRITE, 0x41, 1}});
    m.device.fault = true;
    m.submit(Commands().op(GYRE_CMD_DRAW, {kDraw}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x060Au);
    GYRE_CHECK(m.log.writes.empty());
  });
}

BOOST_AUTO_TEST_CASE(a_unit_that_faults_on_a_register_write_stops_the_queue_there) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.set_up();
    m.log.hook = [&](unsigned reg, std::uint32_t value) {
      if (reg == GYRE_DCR_OM_RT_SELECT && value >= GYRE_OM_MAX_RT) m.ctx.faults.raise({18, 0xFFFF, 14, 0, reg});
    };
    m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {GYRE_DCR_OM_RT_SELECT, 4}).op(GYRE_CMD_LAUNCH, {0}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x040Au);
    GYRE_CHECK_EQUAL(m.device.launches, 0u);
  });
}

BOOST_AUTO_TEST_CASE(virtual_addresses) {
  on_machine(with_vm(), [](Bench& m) {
    m.set_up();
    put_tables(m);
    put_qmd(m, kDeviceBase + 0x8010, 2, 2);
    m.submit(Commands().op(GYRE_CMD_LAUNCH_QMD, {0x40400010}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(m.log.writes.size(), 2u);
    // through the superpage, and physical on request
    std::memset(m.host_memory.at(kHostBase + 0x20000), 0x77, 9000);
    m.submit(Commands().op(GYRE_CMD_MEM_WRITE, {0x80000000 + kDeviceBase + 0x50000, kHostBase + 0x20000, 9000}));
    m.submit(Commands().op(GYRE_CMD_MEM_WRITE, {kDeviceBase + 0x60000, kHostBase + 0x20000, 9000}, 4));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
    GYRE_CHECK_EQUAL(*m.device_memory.at(kDeviceBase + 0x50000 + 8999), 0x77);
    GYRE_CHECK_EQUAL(*m.device_memory.at(kDeviceBase + 0x60000 + 8999), 0x77);
    // past the mapped page
    m.submit(Commands().op(GYRE_CMD_MEM_WRITE, {0x40400FF0, kHostBase + 0x20000, 100}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x00030108u);
    GYRE_CHECK_EQUAL(*m.device_memory.at(kDeviceBase + 0x8FFF), 0x77);
  });
  on_machine(with_vm(), [](Bench& m) {
    m.set_up();
    put_tables(m);
    m.submit(Commands().op(GYRE_CMD_DRAW, {0xC0000000}));  // misaligned superpage
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x0C08u);
  });
}

BOOST_AUTO_TEST_CASE(compat_passes_unmapped_addresses_through) {
  MachineConfig config = with_vm();
  config.gpu.cp.compat = true;
  on_machine(config, [](Bench& m) {
    m.set_up();
    put_tables(m);
    m.submit(Commands().op(GYRE_CMD_MEM_WRITE, {kDeviceBase + 0x70000, kHostBase, 8}));
    m.wait_idle();
    GYRE_CHECK_EQUAL(m.error_code(), 0u);
  });
}

BOOST_AUTO_TEST_CASE(buffers_outside_the_pinned_slab) {
  for (unsigned reg : {0x041u, 0x060u, 0x062u, 0x080u, 0x083u}) {
    on_machine(with_vm(), [&](Bench& m) {
      m.set_up();
      m.submit(Commands()
                   .op(GYRE_CMD_DCR_WRITE, {reg, 0x00100FC0 >> 6})
                   .op(GYRE_CMD_DCR_WRITE, {0x061, 1})
                   .op(GYRE_CMD_DCR_WRITE, {reg, 0x00101000 >> 6}));
      m.wait_idle();
      GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_ERROR), 0x00020407u);
      GYRE_CHECK_EQUAL(m.log.writes.size(), 2u);
      GYRE_CHECK_EQUAL(m.ctx.lints.findings().size(), std::size_t{1});
      const auto found = m.ctx.lints.findings().find({kernel::Lint::kPinnedSlab, reg});
      GYRE_CHECK(found != m.ctx.lints.findings().end());
      GYRE_CHECK(found->second.what.find("0x101000, outside the pinned slab from 0x100000 to 0x100fff") !=
                 std::string::npos);
    });
  }
}

BOOST_AUTO_TEST_CASE(a_buffer_outside_the_slab_can_end_the_run) {
  MachineConfig config = with_vm();
  config.lint.pinned_slab = Severity::kError;
  gyre::test::run_forked([&] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    Bench m("machine", config, true);
    m.script = [&] {
      m.set_up();
      m.submit(Commands().op(GYRE_CMD_DCR_WRITE, {GYRE_DCR_OM_ZBUF_ADDR, 0}));
      m.wait_idle();
    };
    gyre::kernel::simulate();
    GYRE_CHECK(!m.finished);
    GYRE_CHECK_EQUAL(m.ctx.lints.failure().rfind("lint pinned-slab: DCR 0x083 (OM_ZBUF_ADDR): is given address 0x0", 0),
                     std::size_t{0});
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
