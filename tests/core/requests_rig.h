// The core's test bench in the approximate style: its requests travel through caches to a memory.
#pragma once

#include "at_hierarchy.h"
#include "at_client.h"
#include "device_memory.h"
#include "geometry.h"
#include "rig.h"

namespace gyre::test {

struct RequestsRig : Rig {
  GpuConfig resolved;
  memory::DeviceMemory dates;  // data stays in the rig's memory
  kernel::Cables cables{true};
  memory::AtHierarchy caches;
  kernel::AtClient data, fetch;

  // `cached`: false: every access takes the latency of a load.
  explicit RequestsRig(const RigConfig& c, std::function<void(MachineConfig&)> tweak = nullptr, bool cached = true)
      : Rig(c, [&](MachineConfig& m) {
          m.sim.timing = Timing::kApproximate;
          if (tweak) tweak(m);
        }),
        resolved(memory::with_geometry(config.gpu)),
        dates("dates", ctx),
        caches("caches", resolved, dates.target, cables),
        data("data", resolved.dcache.banks, memory::log2_of(resolved.dcache.line), resolved.period_ps(),
             kernel::MemSource::kLsu),
        fetch("fetch", resolved.icache.banks, memory::log2_of(resolved.icache.line), resolved.period_ps(),
              kernel::MemSource::kFetch) {
    memory::AtCache *const d = caches.dcache(0), *const i = caches.icache(0);
    if (ctx.lints.on(kernel::Lint::kStaleLine)) caches.watch_lines();
    for (unsigned way = 0; way < data.channels(); ++way) cables.connect(data.socket(way), d->in, way);
    for (unsigned way = 0; way < fetch.channels(); ++way) cables.connect(fetch.socket(way), i->in, way);
    core::MemoryRequests::Ports ports;
    if (!cached) {
      core.set_requests(resolved, std::move(ports));
      return;
    }
    ports.data = &data;
    ports.data_latency = resolved.dcache.latency;
    ports.data_lines = d->lines();
    ports.code_lines = i->lines();
    ports.fetch = &fetch;
    ports.fetch_latency = resolved.icache.latency;
    ports.present = [i](std::uint64_t address) { return i->probe(address); };
    ports.fetched = [i](unsigned count) { i->count_reads(count); };
    ports.flush_data = [d](std::function<void()> done) { d->flush(std::move(done)); };
    ports.flush_instructions = [i](std::function<void()> done) { i->flush(std::move(done)); };
    core.set_requests(resolved, std::move(ports));
  }
  // Before anything runs: the data cache has the block.
  void warm(std::uint32_t address) {
    const memory::MemoryAccess block{address, 1};
    data.read(&block, 1, 1, [](kernel::Cycle) {});
    kernel::simulate(1000 * resolved.period_ps());
  }
  // After run_to_idle().
  void check() const {
    GYRE_CHECK(cables.violations().empty());
    GYRE_CHECK_EQUAL(cables.open(), 0u);
    GYRE_CHECK_EQUAL(data.open() + fetch.open(), 0u);
  }
};

}  // namespace gyre::test
