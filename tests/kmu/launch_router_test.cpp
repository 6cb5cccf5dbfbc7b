#include "launch_router.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>

#include "launch_bench.h"
#include "log.h"
#include "simulate.h"

using namespace gyre;
using gyre::test::Consumer;
using gyre::test::Producer;
using kernel::Cycle;
using kernel::LaunchKind;
using kernel::LaunchMessage;
using kmu::LaunchRouter;
using kmu::RouterLevel;
namespace data = boost::unit_test::data;

namespace {

// A sink that does what it is told.
struct Door : kernel::LaunchSink {
  bool open = true;
  std::vector<std::pair<std::uint64_t, Cycle>> got;  // param, stamp
  sc_core::sc_event space;
  Cycle stamp = 0;
  bool try_put(const LaunchMessage& message, Cycle at) override {
    if (open) got.emplace_back(message.param, at);
    return open;
  }
  const sc_core::sc_event& space_event() const override { return space; }
  Cycle space_stamp() const override { return stamp; }
};

LaunchMessage compute(std::uint64_t id, bool eop = true) {
  LaunchMessage m;
  m.param = id;
  m.eop = eop;
  return m;
}
LaunchMessage fragment(std::uint64_t id, unsigned dest) {
  LaunchMessage m;
  m.kind = LaunchKind::kFragment;
  m.param = id;
  m.dest = dest;
  return m;
}

template <class Body>
void with_router(RouterLevel level, unsigned outputs, unsigned inputs, GpuConfig gpu, Body body) {
  gyre::test::run_forked([&] {
    LaunchRouter router("router", level, gpu, inputs);
    std::vector<std::unique_ptr<Door>> doors;
    for (unsigned i = 0; i < outputs; ++i) {
      doors.push_back(std::make_unique<Door>());
      router.out(*doors.back());
    }
    kernel::simulate(0);
    body(router, doors);
    return std::string();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(launch_router)

BOOST_AUTO_TEST_CASE(compute_goes_round_robin_over_open_outputs) {
  with_router(RouterLevel::kSocket, 4, 1, GpuConfig{}, [](LaunchRouter& r, auto& door) {
    for (std::uint64_t i = 0; i < 8; ++i) GYRE_CHECK(r.try_put(compute(i), 10 + i));
    for (std::uint64_t d = 0; d < 4; ++d) {
      GYRE_CHECK_EQUAL(door[d]->got.size(), 2u);
      GYRE_CHECK(door[d]->got[0] == std::make_pair(d, Cycle{11 + d}));  // one cycle a level
    }
    door[0]->open = door[1]->open = false;
    GYRE_CHECK(r.try_put(compute(8), 0));
    GYRE_CHECK_EQUAL(door[2]->got.back().first, 8u);
    door[0]->open = door[1]->open = true;
    GYRE_CHECK(r.try_put(compute(9), 0));  // goes on after the one that took the last
    GYRE_CHECK_EQUAL(door[3]->got.back().first, 9u);
    for (auto& d : door) d->open = false;
    GYRE_CHECK(!r.try_put(compute(10), 0));
    door[1]->open = true;
    GYRE_CHECK(r.try_put(compute(10), 0));
    GYRE_CHECK_EQUAL(door[1]->got.back().first, 10u);
  });
}

BOOST_AUTO_TEST_CASE(a_run_stays_on_its_output_until_eop) {
  with_router(RouterLevel::kCluster, 2, 2, GpuConfig{}, [](LaunchRouter& r, auto& door) {
    auto& other = r.input(1);
    GYRE_CHECK(r.try_put(compute(0, false), 0));
    GYRE_CHECK(!other.try_put(fragment(50, 0), 0));  // second producer, even for the other output
    door[0]->open = false;
    GYRE_CHECK(!r.try_put(compute(1, false), 0));  // not diverted to door 1
    GYRE_CHECK(door[1]->got.empty());
    door[0]->open = true;
    GYRE_CHECK(r.try_put(compute(1, false), 0));
    GYRE_CHECK(!other.try_put(fragment(50, 0), 0));
    GYRE_CHECK(r.try_put(compute(2, true), 77));
    GYRE_CHECK_EQUAL(door[0]->got.size(), 3u);
    GYRE_CHECK(other.space_stamp() >= 77);
    GYRE_CHECK(other.try_put(fragment(50, 0), 80));
    GYRE_CHECK(r.try_put(compute(3), 0));
    GYRE_CHECK_EQUAL(door[1]->got.back().first, 3u);  // the pointer moved once, at eop
  });
}

BOOST_AUTO_TEST_CASE(fragments_follow_their_slice_of_dest) {
  GpuConfig gpu;
  gpu.clusters = 2;
  gpu.sockets = 4;
  gpu.cores = 2;
  for (unsigned dest = 0; dest < gpu.total_cores(); ++dest) {
    const struct {
      RouterLevel level;
      unsigned outputs, expected;
    } levels[] = {{RouterLevel::kDevice, 2, dest / 8},
                  {RouterLevel::kCluster, 4, dest / 2 % 4},
                  {RouterLevel::kSocket, 2, dest % 2}};
    for (const auto& level : levels)
      with_router(level.level, level.outputs, 2, gpu, [&](LaunchRouter& r, auto& door) {
        GYRE_CHECK(r.input(1).try_put(fragment(dest, dest), 5));
        GYRE_CHECK_EQUAL(door[level.expected]->got.size(), 1u);
        door[level.expected]->open = false;
        GYRE_CHECK(!r.input(1).try_put(fragment(dest, dest), 5));  // waits, never diverted
        door[level.expected]->stamp = 123;
        GYRE_CHECK_EQUAL(r.input(1).space_stamp(), Cycle{123});
      });
  }
}

namespace {

// Two clusters of two sockets of two cores, a KMU-like trunk and two raster-engine-like producers.
struct Tree : sc_core::sc_module {
  Tree(sc_core::sc_module_name name, kernel::Context& ctx, unsigned pause, unsigned depth, unsigned seed)
      : sc_module(name), device("device", RouterLevel::kDevice, ctx.config.gpu) {
    const GpuConfig& gpu = ctx.config.gpu;
    std::mt19937 random(seed);
    std::vector<LaunchMessage> list;
    for (unsigned run = 0; run < 150; ++run) {
      const unsigned members = 1 + random() % 4;
      for (unsigned i = 0; i < members; ++i) {
        LaunchMessage m = compute(list.size(), i + 1 == members);
        m.compute.first_of_cluster = i == 0;
        m.dest = run;  // unused by compute: tells the checks which run this is
        list.push_back(m);
      }
    }
    trunk = std::make_unique<Producer>("trunk", ctx, list);
    trunk->launch(device);
    for (unsigned c = 0; c < gpu.clusters; ++c) {
      clusters.push_back(
          std::make_unique<LaunchRouter>(("cluster" + std::to_string(c)).c_str(), RouterLevel::kCluster, gpu, 3));
      device.out(*clusters.back());
      for (unsigned s = 0; s < gpu.sockets; ++s) {
        const std::string tag = std::to_string(c) + "_" + std::to_string(s);
        sockets.push_back(std::make_unique<LaunchRouter>(("socket" + tag).c_str(), RouterLevel::kSocket, gpu));
        clusters.back()->out(*sockets.back());
        for (unsigned i = 0; i < gpu.cores; ++i) {
          cores.push_back(std::make_unique<Consumer>(("core" + tag + "_" + std::to_string(i)).c_str(), ctx, depth,
                                                     cores.size() == 1 ? 4 * pause : pause, seed + 100 + i));
          sockets.back()->out(*cores.back());
        }
      }
      for (unsigned e = 0; e < 2; ++e) {
        std::vector<LaunchMessage> stream;
        for (unsigned i = 0; i < 300; ++i)
          stream.push_back(fragment((c * 2 + e) * 1000 + i, c * gpu.cores_per_cluster() + random() % 4));
        engines.push_back(
            std::make_unique<Producer>(("engine" + std::to_string(c) + std::to_string(e)).c_str(), ctx, stream));
        engines.back()->launch(clusters.back()->input(1 + e));
      }
    }
  }
  LaunchRouter device;
  std::unique_ptr<Producer> trunk;
  std::vector<std::unique_ptr<LaunchRouter>> clusters, sockets;
  std::vector<std::unique_ptr<Producer>> engines;
  std::vector<std::unique_ptr<Consumer>> cores;
};

void check_tree(Tree& tree) {
  GYRE_CHECK_EQUAL(tree.trunk->sent, tree.trunk->messages.size());  // nobody hangs
  for (auto& engine : tree.engines) GYRE_CHECK_EQUAL(engine->sent, engine->messages.size());
  std::size_t computes = 0, fragments = 0, used = 0;
  std::map<std::uint32_t, std::size_t> run_core;
  for (std::size_t c = 0; c < tree.cores.size(); ++c) {
    const Consumer& core = *tree.cores[c];
    std::map<std::uint64_t, std::uint64_t> newest;  // of each engine
    std::uint64_t newest_compute = 0;
    bool in_run = false, any = false;
    for (const LaunchMessage& m : core.messages) {
      if (m.kind == LaunchKind::kFragment) {
        ++fragments;
        GYRE_CHECK(!in_run);
        GYRE_CHECK_EQUAL(m.dest, c);
        auto& last = newest[m.param / 1000];
        GYRE_CHECK(m.param >= last);
        last = m.param + 1;
      } else {
        ++computes;
        any = true;
        GYRE_CHECK_EQUAL(m.compute.first_of_cluster, !in_run);
        GYRE_CHECK(m.param >= newest_compute);
        newest_compute = m.param + 1;
        GYRE_CHECK(run_core.emplace(m.dest, c).first->second == c);
        in_run = !m.eop;
      }
    }
    GYRE_CHECK(!in_run);
    used += any;
    for (std::size_t i = 0; i < core.stamps.size(); ++i)  // one cycle a level was added
      GYRE_CHECK(core.stamps[i] >= (core.messages[i].kind == LaunchKind::kCompute ? 3u : 2u));
  }
  GYRE_CHECK_EQUAL(computes, tree.trunk->messages.size());
  GYRE_CHECK_EQUAL(fragments, 4u * 300u);
  GYRE_CHECK_EQUAL(used, tree.cores.size());
}

}  // namespace

BOOST_DATA_TEST_CASE(tree_under_random_back_pressure,
                     data::make({10'000ull, 100'000ull, 1'000'000ull, 100'000'000ull}) * data::make({0u, 3u, 60u}) *
                         data::make({1u, 3u}),
                     quantum, pause, depth) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::string first;
    for (int again = 0; again < 2; ++again) {  // and the same on every run
      const std::string result = gyre::test::run_forked([&] {
        MachineConfig config;
        config.sim.quantum_ps = quantum;
        config.gpu.clusters = config.gpu.sockets = config.gpu.cores = 2;
        kernel::Context ctx{config, {}, {}, {}};
        Tree tree("tree", ctx, pause, depth, seed);
        kernel::simulate();
        check_tree(tree);
        GYRE_CHECK(ctx.busy.idle());
        std::string text;
        for (auto& core : tree.cores)
          for (std::size_t i = 0; i < core->stamps.size(); ++i)
            text += std::to_string(core->messages[i].param) + "@" + std::to_string(core->stamps[i]) + " ";
        return text;
      });
      if (again == 0) first = result;
      BOOST_TEST((result == first));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
