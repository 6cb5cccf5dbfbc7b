// Where the cycles of a core went: of its warps, to the cycle, and of its issue port. The burst counts instructions and
// nothing else; waits are counted where the model decides about one, and the rest is what they leave.
#include "engine.h"

namespace gyre::core {

using kernel::Cycle;

// Of operand_stalls: what comes from memory.
void Engine::count_wait(const Warp& w, const Inst& inst, Cycle ready, Cycle waited) {
  const auto from = [&](const std::uint64_t* dates) {
    return dates[inst.rs1] == ready || dates[inst.rs2] == ready || dates[inst.rs3] == ready || dates[inst.rd] == ready;
  };
  if (from(w.loaded))
    count.load_waits += waited;
  else if (from(w.sampled))
    count.texture_waits += waited;
}

void Engine::wait_for_results(Warp& w) {
  if (w.max_ready <= w.local) return;
  count.drain_waits += w.max_ready - w.local;
  w.local = w.max_ready;
}

void Engine::wait_for_stores(Warp& w) {
  wait_for_results(w);
  if (w.stores_until <= w.local) return;
  count.drain_waits += w.stores_until - w.local;
  w.local = w.stores_until;
}

// Warps that have ended count too: their stores may still be under way. In the approximate style an arrival waits until the
// LSU is empty.
Cycle Engine::barrier_opens(Cycle latest) const {
  if (requests != nullptr) return latest + 1;
  for (const Warp& w : warps) {
    latest = std::max(latest, w.stores_until);
    if (w.memory_until > latest) latest = std::max(latest, *std::max_element(w.loaded, w.loaded + kSinkRow));
  }
  return latest + 1;
}

// Cycles in which a warp's place was taken, summed over the warps.
std::uint64_t Engine::resident_cycles(Cycle run) const {
  std::uint64_t sum = count.warp_cycles;
  for (const Warp& w : warps)
    if (w.state != WarpState::kInactive && run > w.started) sum += std::min(run, w.local) - w.started;
  return sum;
}

// Cycles of a warp: blocked on memory: loads, texels, pages, instructions, a drain; blocked on output: a full LSU or SFU, and
// the turn of an export; waiting for input: no warp, or a warp that waits for others. Else it is at work in the pipeline.
kernel::Activity Engine::warp_activity(Cycle run) const {
  kernel::Activity a;
  a.memory = count.load_waits + count.texture_waits + count.translation_waits + count.fetch_stalls + count.drain_waits;
  a.output = count.lsu_stalls + count.sfu_stalls + count.guard_waits;
  const std::uint64_t resident = resident_cycles(run), others = count.barrier_waits + count.alone_waits;
  a.busy = resident - std::min(resident, a.memory + a.output + others);
  return a;
}

kernel::Utilisation::Details Engine::warp_waits(Cycle run) const {
  const std::uint64_t resident = resident_cycles(run);
  const std::uint64_t execution = count.operand_stalls - count.load_waits - count.texture_waits;
  const kernel::Activity a = warp_activity(run);
  return {{"issue", count.instructions},
          {"pipeline", a.busy - std::min(a.busy, count.instructions + execution)},
          {"execution", execution},
          {"loads", count.load_waits},
          {"texels", count.texture_waits},
          {"translation", count.translation_waits},
          {"fetch", count.fetch_stalls},
          {"drain", count.drain_waits},
          {"lsu_full", count.lsu_stalls},
          {"sfu_full", count.sfu_stalls},
          {"export_order", count.guard_waits},
          {"barrier", count.barrier_waits},
          {"alone", count.alone_waits},
          {"empty", run * warps.size() - std::min<std::uint64_t>(run * warps.size(), resident)}};
}

// The issue port is busy with an instruction, or has no warp, or has warps that all wait. What they wait for divides the
// last: in the proportion of their waits.
kernel::Activity Engine::issue_activity(Cycle run) const {
  const kernel::Activity warp = warp_activity(run);
  kernel::Activity a;
  a.busy = count.instructions;
  const std::uint64_t active = busy_cycles(), held = active - std::min(active, count.instructions);
  const std::uint64_t others = count.barrier_waits + count.alone_waits;
  const std::uint64_t pipeline = warp.busy - std::min(warp.busy, count.instructions);
  const double sum = static_cast<double>(warp.memory + warp.output + others + pipeline);
  if (sum == 0) return a;
  const auto part = [&](std::uint64_t waits) {
    return static_cast<std::uint64_t>(static_cast<double>(held) * (static_cast<double>(waits) / sum));
  };
  a.memory = part(warp.memory);
  a.output = part(warp.output);
  return a;
}

}  // namespace gyre::core
