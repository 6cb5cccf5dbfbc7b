// Fetch, decode and the loop that runs a warp.
#include "core_debug.h"
#include "core_trace.h"
#include "csr.h"
#include "device_map.h"
#include "engine.h"
#include "memory_requests.h"

namespace gyre::core {
namespace {

constexpr unsigned kBurst = 64;  // straight-line instructions whose time a warp runs before another one gets its turn
constexpr unsigned kPagedBurst = 32;  // the same with virtual memory: warps share the few entries of the TLBs

}  // namespace

inline kernel::Cycle Engine::wait_operands(const Warp& w, const Inst& inst, kernel::Cycle t) {
  auto later = [](kernel::Cycle a, kernel::Cycle b) { return a > b ? a : b; };
  const kernel::Cycle ready =
      later(later(w.ready[inst.rs1], w.ready[inst.rs2]), later(w.ready[inst.rs3], w.ready[inst.rd]));
  if (ready <= t) return t;
  if (ready >= kPending) return ready;
  count.operand_stalls += ready - t;
  if (ready <= w.memory_until) count_wait(w, inst, ready, ready - t);
  return ready;
}

template <bool kCompressed>
Inst* Engine::find(Warp& w, std::uint32_t pc) {
  if ((pc >> 12) != fetch_page_) {
    std::uint32_t physical = pc;
    if (translating && requests == nullptr && !translate_fetch(w, pc, &physical)) return nullptr;
    fetched_ = code.page(pc);
    if (fetched_ == nullptr) {
      fault(w, GYRE_FAULT_ACCESS, pc, lint_fetch(w, pc, false));
      return nullptr;
    }
    fetch_page_ = pc >> 12;
  }
  if ((pc & (kCompressed ? 1 : 3)) != 0) {
    fault(w, GYRE_FAULT_MISALIGNED, pc, lint_fetch(w, pc, true));
    return nullptr;
  }
  Inst* slot =
      &fetched_->inst[kCompressed ? (pc >> 1) & (2 * CodePage::kWords - 1) : (pc >> 2) & (CodePage::kWords - 1)];
  return slot->run != nullptr ? slot : decode(w, pc, slot);
}

Inst Engine::instruction(std::uint32_t pc) const {
  std::uint32_t word = config.isa_c ? code.half(pc) : code.word(pc);
  if (config.isa_c && (word & 3) == 3) word |= code.half(pc + 2) << 16;
  return make_inst(word, threads, config);
}

void Engine::set_break(std::uint32_t pc, Inst& inst) const {
  if (debug != nullptr && debug->wants(pc, inst)) inst.run = CoreDebug::trap;
}

void Engine::set_stop_point(std::uint32_t pc, Inst& inst) {
  set_break(pc, inst);
  if (tracer_ != nullptr && tracer_->wants(*this, pc)) inst.run = traced;
}

void Engine::decode_again(std::uint32_t pc) {
  code.forget(pc);
  straddling_pc_ = ~0u;
}

void Engine::decode_all_again() {
  code.forget_all();
  straddling_pc_ = ~0u;
}

Inst* Engine::decode(Warp& w, std::uint32_t pc, Inst* slot) {
  if (config.isa_c && (pc & 0xFFF) == 0xFFE) {
    std::uint32_t physical = 0;
    if ((code.half(pc) & 3) == 3 && translating && !mmu->peek(pc + 2, &physical)) {
      page_fault(w, pc + 2);
      return nullptr;
    }
    if ((code.half(pc) & 3) == 3 && code.page(pc + 2) == nullptr) {
      fault(w, GYRE_FAULT_ACCESS, pc + 2, lint_fetch(w, pc + 2, false));
      return nullptr;
    }
    // The next page changes on its own: the words are compared every time.
    const Inst inst = instruction(pc);
    if (straddling_pc_ != pc || straddling_.word != inst.word) {
      straddling_ = inst;
      set_stop_point(pc, straddling_);
    }
    straddling_pc_ = pc;
    return &straddling_;
  }
  *slot = instruction(pc);
  set_stop_point(pc, *slot);
  return slot;
}

void Engine::run_burst(Warp& w, kernel::Cycle limit) {
  if (requests != nullptr)
    config.isa_c ? burst<true, true>(w, limit) : burst<false, true>(w, limit);
  else
    config.isa_c ? burst<true, false>(w, limit) : burst<false, false>(w, limit);
}

void Engine::settle_requests(Warp& w) {
  requests->fetched(w, static_cast<unsigned>(count.instructions - settled_instructions_), fetched_since_);
  settled_instructions_ = count.instructions;
}

void Engine::settle_fetches(Warp& w) {
  if (requests != nullptr) settle_requests(w);
  if (icache != nullptr) charge_fetch(w, w.next_pc);
  fetched_since_ = w.local;
}

// Approximate style: a warp runs ahead of kernel time with instructions that concern nobody else. One that goes to
// memory or may concern other warps is issued when kernel time is there, and if there is room for it.
template <bool kCompressed, bool kApproximate>
void Engine::burst(Warp& w, kernel::Cycle limit) {
  if (memory_epoch_ != memory.epoch()) refresh_windows();
  clear_host_flags();
  translated_page_ = ~0u;
  if (translating || !code.current(fetched_)) fetch_page_ = ~0u;  // else it is that of the burst before
  limit = std::min(limit, w.local + kernel::Cycle{translating ? kPagedBurst : kBurst} * interval[kStraight]);
  // Counted here and handed over when somebody may look. Only control instructions change the mask.
  std::uint32_t instructions = 0, lanes = w.lanes;
  auto hand_over = [&] {
    count.instructions += instructions;
    count.thread_instructions += std::uint64_t{instructions} * lanes;
    instructions = 0;
  };
  std::uint32_t pc = w.pc;
  fetched_from_ = pc;
  fetched_since_ = w.local;
  // The instruction at pc while execution is sequential: no wait for a stored pc. An empty one stands behind the last
  // of a page (without compressed instructions), and where a jump has to look for its target.
  Inst* next = &nowhere_;
  std::uint32_t line = ~0u, old_line = ~0u;  // approximate: the instruction cache has it; and something in it is old
  settled_instructions_ = count.instructions;
  for (;;) {
    if constexpr (kApproximate) {
      w.pc = pc;
      if (pc / GYRE_DEV_BLOCK_BYTES != line) {
        if (pc / GYRE_DEV_BLOCK_BYTES != old_line) {
          if (__builtin_expect(translating, 0) && pc >> 12 != translated_page_ && !enter_page(w)) break;
          if (!requests->fetch(w, pc + fetch_offset_)) break;
        }
        line = pc / GYRE_DEV_BLOCK_BYTES;
        old_line = ~0u;
        if (code_lines_.may_be_old() && watch_fetch(w, pc)) std::swap(line, old_line);
      }
    }
    if ((kCompressed && (pc >> 12) != fetch_page_) || __builtin_expect(next->run == nullptr, 0)) {
      w.pc = pc;
      next = find<kCompressed>(w, pc);
      if (next == nullptr) break;  // fault
    }
    Inst& inst = *next;
    const std::uint32_t length = kCompressed ? inst.length : 4;
    kernel::Cycle t = w.local;
    if (w.max_ready > t) t = wait_operands(w, inst, t);
    if constexpr (kApproximate) {
      if (t < kPending) t = requests->port.first_free(t);
      if (!requests->may_issue(w, inst, t)) break;
      requests->port.take(t);
    }
    w.issue = t;
    w.local = t + interval[inst.interval];
    if (inst.latency != 0) {  // never with x0 as the destination
      const kernel::Cycle when = t + inst.latency;
      w.ready[inst.rd] = when;
      if (when > w.max_ready) w.max_ready = when;
    }
    ++count.unit[inst.unit];
    ++instructions;
    w.pc = pc;
    w.next_pc = pc += length;
    if (__builtin_expect(inst.unit == kUnitSfu, 0)) {
      hand_over();
      if (icache != nullptr && inst.interval == kControl) {  // the date of what follows may leave the warp
        charge_fetch(w, pc);
        fetched_since_ = w.local;
      }
      count.stalled += interval[inst.interval] - interval[kStraight];
      inst.run(*this, w, inst);
      lanes = w.lanes;
    } else {
      inst.run(*this, w, inst);
    }
    next += kCompressed ? length / 2 : 1;
    if (__builtin_expect(w.next_pc != pc, 0)) {
      if (icache != nullptr) {
        charge_fetch(w, pc);
        fetched_from_ = w.next_pc;
        fetched_since_ = w.local;
      }
      pc = w.next_pc;
      next = &nowhere_;
    }
    if (w.state != WarpState::kReady || w.local >= limit) {
      w.pc = pc;
      if (icache != nullptr) charge_fetch(w, pc);
      break;
    }
  }
  hand_over();
  if constexpr (kApproximate) settle_requests(w);
  fold_flags(w);
}

}  // namespace gyre::core
