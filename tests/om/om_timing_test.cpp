// Dates of the merger (om.md §11, timing.md §2.3).
#include <boost/test/unit_test.hpp>
#include <random>

#include "at_cache.h"
#include "at_client.h"
#include "geometry.h"
#include "om_bench.h"

using namespace gyre;
using kernel::Cycle;
using test::OmBench;
using test::RefOm;

namespace {

RefOm blended_with_depth() {
  RefOm om;
  om.depth_func = GYRE_CMP_ALWAYS, om.depth_write = 1;
  om.src_rgb = om.src_a = 6, om.dst_rgb = om.dst_a = 7;
  return om;
}

// Cycles from `at` to the last date after `count` fragments offered at `at`, on pixels of their own or on one.
Cycle cost(OmBench& bench, unsigned count, Cycle at, bool same_pixel, unsigned socket = 0) {
  for (unsigned i = 0; i < count; ++i)
    bench.fragment({same_pixel ? 3u : i % 64, same_pixel ? 3u : i / 64 % 64, 0, 0}, 1, i, at, socket);
  return bench.ctx.busy.last_stamp() - at;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(om_timing)

BOOST_AUTO_TEST_CASE(one_bypass_fragment) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(2);
    bench.store(bench.record_address({1, 1, 0, 0}), 5, 1600);
    // steer 1, word 1, ingress 2, skid 1, issue 1, address 4, write 1
    GYRE_CHECK_EQUAL(bench.ctx.busy.last_stamp(), Cycle{1600 + 11});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(bypass_is_one_fragment_a_cycle) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(2);
    for (unsigned i = 0; i < 1000; ++i) bench.store(bench.record_address({i % 64, i / 64, 0, 0}), i, 1600);
    const Cycle cycles = bench.ctx.busy.last_stamp() - 1600;
    GYRE_CHECK(cycles >= 1000);
    GYRE_CHECK(cycles < 1000 + 40);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(blending_with_depth_is_four_cycles_a_fragment_through_one_bank) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    bench.state(blended_with_depth());
    const Cycle cycles = cost(bench, 1000, 1600, false);
    GYRE_CHECK(cycles >= 4000);
    GYRE_CHECK(cycles < 4000 + 400);
    GYRE_CHECK_EQUAL(bench.merger.counter(0x03), std::uint64_t{2000});
    GYRE_CHECK_EQUAL(bench.merger.counter(0x04), std::uint64_t{2000});
    GYRE_CHECK(bench.merger.counter(0x05) >= 2000 * 3);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(depth_failure_is_two_cycles_a_fragment) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    RefOm om;
    om.depth_func = GYRE_CMP_NEVER;
    bench.state(om);
    const Cycle cycles = cost(bench, 1000, 1600, false);
    GYRE_CHECK(cycles >= 2000 - kernel::Calendar::kBucketCycles);
    GYRE_CHECK(cycles < 2000 + 200);
    GYRE_CHECK_EQUAL(bench.merger.fragments_killed(), std::uint64_t{1000});
    GYRE_CHECK_EQUAL(bench.merger.counter(0x04), std::uint64_t{0});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(more_banks_are_faster) {
  Cycle cycles[2];
  for (unsigned i = 0; i < 2; ++i) {
    const std::string text = test::run_forked([i] {
      OmBench bench("bench", true, 1, i == 0 ? 1 : 4);
      bench.set_up(3);
      bench.state(blended_with_depth());
      return std::to_string(cost(bench, 1000, 1600, false));
    });
    cycles[i] = std::stoull(text);
  }
  BOOST_TEST(cycles[1] < cycles[0]);
}

BOOST_AUTO_TEST_CASE(a_same_pixel_chain_waits_for_each_write) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    bench.state(blended_with_depth());
    const Cycle cycles = cost(bench, 100, 1600, true);
    // issue 1, address 4, two reads, hit 2, blend 6, write entry 1, release 1
    GYRE_CHECK(cycles >= 100 * 16);
    GYRE_CHECK(cycles <= 100 * 17 + 40);
    GYRE_CHECK(bench.merger.counter(0x06) > 0);  // stalled
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(aliases_cost_time_and_bypass_does_not_use_the_interlock) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    for (unsigned i = 0; i < 100; ++i) bench.fragment({3, 3, 0, 0}, 1, i, 1600);
    GYRE_CHECK(bench.ctx.busy.last_stamp() <= 1600 + 200 + 40);  // two words a fragment through the ingress
    bench.state(blended_with_depth());
    for (unsigned i = 0; i < 100; ++i) bench.fragment({3 + 8 * (i % 2), 3, 0, 0}, 1, i, 16000);
    GYRE_CHECK(bench.ctx.busy.last_stamp() >= 16000 + 1600);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(sockets_of_different_cores_do_not_share_the_pipeline) {
  Cycle cycles[2];
  for (unsigned i = 0; i < 2; ++i) {
    const std::string text = test::run_forked([i] {
      OmBench bench("bench", true, i + 1, 4);
      bench.set_up(3);
      bench.state(blended_with_depth());
      for (unsigned k = 0; k < 100; ++k)  // one bucket of each core
        for (unsigned socket = 0; socket < 2; ++socket) bench.fragment({3, 3 + 16 * socket, 0, 0}, 1, k, 1600, socket);
      return std::to_string(bench.ctx.busy.last_stamp());
    });
    cycles[i] = std::stoull(text) - 1600;
  }
  BOOST_TEST(cycles[1] * 3 < cycles[0] * 2);
}

BOOST_AUTO_TEST_CASE(dates_never_go_back_and_never_precede_the_export) {
  test::run_forked([] {
    OmBench bench("bench", true, 2, 2);
    bench.set_up(3);
    bench.state(blended_with_depth());
    std::mt19937 random(3);
    Cycle last = 0;
    for (int i = 0; i < 2000; ++i) {
      // Sockets run up to a quantum apart.
      const Cycle at = 1000 + static_cast<Cycle>(i) * 3 + random() % 400;
      bench.fragment({static_cast<std::uint32_t>(random() % 16), static_cast<std::uint32_t>(random() % 16), 0, 0}, 1,
                     static_cast<std::uint32_t>(random()), at, random() & 1);
      GYRE_CHECK(bench.ctx.busy.last_stamp() >= last);
      GYRE_CHECK(bench.ctx.busy.last_stamp() > at);
      last = bench.ctx.busy.last_stamp();
    }
    GYRE_CHECK(last < 1000 + 2000 * 3 + 400 + 4000);
    return std::string();
  });
}

// A posted store ends when it leaves the LSU; only a merger that has no more room holds it.
BOOST_AUTO_TEST_CASE(stores_are_held_back_only_by_a_full_merger) {
  test::run_forked([] {
    OmBench bench("bench");
    bench.set_up(3);
    bench.state(blended_with_depth());
    Cycle at = 1600;
    for (unsigned i = 0; i < 200; ++i, at += 8) {  // half the rate of the merger
      bench.fragment({i % 64, i / 64, 0, 0}, 1, i, at);
      GYRE_CHECK_EQUAL(bench.accepted, at);
    }
    // The exporter follows the dates it gets and falls in with the merger's rate.
    const Cycle start = at = 16000;
    for (unsigned i = 0; i < 2000; ++i) {
      bench.fragment({i % 64, i / 64 % 64, 0, 0}, 1, i, at);
      at = bench.accepted;
      GYRE_CHECK(bench.ctx.busy.last_stamp() <= at + 200);
    }
    GYRE_CHECK(at - start >= 4 * 2000 - 200);
    GYRE_CHECK(at - start <= 4 * 2000 + 400);
    return std::string();
  });
}

// With a cache that has tags: words of cold lines come from memory, those of warm ones from the cache; every word is
// counted once; each write reaches memory.
BOOST_AUTO_TEST_CASE(cached_fragments_count_their_words_and_cost_their_banks) {
  test::run_forked([] {
    OmBench bench("bench");
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::Cache cache({gpu.ocache, false, 1}, bench.device.dram);
    bench.merger.set_caches({&cache});
    bench.set_up(3);
    bench.state(blended_with_depth());
    const Cycle cold = cost(bench, 256, 1600, false);
    const auto& c = cache.counters();
    GYRE_CHECK_EQUAL(c.reads, std::uint64_t{512});   // depth and colour, read and written
    GYRE_CHECK_EQUAL(c.writes, std::uint64_t{512});
    GYRE_CHECK_EQUAL(c.reads, c.read_hits + c.read_misses);
    GYRE_CHECK_EQUAL(c.fills + c.merges, c.read_misses);
    GYRE_CHECK_EQUAL(bench.device.dram.counters().reads, c.fills);
    GYRE_CHECK_EQUAL(bench.device.dram.counters().writes, c.forwards);
    const Cycle at = 100'000, warm = cost(bench, 256, at, false);
    GYRE_CHECK_EQUAL(c.reads, std::uint64_t{1024});
    GYRE_CHECK(warm >= 256 * 4 - kernel::Calendar::kBucketCycles && warm < 256 * 4 + 150);
    GYRE_CHECK(cold > warm);
    return std::string();
  });
}

// Approximate style, everything hits: what the ocache's bank and the read credits allow, within 2 % (timing.md §2.3).
BOOST_AUTO_TEST_CASE(travelling_fragments_cost_what_their_words_cost) {
  struct State {
    const char* name;
    unsigned shift;
    RefOm om;
    double cycles;  // a fragment
  };
  RefOm fails = blended_with_depth(), depth_only;
  fails.depth_func = GYRE_CMP_NEVER;
  depth_only.depth_func = GYRE_CMP_ALWAYS, depth_only.depth_write = 1, depth_only.colour_mask = 0;
  const State states[] = {{"bypass", 2, RefOm(), 1},
                          {"blended, depth test fails: two reads", 3, fails, 2},
                          {"depth written: a read and a write", 3, depth_only, 2},
                          {"blended and depth written: two of each", 3, blended_with_depth(), 4}};
  for (const State& state : states) {
    const std::string text = test::run_forked([&] {
      OmBench bench("bench");
      const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
      memory::AtCache cache("cache", {gpu.ocache, false, 1}, gpu.period_ps());
      cache.out.bind(bench.device.target);
      kernel::AtClient client("client", 1, 6, gpu.period_ps(), kernel::MemSource::kOm);
      client.bind(cache.in);
      om::OmPipeline pipeline("pipeline", client, gpu.period_ps(), gpu.om.mem_queue, bench.ctx.busy);
      bench.merger.set_pipelines({&pipeline});
      bench.set_up(state.shift);
      bench.state(state.om);
      Cycle begin = 1600, last[2];
      for (Cycle& round : last) {  // the first one warms
        for (unsigned i = 0; i < 1024; ++i) {
          if (state.shift == 2)
            bench.store(bench.record_address({i % 64, i / 64, 0, 0}), i, begin);
          else
            bench.fragment({i % 64, i / 64, 0, 0}, 1, i, begin);
        }
        kernel::simulate();
        GYRE_CHECK(bench.ctx.busy.idle());
        round = bench.ctx.busy.last_stamp() - begin;
        begin = bench.ctx.busy.last_stamp() + 100;
      }
      GYRE_CHECK_EQUAL(pipeline.full(), false);
      return std::to_string(last[1]);
    });
    const double measured = std::stod(text) / 1024, closed = state.shift == 3 ? std::max(2.0, state.cycles) : state.cycles;
    std::printf("%-45s %6.3f cycles a fragment, closed form %.1f\n", state.name, measured, closed);
    BOOST_TEST(measured < 1.02 * closed + 30.0 / 1024, state.name << ": " << measured);  // and the way through the pipeline
    BOOST_TEST(measured > 0.98 * closed, state.name << ": " << measured);
  }
}

// om.md §11: words a fragment reads and writes in each state; each is a cycle of the cache's bank, and with one bank that
// is the fragment's cost.
BOOST_AUTO_TEST_CASE(bank_accesses_of_a_fragment_in_each_state) {
  constexpr unsigned kAlways = GYRE_CMP_ALWAYS, kNever = GYRE_CMP_NEVER;
  const auto blend = [](RefOm om) {
    om.src_rgb = om.src_a = 6, om.dst_rgb = om.dst_a = 7;
    return om;
  };
  const auto depth = [](unsigned func, unsigned write) {
    RefOm om;
    om.depth_func = func, om.depth_write = write;
    return om;
  };
  const auto stencil = [](unsigned func, unsigned op) {
    RefOm om;
    for (int face : {0, 1}) om.func[face] = func, om.zpass[face] = om.fail[face] = op, om.mask[face] = om.writemask[face] = 255;
    return om;
  };
  const auto no_colour = [](RefOm om) {
    om.colour_mask = 0;
    return om;
  };
  const struct {
    const char* what;
    RefOm om;
    unsigned reads, writes;
  } rows[] = {
      {"bypass", {}, 0, 1},
      {"blend", blend({}), 1, 1},
      {"depth test passes, no depth write", depth(GYRE_CMP_LEQUAL, 0), 1, 1},
      {"depth test passes, depth write", depth(GYRE_CMP_LEQUAL, 1), 1, 2},
      {"depth write, no test", depth(kAlways, 1), 1, 2},
      {"depth test fails", depth(kNever, 1), 1, 0},
      {"blend, depth test passes, depth write", blend(depth(GYRE_CMP_LEQUAL, 1)), 2, 2},
      {"blend, depth test fails", blend(depth(kNever, 1)), 2, 0},
      {"stencil passes and writes", stencil(kAlways, 3), 1, 2},
      {"stencil fails and writes", stencil(kNever, 3), 1, 1},
      {"depth only", no_colour(depth(GYRE_CMP_LEQUAL, 1)), 1, 1},
  };
  std::printf("%-44s %6s %6s %10s\n", "bank accesses of a fragment", "reads", "writes", "cycles");
  for (const auto& row : rows) {
    const std::string text = test::run_forked([&] {
      OmBench bench("bench");
      const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
      memory::Cache cache({gpu.ocache, false, 1}, bench.device.dram);
      bench.merger.set_caches({&cache});
      bench.set_up(3);
      bench.state(row.om);
      constexpr unsigned kFragments = 1024;  // 16 rows: both buffers stay resident
      for (unsigned y = 0; y < 16; ++y)
        for (unsigned x = 0; x < 64; ++x) bench.set_word(bench.depth_at(x, y), 0x00FFFFFF);
      cost(bench, kFragments, 1600, false);
      const auto before = cache.counters();
      const Cycle begin = 100'000, cost_of_all = cost(bench, kFragments, begin, false);
      const auto& c = cache.counters();
      GYRE_CHECK_EQUAL(c.reads - before.reads, std::uint64_t{kFragments * row.reads});
      GYRE_CHECK_EQUAL(c.writes - before.writes, std::uint64_t{kFragments * row.writes});
      GYRE_CHECK(row.reads == 0 || c.fills == before.fills);
      const double cycles = static_cast<double>(cost_of_all) / kFragments;
      std::printf("%-44s %6u %6u %10.2f\n", row.what, row.reads, row.writes, cycles);
      std::fflush(stdout);
      // Two words a fragment pass the ingress. Eight fragments on the next one meets the interlock of its pixel.
      const double expected = std::max(2u, row.reads + row.writes);
      GYRE_CHECK(cycles >= expected * 0.98 && cycles <= expected * 1.15);
      return std::string();
    });
    BOOST_TEST(text == "", row.what);
  }
}

// Lint stale-line: pixels that somebody else has written are old, the merger's own are not.
namespace {
template <class Fragment>
std::string check_old_pixels(OmBench& bench, memory::LineWatch& watch, Fragment fragment) {
  bench.set_up(3);
  bench.state(blended_with_depth());
  const auto& lints = bench.ctx.lints;
  for (int i = 0; i < 4; ++i) fragment(1000 * static_cast<Cycle>(i));
  GYRE_CHECK(lints.findings().empty());
  watch.written(static_cast<std::uint32_t>(bench.colour_at(0, 2, 2)), 4);  // the pixel beside it
  fragment(5000);
  GYRE_CHECK(lints.findings().empty());
  watch.written(static_cast<std::uint32_t>(bench.depth_at(1, 2)), 4);
  fragment(6000);
  GYRE_CHECK_EQUAL(lints.findings().size(), std::size_t{1});
  GYRE_CHECK_EQUAL(lints.findings().begin()->second.subject, std::string("DCR 0x083 (OM_ZBUF_ADDR)"));
  fragment(7000);  // the depth that is there now is its own
  GYRE_CHECK_EQUAL(lints.count(kernel::Lint::kStaleLine), std::uint64_t{1});
  return std::string();
}
}  // namespace
BOOST_AUTO_TEST_CASE(old_pixels_are_named) {
  test::run_forked([] {
    OmBench bench("bench");
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::Cache cache({gpu.ocache, false, 1}, bench.device.dram);
    memory::LineWatch watch;
    const unsigned writer = watch.add_writer("the merger", {&cache});
    watch.add_cache(cache, memory::CacheKind::kOcache, "ocache0", nullptr);
    bench.merger.set_caches({&cache}, writer);
    return check_old_pixels(bench, watch, [&](Cycle at) { bench.fragment({1, 2, 0, 0}, 5, 6, at); });
  });
}
BOOST_AUTO_TEST_CASE(old_pixels_are_named_when_words_travel) {
  test::run_forked([] {
    OmBench bench("bench");
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::AtCache cache("cache", {gpu.ocache, false, 1}, gpu.period_ps());
    cache.out.bind(bench.device.target);
    kernel::AtClient client("client", 1, 6, gpu.period_ps(), kernel::MemSource::kOm);
    client.bind(cache.in);
    om::OmPipeline pipeline("pipeline", client, gpu.period_ps(), gpu.om.mem_queue, bench.ctx.busy);
    memory::LineWatch watch;
    const unsigned writer = watch.add_writer("the merger", {&watched_by_lint(cache)});
    watch.add_cache(watched_by_lint(cache), memory::CacheKind::kOcache, "ocache0", nullptr);
    bench.merger.set_pipelines({&pipeline}, {cache.lines()}, writer);
    return check_old_pixels(bench, watch, [&](Cycle at) {
      bench.fragment({1, 2, 0, 0}, 5, 6, at);
      kernel::simulate();
    });
  });
}

BOOST_AUTO_TEST_SUITE_END()
