#include "core_trace.h"

#include "core_debug.h"
#include "engine.h"

namespace gyre::core {

void Engine::trace(InsnListener* to) {
  tracer_ = to;
  decode_all_again();
}

void Engine::traced(Machine& machine, Warp& w, const Inst&) {
  Engine& e = static_cast<Engine&>(machine);
  const std::uint32_t pc = w.pc, mask = w.mask;
  const std::uint64_t issue = w.issue, faults = e.count.faults;
  Inst inst = e.instruction(pc);
  const std::uint32_t word = inst.word;
  e.set_break(pc, inst);
  inst.run(e, w, inst);
  const bool again = w.next_pc == pc && (w.state == WarpState::kGuard || w.state == WarpState::kAlone);
  if (again || e.tracer_ == nullptr) return;
  fold_flags(w);  // foreign code runs in the call
  e.tracer_->executed(e, {w, pc, word, mask, issue, e.count.faults != faults});
  clear_host_flags();
}

}  // namespace gyre::core
