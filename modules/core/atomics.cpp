// Extension A (isa.md §1): every lane's read-modify-write is one step at the last-level cache or in local memory, lanes
// in ascending order. Atomics are never merged; aq and rl need nothing, the model executes in program order.
#include "csr.h"
#include "device_map.h"
#include "engine.h"
#include "memory_requests.h"
#include "op.h"

namespace gyre::core {
namespace {

using riscv::Op;

// L1 miss to L2 hit without the L2 itself, and the same one level further down (timing.md §2.2).
constexpr unsigned kToL2 = 7, kToL3 = 2, kArbiter = 1;
constexpr unsigned kLmemModify = 2;  // a local atomic takes three cycles at the bank instead of one

// Execute stage of an atomic: the load path to the last-level cache, + 1.
unsigned global_latency(const GpuConfig& gpu) {
  unsigned cycles = gpu.core.latency_load + 1;
  if (gpu.l2.enabled) cycles += kToL2 + gpu.l2.latency;
  if (gpu.l3.enabled) cycles += kToL3 + gpu.l3.latency;
  // With one core the data cache itself may be the last level; several meet in memory.
  if (!gpu.l2.enabled && !gpu.l3.enabled && gpu.total_cores() > 1) cycles += gpu.dram.latency + kArbiter;
  return cycles;
}

// The word form of an operation on doublewords.
Op word_form(Op op) {
  constexpr unsigned kStep = static_cast<unsigned>(Op::kLrD) - static_cast<unsigned>(Op::kLrW);
  return op < Op::kLrD ? op : static_cast<Op>(static_cast<unsigned>(op) - kStep);
}

template <class U>
U combine(Op op, U old, U value) {
  const auto a = static_cast<std::make_signed_t<U>>(old), b = static_cast<std::make_signed_t<U>>(value);
  switch (op) {
    case Op::kAmoaddW:
      return old + value;
    case Op::kAmoxorW:
      return old ^ value;
    case Op::kAmoandW:
      return old & value;
    case Op::kAmoorW:
      return old | value;
    case Op::kAmominW:
      return a < b ? old : value;
    case Op::kAmomaxW:
      return a > b ? old : value;
    case Op::kAmominuW:
      return std::min(old, value);
    case Op::kAmomaxuW:
      return std::max(old, value);
    default:
      return value;  // swap
  }
}

}  // namespace

// A reservation is on a doubleword, so that a store to either half ends one on the whole.
std::uint64_t Engine::reservation_key(std::uint32_t address) const {
  const std::uint32_t granule = address & ~(wide ? 7u : 3u);
  return address >= GYRE_DEV_LMEM_BASE ? std::uint64_t{core_id + 1} << 32 | granule : granule;
}

void Engine::stored(std::uint32_t address) {
  code.written(address);
  ctx.reservations.stored(reservation_key(address));
}

// One lane's turn: reads `old`, writes what becomes of it. False if there is no memory at `address`.
template <class U>
bool Engine::atomic_lane(Op op, std::uint32_t address, std::uint32_t hart, U operand, U& result, kernel::Cycle& when) {
  const std::uint64_t key = reservation_key(address);
  std::uint8_t* const bank = address >= GYRE_DEV_LMEM_BASE ? &lmem[address - GYRE_DEV_LMEM_BASE] : nullptr;
  U old = 0;
  bool ok = true;
  if (bank != nullptr)
    std::memcpy(&old, bank, sizeof old);
  else
    ok = memory.read(address, &old, sizeof old, &when);
  result = old;
  if (op == Op::kLrW) {
    if (ok) ctx.reservations.reserve(key, hart);
    return ok;
  }
  if (op == Op::kScW) {
    result = ctx.reservations.claim(key, hart) ? 0 : 1;
    if (result != 0) return ok;
  }
  if (!ok) return false;
  const U value = combine(op, old, operand);
  if (bank != nullptr)
    std::memcpy(bank, &value, sizeof value);
  else
    ok = memory.write(address, &value, sizeof value, &when);
  stored(address);
  if (sizeof(U) == 8) stored(address + 4);
  return ok;
}

void Engine::atomic_lanes(Warp& w, const Inst& inst) {
  const Op given = static_cast<Op>(inst.op), op = word_form(given);
  const bool doubleword = op != given;
  const std::uint32_t* address = row(w, inst.rs1);
  if (!in_reach(w, inst.rs1, 0) || !check_lanes(w, address, doubleword ? 8 : 4, false)) return;
  std::uint32_t physical[kMaxLanes];
  if (translating && !(address = translate_lanes(w, address, physical))) return;
  RegisterValue result[kMaxLanes] = {};
  kernel::Cycle when = w.issue;
  bool global = false, ok = true;
  std::uint32_t bad = 0;
  fold_flags(w);  // foreign code may run in the calls
  for (std::uint32_t left = w.mask; left != 0 && ok; left &= left - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t hart = (core_id * config.warps + w.id) * threads + l;
    global = global || address[l] < GYRE_DEV_LMEM_BASE;
    bad = address[l];
    const RegisterValue operand = lane_value(w, inst.rs2, l);
    if (doubleword) {
      ok = atomic_lane(op, bad, hart, operand, result[l], when);
    } else {
      std::uint32_t word = 0;
      ok = atomic_lane(op, bad, hart, static_cast<std::uint32_t>(operand), word, when);
      result[l] = static_cast<RegisterValue>(std::int64_t{static_cast<std::int32_t>(word)});
    }
  }
  clear_host_flags();
  if (!ok) {
    unmapped(w, address, bad);
    return;
  }
  write_values(w, inst.rd, result);
  if (timed() && global) {
    const LaneKinds k = kinds(w.mask, address);
    if (requests != nullptr) {
      requests->begin_load(w, inst);
      requests->atomics(address, k.cached | k.io, w.issue);
      requests->end_load(w, inst, 0);
    } else {
      set_ready(w, inst, lsu.atomic_lanes(address, k.cached | k.io, w.issue));
      wait_for_pool(w);
    }
    if (lines != nullptr && op != Op::kLrW) watch_lanes(w, address, k.cached, doubleword ? 8 : 4, true);
    count_access(w, address, 0, op != Op::kScW, op != Op::kLrW);
    return;
  }
  const unsigned path = global ? atomic_latency_ : config.latency_lmem + kLmemModify;
  set_ready(w, inst, when + path + kPipeOverhead + (w.lanes - 1));
  count_access(w, address, op == Op::kScW ? 0 : when - w.issue + path + (w.lanes - 1), op != Op::kScW, op != Op::kLrW);
}

unsigned Engine::atomic_latency() const { return global_latency(ctx.config.gpu); }

}  // namespace gyre::core
