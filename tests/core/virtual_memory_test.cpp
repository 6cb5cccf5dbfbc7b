// Virtual memory of a core (memory.md §9): the MMU against a walk written for the test, on random tables; kernels that
// reach memory through translations, fault without, and count.
#include <boost/test/unit_test.hpp>
#include <random>

#include "cached_rig.h"
#include "requests_rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr u32 kRoot = 0x00100000, kSpread = 64;  // tables: pages from kRoot on
constexpr u32 kSv32Mode = 0x80000000u;

void put64(TestMemory& memory, u32 at, std::uint64_t value) {
  memory.put(at, static_cast<u32>(value));
  memory.put(at + 4, static_cast<u32>(value >> 32));
}

// What the architecture says, word by word. Entries: V and a kind of R, W, X at random.
bool reference_walk(TestMemory& memory, bool wide, u32 address, u32* physical) {
  *physical = address;
  if (address < GYRE_DEV_IO_END || address >= GYRE_DEV_APERTURE_BASE) return true;
  std::uint64_t table = kRoot;
  for (int level = wide ? 2 : 1; level >= 0; --level) {
    const unsigned shift = 12 + static_cast<unsigned>(level) * (wide ? 9 : 10);
    const std::uint64_t at = table + (address >> shift & (wide ? 511 : 1023)) * (wide ? 8 : 4);
    if (memory.at(at, 8) == nullptr) return false;
    std::uint64_t entry = memory.word(static_cast<u32>(at));
    if (wide) entry |= std::uint64_t{memory.word(static_cast<u32>(at) + 4)} << 32;
    if ((entry & 1) == 0) return false;
    const std::uint64_t frame = (entry << 10 >> 20) * 4096;  // without the ten upper bits of Sv39
    if (frame >> 32 != 0) return false;
    if ((entry & 0xE) != 0) {
      if ((frame & ((1ull << shift) - 1)) != 0) return false;
      *physical = static_cast<u32>(frame) | (address & ((1u << shift) - 1));
      return true;
    }
    table = frame;
  }
  return false;
}

std::string check_random(bool wide, unsigned seed, unsigned walk_cache) {
  CachedRig rig({}, [&](MachineConfig& m) {
    m.gpu.vm = true;
    m.gpu.core.xlen = wide ? 64 : 32;
    m.gpu.mmu.walk_cache = walk_cache;
    m.gpu.mmu.l2tlb = 32;
  });
  kernel::simulate(0);
  std::mt19937 random(seed);
  const auto pick = [&](u32 n) { return static_cast<u32>(random() % n); };
  // Every entry of every table may be a table, a page, a superpage, crooked or nothing.
  const unsigned bytes = wide ? 8 : 4;
  for (u32 at = kRoot; at < kRoot + kSpread * 4096; at += bytes) {
    const u32 kind = at < kRoot + 4096 && pick(4) != 0 ? 1 : pick(8);  // the root leads somewhere
    std::uint64_t frame = kRoot / 4096 + pick(kSpread);
    if (kind == 5) frame = pick(1u << 20);
    if (kind == 6) frame = std::uint64_t{pick(1u << 10)} << 10;
    const std::uint64_t bits = kind == 0 ? 0 : kind < 4 ? 1 : 1 | (1 + pick(7)) << 1;
    const std::uint64_t entry = frame << 10 | bits | pick(4) << 8;
    if (wide)
      put64(rig.memory, at, entry | (pick(16) == 0 ? 1ull << 50 : 0));
    else
      rig.memory.put(at, static_cast<u32>(entry));
  }
  core::Mmu& mmu = *rig.core.engine().mmu;
  GYRE_CHECK(mmu.set_satp(wide ? 8ull << 60 | kRoot / 4096 : kSv32Mode | kRoot / 4096));
  GYRE_CHECK(!mmu.set_satp(wide ? 9ull << 60 | kRoot / 4096 : kRoot / 4096));
  GYRE_CHECK(mmu.set_satp(wide ? 8ull << 60 | kRoot / 4096 : kSv32Mode | kRoot / 4096));
  const auto& count = mmu.counters();
  unsigned good = 0, bad = 0;
  std::vector<u32> known;
  for (unsigned i = 0; i < 6000; ++i) {
    const u32 address = !known.empty() && pick(2) != 0
                            ? (known[pick(static_cast<u32>(known.size()))] & ~0xFFFu) | pick(4096)
                            : static_cast<u32>(random());
    u32 expected = 0, physical = 0, peeked = 0;
    const bool exists = reference_walk(rig.memory, wide, address, &expected);
    kernel::Cycle at = 1000 * (i + 1);
    const kernel::Cycle asked = at;
    const std::uint64_t hits = count.hits;
    const bool ok =
        mmu.translate(pick(2) != 0 ? core::Mmu::Side::kData : core::Mmu::Side::kFetch, address, &physical, &at);
    GYRE_CHECK_EQUAL(ok, exists);
    GYRE_CHECK_EQUAL(mmu.peek(address, &peeked), exists);
    if (ok) GYRE_CHECK_EQUAL(physical, expected);
    if (ok) GYRE_CHECK_EQUAL(peeked, expected);
    const bool direct = address < GYRE_DEV_IO_END || address >= GYRE_DEV_APERTURE_BASE;
    GYRE_CHECK((at == asked) == (direct || count.hits != hits));
    if (ok && !direct && known.size() < 40) known.push_back(address);
    ++(ok ? good : bad);
  }
  GYRE_CHECK(good > 500 && bad > 500);
  GYRE_CHECK_EQUAL(count.reads, count.hits + count.misses);
  GYRE_CHECK_EQUAL(count.misses, count.second_hits + count.second_misses);
  GYRE_CHECK_EQUAL(count.walks, count.second_misses);
  GYRE_CHECK(count.evictions > 0 && count.hits > 0 && count.second_hits > 0);
  GYRE_CHECK(count.walk_reads <= count.walks * (wide ? 3 : 2));
  return {};
}

// Tables for kernels: the image in place, kHigh -> kPage (readable only), nothing else. Sv32.
constexpr u32 kHigh = 0x40400000, kPage = 0x00020000, kNowhere = 0x40401000;
void put_tables(TestMemory& memory) {
  const u32 leaf = kRoot + 0x1000;
  memory.put(kRoot + (kImage >> 22) * 4, kImage >> 2 | 0xF);  // a superpage
  memory.put(kRoot + (kHigh >> 22) * 4, leaf >> 2 | 1);
  memory.put(leaf, kPage >> 2 | 3);
}

struct Outcome {
  std::uint64_t faults = 0;
  kernel::Fault first;
  u32 stored = 0, loaded = 0;
  core::MmuCounters count;
};

// Turns translation on, loads a word at kHigh + 4, writes it + 1 to kHigh + 8, then goes to `extra` if that is not 0.
template <class RigT>
Outcome run_kernel_on(u32 extra, bool jump, bool vm, bool caches) {
  Outcome outcome;
  RigT rig(
      {}, [&](MachineConfig& m) { m.gpu.vm = vm; }, caches);
  put_tables(rig.memory);
  rig.memory.put(kPage + 4, 41);
  Asm k(kKernel);
  k.li(t0, kSv32Mode | kRoot / 4096);
  k.csrw(GYRE_CSR_SATP, t0);
  k.li(t1, kHigh);
  k.lw(t2, t1, 4);
  k.addi(t2, t2, 1);
  k.sw(t2, t1, 8);
  k.lw(t2, t1, 8);
  k.li(t1, extra);
  if (extra != 0 && jump) k.word(enc::i(0x67, 0, 0, t1, 0));
  if (extra != 0 && !jump) k.lw(t2, t1);
  k.csrw(GYRE_CSR_SATP, zero);
  k.ret();
  rig.program(k);
  rig.grid(1, 4);
  rig.run_to_idle();
  rig.check();
  outcome.faults = rig.ctx.faults.count();
  if (outcome.faults != 0) outcome.first = rig.ctx.faults.first();
  outcome.stored = rig.memory.word(kPage + 8);
  if (vm) {
    outcome.count = rig.core.engine().mmu->counters();
    for (unsigned i = 0; i < 6; ++i) {
      const core::MmuCounters& m = outcome.count;
      const std::uint64_t values[] = {m.reads, m.hits, m.misses, m.evictions, m.walks, m.walk_cycles};
      if (rig.core.mpm(GYRE_MPM_MEM, 0x0B + i) != values[i]) outcome.faults += 100;
    }
  }
  return outcome;
}

Outcome run_kernel(Timing style, u32 extra, bool jump, bool vm, bool caches) {
  return style == Timing::kLoose ? run_kernel_on<CachedRig>(extra, jump, vm, caches)
                                 : run_kernel_on<RequestsRig>(extra, jump, vm, caches);
}
constexpr Timing kStyles[] = {Timing::kLoose, Timing::kApproximate};

}  // namespace

BOOST_AUTO_TEST_SUITE(core_virtual_memory)

BOOST_AUTO_TEST_CASE(translations_are_those_of_the_tables) {
  for (const bool wide : {false, true})
    for (const unsigned walk_cache : {0u, 1u, 16u})
      for (unsigned seed = 0; seed < 3; ++seed) run_forked([&] { return check_random(wide, seed, walk_cache); });
}

// The entry allows reading only: R, W and X are not checked.
BOOST_AUTO_TEST_CASE(a_kernel_reaches_a_remapped_page) {
  for (const Timing style : kStyles)
    for (const bool caches : {true, false})
      run_forked([&] {
        const Outcome o = run_kernel(style, 0, false, true, caches);
        GYRE_CHECK_EQUAL(o.faults, 0u);
        GYRE_CHECK_EQUAL(o.stored, 42u);
        // Data: a page, once walked. Fetch: the image, once walked in the second level for both of its pages.
        GYRE_CHECK(o.count.reads >= 4 && o.count.misses >= 2);
        GYRE_CHECK(o.count.walks >= 2 && o.count.walks <= 3);
        GYRE_CHECK(o.count.walk_cycles > o.count.walks);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(a_page_fault_ends_the_warp_and_names_the_address) {
  for (const Timing style : kStyles)
    for (const bool caches : {true, false})
      for (const bool jump : {false, true})
        run_forked([&] {
          const Outcome o = run_kernel(style, kNowhere, jump, true, caches);
          GYRE_CHECK_EQUAL(o.faults, 1u);
          GYRE_CHECK_EQUAL(o.first.cause, unsigned{GYRE_FAULT_PAGE});
          GYRE_CHECK_EQUAL(o.first.value, kNowhere);
          GYRE_CHECK((o.first.pc == kNowhere) == jump);
          GYRE_CHECK_EQUAL(o.stored, 42u);
          return std::string();
        });
}

BOOST_AUTO_TEST_CASE(satp_does_nothing_without_virtual_memory) {
  for (const Timing style : kStyles)
    run_forked([&] {
      const Outcome o = run_kernel(style, 0, false, false, true);  // kHigh is no memory
      GYRE_CHECK_EQUAL(o.first.cause, unsigned{GYRE_FAULT_ACCESS});
      GYRE_CHECK_EQUAL(o.first.value, kHigh + 4);
      return std::string();
    });
}

// Tables that change are seen after a flush of the core, not before.
BOOST_AUTO_TEST_CASE(translations_stay_until_the_flush) {
  run_forked([&] {
    CachedRig rig({}, [](MachineConfig& m) { m.gpu.vm = true; });
    kernel::simulate(0);
    put_tables(rig.memory);
    core::Mmu& mmu = *rig.core.engine().mmu;
    mmu.set_satp(kSv32Mode | kRoot / 4096);
    const auto look = [&] {
      u32 physical = 0;
      kernel::Cycle at = 0;
      GYRE_CHECK(mmu.translate(core::Mmu::Side::kData, kHigh + 12, &physical, &at));
      return physical;
    };
    GYRE_CHECK_EQUAL(look(), kPage + 12);
    rig.memory.put(kRoot + 0x1000, (kPage + 0x1000) >> 2 | 0xF);
    GYRE_CHECK_EQUAL(look(), kPage + 12);
    rig.core.invalidate_translations();
    GYRE_CHECK_EQUAL(look(), kPage + 0x1000 + 12);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
