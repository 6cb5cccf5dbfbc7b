#include "engine.h"

#include <xmmintrin.h>

#include <systemc>

#include "core_debug.h"
#include "core_trace.h"
#include "csr.h"
#include "device_map.h"
#include "exec.h"
#include "fp.h"
#include "geometry.h"
#include "memory_requests.h"

namespace gyre::core {
namespace {

constexpr unsigned kHostDefault = 0x1F80;  // MXCSR: everything masked, no flags, round to nearest

Engine& engine(Machine& m) { return static_cast<Engine&>(m); }

}  // namespace

Engine::Engine(std::string engine_name, kernel::Context& context, unsigned id, kernel::MemoryPort& port)
    : name(std::move(engine_name)),
      ctx(context),
      config(context.config.gpu.core),
      core_id(id),
      total_cores(context.config.gpu.total_cores()),
      memory(port),
      code(port, context.config.gpu.core.isa_c),
      lsu(memory::with_geometry(context.config.gpu)),
      tex_queue(memory::with_geometry(context.config.gpu).tex.queue),
      wide(context.config.gpu.core.xlen == 64),
      warps(config.warps),
      barriers(static_cast<std::size_t>(config.warps) * config.barriers),
      global_barriers(config.barriers),
      lmem(config.lmem_bytes) {
  threads = config.threads;
  if (wide)
    for (unsigned op = 0; op < narrow_.size(); ++op)
      narrow_[op] = lane_handler(narrow_op(static_cast<riscv::Op>(op)), threads);
  const std::uint32_t full = threads == 32 ? ~0u : (1u << threads) - 1;
  const std::size_t rows = wide ? 2 * kRows : kRows;
  registers_.resize(config.warps * rows * threads);
  lane_masks_.resize(static_cast<std::size_t>(config.warps) * threads);
  for (unsigned i = 0; i < config.warps; ++i) {
    warps[i].id = i;
    warps[i].full = full;
    warps[i].reg = registers_.data() + i * rows * threads;
    warps[i].lane_mask = lane_masks_.data() + static_cast<std::size_t>(i) * threads;
  }
  if (ctx.config.gpu.vm) {
    mmu = std::make_unique<Mmu>(memory::with_geometry(ctx.config.gpu), port);
    code.physical = [this](std::uint32_t address, std::uint32_t* out) {
      *out = address;
      return !translating || mmu->peek(address, out);
    };
  }
  code_pages = code.bitmap();
  ctx.reservations.add_watcher(code_pages);
  atomic_latency_ = atomic_latency();
  slow_load = [](Machine& m, Warp& w, const Inst& i, const std::uint32_t* a) { engine(m).load_lanes(w, i, a); };
  slow_store = [](Machine& m, Warp& w, const Inst& i, const std::uint32_t* a) { engine(m).store_lanes(w, i, a); };
  code_written = [](Machine& m, std::uint32_t address) { engine(m).stored(address); };
  illegal = [](Machine& m, Warp& w, const Inst& i) { engine(m).fault(w, GYRE_FAULT_ILLEGAL_INSTR, i.word); };
  divergent_branch = [](Machine& m, Warp& w, const Inst& i) {
    ++m.divergent_branches;
    engine(m).lint_branch(w, i);
  };
  set_state(warps[0], WarpState::kInactive);
}

Engine::~Engine() = default;

void Engine::set_state(Warp& w, WarpState state) {
  ready_warps_ -= w.state == WarpState::kReady;
  ready_warps_ += state == WarpState::kReady;
  w.state = state;
  settle_branches();
  // The issue port takes one instruction a cycle and is shared by the warps that compete for it. In the approximate style
  // every instruction has a cycle of its own (IssuePort).
  const unsigned competing = requests != nullptr ? 0 : ready_warps_;
  interval[kStraight] = std::max(config.fetch_interval, competing);
  interval[kBranch] = std::max(config.branch_interval, competing);
  interval[kControl] = std::max(config.warp_control_interval, competing);
}

void Engine::set_mask(Warp& w, std::uint32_t mask) {
  w.mask = mask;
  w.lanes = static_cast<std::uint32_t>(__builtin_popcount(mask));
  w.hal = mask == 0 ? 0 : 31 - static_cast<std::uint32_t>(__builtin_clz(mask));
  for (unsigned l = 0; l < threads; ++l) w.lane_mask[l] = 0u - ((mask >> l) & 1);
}

Warp* Engine::pick() {
  Warp* best = nullptr;
  for (std::uint32_t left = active_mask; left != 0; left &= left - 1) {
    Warp& w = warps[static_cast<unsigned>(__builtin_ctz(left))];
    if (w.state == WarpState::kReady && (best == nullptr || w.local < best->local)) best = &w;
  }
  return best;
}

void Engine::activate(Warp& w, WarpKind kind, std::uint32_t mask, kernel::Cycle when) {
  if (active_mask == 0) busy_since_ = std::max(when, busy_until_);  // what ran before may have ended later
  active_mask |= 1u << w.id;
  w.kind = kind;
  w.depth = 0;
  w.older = 0;
  w.local = w.issue = w.started = when;
  w.max_ready = w.memory_until = w.stores_until = 0;
  ++w.life;
  w.loads = w.stores = 0;
  w.line = ~0u;
  w.flushed = false;
  w.ticket = 0;
  std::fill(std::begin(w.ready), std::end(w.ready), 0);
  std::fill(std::begin(w.exports), std::end(w.exports), 0);
  const std::uint32_t hart = (core_id * config.warps + w.id) * threads;
  ctx.reservations.forget(hart, hart + threads - 1);
  set_mask(w, mask);
  set_state(w, WarpState::kReady);
  ++count.warps;
  if (debug != nullptr) debug->activated(w);
}

void Engine::retire(Warp& w) {
  set_mask(w, 0);
  set_state(w, WarpState::kInactive);
  const std::uint32_t bit = 1u << w.id;
  active_mask &= ~bit;
  busy_until_ = std::max(busy_until_, w.local);
  if (active_mask == 0) {
    count.busy_cycles += busy_until_ > busy_since_ ? busy_until_ - busy_since_ : 0;
  }
  count.warp_cycles += w.local - w.started;
  if (ctx.timeline != nullptr) show(w);
  ++ctx.progress;
  for (Warp& other : warps) {
    const bool waited = (other.older & bit) != 0;
    other.older &= ~bit;
    if (waited && other.state == WarpState::kGuard) wake(1u << other.id, w.local + 1);
    if (other.state == WarpState::kAlone && active_mask == 1u << other.id) wake(1u << other.id, w.local + 1);
  }
  for (unsigned number = 0; number < global_barriers.size(); ++number) {
    GlobalBarrier& b = global_barriers[number];
    if (b.arrived == 0 || b.reported) continue;
    b.latest = std::max(b.latest, w.local);
    check_global(number);
  }
  if (listener != nullptr) listener->warp_retired(w, w.local);
  if (debug != nullptr) debug->retired(w);
}

void Engine::reset_barriers() {
  std::fill(barriers.begin(), barriers.end(), Barrier{});
  std::fill(global_barriers.begin(), global_barriers.end(), GlobalBarrier{});
}

void Engine::wake(std::uint32_t which, kernel::Cycle when) {
  for (; which != 0; which &= which - 1) {
    Warp& w = warps[static_cast<unsigned>(__builtin_ctz(which))];
    if (when > w.local) {
      const kernel::Cycle waited = when - w.local;
      count.stalled += waited;
      (w.state == WarpState::kBarrier ? count.barrier_waits
       : w.state == WarpState::kGuard ? count.guard_waits
                                      : count.alone_waits) += waited;
      w.local = when;
    }
    set_state(w, WarpState::kReady);
  }
}

void Engine::fault(Warp& w, unsigned cause, std::uint32_t value, bool told) {
  if (debug != nullptr) debug->faulted(w, cause, value);
  ++count.faults;
  ctx.faults.raise({cause, core_id, w.id, w.pc, value}, told);
  w.depth = 0;
  retire(w);
  if (config.strict) sc_core::sc_stop();
}

void Engine::clear_host_flags() { _mm_setcsr(kHostDefault); }

void Engine::fold_flags(Warp& w) {
  const unsigned host = _mm_getcsr();
  if ((host & 0x3D) == 0) return;
  unsigned flags = 0;
  if ((host & 0x01) != 0) flags |= riscv::fp::kNv;
  if ((host & 0x04) != 0) flags |= riscv::fp::kDz;
  if ((host & 0x08) != 0) flags |= riscv::fp::kOf;
  if ((host & 0x10) != 0) flags |= riscv::fp::kUf;
  if ((host & 0x20) != 0) flags |= riscv::fp::kNx;
  w.fflags |= static_cast<std::uint8_t>(flags);
  clear_host_flags();
}

void Engine::write_row(Warp& w, unsigned r, const std::uint32_t* values) {
  std::uint32_t* d = row(w, r);
  for (unsigned l = 0; l < threads; ++l)
    if (w.lane_mask[l] != 0) d[l] = values[l];
  if (wide) fill_row(w, r + kHighRow, 0);
}

void Engine::write_uniform(Warp& w, unsigned r, std::uint32_t value) {
  fill_row(w, r, value);
  if (wide) fill_row(w, r + kHighRow, 0);
}

void Engine::write_values(Warp& w, unsigned r, const RegisterValue* values) {
  std::uint32_t* d = row(w, r);
  for (unsigned l = 0; l < threads; ++l) {
    if (w.lane_mask[l] == 0) continue;
    d[l] = static_cast<std::uint32_t>(values[l]);
    if (wide) d[l + kHighRow * threads] = static_cast<std::uint32_t>(values[l] >> 32);
  }
}

void Engine::fill_row(Warp& w, unsigned r, std::uint32_t value) {
  std::uint32_t* d = row(w, r);
  for (unsigned l = 0; l < threads; ++l)
    if (w.lane_mask[l] != 0) d[l] = value;
}

// Device addresses have 32 bits: one above faults.
bool Engine::in_reach(Warp& w, unsigned r, std::int32_t offset) {
  if (!wide) return true;
  const std::uint32_t *low = row(w, r), *high = row(w, r + kHighRow);
  for (unsigned l = 0; l < threads; ++l) {
    const std::uint64_t address =
        (std::uint64_t{high[l]} << 32 | low[l]) + static_cast<std::uint64_t>(std::int64_t{offset});
    if (w.lane_mask[l] == 0 || address >> 32 == 0) continue;
    fault(w, GYRE_FAULT_ACCESS, static_cast<std::uint32_t>(address), lint_unmapped(w, 1u << l, address));
    return false;
  }
  return true;
}

bool Engine::in_reach(Warp& w, RegisterValue address) {
  if (!wide || address >> 32 == 0) return true;
  fault(w, GYRE_FAULT_ACCESS, static_cast<std::uint32_t>(address), lint_unmapped(w, w.mask, address));
  return false;
}

std::string Engine::describe_wait() const {
  std::string text;
  for (const Warp& w : warps) {
    if (w.state == WarpState::kInactive) continue;
    std::string what;
    switch (w.state) {
      case WarpState::kReady:
        what = "running";
        break;
      case WarpState::kBarrier: {
        if (w.global_barrier) {
          const GlobalBarrier& g = global_barriers[w.barrier];
          what = fmt::format("waits at barrier {} of the cluster ({} cores asked for; {})", w.barrier, g.cores,
                             g.reported ? "this core has arrived" : fmt::format("arrived warps {:#x}", g.arrived));
          break;
        }
        const Barrier& b = barriers[w.barrier];
        what = fmt::format("waits at barrier {} of CTA slot {} ({} arrived)", w.barrier % config.barriers,
                           w.barrier / config.barriers, b.arrived);
        break;
      }
      case WarpState::kGuard:
        what = fmt::format("export waits for older warps {:#x}", w.older);
        break;
      case WarpState::kMemory:
        what = fmt::format("waits for {}", MemoryRequests::describe(w.waits));
        break;
      default:
        what = fmt::format("WSPAWN waits to be alone (active warps {:#x})", active_mask);
        break;
    }
    text += fmt::format("{}warp {} pc {:#x} mask {:#x}: {}", text.empty() ? "" : "; ", w.id, w.pc, w.mask, what);
  }
  return text.empty() ? "no active warp" : text;
}

}  // namespace gyre::core
