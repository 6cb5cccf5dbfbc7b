// The lints on one core: which lanes a divergent branch concerns, for every branch and both register widths, and how
// findings are counted.
#include <boost/test/unit_test.hpp>

#include "cached_rig.h"
#include "requests_rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr unsigned kBranches[] = {0, 1, 4, 5, 6, 7};  // funct3: beq bne blt bge bltu bgeu

bool holds(unsigned funct3, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (funct3) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 4:
      return a < b;
    case 5:
      return a >= b;
    case 6:
      return ua < ub;
    default:
      return ua >= ub;
  }
}

std::string check_branch(unsigned xlen, unsigned threads, unsigned funct3, bool some) {
  RigConfig c;
  c.threads = threads;
  Rig rig(c, [&](MachineConfig& m) { m.gpu.core.xlen = xlen; });
  // Lane t compares (t - 2) with t & 1, on RV64 both shifted to where only 64 bits tell them apart.
  Asm k(kKernel);
  k.csrr(t0, GYRE_CSR_THREAD_ID);
  k.andi(t1, t0, 1);
  k.addi(t0, t0, -2);
  if (xlen == 64) {
    k.slli(t0, t0, 33);
    k.slli(t1, t1, 33);
  }
  const u32 branch = kKernel + (xlen == 64 ? 20 : 12);
  k.word(enc::b(funct3, t0, t1, 4));
  k.ret();
  rig.program(k);
  rig.grid(2, some ? threads - 1 : threads);
  rig.run_to_idle();
  const unsigned active = some ? threads - 1 : threads;
  const bool decided = holds(funct3, std::int64_t{active} - 3, (active - 1) & 1);
  u32 lanes = 0;
  for (unsigned t = 0; t < active; ++t)
    if (holds(funct3, std::int64_t{t} - 2, t & 1) != decided) lanes |= 1u << t;
  const auto& findings = rig.ctx.lints.findings();
  GYRE_CHECK_EQUAL(findings.size(), std::size_t{lanes != 0});
  GYRE_CHECK_EQUAL(rig.ctx.lints.count(kernel::Lint::kDivergentBranch), std::uint64_t{lanes != 0 ? 2u : 0u});
  if (lanes == 0) return {};
  const auto& [key, finding] = *findings.begin();
  GYRE_CHECK(key.first == kernel::Lint::kDivergentBranch);
  GYRE_CHECK_EQUAL(finding.pc, std::uint64_t{branch});
  GYRE_CHECK_EQUAL(finding.lanes, lanes);
  GYRE_CHECK_EQUAL(finding.count, std::uint64_t{2});
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_lints)

BOOST_AUTO_TEST_CASE(lanes_of_a_divergent_branch) {
  for (const unsigned xlen : {32u, 64u})
    for (const unsigned threads : {2u, 8u, 32u})
      for (const unsigned funct3 : kBranches)
        for (const bool some : {false, true}) run_forked([&] { return check_branch(xlen, threads, funct3, some); });
}

// Severity error stops the simulation; what has been found before stays.
BOOST_AUTO_TEST_CASE(error_stops) {
  run_forked([] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    Rig rig({}, [](MachineConfig& m) { m.lint.unmapped = Severity::kError; });
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.word(enc::b(1, t0, zero, 4));  // divergent: a warning
    k.lw(t0, zero);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run();
    GYRE_CHECK(rig.ctx.lints.failed());
    GYRE_CHECK(sc_core::sc_get_status() == sc_core::SC_STOPPED);
    GYRE_CHECK_EQUAL(rig.ctx.lints.findings().size(), std::size_t{2});
    GYRE_CHECK(rig.ctx.lints.failure().rfind("lint unmapped: core 0, warp 0, lanes 0xf, pc 0x80001008", 0) == 0);
    return std::string();
  });
}

// A fault still kills the warp, and is counted, whatever the lint thinks of it.
BOOST_AUTO_TEST_CASE(off_changes_nothing) {
  for (const Severity severity : {Severity::kOff, Severity::kWarn})
    run_forked([&] {
      Rig rig({},
              [&](MachineConfig& m) { m.lint.unmapped = m.lint.divergent_branch = m.lint.ipdom_imbalance = severity; });
      Asm k(kKernel);
      k.csrr(t0, GYRE_CSR_THREAD_ID);
      k.word(enc::b(1, t0, zero, 4));
      k.andi(t0, t0, 1);
      k.split(t1, t0);
      k.li(t1, 9);
      k.join(t1);
      k.lw(t0, zero);
      k.ret();
      rig.program(k);
      rig.grid(1, 4);
      rig.run_to_idle();
      GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{1});
      GYRE_CHECK_EQUAL(rig.core.engine().count.ipdom_imbalance, std::uint64_t{2});  // both sides come by
      GYRE_CHECK_EQUAL(rig.ctx.faults.count(), std::uint64_t{1});
      GYRE_CHECK_EQUAL(rig.ctx.lints.findings().size(), std::size_t{severity == Severity::kOff ? 0u : 3u});
      return std::string();
    });
}

namespace {

// Loads words twice, with or without a FENCE that flushes between. The cache has held their line for long; somebody may
// have written one of them since.
template <class StyledRig>
std::string check_stale(unsigned lanes, bool flushes, bool written, bool on) {
  RigConfig c;
  c.threads = lanes;
  StyledRig rig(c, [&](MachineConfig& m) {
    m.gpu.core.fence_flush = true;
    m.lint.stale_line = on ? Severity::kWarn : Severity::kOff;
  });
  constexpr u32 kData = 0x20000;
  Asm k(kKernel);
  k.csrr(t0, GYRE_CSR_THREAD_ID);
  k.slli(t0, t0, 2);
  k.li(t1, kData);
  k.add(t1, t1, t0);
  k.lw(t2, t1);
  k.word(enc::s(0x23, 2, t1, t2, 4 * static_cast<std::int32_t>(lanes)));  // a neighbour's word: its own store
  if (flushes) k.word(0x0000000F);                                       // FENCE
  k.lw(t2, t1, 4 * static_cast<std::int32_t>(lanes));
  k.lw(t2, t1);
  k.ret();
  rig.program(k);
  rig.grid(1, lanes);
  rig.launches[0].stamp = 2000;
  rig.warm(kData);
  if (on && written) rig.caches.lines()->written(kData + 4, 4);  // DMA: the word of lane 1
  GYRE_CHECK_EQUAL(rig.caches.lines() != nullptr, on);
  rig.run_to_idle();
  rig.check();
  const auto& findings = rig.ctx.lints.findings();
  GYRE_CHECK_EQUAL(findings.size(), std::size_t{!on || !written ? 0u : flushes ? 1u : 2u});
  if (findings.empty()) return {};
  const auto& [key, first] = *findings.begin();
  GYRE_CHECK(key.first == kernel::Lint::kStaleLine);
  GYRE_CHECK_EQUAL(first.lanes, 2u);
  GYRE_CHECK(first.what.find("load at 0x20004 gets an old value") == 0);
  GYRE_CHECK(first.what.find("the command processor (DMA) wrote it") != std::string::npos);
  return {};
}

}  // namespace

// Words of others' writes are named, those of the core's own and of neighbours are not.
BOOST_AUTO_TEST_CASE(stale_lines) {
  for (const unsigned lanes : {2u, 4u, 8u})
    for (const bool flushes : {false, true})
      for (const bool written : {false, true})
        for (const bool on : {false, true}) {
          run_forked([&] { return check_stale<CachedRig>(lanes, flushes, written, on); });
          run_forked([&] { return check_stale<RequestsRig>(lanes, flushes, written, on); });
        }
}

BOOST_AUTO_TEST_SUITE_END()
