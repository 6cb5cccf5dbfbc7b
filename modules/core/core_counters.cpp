// Performance counters of the core (isa.md §8). Counts of cycles are taken where the model decides about time: at
// branches and control instructions, at waits, at activation and retirement; nothing is counted per cycle.
#include "csr.h"
#include "engine.h"

namespace gyre::core {
namespace {

constexpr unsigned kIcacheHit = 2;  // every fetch (timing.md §1)

}  // namespace

// A branch blocks fetch for the difference between its interval and the straight-line one. Called before the intervals
// change, so that nothing has to be counted at the branch itself.
void Engine::settle_branches() {
  count.stalled += (branches - settled_branches_) * (interval[kBranch] - interval[kStraight]);
  settled_branches_ = branches;
}

// Cycles with an active warp. While warps run: up to the latest issue that has been simulated.
std::uint64_t Engine::busy_cycles() const {
  if (active_mask == 0) return count.busy_cycles;
  kernel::Cycle now = busy_since_;
  for (const Warp& w : warps)
    if (w.state != WarpState::kInactive) now = std::max(now, w.issue + 1);
  return count.busy_cycles + std::max(busy_until_, now) - busy_since_;
}

std::uint64_t Engine::mpm(unsigned cls, unsigned idx) const {
  const Window& local = windows[kLmemWindow];
  if (cls == GYRE_MPM_MEM) {
    if (idx == 0x07) return local.loads + count.local_loads;
    if (idx == 0x08) return local.stores + count.local_stores;
    if (idx == 0x09) return lsu.counters().local_bank_stalls;
    if (idx == 0x0A) return lsu.counters().coalescer_misses;
    if (mmu == nullptr) return 0;
    const MmuCounters& m = mmu->counters();
    switch (idx) {
      case 0x0B: return m.reads;
      case 0x0C: return m.hits;
      case 0x0D: return m.misses;
      case 0x0E: return m.evictions;
      case 0x0F: return m.walks;
      case 0x10: return m.walk_cycles;
      default: return 0;
    }
  }
  if (cls != GYRE_MPM_CORE) return 0;
  switch (idx) {
    case 0x03: {  // cycles of a busy core in which no warp issued
      const std::uint64_t busy = busy_cycles();
      return busy > count.instructions ? busy - count.instructions : 0;
    }
    case 0x04: {  // active warps, summed over the cycles
      std::uint64_t sum = count.warp_cycles;
      for (const Warp& w : warps)
        if (w.state != WarpState::kInactive) sum += w.issue + 1 - w.started;
      return sum;
    }
    case 0x05:
      return count.stalled + (branches - settled_branches_) * (interval[kBranch] - interval[kStraight]);
    case 0x06:
    case 0x1A:
      return count.instructions;
    case 0x07:
      return count.thread_instructions;
    case 0x08:
      return count.fetch_stalls;
    case 0x0A:
      return count.operand_stalls;
    case 0x0E:
      return count.lsu_stalls + count.translation_waits;
    case 0x11:
      return branches;
    case 0x12:
      return count.splits;
    case 0x13:
      return count.unit[kUnitAlu];
    case 0x14:
      return count.unit[kUnitFpu];
    case 0x15:
      return count.unit[kUnitLsu];
    case 0x16:
      return count.unit[kUnitSfu];
    case 0x1B:
      return count.instructions * kIcacheHit + count.fetch_stalls;
    case 0x1C:
      return loads;
    case 0x1D: {
      std::uint64_t sum = count.slow_load_cycles + lsu.counters().load_cycles + lsu.counters().local_bank_stalls;
      for (const Window& w : windows)
        if (!w.timed_lanes || &w == &local) sum += w.loads * (w.latency - kPipeOverhead);
      return sum;
    }
    case 0x1E:
      return stores;
    default:  // instruction buffer, operand collectors, ALU and FPU never fill up in this model
      return 0;
  }
}

void Engine::show(const Warp& w) {
  if (rows_.empty())
    for (unsigned id = 0; id < warps.size(); ++id) rows_.emplace_back(name, fmt::format("warp {}", id));
  std::string what = "program", details;
  if (w.kind == WarpKind::kFragment) {
    const std::uint32_t at = w.thread_id[0][0];
    what = "fragments";
    details = fmt::format(R"("x":{},"y":{},"primitive":{},"quads":{})", at & 0xFFFF, (at >> 16) & 0x7FFF,
                          w.thread_id[1][0], __builtin_popcount(w.full_quads));
  } else if (w.kind == WarpKind::kCompute) {
    what = fmt::format("kernel {:#x}", w.cta.entry);
    details = fmt::format(R"("CTA":"{},{},{}","warp of the CTA":{})", w.cta.block_idx[0], w.cta.block_idx[1],
                          w.cta.block_idx[2], w.cta.rank);
  }
  const kernel::Picoseconds period = ctx.config.gpu.period_ps();
  ctx.timeline->slice(rows_[w.id], what, w.started * period, w.local * period, details);
}

}  // namespace gyre::core
