// Device memory in time: closed forms of its kinds, and a second model of its rows.
#include "dram.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

using namespace gyre;
using kernel::Cycle;
using memory::Dram;

namespace {

constexpr std::uint64_t kPeriod = 2500;  // 400 MHz

DramConfig open_row(DramScheduler scheduler = DramScheduler::kFrFcfs) {
  DramConfig c;
  c.kind = DramKind::kOpenRow;
  c.scheduler = scheduler;
  return c;
}
// The address of a column of a row, with 2 banks of 16 row banks of 2 KiB interleaved every 64 bytes.
std::uint64_t address(unsigned bank, unsigned row_bank, unsigned row, unsigned column) {
  return (((std::uint64_t{row} * 16 + row_bank) * 32 + column) * 2 + bank) * 64;
}

// Cycles to move `blocks` consecutive blocks that are all asked for at once.
Cycle stream(const DramConfig& config, unsigned blocks) {
  Dram dram(memory::resolve(config, kPeriod));
  Cycle done = 0;
  for (unsigned i = 0; i < blocks; ++i) done = std::max(done, dram.read({64ull * i, 1}, 1000 + i / 8));
  return done - 1000;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_dram)

// A bus moves a block or waits for its row; what the other bank's bus does is its own.
BOOST_AUTO_TEST_CASE(a_bus_is_busy_or_waits_for_a_row) {
  Dram dram(open_row());
  dram.read({address(0, 0, 5, 0), 1}, 6400);  // closed: activate
  BOOST_TEST(dram.activity(0).busy == 1u);
  BOOST_TEST(dram.activity(0).memory == 20u);
  dram.read({address(0, 0, 5, 1), 1}, 6500);  // open
  BOOST_TEST(dram.activity(0).memory == 20u);
  dram.read({address(0, 0, 6, 0), 1}, 6600);  // precharge, activate
  dram.read({address(0, 1, 6, 0), 1}, 6605);  // another row bank, meanwhile
  BOOST_TEST(dram.activity(0).busy == 4u);
  BOOST_TEST(dram.activity(0).memory == 20u + 40);  // both wait at the same time
  BOOST_TEST(dram.activity(1).sum() == 0u);
  BOOST_TEST(dram.row_bank_work(0) == 20u + 1 + 1 + 40 + 1);
  BOOST_TEST(dram.row_bank_work(1) == 20u + 1);
}

BOOST_AUTO_TEST_CASE(flat_defaults_are_fifty_cycles_and_a_block_a_cycle_and_bank) {
  Dram dram(memory::resolve(DramConfig{}, kPeriod));
  BOOST_TEST(dram.read({0x1000, 1}, 100) == 150u);
  BOOST_TEST(dram.write({0x1000, 1}, 300) == 301u);  // posted
  BOOST_TEST(dram.atomic(0x1000, 400) == 451u);
  constexpr unsigned kBlocks = 4096;
  Cycle done = 0;
  for (unsigned i = 0; i < kBlocks; ++i) done = std::max(done, dram.read({64ull * i, 1}, 1024));
  BOOST_TEST(done <= 1024 + kBlocks / 2 + 50);
  BOOST_TEST(done > 1024 + kBlocks / 2 + 50 - kernel::Calendar::kBucketCycles - 1);
  BOOST_TEST(dram.counters().busy == kBlocks + 4);
}

BOOST_AUTO_TEST_CASE(a_bus_is_taken_for_its_burst) {
  for (const unsigned burst : {1u, 2u, 4u, 8u}) {
    DramConfig c;
    c.burst = burst;
    BOOST_TEST(static_cast<double>(stream(c, 4096)) == 4096.0 * burst / 2 + 50,
               boost::test_tools::tolerance(0.05));
  }
}

BOOST_AUTO_TEST_CASE(open_row_hit_miss_conflict) {
  Dram dram(open_row());
  BOOST_TEST(dram.read({address(0, 3, 7, 0), 1}, 1000) == 1060u);  // closed
  BOOST_TEST(dram.read({address(0, 3, 7, 9), 1}, 2000) == 2040u);  // open
  BOOST_TEST(dram.read({address(0, 3, 8, 9), 1}, 3000) == 3080u);  // another one
  BOOST_TEST(dram.read({address(0, 4, 8, 9), 1}, 4000) == 4060u);  // another bank of rows
  BOOST_TEST(dram.read({address(1, 3, 8, 9), 1}, 5000) == 5060u);
  const auto& c = dram.counters();
  BOOST_TEST(c.row_hits == 1u);
  BOOST_TEST(c.row_misses == 3u);
  BOOST_TEST(c.row_conflicts == 1u);
}

// Requests far apart in time: the rows a map of open rows says.
BOOST_DATA_TEST_CASE(rows_as_the_second_model_says,
                     boost::unit_test::data::make({"fr_fcfs", "fcfs"}), scheduler) {
  std::mt19937 random(3);
  Dram dram(open_row(scheduler[1] == 'r' ? DramScheduler::kFrFcfs : DramScheduler::kFcfs));
  std::map<std::pair<unsigned, unsigned>, unsigned> open;
  std::uint64_t hits = 0, misses = 0, conflicts = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    const unsigned bank = random() % 2, row_bank = random() % 16, row = random() % 3, column = random() % 32;
    const auto key = std::pair(bank, row_bank);
    const Cycle at = 200ull * i;
    Cycle expected = at + 40;
    if (open.count(key) == 0) {
      ++misses;
      expected += 20;
    } else if (open[key] != row) {
      ++conflicts;
      expected += 40;
    } else {
      ++hits;
    }
    open[key] = row;
    BOOST_REQUIRE_EQUAL(dram.read({address(bank, row_bank, row, column), 1}, at), expected);
  }
  BOOST_TEST(dram.counters().row_hits == hits);
  BOOST_TEST(dram.counters().row_misses == misses);
  BOOST_TEST(dram.counters().row_conflicts == conflicts);
  BOOST_TEST(hits > 1000u);
}

// Two agents in two rows of one bank, a request a cycle: in order every access changes the row, first-ready serves each
// row's requests together.
BOOST_AUTO_TEST_CASE(first_ready_joins_what_waits_for_the_same_row) {
  const auto run = [](DramScheduler scheduler, Cycle step) {
    Dram dram(open_row(scheduler));
    Cycle done = 0;
    for (unsigned i = 0; i < 64; ++i)
      done = std::max(done, dram.read({address(0, 0, i % 2, i / 2 % 32), 1}, 1000 + i * step));
    return std::pair(done - 1000, dram.counters().row_conflicts);
  };
  const auto [ordered, ordered_conflicts] = run(DramScheduler::kFcfs, 1);
  const auto [ready, ready_conflicts] = run(DramScheduler::kFrFcfs, 1);
  BOOST_TEST(ordered_conflicts == 63u);
  BOOST_TEST(ready_conflicts < 8u);
  BOOST_TEST(ready * 5 < ordered);
  // With nothing waiting there is nothing to reorder.
  BOOST_TEST(run(DramScheduler::kFrFcfs, 200).second == run(DramScheduler::kFcfs, 200).second);
}

BOOST_AUTO_TEST_CASE(refresh_stops_everything_and_closes_rows) {
  DramConfig c = open_row();
  c.t_refi = 1000;
  c.t_rfc = 100;
  Dram dram(c);
  BOOST_TEST(dram.read({0, 1}, 500) == 560u);
  BOOST_TEST(dram.read({128, 1}, 700) == 740u);
  BOOST_TEST(dram.read({256, 1}, 1010) == 1100u + 60);  // waits, and its row is closed
  BOOST_TEST(dram.read({384, 1}, 1300) == 1340u);
  BOOST_TEST(dram.read({384, 1}, 2500) == 2560u);
  BOOST_TEST(dram.counters().refresh_stalls == 90u);
}

BOOST_AUTO_TEST_CASE(an_agent_that_lags_behind_does_not_wait_for_the_future) {
  Dram dram(memory::resolve(DramConfig{}, kPeriod));
  for (unsigned i = 0; i < 64; ++i) dram.read({128ull * i, 1}, 5000);
  BOOST_TEST(dram.read({0, 1}, 100) == 150u);
}

BOOST_AUTO_TEST_CASE(parts_keep_their_nanoseconds) {
  DramConfig lpddr4, hbm2;
  lpddr4.kind = DramKind::kLpddr4;
  hbm2.kind = DramKind::kHbm2;
  const DramConfig slow = memory::resolve(lpddr4, 2500), fast = memory::resolve(lpddr4, 1000);
  BOOST_TEST(slow.burst == 4u);    // 10 ns
  BOOST_TEST(slow.t_rcd == 8u);    // 18 ns
  BOOST_TEST(fast.burst == 10u);
  BOOST_TEST(fast.t_rcd == 18u);
  BOOST_TEST(slow.t_refi == 1562u);
  BOOST_TEST(memory::resolve(hbm2, 2500).burst == 1u);
  // 2 channels: LPDDR4-3200 x16 gives 6.4 GB/s each, 16 bytes a cycle of 2.5 ns.
  BOOST_TEST(static_cast<double>(stream(lpddr4, 8192)) == 8192.0 * 2, boost::test_tools::tolerance(0.20));
  BOOST_TEST(stream(hbm2, 8192) * 3 < stream(lpddr4, 8192));
  BOOST_TEST(memory::check_dram(slow) == "");
  BOOST_TEST(memory::check_dram(memory::resolve(hbm2, 2500)) == "");
}

BOOST_AUTO_TEST_CASE(impossible_numbers_are_named) {
  DramConfig c = open_row();
  c.t_refi = 100;
  c.t_rfc = 100;
  BOOST_TEST(memory::check_dram(c).find("gpu.dram.t_rfc is 100") == 0u);
  c = open_row();
  c.interleave = 4096;
  BOOST_TEST(memory::check_dram(c).find("gpu.dram.interleave is 4096") == 0u);
}

BOOST_DATA_TEST_CASE(every_block_is_counted_once,
                     boost::unit_test::data::xrange(static_cast<int>(DramKind::kOpenRow), static_cast<int>(DramKind::kHbm2) + 1),
                     kind) {
  std::mt19937 random(9);
  DramConfig c;
  c.kind = static_cast<DramKind>(kind);
  const DramConfig resolved = memory::resolve(c, kPeriod);
  Dram dram(resolved);
  std::uint64_t blocks = 0;
  Cycle local[3] = {};
  for (unsigned i = 0; i < 50'000; ++i) {
    Cycle& now = local[random() % 3];
    now += random() % 8;
    const unsigned count = 1 + random() % 3;
    blocks += count;
    const std::uint64_t where = (random() % (1 << 20)) & ~63ull;
    if (random() % 2 == 0)
      BOOST_REQUIRE(dram.read({where, count}, now) >= now + resolved.t_cas);
    else
      BOOST_REQUIRE(dram.write({where, count}, now) > now);
  }
  const auto& n = dram.counters();
  BOOST_TEST(n.reads + n.writes == blocks);
  BOOST_TEST(n.row_hits + n.row_misses + n.row_conflicts == blocks);
  BOOST_TEST(n.busy == blocks * resolved.burst);
}

BOOST_AUTO_TEST_SUITE_END()
