#include "gpu.h"

#include "csr.h"
#include "dcr.h"
#include "request_paths.h"

namespace gyre::gpu {

Gpu::Gpu(sc_core::sc_module_name name, kernel::Context& ctx)
    : sc_module(name),
      memory("memory", ctx),
      dcr("dcr", ctx.config.gpu.period_ps()),
      kmu("kmu", ctx),
      router("router", kmu::RouterLevel::kDevice, ctx.config.gpu),
      cp("cp", ctx),
      ctx_(ctx) {
  ctx.device_counters = this;
  cp.dcr.bind(dcr.target);
  cp.launch.bind(kmu);
  cp.device_memory.socket.bind(memory.target);
  cp.set_dram(memory.dram);
  dcr.set_read_handler(this);
  dcr.units.bind(kmu.dcr);
  kmu.launch.bind(router);

  for (unsigned c = 0; c < ctx.config.gpu.clusters; ++c) {
    clusters.push_back(std::make_unique<Cluster>(("cluster" + std::to_string(c)).c_str(), ctx, c));
    Cluster& cluster = *clusters.back();
    router.out.bind(cluster.router);
    dcr.units.bind(cluster.om.dcr);
    cluster.om.memory.socket.bind(memory.target);
    for (auto& engine : cluster.engines) {
      kmu.kick.bind(*engine);
      dcr.units.bind(engine->dcr);
      engine->memory.socket.bind(memory.target);
    }
    for (auto& socket : cluster.sockets) {
      dcr.units.bind(socket->tex.dcr);
      socket->tex.memory.socket.bind(memory.target);
      socket->steer.memory.bind(memory.target);
    }
  }

  if (ctx.approximate())
    attach_requests();
  else if (ctx.config.gpu.caches)
    attach_caches();

  SC_METHOD(drained);
  sensitive << ctx.busy.idle_event();
  dont_initialize();
}

Gpu::~Gpu() = default;

void Gpu::drained() {
  if (!ctx_.busy.idle()) return;
  for (auto& cluster : clusters) cluster->om.drain_check();
}

std::uint32_t Gpu::read_dcr(unsigned reg, std::uint32_t tag, kernel::Cycle* when) {
  const unsigned core = tag & 0xFFFF;
  if (core >= ctx_.config.gpu.total_cores()) return 0;
  if (reg == GYRE_DCR_CACHE_FLUSH) {
    // Data is always current in backing memory; the flush is its dates. Without caches: the walk of the longest cache of
    // the core's path, a write-back dcache of 32 sets and 4 ways (memory.md §7).
    *when = at_caches ? flush_requests(core) : caches ? caches->flush(core, *when) : *when + 128;
    core_at(core).invalidate_code();
    core_at(core).invalidate_translations();
    return 0;
  }
  const unsigned cls = tag >> 22, field = tag >> 16 & 0x3F;
  select_counters(cls);
  const std::uint64_t value = counter(cls, field & 0x1F, core);
  return static_cast<std::uint32_t>(field & 0x20 ? value >> 32 : value);
}

void Gpu::select_counters(unsigned cls) {
  for_each_core([&](core::SimtCore& core) { core.set_mpm_class(cls); });
}

std::string Gpu::describe_wait() const {
  std::string text;
  if (const std::string waits = cp.describe_wait(); !waits.empty())
    text += "  " + std::string(cp.name()) + ": " + waits + "\n";
  text += "  tokens out: " + ctx_.busy.describe() + "\n";
  for_each_core([&](const core::SimtCore& core) {
    const std::string waits = core.describe_wait();
    if (!waits.empty()) text += "  " + std::string(core.name()) + ": " + waits + "\n";
  });
  return text;
}

}  // namespace gyre::gpu
