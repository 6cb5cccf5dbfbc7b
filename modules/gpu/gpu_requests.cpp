// The approximate style: every unit gets its way to its cache, where requests travel (design §4).
#include "at_hierarchy.h"
#include "error.h"
#include "geometry.h"
#include "gpu.h"
#include "request_paths.h"

namespace gyre::gpu {

using kernel::AtClient;
using kernel::MemSource;
using memory::AtCache;

void Gpu::attach_requests() {
  requests_ = std::make_unique<RequestPaths>(ctx_.config.sim.check_protocol, [this](const auto& cable, const auto& what) {
    if (ctx_.protocol_violation.empty())
      ctx_.protocol_violation = fmt::format("sim.check_protocol: base protocol violated on the cable from {}: {}", cable, what);
    throw std::runtime_error(ctx_.protocol_violation);  // before the other side sees what it cannot understand
  });
  const GpuConfig resolved = memory::with_geometry(ctx_.config.gpu);
  if (const std::string wrong = memory::check_caches(resolved); !wrong.empty()) user_error("{}", wrong);
  cp.set_client(requests_->memory_client("cp_memory", memory.target, resolved, MemSource::kCp));
  if (ctx_.config.gpu.caches)
    at_caches = std::make_unique<memory::AtHierarchy>("caches", resolved, memory.target, requests_->cables);
  if (at_caches != nullptr && ctx_.lints.on(kernel::Lint::kStaleLine)) {
    at_caches->watch_lines();
    cp.set_watch(at_caches->lines());
  }
  for (unsigned core = 0; core < resolved.total_cores(); ++core) connect_core(resolved, core);
  if (at_caches == nullptr) return;
  for (unsigned c = 0; c < resolved.clusters; ++c) {
    connect_merger(resolved, c);
    connect_units(resolved, c);
  }
  register_caches(*at_caches);
}

void Gpu::connect_core(const GpuConfig& resolved, unsigned index) {
  const kernel::Picoseconds period = resolved.period_ps();
  core::MemoryRequests::Ports ports;
  Cluster& cluster = cluster_of(index);
  const unsigned socket = index / resolved.cores % resolved.sockets;
  ports.exports_accepted = [&om = cluster.om, socket] { return om.accepts(socket); };
  if (at_caches != nullptr) {
    const std::string prefix = "core" + std::to_string(index);
    AtCache *const data = at_caches->dcache(index), *const code = at_caches->icache(index);
    ports.data = requests_->client(prefix + "_data", data, period, MemSource::kLsu, index);
    ports.fetch = requests_->client(prefix + "_fetch", code, period, MemSource::kFetch, index);
    if (data != nullptr) {
      ports.data_latency = resolved.dcache.latency;
      ports.data_lines = data->lines();
      ports.flush_data = [data](std::function<void()> done) { data->flush(std::move(done)); };
    }
    if (code != nullptr) {
      ports.fetch_latency = resolved.icache.latency;
      ports.code_lines = code->lines();
      ports.present = [code](std::uint64_t address) { return code->probe(address); };
      ports.fetched = [code](unsigned count) { code->count_reads(count); };
      ports.flush_instructions = [code](std::function<void()> done) { code->flush(std::move(done)); };
      if (resolved.cores > resolved.icache.count) ports.fetch_port = &requests_->fetch_ports[code];
    }
  }
  core_at(index).set_requests(resolved, std::move(ports));
}

void Gpu::connect_merger(const GpuConfig& resolved, unsigned index) {
  if (!resolved.ocache.enabled) return;
  Cluster& cluster = *clusters[index];
  std::vector<om::OmPipeline*> pipelines;
  std::vector<memory::LineReader> lines;
  for (unsigned i = 0; i < resolved.om.cores; ++i) {
    const std::string name = "cluster" + std::to_string(index) + "_om" + std::to_string(i);
    AtClient* const client =
        requests_->client(name + "_memory", at_caches->ocache(index, i), resolved.period_ps(), MemSource::kOm);
    requests_->pipelines.push_back(std::make_unique<om::OmPipeline>(name.c_str(), *client, resolved.period_ps(),
                                                                    resolved.om.mem_queue, ctx_.busy));
    pipelines.push_back(requests_->pipelines.back().get());
    lines.push_back(at_caches->ocache(index, i)->lines());
    ctx_.utilisation.add(std::string(cluster.om.name()) + ".core" + std::to_string(i), "om", 1,
                         [pipeline = pipelines.back()](kernel::Cycle) { return pipeline->activity(); });
    pipelines.back()->space = [&cluster] {
      for (auto& socket : cluster.sockets)
        for (auto& core : socket->cores) core->retry_requests();
    };
  }
  cluster.om.set_pipelines(pipelines, lines, at_caches->merger_writer(index));
}

void Gpu::connect_units(const GpuConfig& resolved, unsigned index) {
  const kernel::Picoseconds period = resolved.period_ps();
  Cluster& cluster = *clusters[index];
  const std::string prefix = "cluster" + std::to_string(index);
  for (unsigned e = 0; e < cluster.engines.size(); ++e) {
    const std::string name = prefix + "_raster" + std::to_string(e);
    AtCache *const rcache = at_caches->rcache(index, e), *const ocache = at_caches->ocache(index, e);
    const auto lines = [](AtCache* cache) { return cache == nullptr ? memory::LineReader() : cache->lines(); };
    cluster.engines[e]->set_clients(
        requests_->client(name + "_fetch", rcache, period, MemSource::kRaster),
        [rcache](std::uint64_t address) { return rcache->probe(address); },
        requests_->client(name + "_depth", ocache, period, MemSource::kEarlyZ), lines(rcache), lines(ocache));
  }
  for (unsigned s = 0; s < resolved.sockets && resolved.tcache.enabled; ++s) {
    const unsigned socket = index * resolved.sockets + s;
    std::vector<AtClient*> samplers;
    std::vector<memory::LineReader> lines;
    for (unsigned t = 0; t < resolved.tex.cores; ++t) {
      samplers.push_back(requests_->client("socket" + std::to_string(socket) + "_tex" + std::to_string(t),
                                           at_caches->tcache(socket, t), period, MemSource::kTex));
      lines.push_back(at_caches->tcache(socket, t)->lines());
    }
    cluster.sockets[s]->tex.set_clients(samplers, lines);
  }
}

// The caller's thread waits until every write-back has been accepted and every walk is over.
kernel::Cycle Gpu::flush_requests(unsigned core) {
  bool over = false;
  sc_core::sc_event done;
  at_caches->flush(core, [&] {
    over = true;
    done.notify(sc_core::SC_ZERO_TIME);
  });
  while (!over) wait(done);
  return kernel::cycle_now(ctx_.config.gpu.period_ps());
}

}  // namespace gyre::gpu
