#include "kmu.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "dcr.h"
#include "launch_bench.h"
#include "log.h"
#include "simulate.h"

using namespace gyre;
using gyre::test::Consumer;
using kernel::Cycle;
namespace data = boost::unit_test::data;

namespace {

struct Engine : kernel::KickSink {
  std::vector<std::pair<unsigned, Cycle>> kicks;
  void kick(std::uint8_t ctx_id, Cycle stamp) override { kicks.emplace_back(ctx_id, stamp); }
};

struct Bench : sc_core::sc_module {
  SC_HAS_PROCESS(Bench);
  Bench(sc_core::sc_module_name name, const MachineConfig& configuration, unsigned depth, unsigned pause)
      : sc_module(name),
        config(configuration),
        ctx{config, {}, {}, {}},
        unit("kmu", ctx),
        core("core", ctx, depth, pause, 11) {
    unit.launch(core);
    for (auto& engine : engines) unit.kick(engine);
    dcr.bind(unit.dcr);
    SC_THREAD(host);
  }
  void host() {
    try {
      script();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    finished = true;
    sc_core::sc_stop();
  }
  void write(unsigned reg, std::uint32_t value) {
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(reg * 4);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dcr->b_transport(p, delay);
    GYRE_CHECK(p.is_response_ok());
  }
  void program(const kmu::Dim3& grid, const kmu::Dim3& block, const kmu::Dim3& cluster, std::uint32_t lmem = 0) {
    const kmu::Dim3 step = kmu::warp_step(block, config.gpu.core.threads);
    write(GYRE_DCR_STARTUP_ADDR0, 0x80000000);
    write(GYRE_DCR_KERNEL_ENTRY0, 0x80002000);
    write(GYRE_DCR_STARTUP_ARG0, 0x12340);
    write(GYRE_DCR_LMEM_SIZE, lmem);
    write(GYRE_DCR_BLOCK_SIZE, static_cast<std::uint32_t>(kmu::volume(block)));
    for (unsigned axis = 0; axis < 3; ++axis) {
      write(GYRE_DCR_GRID_DIM_X + axis, grid[axis]);
      write(GYRE_DCR_BLOCK_DIM_X + axis, block[axis]);
      write(GYRE_DCR_WARP_STEP_X + axis, step[axis]);
      write(GYRE_DCR_CLUSTER_DIM_X + axis, cluster[axis]);
    }
  }
  void drain() {
    while (!ctx.busy.idle()) sc_core::wait(ctx.busy.idle_event());
  }

  MachineConfig config;
  kernel::Context ctx;
  kmu::Kmu unit;
  Consumer core;
  Engine engines[3];
  tlm_utils::simple_initiator_socket<Bench, kernel::kDcrBusBits> dcr{"dcr"};
  std::function<void()> script;
  std::string error;
  bool finished = false;
};

template <class Script>
std::string with_kmu(Script script, std::uint64_t quantum = 1'000'000, unsigned depth = 3, unsigned pause = 0) {
  return gyre::test::run_forked([&] {
    kernel::logger().set_level(spdlog::level::off);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    MachineConfig config;
    config.sim.quantum_ps = quantum;
    Bench bench("bench", config, depth, pause);
    std::string result;
    bench.script = [&] {
      if constexpr (std::is_void_v<decltype(script(bench))>)
        script(bench);
      else
        result = script(bench);
    };
    kernel::simulate();
    if (!bench.error.empty()) throw std::runtime_error(bench.error);
    GYRE_CHECK(bench.finished);
    return result;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kmu_unit)

BOOST_DATA_TEST_CASE(walk_arrives_in_order_under_back_pressure,
                     data::make({10'000ull, 1'000'000ull}) * data::make({0u, 40u}), quantum, pause) {
  with_kmu(
      [](Bench& b) {
        b.program({4, 6, 3}, {4, 2, 1}, {2, 1, 1}, 100);
        GYRE_CHECK(b.unit.start(100));
        b.drain();
        GYRE_CHECK_EQUAL(b.core.messages.size(), 72u);
        kmu::GridWalk walk({4, 6, 3}, {2, 1, 1});
        for (const auto& m : b.core.messages) {
          GYRE_CHECK(m.kind == kernel::LaunchKind::kCompute);
          GYRE_CHECK(m.compute.block_idx == walk.block_idx());
          GYRE_CHECK_EQUAL(m.compute.first_of_cluster, walk.first_of_cluster());
          GYRE_CHECK_EQUAL(m.eop, walk.last_of_cluster());
          GYRE_CHECK_EQUAL(m.compute.cluster_size, 2u);
          GYRE_CHECK_EQUAL(m.compute.block_size, 8u);
          GYRE_CHECK(m.compute.grid_dim == (kmu::Dim3{4, 6, 3}));
          GYRE_CHECK(m.compute.block_dim == (kmu::Dim3{4, 2, 1}));
          GYRE_CHECK(m.compute.warp_step == (kmu::Dim3{0, 1, 0}));
          GYRE_CHECK_EQUAL(m.aligned_lmem, 128u);
          GYRE_CHECK_EQUAL(m.pc, 0x80000000u);
          GYRE_CHECK_EQUAL(m.entry, 0x80002000u);
          GYRE_CHECK_EQUAL(m.param, 0x12340u);
          GYRE_CHECK_EQUAL(unsigned{m.ctx_id}, 1u);
          walk.next();
        }
        for (std::size_t i = 1; i < b.core.stamps.size(); ++i) GYRE_CHECK(b.core.stamps[i] > b.core.stamps[i - 1]);
        GYRE_CHECK_EQUAL(b.core.stamps[0], Cycle{102});
        for (const auto& engine : b.engines) GYRE_CHECK(engine.kicks.empty());
      },
      quantum, 3, pause);
}

// Agents run ahead of each other: what is pushed late in the run is dated by its place.
BOOST_AUTO_TEST_CASE(a_message_is_as_late_as_its_place) {
  test::run_forked([] {
    kernel::LaunchQueue queue(2);
    const auto next = [&](Cycle popped) {
      const Cycle stamp = queue.head_stamp();
      queue.pop(popped);
      return stamp;
    };
    queue.push({}, 10);
    queue.push({}, 10);  // one a cycle
    GYRE_CHECK(queue.full());
    GYRE_CHECK_EQUAL(next(50), Cycle{10});
    GYRE_CHECK_EQUAL(next(60), Cycle{11});
    GYRE_CHECK_EQUAL(queue.space_stamp(), Cycle{50});
    queue.push({}, 12);
    GYRE_CHECK_EQUAL(queue.space_stamp(), Cycle{60});
    queue.push({}, 70);
    GYRE_CHECK_EQUAL(next(80), Cycle{50});
    GYRE_CHECK_EQUAL(next(80), Cycle{70});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(one_cta_a_cycle_into_an_open_queue) {
  with_kmu(
      [](Bench& b) {
        b.program({500, 1, 1}, {4, 1, 1}, {1, 1, 1});
        GYRE_CHECK(b.unit.start(0));
        b.drain();
        for (std::size_t i = 0; i < 500; ++i) GYRE_CHECK_EQUAL(b.core.stamps[i], 2 + i);
        GYRE_CHECK(b.ctx.busy.last_stamp() >= 502);
      },
      1'000'000, 1000);
}

// With a consumer that has no time of its own; one that runs ahead moves the stamps by up to a quantum.
BOOST_AUTO_TEST_CASE(stamps_do_not_depend_on_the_quantum) {
  std::string first;
  for (std::uint64_t quantum : {10'000ull, 1'000'000ull, 100'000'000ull}) {
    const std::string stamps = with_kmu(
        [](Bench& b) {
          b.program({100, 1, 1}, {4, 1, 1}, {1, 1, 1});
          GYRE_CHECK(b.unit.start(7));
          b.drain();
          std::string text;
          for (Cycle stamp : b.core.stamps) text += std::to_string(stamp) + " ";
          return text;
        },
        quantum, 3, 0);
    if (first.empty()) first = stamps;
    BOOST_TEST(stamps == first);
  }
}

BOOST_AUTO_TEST_CASE(kick_reaches_every_engine_and_no_core) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    with_kmu([&](Bench& b) {
      kmu::Dim3 grid{2, 2, 2};
      grid[axis] = 0;
      b.program(grid, {4, 1, 1}, {1, 1, 1});
      b.write(GYRE_DCR_BLOCK_SIZE, 99999);  // ignored by a kick
      GYRE_CHECK(b.unit.start(50));
      GYRE_CHECK(!b.ctx.busy.idle());
      b.drain();
      for (const auto& engine : b.engines) {
        GYRE_CHECK_EQUAL(engine.kicks.size(), 1u);
        GYRE_CHECK_EQUAL(engine.kicks[0].first, 1u);
        GYRE_CHECK_EQUAL(engine.kicks[0].second, Cycle{51});
      }
      GYRE_CHECK(b.core.messages.empty());
      GYRE_CHECK_EQUAL(b.ctx.busy.last_stamp(), Cycle{51});
    });
  }
}

BOOST_AUTO_TEST_CASE(context_number_counts_accepted_starts) {
  with_kmu([](Bench& b) {
    b.program({1, 1, 1}, {4, 1, 1}, {1, 1, 1});
    for (unsigned i = 1; i <= 300; ++i) {
      b.write(GYRE_DCR_GRID_DIM_X, i % 3 == 0 ? 0 : 1);
      GYRE_CHECK(b.unit.start(0));
      b.drain();
      GYRE_CHECK_EQUAL(unsigned{b.unit.ctx_id()}, i & 0xFF);
    }
    b.write(GYRE_DCR_GRID_DIM_X, 1);
    b.write(GYRE_DCR_BLOCK_SIZE, 5);
    GYRE_CHECK(!b.unit.start(0));
    GYRE_CHECK(b.ctx.busy.idle());
    GYRE_CHECK(!b.unit.refusal().empty());
    GYRE_CHECK_EQUAL(unsigned{b.unit.ctx_id()}, 300u & 0xFF);
    GYRE_CHECK_EQUAL(b.core.messages.size(), 200u);
  });
}

BOOST_AUTO_TEST_CASE(registers_are_copied_at_start) {
  with_kmu(
      [](Bench& b) {
        b.program({50, 1, 1}, {4, 1, 1}, {1, 1, 1});
        GYRE_CHECK(b.unit.start(0));
        sc_core::wait(200, sc_core::SC_NS);
        GYRE_CHECK(b.core.messages.size() < 50u);
        b.program({3, 1, 1}, {8, 1, 1}, {1, 1, 1});
        b.write(GYRE_DCR_STARTUP_ARG0, 0x777);
        b.drain();
        GYRE_CHECK_EQUAL(b.core.messages.size(), 50u);
        for (const auto& m : b.core.messages) GYRE_CHECK(m.param == 0x12340u && m.compute.block_size == 4);
        GYRE_CHECK(b.unit.start(0));
        b.drain();
        GYRE_CHECK_EQUAL(b.core.messages.size(), 53u);
        GYRE_CHECK_EQUAL(b.core.messages.back().param, 0x777u);
      },
      10'000, 1, 50);
}

BOOST_AUTO_TEST_CASE(an_empty_start_is_busy_for_a_cycle) {
  with_kmu([](Bench& b) {
    b.program({2, 1, 1}, {4, 1, 1}, {1, 1, 1});
    b.write(GYRE_DCR_BLOCK_SIZE, 0);
    GYRE_CHECK(b.unit.start(1000));
    GYRE_CHECK(!b.ctx.busy.idle());
    b.drain();
    GYRE_CHECK_EQUAL(b.ctx.busy.last_stamp(), Cycle{1001});
    GYRE_CHECK(b.core.messages.empty());
  });
}

BOOST_AUTO_TEST_CASE(start_while_busy_is_a_bug_of_the_model) {
  with_kmu([](Bench& b) {
    b.program({2, 1, 1}, {4, 1, 1}, {1, 1, 1});
    GYRE_CHECK(b.unit.start(0));
    bool thrown = false;
    try {
      b.unit.start(0);
    } catch (const std::logic_error&) {
      thrown = true;
    }
    GYRE_CHECK(thrown);
  });
}

BOOST_AUTO_TEST_SUITE_END()
