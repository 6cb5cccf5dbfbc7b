#include "simt_core.h"

#include "error.h"

namespace gyre::core {
namespace {

using kernel::Cycle;
using kernel::kNever;

void check_config(const CoreConfig& c, const char* name) {
  auto power = [](unsigned v, unsigned low, unsigned high) { return v >= low && v <= high && (v & (v - 1)) == 0; };
  if (c.xlen != 32 && c.xlen != 64) user_error("{}: gpu.core.xlen is {}; it must be 32 or 64", name, c.xlen);
  if (!power(c.threads, 1, kMaxLanes))
    user_error("{}: gpu.core.threads is {}; it must be a power of two from 1 to {}", name, c.threads, kMaxLanes);
  if (!power(c.warps, 1, kMaxWarps))
    user_error("{}: gpu.core.warps is {}; it must be a power of two from 1 to {}", name, c.warps, kMaxWarps);
  if (!power(c.barriers, 1, 1u << 16))
    user_error("{}: gpu.core.barriers is {}; it must be a power of two from 1 to 65536", name, c.barriers);
  if (!power(c.lmem_bytes, 64, 1u << 16))
    user_error("{}: gpu.core.lmem_bytes is {}; it must be a power of two from 64 to 65536", name, c.lmem_bytes);
}

}  // namespace

SimtCore::SimtCore(sc_core::sc_module_name module_name, kernel::Context& ctx, unsigned core_global_id)
    : sc_module(module_name),
      memory("memory", kernel::MemSource::kLsu, ctx.config.gpu.period_ps(), core_global_id),
      queue_(ctx.config.gpu.core.launch_queue),
      engine_((check_config(ctx.config.gpu.core, name()), name()), ctx, core_global_id, memory),
      dispatcher_(engine_),
      clock_(ctx.gpu_clock()) {
  engine_.busy_node = ctx.busy.add_node(name());
  register_counters();
  SC_HAS_PROCESS(SimtCore);
  SC_THREAD(run);
}

void SimtCore::end_of_elaboration() {
  if (tex.size() > 0) engine_.texture = tex.operator->();
  if (barrier.size() > 0) engine_.cluster = barrier.operator->();
}

void SimtCore::register_counters() {
  auto& registry = engine_.ctx.counters;
  const std::string prefix = std::string(name()) + ".";
  const CoreCounters& c = engine_.count;
  const std::pair<const char*, const std::uint64_t*> list[] = {
      {"instructions", &c.instructions},
      {"thread_instructions", &c.thread_instructions},
      {"warps_launched", &c.warps},
      {"ctas_launched", &c.ctas},
      {"fragments_launched", &c.fragments},
      {"loads", &engine_.loads},
      {"stores", &engine_.stores},
      {"exports", &c.exports},
      {"tex", &c.tex},
      {"branches", &engine_.branches},
      {"divergent_splits", &c.splits},
      {"divergent_branches", &engine_.divergent_branches},
      {"ipdom_imbalance", &c.ipdom_imbalance},
      {"guard_stalls", &c.guard_stalls},
      {"barriers", &c.barriers},
      {"operand_stalls", &c.operand_stalls},
      {"faults", &c.faults},
      {"cycles_busy", &c.busy_cycles},
  };
  for (const auto& [label, value] : list) registry.add(prefix + label, value);
  auto& utilisation = engine_.ctx.utilisation;
  utilisation.add(prefix + "issue", "issue", 1, [this](kernel::Cycle run) { return engine_.issue_activity(run); });
  utilisation.add(
      prefix + "warps", "warps", engine_.config.warps, [this](kernel::Cycle run) { return engine_.warp_activity(run); },
      [this](kernel::Cycle run) { return engine_.warp_waits(run); });
  if (engine_.mmu == nullptr) return;
  const MmuCounters& m = engine_.mmu->counters();
  const std::pair<const char*, const std::uint64_t*> tlb[] = {
      {"tlb.reads", &m.reads},           {"tlb.hits", &m.hits},           {"tlb.misses", &m.misses},
      {"tlb.evictions", &m.evictions},   {"l2tlb.hits", &m.second_hits},  {"l2tlb.misses", &m.second_misses},
      {"page_walks", &m.walks},          {"page_walk_cycles", &m.walk_cycles}, {"page_walk_reads", &m.walk_reads},
      {"page_faults", &m.faults}};
  for (const auto& [label, value] : tlb) registry.add(prefix + label, value);
}

bool SimtCore::try_put(const kernel::LaunchMessage& message, kernel::Cycle stamp) {
  if (queue_.full()) return false;
  engine_.ctx.busy.take(engine_.busy_node);
  queue_.push(message, stamp);
  engine_.notify_wake();
  return true;
}

void SimtCore::start_bare(std::uint32_t pc, kernel::Cycle stamp) {
  Warp& warp = engine_.warps[0];
  engine_.ctx.busy.take(engine_.busy_node);
  engine_.code.refresh();
  warp.pc = pc;
  warp.mscratch = 0;
  warp.cta = CtaRecord{};
  engine_.activate(warp, WarpKind::kPlain, 1, stamp);
  engine_.notify_wake();
}

void SimtCore::run() {
  if (engine_.requests != nullptr) run_approximate();
  run_loose();
}

// What is earliest comes first: a step of the dispatcher, or the warp that is furthest behind. Both may lie in the past of
// the clock, which only says how far ahead of the simulator's time the core has run.
void SimtCore::run_loose() {
  for (;;) {
    if (clock_.quantum_spent()) clock_.sync();
    Warp* const warp = engine_.pick();
    const Cycle ready = warp == nullptr ? kNever : warp->local, launch = dispatcher_.next(queue_);
    const Cycle next = std::min(ready, launch);
    if (next == kNever) {  // only a launch or another core can change anything
      const std::uint64_t seen = engine_.wakes;
      clock_.wait_until(engine_.wake_event, [&] { return engine_.wakes != seen; });
      continue;
    }
    clock_.advance_to(next);
    if (clock_.quantum_spent()) continue;
    if (launch == next) {
      dispatcher_.advance(queue_);
    } else {
      engine_.run_burst(*warp, clock_.limit());
      clock_.catch_up();
    }
  }
}

// Kernel time is the core's time. Warps have dates of their own; the earliest is always the next.
void SimtCore::run_approximate() {
  for (;;) {
    clock_.catch_up();
    const Cycle now = clock_.now();
    while (dispatcher_.next(queue_) <= now) dispatcher_.advance(queue_);
    Warp* const warp = engine_.requests->pick();
    if (warp != nullptr && engine_.requests->may_run(*warp, now)) {
      engine_.run_burst(*warp, engine_.requests->limit(*warp));
      continue;
    }
    Cycle next = warp == nullptr ? kNever : warp->sync ? warp->local : warp->local - MemoryRequests::kAhead;
    next = std::min(next, dispatcher_.next(queue_));
    if (next == kNever)
      wait(engine_.wake_event);
    else
      wait(sc_core::sc_time::from_value(next * clock_.period()) - sc_core::sc_time_stamp(), engine_.wake_event);
  }
}

std::string SimtCore::describe_wait() const {
  std::string text = engine_.describe_wait();
  if (!queue_.empty())
    text += fmt::format("; launch queue: head stamp {}{}", queue_.head_stamp(), queue_.full() ? ", full" : "");
  if (dispatcher_.activating()) text += "; a CTA waits for free warps";
  return text;
}

std::uint64_t SimtCore::read_register(unsigned warp, unsigned lane, unsigned row) const {
  return engine_.lane_value(engine_.warps[warp], row, lane);
}

void SimtCore::write_register(unsigned warp, unsigned lane, unsigned row, std::uint64_t value) {
  if (row == 0) return;
  std::uint32_t* const low = engine_.warps[warp].reg + row * engine_.threads + lane;
  *low = static_cast<std::uint32_t>(value);
  if (engine_.wide) low[kHighRow * engine_.threads] = static_cast<std::uint32_t>(value >> 32);
}

}  // namespace gyre::core
