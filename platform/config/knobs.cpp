#include "knobs.h"

#include <algorithm>
#include <array>

#include "knob_words.h"

namespace gyre::config {
namespace {

using C = MachineConfig;
constexpr std::uint64_t kMany = 1'000'000;            // of cycles
constexpr std::uint64_t kSecond = 1'000'000'000'000;  // in picoseconds
constexpr auto kNone = Unit::kNone;
constexpr auto kCycles = Unit::kCycles;
constexpr auto kAny = Shape::kAny;
constexpr auto kPower = Shape::kPowerOfTwo;

constexpr const char* kDramKinds[] = {"flat", "open_row", "lpddr4", "hbm2"};
constexpr const char* kDramSchedulers[] = {"fr_fcfs", "fcfs"};

// Knobs of one group stand together, so that `config show` prints every group once.
// clang-format off
const std::vector<Knob> kAboveTheCaches{
    {"name", [](C& c) -> Field { return &c.name; }, 0, 0, kNone, kAny, "Name of the machine, for reports."},

    {"sim.timing", [](C& c) -> Field { return &c.sim.timing; }, 0, 1, kNone, kAny, "Coding style: loose (annotated delays, temporal decoupling) or approximate (four-phase transactions)."},
    {"sim.quantum_ps", [](C& c) -> Field { return &c.sim.quantum_ps; }, 1'000, kSecond, Unit::kDuration, kAny, "Global quantum: how far an agent may run ahead of simulated time."},
    {"sim.watchdog_cycles", [](C& c) -> Field { return &c.sim.watchdog_cycles; }, 0, kSecond, kCycles, kAny, "GPU cycles without progress before a hang is reported; 0 = never."},
    {"sim.check_protocol", [](C& c) -> Field { return &c.sim.check_protocol; }, 0, 0, kNone, kAny, "Approximate style: watch the TLM-2.0 base protocol on every cable between units, caches and memory; a violation ends the run."},
    {"sim.time_limit_ps", [](C& c) -> Field { return &c.sim.time_limit_ps; }, 0, 1'000 * kSecond, Unit::kDuration, kAny, "Simulated time after which a run is stopped, with a report of what every unit does; 0 = none."},

    {"host.ram_bytes", [](C& c) -> Field { return &c.host.ram_bytes; }, 1ull << 20, 64ull << 30, Unit::kBytes, kAny, "Host RAM, a multiple of 4 KiB."},
    {"host.clock_hz", [](C& c) -> Field { return &c.host.clock_hz; }, 1'000'000, 10'000'000'000, Unit::kFrequency, Shape::kDividesSecond, "Clock of the host CPU."},
    {"host.timebase_hz", [](C& c) -> Field { return &c.host.timebase_hz; }, 1'000, 1'000'000'000, Unit::kFrequency, Shape::kDividesSecond, "Rate of mtime; at most the host clock."},

    {"gpu.clock_hz", [](C& c) -> Field { return &c.gpu.clock_hz; }, 1'000'000, 10'000'000'000, Unit::kFrequency, Shape::kDividesSecond, "Clock of the GPU."},
    {"gpu.clusters", [](C& c) -> Field { return &c.gpu.clusters; }, 1, 128, kNone, kPower, "Clusters of the device. Each has its own raster engines, output mergers and L2."},
    {"gpu.sockets", [](C& c) -> Field { return &c.gpu.sockets; }, 1, 128, kNone, kPower, "Sockets a cluster. Each has its own L1 caches and texture samplers."},
    {"gpu.cores", [](C& c) -> Field { return &c.gpu.cores; }, 1, 128, kNone, kPower, "SIMT cores a socket."},
    {"gpu.caches", [](C& c) -> Field { return &c.gpu.caches; }, 0, 1, kNone, kAny, "Caches, links and the memory behind them take time; off: every access hits and only the units themselves do."},
    {"gpu.cache_seed", [](C& c) -> Field { return &c.gpu.cache_seed; }, 0, 0xFFFFFFFF, kNone, kAny, "Of random replacement."},

    {"gpu.core.xlen", [](C& c) -> Field { return &c.gpu.core.xlen; }, 32, 64, kNone, kPower, "Width of the integer registers. 64 turns double precision on; addresses stay 32 bits wide. Gyre's own device code needs 32."},
    {"gpu.core.threads", [](C& c) -> Field { return &c.gpu.core.threads; }, 4, 32, kNone, kPower, "Lanes of a warp. RASTER fills warps with quads, hence a multiple of 4."},
    {"gpu.core.warps", [](C& c) -> Field { return &c.gpu.core.warps; }, 1, 32, kNone, kPower, "Warps of a core."},
    {"gpu.core.barriers", [](C& c) -> Field { return &c.gpu.core.barriers; }, 1, 32, kNone, kAny, "Barriers of one CTA slot."},
    {"gpu.core.lmem_bytes", [](C& c) -> Field { return &c.gpu.core.lmem_bytes; }, 1024, 65536, Unit::kBytes, kPower, "Local memory of a core; its window has 64 KiB."},
    {"gpu.core.fetch_interval", [](C& c) -> Field { return &c.gpu.core.fetch_interval; }, 1, kMany, kCycles, kAny, "Between two instructions of one warp in straight-line code."},
    {"gpu.core.branch_interval", [](C& c) -> Field { return &c.gpu.core.branch_interval; }, 1, kMany, kCycles, kAny, "The same after a branch or jump."},
    {"gpu.core.warp_control_interval", [](C& c) -> Field { return &c.gpu.core.warp_control_interval; }, 1, kMany, kCycles, kAny, "The same after a warp-control instruction."},
    {"gpu.core.latency_alu", [](C& c) -> Field { return &c.gpu.core.latency_alu; }, 1, kMany, kCycles, kAny, "Integer operation."},
    {"gpu.core.latency_mul", [](C& c) -> Field { return &c.gpu.core.latency_mul; }, 1, kMany, kCycles, kAny, "Integer multiplication."},
    {"gpu.core.latency_div", [](C& c) -> Field { return &c.gpu.core.latency_div; }, 1, kMany, kCycles, kAny, "Integer division of 32 bits; of 64 bits 32 more."},
    {"gpu.core.latency_csr", [](C& c) -> Field { return &c.gpu.core.latency_csr; }, 1, kMany, kCycles, kAny, "CSR access and other special functions."},
    {"gpu.core.latency_fma", [](C& c) -> Field { return &c.gpu.core.latency_fma; }, 1, kMany, kCycles, kAny, "Float add, multiply, multiply-add."},
    {"gpu.core.latency_fdiv", [](C& c) -> Field { return &c.gpu.core.latency_fdiv; }, 1, kMany, kCycles, kAny, "Float division."},
    {"gpu.core.latency_fsqrt", [](C& c) -> Field { return &c.gpu.core.latency_fsqrt; }, 1, kMany, kCycles, kAny, "Float square root."},
    {"gpu.core.latency_fma_d", [](C& c) -> Field { return &c.gpu.core.latency_fma_d; }, 1, kMany, kCycles, kAny, "Double add, multiply, multiply-add."},
    {"gpu.core.latency_fdiv_d", [](C& c) -> Field { return &c.gpu.core.latency_fdiv_d; }, 1, kMany, kCycles, kAny, "Double division."},
    {"gpu.core.latency_fsqrt_d", [](C& c) -> Field { return &c.gpu.core.latency_fsqrt_d; }, 1, kMany, kCycles, kAny, "Double square root."},
    {"gpu.core.latency_fcvt", [](C& c) -> Field { return &c.gpu.core.latency_fcvt; }, 1, kMany, kCycles, kAny, "Conversion between float and integer."},
    {"gpu.core.latency_fncp", [](C& c) -> Field { return &c.gpu.core.latency_fncp; }, 1, kMany, kCycles, kAny, "Float compare, sign, minimum, maximum, move."},
    {"gpu.core.latency_load", [](C& c) -> Field { return &c.gpu.core.latency_load; }, 1, kMany, kCycles, kAny, "Global load that hits the data cache."},
    {"gpu.core.latency_lmem", [](C& c) -> Field { return &c.gpu.core.latency_lmem; }, 1, kMany, kCycles, kAny, "Local memory load."},
    {"gpu.core.dcache_word", [](C& c) -> Field { return &c.gpu.core.dcache_word; }, 0, 64, Unit::kBytes, kPower, "Width of a data cache port: lanes in one word go together; 0 = 4 to 32 by the number of lanes."},
    {"gpu.core.lsu_pending", [](C& c) -> Field { return &c.gpu.core.lsu_pending; }, 0, 1024, kNone, kAny, "Loads of a core under way; 0 = twice the warps, 8 to 32."},
    {"gpu.core.lsu_staging", [](C& c) -> Field { return &c.gpu.core.lsu_staging; }, 1, 1024, kNone, kAny, "Accesses of a core on their way to the data cache (approximate style)."},
    {"gpu.core.lmem_banks", [](C& c) -> Field { return &c.gpu.core.lmem_banks; }, 0, 64, kNone, kPower, "Banks of local memory; 0 = one a lane."},
    {"gpu.core.fence_flush", [](C& c) -> Field { return &c.gpu.core.fence_flush; }, 0, 1, kNone, kAny, "FENCE also flushes the data cache."},
    {"gpu.core.launch_queue", [](C& c) -> Field { return &c.gpu.core.launch_queue; }, 1, 1024, kNone, kAny, "Launch messages buffered in front of the dispatcher."},
    {"gpu.core.strict", [](C& c) -> Field { return &c.gpu.core.strict; }, 0, 1, kNone, kAny, "A warp fault stops the simulation."},
    {"gpu.core.isa_m", [](C& c) -> Field { return &c.gpu.core.isa_m; }, 0, 1, kNone, kAny, "Extension M: integer multiplication and division. Gyre's own device code needs it."},
    {"gpu.core.isa_a", [](C& c) -> Field { return &c.gpu.core.isa_a; }, 0, 1, kNone, kAny, "Extension A: atomics, executed at the memory; local memory too."},
    {"gpu.core.isa_f", [](C& c) -> Field { return &c.gpu.core.isa_f; }, 0, 1, kNone, kAny, "Extension F: single precision. Gyre's own device code needs it."},
    {"gpu.core.isa_c", [](C& c) -> Field { return &c.gpu.core.isa_c; }, 0, 1, kNone, kAny, "Extension C: 16-bit instructions."},
    {"gpu.core.isa_zicond", [](C& c) -> Field { return &c.gpu.core.isa_zicond; }, 0, 1, kNone, kAny, "Extension Zicond: conditional zero. Gyre's own device code needs it."},
    {"gpu.core.isa_pack", [](C& c) -> Field { return &c.gpu.core.isa_pack; }, 0, 1, kNone, kAny, "PACKLB.F and PACKLH.F: strided bytes or halfwords into one float register."},

    {"gpu.raster.cores", [](C& c) -> Field { return &c.gpu.raster.cores; }, 1, 16, kNone, kAny, "Raster engines a cluster; bins are dealt to all engines of the device in turn."},
    {"gpu.raster.slices", [](C& c) -> Field { return &c.gpu.raster.slices; }, 1, 16, kNone, kAny, "Walker slices an engine."},
    {"gpu.raster.bin_log", [](C& c) -> Field { return &c.gpu.raster.bin_log; }, 2, 7, kNone, kAny, "log2 of a bin's edge in pixels. The device's words do not depend on it."},
    {"gpu.raster.block_log", [](C& c) -> Field { return &c.gpu.raster.block_log; }, 1, 6, kNone, kAny, "log2 of a block's edge in pixels; below bin_log."},
    {"gpu.raster.mem_fifo", [](C& c) -> Field { return &c.gpu.raster.mem_fifo; }, 1, 1024, kNone, kAny, "Primitives fetched ahead of the walk."},
    {"gpu.raster.quad_fifo", [](C& c) -> Field { return &c.gpu.raster.quad_fifo; }, 1, 4096, kNone, kAny, "Quads between walk and packer."},
    {"gpu.raster.mem_queue", [](C& c) -> Field { return &c.gpu.raster.mem_queue; }, 1, 1024, kNone, kAny, "Memory requests in flight."},
    {"gpu.raster.packer_idle", [](C& c) -> Field { return &c.gpu.raster.packer_idle; }, 1, kMany, kCycles, kAny, "Without input before a partly filled wave leaves."},
    {"gpu.raster.earlyz", [](C& c) -> Field { return &c.gpu.raster.earlyz; }, 0, 1, kNone, kAny, "Reject hidden quads before they are shaded."},

    {"gpu.tex.cores", [](C& c) -> Field { return &c.gpu.tex.cores; }, 1, 16, kNone, kAny, "Texture samplers a socket."},
    {"gpu.tex.queue", [](C& c) -> Field { return &c.gpu.tex.queue; }, 0, 1024, kNone, kAny, "Texture requests of a core under way; 0 = twice the lanes, at least 8."},
    {"gpu.om.cores", [](C& c) -> Field { return &c.gpu.om.cores; }, 1, 16, kNone, kAny, "Output mergers a cluster."},
    {"gpu.om.mem_queue", [](C& c) -> Field { return &c.gpu.om.mem_queue; }, 1, 1024, kNone, kAny, "Memory requests in flight."},
};

const std::vector<Knob> kBelowTheCaches{
    {"gpu.link.l1_ports", [](C& c) -> Field { return &c.gpu.link.l1_ports; }, 0, 64, kNone, kPower, "Ports of a socket's trunk, a request a cycle each; 0 = banks of the data cache, at most those of the memory."},
    {"gpu.link.slice", [](C& c) -> Field { return &c.gpu.link.slice; }, 0, kMany, kCycles, kAny, "Register slice of the trunk, each way."},
    {"gpu.link.arbiter", [](C& c) -> Field { return &c.gpu.link.arbiter; }, 0, kMany, kCycles, kAny, "Arbiter in front of L2, L3 or memory."},
    {"gpu.link.l3", [](C& c) -> Field { return &c.gpu.link.l3; }, 0, kMany, kCycles, kAny, "From L2 to L3."},

    {"gpu.dram.kind", [](C& c) -> Field { return word(c.gpu.dram.kind, kDramKinds); }, 0, 0, kNone, kAny, "flat: `latency` for every access; open_row: banks with a row buffer, by the knobs from `burst` on; lpddr4, hbm2: the same with the numbers of a part."},
    {"gpu.dram.latency", [](C& c) -> Field { return &c.gpu.dram.latency; }, 1, kMany, kCycles, kAny, "Device memory access of kind flat, in GPU cycles."},
    {"gpu.dram.banks", [](C& c) -> Field { return &c.gpu.dram.banks; }, 1, 64, kNone, kPower, "Banks of the device memory, each with its own data bus."},
    {"gpu.dram.interleave", [](C& c) -> Field { return &c.gpu.dram.interleave; }, 64, 65536, kNone, kPower, "Bytes until the next of these banks."},
    {"gpu.dram.scheduler", [](C& c) -> Field { return word(c.gpu.dram.scheduler, kDramSchedulers); }, 0, 0, kNone, kAny, "fr_fcfs: requests to a row that waits for service join it; fcfs: in the order of arrival."},
    {"gpu.dram.burst", [](C& c) -> Field { return &c.gpu.dram.burst; }, 1, 1024, kCycles, kAny, "A data bus is taken by a block of 64 bytes; flat and open_row."},
    {"gpu.dram.row_bytes", [](C& c) -> Field { return &c.gpu.dram.row_bytes; }, 64, 65536, Unit::kBytes, kPower, "Size of a row buffer."},
    {"gpu.dram.row_banks", [](C& c) -> Field { return &c.gpu.dram.row_banks; }, 1, 64, kNone, kPower, "Row buffers behind one data bus."},
    {"gpu.dram.t_cas", [](C& c) -> Field { return &c.gpu.dram.t_cas; }, 1, kMany, kCycles, kAny, "Read of an open row, the path through the controller included."},
    {"gpu.dram.t_rcd", [](C& c) -> Field { return &c.gpu.dram.t_rcd; }, 1, kMany, kCycles, kAny, "Opening a row (activate)."},
    {"gpu.dram.t_rp", [](C& c) -> Field { return &c.gpu.dram.t_rp; }, 1, kMany, kCycles, kAny, "Closing a row (precharge)."},
    {"gpu.dram.t_refi", [](C& c) -> Field { return &c.gpu.dram.t_refi; }, 0, kMany, kCycles, kAny, "From one refresh of all banks to the next; 0 = none."},
    {"gpu.dram.t_rfc", [](C& c) -> Field { return &c.gpu.dram.t_rfc; }, 0, kMany, kCycles, kAny, "Length of a refresh."},
    {"gpu.dram.queue", [](C& c) -> Field { return &c.gpu.dram.queue; }, 1, 1024, kNone, kAny, "Requests of a port of the device memory under way: approximate style, and the command processor in both."},

    {"gpu.cp.line_latency", [](C& c) -> Field { return &c.gpu.cp.line_latency; }, 1, kMany, kCycles, kAny, "Fetch of one ring line from host memory."},
    {"gpu.cp.dma_startup", [](C& c) -> Field { return &c.gpu.cp.dma_startup; }, 0, kMany, kCycles, kAny, "Before the first byte of a DMA moves."},
    {"gpu.cp.compat", [](C& c) -> Field { return &c.gpu.cp.compat; }, 0, 1, kNone, kAny, "Behave as the original where it has no error reports."},
    {"gpu.cp.watchdog_cycles", [](C& c) -> Field { return &c.gpu.cp.watchdog_cycles; }, 0, kSecond, kCycles, kAny, "Without progress before a launch fails with WATCHDOG; 0 = never."},
    {"gpu.cp.vm", [](C& c) -> Field { return &c.gpu.cp.vm; }, 0, 1, kNone, kAny, "The command processor translates device addresses by CP_SATP."},
    {"gpu.cp.pinned_base", [](C& c) -> Field { return &c.gpu.cp.pinned_base; }, 0, 0xFFFFFFFF, kNone, kAny, "Start of the slab that buffers of the graphics units must lie in; checked with vm only."},
    {"gpu.cp.pinned_bytes", [](C& c) -> Field { return &c.gpu.cp.pinned_bytes; }, 0, 0xFFFFFFFF, Unit::kBytes, kAny, "Size of that slab."},
    {"gpu.vm", [](C& c) -> Field { return &c.gpu.vm; }, 0, 1, kNone, kAny, "Virtual memory: cores translate by satp, the command processor by CP_SATP; graphics units use physical addresses in the pinned slab."},
    {"gpu.mmu.itlb", [](C& c) -> Field { return &c.gpu.mmu.itlb; }, 1, 4096, kNone, kPower, "Entries of a core's instruction TLB, fully associative."},
    {"gpu.mmu.dtlb", [](C& c) -> Field { return &c.gpu.mmu.dtlb; }, 1, 4096, kNone, kPower, "Entries of a core's data TLB, fully associative."},
    {"gpu.mmu.l2tlb", [](C& c) -> Field { return &c.gpu.mmu.l2tlb; }, 1, 65536, kNone, kPower, "Entries of a core's second-level TLB, for instructions and data."},
    {"gpu.mmu.l2tlb_ways", [](C& c) -> Field { return &c.gpu.mmu.l2tlb_ways; }, 1, 4096, kNone, kPower, "Its ways; at most its entries."},
    {"gpu.mmu.l2tlb_latency", [](C& c) -> Field { return &c.gpu.mmu.l2tlb_latency; }, 0, kMany, kCycles, kAny, "Lookup in it."},
    {"gpu.mmu.walkers", [](C& c) -> Field { return &c.gpu.mmu.walkers; }, 1, 64, kNone, kAny, "Page walks of a core at a time."},
    {"gpu.mmu.walk_cache", [](C& c) -> Field { return &c.gpu.mmu.walk_cache; }, 0, 4096, kNone, kAny, "Tables of upper levels that the walkers remember; 0 = none."},

    {"lint.divergent_branch", [](C& c) -> Field { return &c.lint.divergent_branch; }, 0, 2, kNone, kAny, "Lanes of a warp disagree at a branch that no SPLIT guards."},
    {"lint.ipdom_imbalance", [](C& c) -> Field { return &c.lint.ipdom_imbalance; }, 0, 2, kNone, kAny, "A warp ends, joins or splits at a depth of the IPDOM stack where it cannot be right."},
    {"lint.unaligned", [](C& c) -> Field { return &c.lint.unaligned; }, 0, 2, kNone, kAny, "A core loads, stores or fetches at an address that is no multiple of the size."},
    {"lint.aperture_load", [](C& c) -> Field { return &c.lint.aperture_load; }, 0, 2, kNone, kAny, "A core loads from the aperture of the output merger."},
    {"lint.dcr_unset", [](C& c) -> Field { return &c.lint.dcr_unset; }, 0, 2, kNone, kAny, "A launch, draw, texture sample or export uses a device control register that nobody has written."},
    {"lint.pinned_slab", [](C& c) -> Field { return &c.lint.pinned_slab; }, 0, 2, kNone, kAny, "With virtual memory a graphics unit is given a buffer outside the pinned slab."},
    {"lint.stale_line", [](C& c) -> Field { return &c.lint.stale_line; }, 0, 2, kNone, kAny, "Something old is read: a cached line whose memory another agent has written since, or memory while a cache holds it newer."},
    {"lint.unmapped", [](C& c) -> Field { return &c.lint.unmapped; }, 0, 2, kNone, kAny, "A core loads, stores or fetches where there is no memory."},
};
// clang-format on

std::vector<Knob> all_knobs() {
  std::vector<Knob> all = kAboveTheCaches;
  add_cache_knobs(all);
  all.insert(all.end(), kBelowTheCaches.begin(), kBelowTheCaches.end());
  return all;
}

const std::vector<Knob> kKnobs = all_knobs();

std::string_view last_word(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// Changes, insertions, removals and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string_view unit_suffix(const Knob& knob) {
  switch (knob.unit) {
    case Unit::kDuration:
      return "_ps";
    case Unit::kFrequency:
      return "_hz";
    case Unit::kBytes:
      return "_bytes";
    case Unit::kCycles:
      return "_cycles";
    case Unit::kNone:
      break;
  }
  return "";
}

}  // namespace

const std::vector<Knob>& knobs() { return kKnobs; }

std::size_t find_knob(std::string_view path) {
  for (std::size_t i = 0; i < kKnobs.size(); ++i) {
    const std::string_view full = kKnobs[i].path, suffix = unit_suffix(kKnobs[i]);
    if (path == full) return i;
    if (!suffix.empty() && path.size() + suffix.size() == full.size() && full.substr(0, path.size()) == path &&
        full.substr(path.size()) == suffix)
      return i;
  }
  return kNoKnob;
}

bool is_group(std::string_view path) {
  return std::any_of(kKnobs.begin(), kKnobs.end(), [&](const Knob& knob) {
    const std::string_view full = knob.path;
    return full.size() > path.size() && full.substr(0, path.size()) == path && full[path.size()] == '.';
  });
}

std::string nearest_path(const std::string& path) {
  std::string best;
  std::size_t best_score = std::max<std::size_t>(2, path.size() / 4) + 1;
  const auto consider = [&](std::string_view candidate) {
    std::size_t score = edit_distance(path, candidate);
    // The right word under the wrong group is the usual mistake.
    if (last_word(path) == last_word(candidate)) score = std::min<std::size_t>(score, 2);
    if (score < best_score) {
      best_score = score;
      best = candidate;
    }
  };
  for (const Knob& knob : kKnobs) {
    const std::string_view full = knob.path;
    for (std::size_t dot = full.find('.'); dot != std::string_view::npos; dot = full.find('.', dot + 1))
      consider(full.substr(0, dot));
    consider(full);
  }
  return best;
}

}  // namespace gyre::config
