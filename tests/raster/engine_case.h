// Runs a scene through raster engines in a process of its own and checks every message (used by the engine tests).
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench_machine.h"
#include "fork_case.h"
#include "log.h"
#include "owner.h"
#include "scene.h"
#include "simulate.h"

namespace gyre::test {

struct Setup {
  MachineConfig config;
  bool dmi = true;
  unsigned slowest = 0;  // see Sink
  Setup() {
    config.gpu.core.threads = 8;
    config.gpu.cores = 3;
  }
};

// Every message is well formed; the order of pids at every pixel is returned.
inline PixelOrder check_messages(const Bench& bench) {
  const GpuConfig& gpu = bench.ctx.config.gpu;
  PixelOrder order;
  std::uint64_t waves = 0, quads = 0;
  for (std::size_t e = 0; e < bench.sinks.size(); ++e) {
    Cycle last = 0;
    for (const auto& taken : bench.sinks[e]->taken) {
      const kernel::LaunchMessage& message = taken.message;
      GYRE_CHECK(message.kind == kernel::LaunchKind::kFragment && message.eop);
      GYRE_CHECK_EQUAL(message.pc, 0x80000000u);
      GYRE_CHECK_EQUAL(message.entry, 0x80001234u);
      GYRE_CHECK_EQUAL(message.param, 0x00ABC000u);
      GYRE_CHECK_EQUAL(message.aligned_lmem, 0u);
      GYRE_CHECK(message.fragment.count >= 1 && message.fragment.count <= gpu.core.threads / 4);
      GYRE_CHECK(taken.stamp > last);
      last = taken.stamp;
      std::set<std::pair<unsigned, unsigned>> seen;
      for (unsigned i = 0; i < message.fragment.count; ++i) {
        const kernel::QuadStamp& quad = message.fragment.quads[i];
        GYRE_CHECK(quad.mask != 0);
        GYRE_CHECK(seen.insert({quad.x, quad.y}).second);
        const unsigned owner = raster::owner_core(quad.x, quad.y, gpu.raster.bin_log, gpu.cores_per_cluster()) +
                               static_cast<unsigned>(e) / gpu.raster.cores * gpu.cores_per_cluster();
        GYRE_CHECK_EQUAL(message.dest, owner);
      }
      add_message(order, message);
      ++waves;
      quads += message.fragment.count;
    }
  }
  GYRE_CHECK_EQUAL(bench.counter("waves"), waves);
  GYRE_CHECK_EQUAL(bench.counter("lanes_filled"), quads * 4);
  return order;
}

// All messages with their stamps, to compare whole runs.
inline std::string transcript(const Bench& bench) {
  std::ostringstream text;
  for (const auto& sink : bench.sinks)
    for (const auto& [message, stamp] : sink->taken) {
      text << stamp << ' ' << message.dest << ' ' << unsigned(message.ctx_id) << ':';
      for (unsigned i = 0; i < message.fragment.count; ++i) {
        const auto& quad = message.fragment.quads[i];
        text << ' ' << quad.x << ',' << quad.y << ',' << unsigned(quad.mask) << ',' << quad.pid;
      }
      text << '\n';
    }
  for (Cycle drained : bench.drained) text << "drained " << drained << '\n';
  for (const auto& [name, value] : bench.ctx.counters.entries()) text << name << ' ' << *value << '\n';
  return text.str();
}

template <class Prepare, class Check>
std::string run(const Setup& setup, std::vector<RegisterWrites> frames, Prepare prepare, Check check) {
  return run_forked([&] {
    kernel::Context ctx{setup.config, {}, {}, {}};
    Bench bench("bench", ctx, kMemoryBytes, setup.dmi, setup.slowest, std::move(frames));
    prepare(bench.memory.data);
    kernel::simulate();
    GYRE_CHECK(!bench.drained.empty());
    GYRE_CHECK(ctx.busy.idle());
    return check(bench);
  });
}

inline std::string render(const Setup& setup, const Scene& scene, const PixelOrder& expected) {
  const unsigned bin_log = setup.config.gpu.raster.bin_log;
  return run(
      setup, {scene.registers(bin_log)}, [&](std::vector<std::uint8_t>& memory) { scene.store(memory, bin_log); },
      [&](const Bench& bench) {
        const PixelOrder order = check_messages(bench);
        GYRE_CHECK(order == expected);
        std::uint64_t pixels = 0;
        for (const auto& [pixel, pids] : order) pixels += pids.size();
        GYRE_CHECK_EQUAL(bench.counter("pixels"), pixels);
        GYRE_CHECK_EQUAL(bench.counter("bins"), scene.bins(bin_log));
        GYRE_CHECK(!bench.ctx.faults.valid());
        GYRE_CHECK_EQUAL(kernel::warnings_logged(), 0u);
        for (const auto& sink : bench.sinks)
          for (const auto& taken : sink->taken) GYRE_CHECK(taken.stamp <= bench.drained.back());
        return transcript(bench);
      });
}

inline bool keep_all(int, int, unsigned) { return true; }

}  // namespace gyre::test
