#include "rules.h"

#include <fmt/format.h>

#include "dram.h"
#include "geometry.h"

namespace gyre::config {
namespace {

// Stacks lie between the page tables (8 MiB from 0xF0000000) and 0xFFFF0000, 8 KiB a lane.
constexpr std::uint64_t kMaxLanes = (0xFFFF0000ull - 0xF0800000ull) / 8192;

}  // namespace

std::optional<Conflict> find_conflict(const MachineConfig& machine) {
  const GpuConfig& gpu = machine.gpu;
  const std::uint64_t lanes = std::uint64_t{gpu.clusters} * gpu.sockets * gpu.cores * gpu.core.warps * gpu.core.threads;
  if (lanes > kMaxLanes)
    return Conflict{
        {"gpu.clusters", "gpu.sockets", "gpu.cores", "gpu.core.warps", "gpu.core.threads"},
        fmt::format("{} lanes need more 8 KiB stacks than fit below 0xFFFF0000; at most {} lanes", lanes, kMaxLanes)};
  if (gpu.raster.bin_log <= gpu.raster.block_log)
    return Conflict{{"gpu.raster.block_log", "gpu.raster.bin_log"},
                    "a block must be smaller than a bin: block_log below bin_log"};
  if (gpu.tex.cores > gpu.cores)
    return Conflict{{"gpu.tex.cores", "gpu.cores"}, "more samplers than cores in a socket; at most one a core"};
  if (gpu.om.cores > gpu.cores_per_cluster())
    return Conflict{{"gpu.om.cores", "gpu.cores", "gpu.sockets"},
                    "more output mergers than cores in a cluster; at most one a core"};
  if (const std::string wrong = memory::check_dram(memory::resolve(gpu.dram, gpu.period_ps())); !wrong.empty())
    return Conflict{{"gpu.dram.kind"}, wrong};
  if (const std::string wrong = memory::check_caches(memory::with_geometry(gpu)); !wrong.empty()) {
    const std::string knob = wrong.substr(0, wrong.find(' '));
    return Conflict{{knob}, wrong};
  }
  if (gpu.mmu.l2tlb_ways > gpu.mmu.l2tlb)
    return Conflict{{"gpu.mmu.l2tlb_ways", "gpu.mmu.l2tlb"}, "more ways than entries"};
  if (machine.host.timebase_hz > machine.host.clock_hz)
    return Conflict{{"host.timebase_hz", "host.clock_hz"}, "the timer may not be faster than the host clock"};
  if (machine.host.ram_bytes % 4096 != 0) return Conflict{{"host.ram_bytes"}, "the size must be a multiple of 4 KiB"};
  return std::nullopt;
}

}  // namespace gyre::config
