#include <boost/test/unit_test.hpp>
#include <set>

#include "bench.h"
#include "error.h"

using namespace gyre;
using gyre::test::Bench;
using gyre::test::on_machine;

BOOST_AUTO_TEST_SUITE(registers)

BOOST_AUTO_TEST_CASE(capability_words_have_the_check_values) {  // cp.md §2.2
  const cp::Capabilities words = cp::capabilities(GpuConfig{});
  BOOST_TEST(words.cp_dev == 0x06061001u);
  BOOST_TEST(words.gpu_dev == 0x0000016438001200ull);
  BOOST_TEST(words.gpu_isa == 0x000001F340901120ull);
  BOOST_TEST(words.gfx == 0x2427u);
  GpuConfig compute;
  compute.tex.cores = compute.raster.cores = compute.om.cores = 0;
  BOOST_TEST(cp::capabilities(compute).gpu_isa >> 32 == 0x33u);
}

BOOST_AUTO_TEST_CASE(capability_words_follow_the_configuration) {
  GpuConfig gpu;
  gpu.core.threads = 32;
  gpu.core.warps = 16;
  gpu.cores = 4;
  gpu.sockets = 2;
  gpu.clusters = 8;
  gpu.core.lmem_bytes = 65536;
  gpu.raster.earlyz = true;
  gpu.raster.bin_log = 5;
  gpu.l2.enabled = true;
  gpu.cp.vm = true;
  const cp::Capabilities words = cp::capabilities(gpu);
  BOOST_TEST((words.gpu_dev >> 8 & 7) == 5u);
  BOOST_TEST((words.gpu_dev >> 11 & 7) == 4u);
  BOOST_TEST((words.gpu_dev >> 14 & 7) == 2u);
  BOOST_TEST((words.gpu_dev >> 17 & 7) == 1u);
  BOOST_TEST((words.gpu_dev >> 20 & 7) == 3u);
  BOOST_TEST((words.gpu_dev >> 26 & 0xFF) == 16u);
  BOOST_TEST((words.gpu_isa >> 32) == 0x1F7u);
  BOOST_TEST(words.gfx == 0x3425u);
  BOOST_TEST((words.cp_dev >> 24 & 1) == 1u);
  for (unsigned GpuConfig::*field : {&GpuConfig::clusters, &GpuConfig::sockets, &GpuConfig::cores}) {
    GpuConfig odd;
    odd.*field = 3;
    BOOST_CHECK_THROW(cp::capabilities(odd), UserError);
  }
  GpuConfig odd;
  odd.core.threads = 12;
  BOOST_CHECK_THROW(cp::capabilities(odd), UserError);
}

BOOST_AUTO_TEST_CASE(every_offset_of_the_map) {
  const std::set<unsigned> writable = {GYRE_CP_SATP_LO, GYRE_CP_SATP_HI, 0x100, 0x104, 0x108,
                                       0x10C,           0x110,           0x114, 0x118, 0x120};
  std::set<unsigned> known = {0x000, 0x004, 0x008, 0x010, 0x014, 0x018, 0x01C, 0x020, 0x024, 0x030,
                              0x034, 0x038, 0x03C, 0x040, 0x044, 0x11C, 0x124, 0x128, 0x12C, 0x130};
  known.insert(writable.begin(), writable.end());
  on_machine(MachineConfig{}, [&](Bench& m) {
    for (unsigned offset = 0; offset < 0x1000; offset += 4) {
      std::uint32_t word = 0;
      const bool readable = m.access(tlm::TLM_READ_COMMAND, offset, &word, 4);
      GYRE_CHECK_EQUAL(readable, known.count(offset) != 0);
      if (!readable) {
        GYRE_CHECK_EQUAL(word, 0xDEADBEEFu);
        word = 0x12345678;
        GYRE_CHECK(!m.access(tlm::TLM_WRITE_COMMAND, offset, &word, 4));
      }
      if (writable.count(offset) != 0) {
        m.write(offset, 0xA5C31200u + offset);
        GYRE_CHECK_EQUAL(m.read(offset), 0xA5C31200u + offset);
      }
    }
    // reset values, and read-only registers keep theirs
    for (unsigned offset : {0x008u, 0x018u, 0x01Cu, 0x020u, 0x024u, 0x044u, 0x128u, 0x12Cu, 0x130u}) {
      const std::uint32_t before = m.read(offset);
      m.write(offset, ~before);
      GYRE_CHECK_EQUAL(m.read(offset), before);
    }
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_STATUS), 0u);
  });
}

BOOST_AUTO_TEST_CASE(only_aligned_words) {
  on_machine(MachineConfig{}, [](Bench& m) {
    std::uint64_t data = 0;
    for (unsigned bytes : {1u, 2u, 8u, 16u}) {
      std::uint8_t buffer[16] = {};
      GYRE_CHECK(!m.access(tlm::TLM_READ_COMMAND, 0, buffer, bytes));
      GYRE_CHECK(!m.access(tlm::TLM_WRITE_COMMAND, 0x118, buffer, bytes));
    }
    for (unsigned offset : {1u, 2u, 3u, 0x119u}) GYRE_CHECK(!m.access(tlm::TLM_WRITE_COMMAND, offset, &data, 4));
    GYRE_CHECK(!m.access(tlm::TLM_READ_COMMAND, 0x1000, &data, 4));
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_RING_SIZE_LOG2), 16u);
  });
}

BOOST_AUTO_TEST_CASE(tail_is_committed_by_its_high_half) {
  on_machine(MachineConfig{}, [](Bench& m) {
    m.qwrite(GYRE_CPQ_TAIL_LO, 64);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_TAIL_LO), 64u);
    GYRE_CHECK_EQUAL(m.cp.queue().tail, 0u);
    m.qwrite(GYRE_CPQ_TAIL_HI, 0);
    GYRE_CHECK_EQUAL(m.cp.queue().tail, 64u);
    GYRE_CHECK_EQUAL(m.qread(GYRE_CPQ_TAIL_HI), 0u);
  });
}

BOOST_AUTO_TEST_CASE(cycle_counter_counts_gpu_cycles) {
  on_machine(MachineConfig{}, [](Bench& m) {
    const std::uint32_t before = m.read(GYRE_CP_CYCLE_LO);
    m.wait_cycles(12345);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_CYCLE_LO) - before, 12345u);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_CYCLE_HI), 0u);
  });
}

BOOST_AUTO_TEST_CASE(fault_record_is_shown_and_cleared_by_reset_all_only) {
  on_machine(MachineConfig{}, [](Bench& m) {
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO0), 0u);
    m.ctx.faults.raise({7, 0x102, 5, 0x80000040, 0xE0001000});
    m.ctx.faults.raise({1, 0, 0, 0, 0});
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO0), 0x87010205u);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO1), 0x80000040u);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO2), 0xE0001000u);
    m.qwrite(GYRE_CPQ_CONTROL, 2);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO0), 0x87010205u);
    m.write(GYRE_CP_CTRL, 3);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_FAULT_INFO0), 0u);
    GYRE_CHECK_EQUAL(m.read(GYRE_CP_CTRL), 1u);  // reset clears itself
  });
}

BOOST_AUTO_TEST_SUITE_END()
