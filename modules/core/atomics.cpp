// Extension A (isa.md §1): every lane's read-modify-write is one step at the last-level cache or in local memory, lanes
// in ascending order. Atomics are never merged; aq and rl need nothing, the model executes in program order.
#include "csr.h"
#include "device_map.h"
#include "engine.h"
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

std::uint32_t combine(Op op, std::uint32_t old, std::uint32_t value) {
  const std::int32_t a = static_cast<std::int32_t>(old), b = static_cast<std::int32_t>(value);
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

std::uint64_t Engine::reservation_key(std::uint32_t address) const {
  const std::uint32_t word = address & ~3u;
  return address >= GYRE_DEV_LMEM_BASE ? std::uint64_t{core_id + 1} << 32 | word : word;
}

void Engine::stored(std::uint32_t address) {
  code.written(address);
  ctx.reservations.stored(reservation_key(address));
}

void Engine::atomic_lanes(Warp& w, const Inst& inst) {
  const Op op = static_cast<Op>(inst.op);
  const std::uint32_t *address = row(w, inst.rs1), *operand = row(w, inst.rs2);
  if (!check_lanes(w, address, 4, false)) return;
  std::uint32_t result[kMaxLanes] = {};
  kernel::Cycle when = w.issue;
  bool global = false, ok = true;
  std::uint32_t bad = 0;
  fold_flags(w);  // foreign code may run in the calls
  for (std::uint32_t left = w.mask; left != 0 && ok; left &= left - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t hart = (core_id * config.warps + w.id) * threads + l;
    const std::uint64_t key = reservation_key(address[l]);
    const bool local = address[l] >= GYRE_DEV_LMEM_BASE;
    std::uint8_t* const bank = local ? &lmem[address[l] - GYRE_DEV_LMEM_BASE] : nullptr;
    global = global || !local;
    bad = address[l];
    std::uint32_t old = 0;
    if (local)
      std::memcpy(&old, bank, 4);
    else
      ok = memory.read(address[l], &old, 4, &when);
    result[l] = old;
    if (op == Op::kLrW) {
      if (ok) ctx.reservations.reserve(key, hart);
      continue;
    }
    if (op == Op::kScW) {
      result[l] = ctx.reservations.claim(key, hart) ? 0 : 1;
      if (result[l] != 0) continue;
    }
    if (!ok) break;
    const std::uint32_t value = combine(op, old, operand[l]);
    if (local)
      std::memcpy(bank, &value, 4);
    else
      ok = memory.write(address[l], &value, 4, &when);
    stored(address[l]);
  }
  clear_host_flags();
  if (!ok) {
    fault(w, GYRE_FAULT_ACCESS, bad);
    return;
  }
  write_row(w, inst.rd, result);
  const unsigned path = global ? atomic_latency_ : config.latency_lmem + kLmemModify;
  set_ready(w, inst, when + path + kPipeOverhead + (w.lanes - 1));
  count_access(w, address, op == Op::kScW ? 0 : when - w.issue + path + (w.lanes - 1), op != Op::kScW, op != Op::kLrW);
}

unsigned Engine::atomic_latency() const { return global_latency(ctx.config.gpu); }

}  // namespace gyre::core
