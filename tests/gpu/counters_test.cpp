// Counters of the device (isa.md §8): a host read names class and core, and chooses what kernels read.
#include <array>
#include <boost/test/unit_test.hpp>

#include "device_bench.h"
#include "device_map.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr u32 kResult = GYRE_DEV_USER_BASE;

MachineConfig two_cores() {
  MachineConfig m;
  m.gpu.cores = 2;
  return m;
}

struct Bench : DeviceBench {
  explicit Bench(sc_core::sc_module_name name, const MachineConfig& machine = two_cores())
      : DeviceBench(name, machine) {}
  // Runs a program of nine instructions on a core: what it reads of the counters 06, 07 and 1E.
  std::array<u32, 3> run(unsigned core) {
    Asm k(kCode);
    k.csrr(a1, 0xB06);
    k.csrr(a2, 0xB07);
    k.csrr(a3, 0xB1E);
    k.li(a0, kResult);
    k.sw(a1, a0);
    k.sw(a2, a0, 4);
    k.sw(a3, a0, 8);
    k.word(enc::r(0x0B, 7, 0, 0, 0, 0));
    k.tmc(zero);
    load(kCode, k.finish());
    run_program(core);
    std::array<u32, 3> out;
    memory.read(kResult, out.data(), sizeof out);
    return out;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_counters)

BOOST_AUTO_TEST_CASE(a_host_read_names_a_core_and_chooses_the_class_of_the_kernels) {
  run_forked([] {
    Bench bench("bench");
    kernel::simulate(0);
    for (u32 value : bench.run(1)) GYRE_CHECK_EQUAL(value, 0u);  // class 0 at reset
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_CORE, 0x06, 1), 9u);
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_CORE, 0x06, 0), 0u);
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_CORE, 0x06 | 0x20, 1), 0u);  // upper half
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_CORE, 0x1E, 1), 3u);
    const auto second = bench.run(1);  // the tenth instruction of the core reads first
    GYRE_CHECK_EQUAL(second[0], 10u);
    GYRE_CHECK_EQUAL(second[1], 11u);
    GYRE_CHECK_EQUAL(second[2], 3u);
    const auto other = bench.run(0);  // each core has its own
    GYRE_CHECK_EQUAL(other[0], 1u);
    GYRE_CHECK_EQUAL(other[2], 0u);
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_MEM, 0x07, 1), 0u);
    for (u32 value : bench.run(1)) GYRE_CHECK_EQUAL(value, 0u);  // no such counters in class 7
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_CORE, 0x06, 2), 0u);    // no such core
    return std::string();
  });
}

// Host reads of the classes of caches and memory are the counters of the report, of the units that serve the core; a
// kernel reads the same through its CSRs.
BOOST_AUTO_TEST_CASE(classes_of_caches_and_memory_are_the_counters_of_the_report) {
  run_forked([] {
    MachineConfig machine;
    machine.gpu.clusters = machine.gpu.sockets = 2;
    machine.gpu.l2.enabled = machine.gpu.l3.enabled = true;
    Bench bench("bench", machine);
    kernel::simulate(0);
    const auto reported = [&](const std::string& name) {
      for (const auto& [entry, value] : bench.ctx.counters.entries())
        if (entry.size() >= name.size() && entry.compare(entry.size() - name.size(), name.size(), name) == 0) return *value;
      GYRE_CHECK(false && "no such counter");
      return std::uint64_t{0};
    };
    const char* const data[] = {"reads", "writes", "read_misses", "write_misses", "evictions", "bank_stalls", "mshr_stalls"};
    const auto compare = [&](unsigned core, const std::string& cluster, const std::string& socket) {
      for (unsigned i = 0; i < std::size(data); ++i) {
        GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_DCACHE, 3 + i, core), reported(socket + "dcache0." + data[i]));
        GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_L2, 3 + i, core), reported(cluster + "l2." + data[i]));
        GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_L3, 3 + i, core), reported(std::string("gpu.l3.") + data[i]));
      }
      GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_ICACHE, 3, core), reported(socket + "icache0.reads"));
      GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_ICACHE, 4, core), reported(socket + "icache0.read_misses"));
      GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_ICACHE, 5, core), reported(socket + "icache0.mshr_stalls"));
      const char* const memory[] = {"reads", "writes", "read_latency", "bus_stalls"};
      for (unsigned i = 0; i < std::size(memory); ++i)
        GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_MEM, 3 + i, core), reported(std::string("gpu.memory.dram.") + memory[i]));
    };
    bench.run(0);
    GYRE_CHECK(bench.read(GYRE_MPM_ICACHE, 3, 0) > 0 && bench.read(GYRE_MPM_DCACHE, 4, 0) == 3);
    compare(0, "gpu.cluster0.", "gpu.cluster0.socket0.");
    compare(3, "gpu.cluster1.", "gpu.cluster1.socket1.");
    GYRE_CHECK_EQUAL(bench.read(GYRE_MPM_DCACHE, 4, 3), 0u);  // of another socket
    // Index 6 and 7 at the start of the next run: nothing has been stored since.
    for (const unsigned cls : {GYRE_MPM_DCACHE, GYRE_MPM_L2, GYRE_MPM_L3}) {
      const u32 misses = bench.read(cls, 6, 0), evictions = bench.read(cls, 7, 0);
      const auto seen = bench.run(0);
      GYRE_CHECK_EQUAL(seen[0], misses);
      GYRE_CHECK_EQUAL(seen[1], evictions);
    }
    compare(0, "gpu.cluster0.", "gpu.cluster0.socket0.");
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
