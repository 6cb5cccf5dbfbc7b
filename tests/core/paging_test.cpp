// Kernels under virtual memory in both styles: gathers over many pages, code on many pages, TLBs of one entry, tables
// that are flushed while walks are under way. Values are those of the tables; what is counted adds up; a run repeats.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "cached_rig.h"
#include "requests_rig.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

constexpr u32 kRoot = 0x00100000, kLeaves = kRoot + 0x1000, kFrames = 0x00200000, kPages = 64;
constexpr u32 kVirtual = 0x40000000, kResults = 0x00050000, kSatp = 0x80000000u | kRoot / 4096;

struct Case {
  const char* what;
  void (*change)(GpuConfig& gpu);
  bool caches = true;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.what; }

const std::vector<Case> kCases = {
    {"as configured", [](GpuConfig&) {}},
    {"TLBs of one entry, one walker",
     [](GpuConfig& g) {
       g.mmu.itlb = g.mmu.dtlb = g.mmu.l2tlb = g.mmu.l2tlb_ways = g.mmu.walkers = 1;
       g.mmu.walk_cache = 0;
     }},
    {"second level of four, eight walkers",
     [](GpuConfig& g) {
       g.mmu.dtlb = 2;
       g.mmu.l2tlb = 4;
       g.mmu.walkers = 8;
       g.mmu.l2tlb_latency = 0;
     }},
    {"one MSHR, a pool of one",
     [](GpuConfig& g) {
       g.mmu.dtlb = 1;
       g.dcache.mshr = g.icache.mshr = g.core.lsu_pending = 1;
     }},
    {"no caches", [](GpuConfig& g) { g.mmu.dtlb = g.mmu.l2tlb = g.mmu.l2tlb_ways = 1; }, false},
};

// The image and the first 4 MiB in place; pages from kVirtual on in frames in another order.
void put_tables(TestMemory& memory, const std::vector<u32>& frame) {
  memory.put(kRoot + (kImage >> 22) * 4, kImage >> 2 | 0xF);
  memory.put(kRoot, 0 | 0xF);
  memory.put(kRoot + (kVirtual >> 22) * 4, kLeaves >> 2 | 1);
  for (u32 page = 0; page < kPages; ++page) memory.put(kLeaves + page * 4, frame[page] >> 2 | 0xF);
}
std::vector<u32> shuffled(std::mt19937& random) {
  std::vector<u32> frame(kPages);
  for (u32 page = 0; page < kPages; ++page) frame[page] = kFrames + page * 4096;
  for (u32 page = kPages; page > 1; --page) std::swap(frame[page - 1], frame[random() % page]);
  return frame;
}

void check_counts(const core::Engine& engine, unsigned translations) {
  const core::MmuCounters& c = engine.mmu->counters();
  GYRE_CHECK_EQUAL(c.reads, c.hits + c.misses);
  GYRE_CHECK_EQUAL(c.misses, c.second_hits + c.second_misses);
  GYRE_CHECK_EQUAL(c.walks, c.second_misses);
  GYRE_CHECK(c.walk_reads <= 2 * c.walks && c.walk_reads >= c.walks);
  GYRE_CHECK(c.reads >= translations && c.walks > 0 && c.faults == 0);
}

std::string text_of(const Rig& rig) {
  std::string text = std::to_string(rig.ctx.busy.last_stamp());
  for (const auto& [name, value] : rig.ctx.counters.entries()) text += " " + name + "=" + std::to_string(*value);
  return text;
}

// Every thread adds up words of pages of its own choice, and writes each of them back, one more.
template <class RigT>
std::string gather(const Case& c, unsigned seed) {
  RigConfig shape;
  shape.warps = 8;
  RigT rig(shape, [&](MachineConfig& m) {
    m.gpu.vm = true;
    c.change(m.gpu);
  }, c.caches);
  std::mt19937 random(seed);
  put_tables(rig.memory, shuffled(random));
  std::vector<u32> frame(kPages);
  for (u32 page = 0; page < kPages; ++page) frame[page] = rig.memory.word(kLeaves + page * 4) >> 10 << 12;
  constexpr u32 kThreads = 32, kSteps = 24;
  // Thread t uses word t of the pages on its list.
  std::vector<u32> expected(kThreads);
  std::vector<std::vector<u32>> value(kPages, std::vector<u32>(kThreads));
  for (u32 page = 0; page < kPages; ++page)
    for (u32 t = 0; t < kThreads; ++t) rig.memory.put(frame[page] + 4 * t, value[page][t] = static_cast<u32>(random()));
  for (u32 t = 0; t < kThreads; ++t)
    for (u32 i = 0; i < kSteps; ++i) {
      const u32 page = random() % 3 == 0 ? i % kPages : static_cast<u32>(random()) % kPages;
      rig.memory.put(kData + (t * kSteps + i) * 4, kVirtual + page * 4096 + 4 * t);
      expected[t] += value[page][t]++;
    }
  Asm k(kKernel);
  k.li(t0, kSatp);
  k.csrw(GYRE_CSR_SATP, t0);
  result_address(k, s1, t1);
  k.sub(s1, s1, a0);  // 4 * thread
  k.li(t1, kSteps);
  k.mul(s2, s1, t1);
  k.add(s2, s2, a0);
  k.li(s3, 0);
  k.li(s0, kSteps);
  const int top = k.bound();
  k.lw(t2, s2);
  k.addi(s2, s2, 4);
  k.lw(t3, t2);
  k.add(s3, s3, t3);
  k.addi(t3, t3, 1);
  k.sw(t3, t2);
  k.addi(s0, s0, -1);
  k.bnez(s0, top);
  k.li(t1, kResults);
  k.add(s1, s1, t1);
  k.sw(s3, s1);
  k.ret();
  rig.program(k);
  rig.grid(kThreads / 4, 4);
  rig.run_to_idle();
  rig.check();
  GYRE_CHECK(!rig.ctx.faults.valid());
  for (u32 t = 0; t < kThreads; ++t) GYRE_CHECK_EQUAL(rig.memory.word(kResults + 4 * t), expected[t]);
  for (u32 page = 0; page < kPages; ++page)
    for (u32 t = 0; t < kThreads; ++t) GYRE_CHECK_EQUAL(rig.memory.word(frame[page] + 4 * t), value[page][t]);
  check_counts(rig.core.engine(), 8 * kSteps);
  return text_of(rig);
}

// Code that goes round over all pages, each of which adds its number; every warp begins at another one. `flush`: each
// also writes satp, which empties the TLBs under the walks of the others.
template <class RigT>
std::string round_trip(const Case& c, unsigned seed, bool flush) {
  RigConfig shape;
  shape.warps = 4;
  RigT rig(shape, [&](MachineConfig& m) {
    m.gpu.vm = true;
    c.change(m.gpu);
  }, c.caches);
  std::mt19937 random(seed);
  const std::vector<u32> frame = shuffled(random);
  put_tables(rig.memory, frame);
  constexpr u32 kRounds = 2;
  for (u32 page = 0; page < kPages; ++page) {
    Asm k(kVirtual + page * 4096);
    const int end = k.label();
    k.addi(s3, s3, static_cast<int>(page));
    if (flush && page % 8 == 3) k.csrw(GYRE_CSR_SATP, page % 16 == 3 ? t4 : t5);
    k.addi(s0, s0, -1);
    k.beqz(s0, end);
    k.li(t0, kVirtual + (page + 1) % kPages * 4096);
    k.word(enc::i(0x67, 0, 0, t0, 0));
    k.bind(end);
    k.ret();
    rig.memory.load(frame[page], k.finish());
  }
  Asm k(kKernel);
  k.li(t4, kSatp);
  k.li(t5, kSatp | 1u << 22);  // another address space: the same tables, and the TLBs are emptied
  k.csrw(GYRE_CSR_SATP, t4);
  result_address(k, s1, t1);
  k.mv(s2, ra);
  k.csrr(t0, GYRE_CSR_CTA_BLOCK_ID_X);
  k.slli(t0, t0, 16);
  k.li(t1, kVirtual);
  k.add(t0, t0, t1);
  k.li(s3, 0);
  k.li(s0, kRounds * kPages);
  k.word(enc::i(0x67, 0, ra, t0, 0));
  k.mv(ra, s2);
  k.sw(s3, s1);
  k.ret();
  rig.program(k);
  rig.grid(4, 4);
  rig.run_to_idle();
  rig.check();
  GYRE_CHECK(!rig.ctx.faults.valid());
  for (u32 t = 0; t < 16; ++t) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t), kRounds * kPages * (kPages - 1) / 2);
  check_counts(rig.core.engine(), 4 * kRounds * kPages);
  return text_of(rig);
}

template <class Run>
void twice(Run run) {
  const std::string first = run_forked(run);
  BOOST_TEST(run_forked(run) == first);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_paging)

BOOST_DATA_TEST_CASE(gathers_find_their_pages, data::make(kCases) * data::xrange(2u), c, seed) {
  twice([&] { return gather<CachedRig>(c, seed); });
  twice([&] { return gather<RequestsRig>(c, seed); });
}

BOOST_DATA_TEST_CASE(code_is_found_on_its_pages, data::make(kCases) * data::make({false, true}), c, flush) {
  twice([&] { return round_trip<CachedRig>(c, 5, flush); });
  twice([&] { return round_trip<RequestsRig>(c, 5, flush); });
}

BOOST_AUTO_TEST_SUITE_END()
