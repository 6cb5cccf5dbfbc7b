// The load/store path behind the executors' fast paths: local memory mixed with global memory, memory without direct
// access, the OM aperture, faults; and the two instructions that talk to fixed-function units.
#include "csr.h"
#include "device_map.h"
#include "engine.h"
#include "memory_requests.h"
#include "op.h"

namespace gyre::core {
namespace {

using kernel::Cycle;
using riscv::Op;

constexpr std::uint32_t kBlock = GYRE_DEV_BLOCK_BYTES;
constexpr Cycle kLeaveLsu = 3;       // issue until a store has left the LSU
constexpr Cycle kTexHop = 2;         // core to sampler, and back

bool in_aperture(std::uint32_t a) { return a >= GYRE_DEV_APERTURE_BASE && a < GYRE_DEV_APERTURE_END; }
bool in_lmem(std::uint32_t a) { return a >= GYRE_DEV_LMEM_BASE; }

unsigned access_bytes(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb:
      return 1;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh:
      return 2;
    case Op::kLd:
    case Op::kSd:
    case Op::kFld:
    case Op::kFsd:
      return 8;
    default:
      return 4;
  }
}

// The upper half matters on RV64 only.
RegisterValue extend(Op op, RegisterValue v) {
  switch (op) {
    case Op::kLb:
      return static_cast<RegisterValue>(std::int64_t{static_cast<std::int8_t>(v)});
    case Op::kLh:
      return static_cast<RegisterValue>(std::int64_t{static_cast<std::int16_t>(v)});
    case Op::kLw:
      return static_cast<RegisterValue>(std::int64_t{static_cast<std::int32_t>(v)});
    case Op::kFlw:
      return 0xFFFFFFFF00000000u | v;
    default:
      return v;
  }
}

}  // namespace

void Engine::refresh_windows() {
  memory_epoch_ = memory.epoch();
  for (unsigned i = 0; i < kWindows; ++i) windows[i].size = 0;
  auto fill = [this](unsigned index, std::uint32_t at, std::uint64_t low, std::uint64_t high) {
    const auto region = memory.region(at);
    const std::uint64_t begin = std::max(region.begin, low), end = std::min(region.begin + region.size, high);
    if (region.size == 0 || begin >= end) return;
    Window& w = windows[index];
    w.begin = static_cast<std::uint32_t>(begin);
    w.size = static_cast<std::uint32_t>(end - begin);
    w.memory = region.memory + (begin - region.begin);
    w.latency = config.latency_load + kPipeOverhead;
    w.write = region.write;
    w.timed_row = w.timed_lanes = timed();
  };
  // With caches the IO region takes the slow path, which knows that it is not cached.
  const std::uint32_t low = timed() ? GYRE_DEV_IO_END : GYRE_DEV_NULL_END;
  Window& local = windows[kLmemWindow];
  local.begin = GYRE_DEV_LMEM_BASE;
  local.size = static_cast<std::uint32_t>(lmem.size());
  local.memory = lmem.data();
  local.latency = config.latency_lmem + kPipeOverhead;
  local.write = true;
  local.timed_lanes = timed();
  local.timed_row = timed() && lsu.rows_conflict();
  if (translating) {  // stacks stand for themselves
    fill(2, GYRE_DEV_STACK_TOP - GYRE_DEV_STACK_BYTES, GYRE_DEV_APERTURE_END, GYRE_DEV_LMEM_BASE);
    return;
  }
  fill(1, GYRE_DEV_IMAGE_BASE, low, GYRE_DEV_APERTURE_BASE);
  fill(2, GYRE_DEV_STACK_TOP - GYRE_DEV_STACK_BYTES, GYRE_DEV_APERTURE_END, GYRE_DEV_LMEM_BASE);
  fill(3, GYRE_DEV_USER_BASE, low, GYRE_DEV_APERTURE_BASE);
}

bool Engine::check_lanes(Warp& w, const std::uint32_t* address, unsigned bytes, bool write) {
  auto cause_of = [&](std::uint32_t a) -> unsigned {
    if ((a & (bytes - 1)) != 0) return GYRE_FAULT_MISALIGNED;
    if (a < GYRE_DEV_NULL_END) return GYRE_FAULT_ACCESS;
    if (in_lmem(a) && a - GYRE_DEV_LMEM_BASE >= lmem.size()) return GYRE_FAULT_ACCESS;
    return !write && in_aperture(a) ? GYRE_FAULT_APERTURE_LOAD : 0;
  };
  for (unsigned l = 0; l < threads; ++l) {
    const unsigned cause = w.lane_mask[l] == 0 ? 0 : cause_of(address[l]);
    if (cause == 0) continue;
    std::uint32_t lanes = 0;
    for (unsigned k = l; k < threads; ++k)
      if (w.lane_mask[k] != 0 && cause_of(address[k]) == cause) lanes |= 1u << k;
    bool told = false;
    if (cause == GYRE_FAULT_MISALIGNED) told = lint_unaligned(w, lanes, address[l], bytes);
    if (cause == GYRE_FAULT_APERTURE_LOAD) told = lint_aperture(w, lanes, address[l]);
    if (cause == GYRE_FAULT_ACCESS) told = lint_unmapped(w, lanes, address[l]);
    fault(w, cause, address[l], told);
    return false;
  }
  return true;
}

void Engine::unmapped(Warp& w, const std::uint32_t* address, std::uint32_t bad) {
  std::uint32_t lanes = 0;
  for (unsigned l = 0; l < threads; ++l)
    if (w.lane_mask[l] != 0 && (address[l] ^ bad) < kBlock) lanes |= 1u << l;
  fault(w, GYRE_FAULT_ACCESS, bad, lint_unmapped(w, lanes, bad));
}

// Lanes of one 64-byte block travel together, blocks in the order of their lowest lanes.
bool Engine::read_blocks(const Warp& w, const std::uint32_t* address, unsigned bytes, RegisterValue* values,
                         Cycle& when, std::uint32_t& bad) {
  std::uint32_t left = w.mask;
  while (left != 0) {
    const std::uint32_t first = address[__builtin_ctz(left)];
    if (in_lmem(first)) {
      std::memcpy(&values[__builtin_ctz(left)], &lmem[first - GYRE_DEV_LMEM_BASE], bytes);
      left &= left - 1;
      continue;
    }
    std::uint32_t group = 0, low = first, high = first;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
      if ((address[l] ^ first) >= kBlock) continue;
      group |= 1u << l;
      low = std::min(low, address[l]);
      high = std::max(high, address[l]);
    }
    std::uint8_t data[kBlock];
    if (!memory.read(low, data, high - low + bytes, &when)) {
      bad = first;
      return false;
    }
    left &= ~group;
    for (; group != 0; group &= group - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(group));
      std::memcpy(&values[l], data + (address[l] - low), bytes);
    }
  }
  return true;
}

bool Engine::write_blocks(const Warp& w, const std::uint32_t* address, unsigned bytes, const RegisterValue* values,
                          Cycle& when, std::uint32_t& bad) {
  std::uint32_t left = w.mask;
  while (left != 0) {
    const unsigned head = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t first = address[head];
    std::uint8_t* direct = in_lmem(first) ? &lmem[first - GYRE_DEV_LMEM_BASE] : memory.direct(first, bytes, true);
    if (direct != nullptr && !in_aperture(first)) {
      std::memcpy(direct, &values[head], bytes);
      note_written(first);
      if (bytes == 8) note_written(first + 4);
      left &= left - 1;
      continue;
    }
    std::uint8_t data[kBlock], enables[kBlock] = {};
    std::uint32_t group = 0, low = first, high = first;
    const std::uint32_t block = first & ~(kBlock - 1);
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
      if ((address[l] & ~(kBlock - 1)) != block) continue;
      group |= 1u << l;
      low = std::min(low, address[l]);
      high = std::max(high, address[l]);
      std::memcpy(data + (address[l] - block), &values[l], bytes);  // of equal addresses the highest lane stays
      std::memset(enables + (address[l] - block), 0xFF, bytes);
    }
    const std::uint32_t skip = low - block, length = high - low + bytes;
    if (!memory.write_transaction(low, data + skip, length, enables + skip, in_aperture(first), &when)) {
      bad = first;
      return false;
    }
    if (!in_aperture(first))
      for (std::uint32_t g = group; g != 0; g &= g - 1) {
        note_written(address[__builtin_ctz(g)]);
        if (bytes == 8) note_written(address[__builtin_ctz(g)] + 4);
      }
    left &= ~group;
  }
  return true;
}

void Engine::load_lanes(Warp& w, const Inst& inst, const std::uint32_t* address) {
  const Op op = static_cast<Op>(inst.op);
  const unsigned bytes = access_bytes(op);
  if (!check_lanes(w, address, bytes, false)) return;
  std::uint32_t physical[kMaxLanes];
  if (translating && !(address = translate_lanes(w, address, physical))) return;
  RegisterValue values[kMaxLanes] = {};
  std::uint32_t bad = 0;
  Cycle when = w.issue;
  fold_flags(w);  // foreign code may run in the call
  const bool ok = read_blocks(w, address, bytes, values, when, bad);
  clear_host_flags();
  if (!ok) {
    unmapped(w, address, bad);
    return;
  }
  for (unsigned l = 0; l < threads; ++l) values[l] = extend(op, values[l]);
  write_values(w, inst.rd, values);
  if (timed()) {
    const std::uint64_t counted = lsu.counters().load_cycles;
    begin_load(w, inst);
    end_load(w, inst, timed_load(w, address, bytes));
    count_access(w, address, lsu.counters().load_cycles == counted ? config.latency_lmem : 0, true, false);
    return;
  }
  set_ready(w, inst, when + config.latency_load + kPipeOverhead);
  count_access(w, address, when - w.issue + config.latency_load, true, false);
}

void Engine::store_lanes(Warp& w, const Inst& inst, const std::uint32_t* address) {
  const unsigned bytes = access_bytes(static_cast<Op>(inst.op));
  if (!check_lanes(w, address, bytes, true)) return;
  std::uint32_t physical[kMaxLanes];
  if (translating && !(address = translate_lanes(w, address, physical))) return;
  Cycle when = w.issue + kLeaveLsu;
  std::uint32_t bad = 0;
  RegisterValue values[kMaxLanes];
  for (unsigned l = 0; l < threads; ++l) values[l] = lane_value(w, inst.rs2, l);
  fold_flags(w);
  const bool ok = write_blocks(w, address, bytes, values, when, bad);
  clear_host_flags();
  if (!ok) {
    unmapped(w, address, bad);
    return;
  }
  if (timed() && !in_aperture(address[w.hal])) when = timed_store(w, address, bytes);
  posted(w, when);
  count_access(w, address, 0, false, true);
}

// isa.md §4.3: bytes or halfwords at rs1 + k * rs2 side by side in one register, one LSU micro-op each.
void Engine::pack_lanes(Warp& w, const Inst& inst) {
  const unsigned bytes = static_cast<Op>(inst.op) == Op::kPacklb ? 1 : 2, pieces = 4 / bytes;
  RegisterValue packed[kMaxLanes] = {};
  std::uint32_t base[kMaxLanes], bad = 0, physical[4][kMaxLanes];
  std::memcpy(base, row(w, inst.rs1), threads * 4);
  Cycle when = w.issue;
  for (unsigned k = 0; k < pieces; ++k) {
    std::uint32_t* const address = physical[k];
    RegisterValue piece[kMaxLanes] = {};
    for (unsigned l = 0; l < threads; ++l) {
      const RegisterValue at = lane_value(w, inst.rs1, l) + k * lane_value(w, inst.rs2, l);
      if (w.lane_mask[l] != 0 && !in_reach(w, at)) return;
      address[l] = static_cast<std::uint32_t>(at);
    }
    if (!check_lanes(w, address, bytes, false)) return;
    if (translating && !translate_lanes(w, address, address)) return;
    fold_flags(w);
    const bool ok = read_blocks(w, address, bytes, piece, when, bad);
    clear_host_flags();
    if (!ok) {
      unmapped(w, address, bad);
      return;
    }
    for (unsigned l = 0; l < threads; ++l) packed[l] |= piece[l] << (8 * bytes * k);
  }
  for (auto& value : packed) value = extend(Op::kFlw, value);
  write_values(w, inst.rd, packed);
  w.local += pieces - 1;
  if (timed()) {  // a micro-op a piece, a cycle apart
    Cycle ready = 0;
    begin_load(w, inst);
    for (unsigned k = 0; k < pieces; ++k) ready = std::max(ready, timed_load(w, physical[k], bytes, k));
    end_load(w, inst, ready);
    count_access(w, base, 0, true, false);
    return;
  }
  set_ready(w, inst, when + config.latency_load + kPipeOverhead + pieces - 1);
  count_access(w, base, when - w.issue + config.latency_load + pieces - 1, true, false);
}

void Engine::count_access(const Warp& w, const std::uint32_t* address, Cycle cycles, bool load, bool store) {
  bool local = false;
  for (unsigned l = 0; l < threads; ++l) local = local || (w.lane_mask[l] != 0 && in_lmem(address[l]));
  loads += load;
  stores += store;
  count.local_loads += load && local;
  count.local_stores += store && local;
  count.slow_load_cycles += cycles;
}

bool Engine::write_word(std::uint32_t address, std::uint32_t value, Cycle& when) {
  if (in_lmem(address)) {
    std::memcpy(&lmem[address - GYRE_DEV_LMEM_BASE], &value, 4);
    note_written(address);
    return true;
  }
  const bool ok = memory.write(address, &value, 4, &when);
  note_written(address);
  return ok;
}

// isa.md §4.4: one posted word per set bit of funct2; colour and depth of a lane stay adjacent. Words of one block
// leave as one beat with byte enables; a word that is already in the beat starts a new one.
void Engine::export_lanes(Warp& w, const Inst& inst) {
  const std::uint32_t* record = row(w, inst.rs1);
  const std::uint32_t *colour = row(w, inst.rs2), *depth = row(w, inst.rs3);
  const bool has_colour = (inst.imm & 1) != 0, has_depth = (inst.imm & 2) != 0;
  std::uint32_t address[2 * kMaxLanes], value[2 * kMaxLanes];
  unsigned words = 0;
  if (!check_lanes(w, record, 4, true)) return;
  std::uint32_t physical[kMaxLanes];
  if (translating && !(record = translate_lanes(w, record, physical))) return;
  for (unsigned l = 0; l < threads; ++l) {
    if (w.lane_mask[l] == 0) continue;
    if (has_colour) {
      address[words] = record[l];
      value[words++] = colour[l];
    }
    if (has_depth) {
      address[words] = record[l] + 4;
      value[words++] = depth[l];
    }
  }
  Cycle when = w.issue + kLeaveLsu;
  std::uint64_t left = words == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << words) - 1;
  bool ok = true;
  std::uint32_t bad = 0;
  fold_flags(w);
  while (left != 0 && ok) {
    const unsigned head = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint32_t block = address[head] & ~(kBlock - 1);
    bad = address[head];
    if (!in_aperture(block)) {  // an ordinary store
      left &= left - 1;
      ok = !(in_lmem(bad) && bad - GYRE_DEV_LMEM_BASE >= lmem.size()) && write_word(bad, value[head], when);
      continue;
    }
    std::uint32_t data[kBlock / 4], enables[kBlock / 4] = {};
    unsigned low = kBlock / 4, high = 0;
    for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
      const unsigned k = static_cast<unsigned>(__builtin_ctzll(rest));
      if ((address[k] & ~(kBlock - 1)) != block) continue;
      const unsigned index = (address[k] - block) / 4;
      if (enables[index] != 0) break;
      enables[index] = ~0u;
      data[index] = value[k];
      low = std::min(low, index);
      high = std::max(high, index);
      left &= ~(std::uint64_t{1} << k);
    }
    ok = memory.write_transaction(block + low * 4, data + low, (high - low + 1) * 4,
                                  reinterpret_cast<const std::uint8_t*>(enables + low), true, &when);
  }
  clear_host_flags();
  if (!ok) {
    unmapped(w, record, bad);
    return;
  }
  if (has_colour && has_depth) ++w.local;  // two micro-ops
  posted(w, when);
  ++stores;
  count.exports += w.lanes;
}

bool Engine::sample(Warp& w, const Inst& inst) {
  if (texture == nullptr) return false;
  std::uint32_t texels[kMaxLanes] = {};
  fold_flags(w);
  Cycle leave = w.issue + kLeaveLsu;
  kernel::TexturePort::Done done;
  if (requests != nullptr) {
    done = requests->begin_texture(w, inst, kTexHop);
  } else if (lsu.dcache != nullptr) {
    const Cycle from = tex_queue.available(leave);
    w.local += from - leave;  // a full queue holds the SFU
    count.sfu_stalls += from - leave;
    leave = from;
  }
  const Cycle ready = texture->sample(static_cast<unsigned>(inst.imm), w.mask, row(w, inst.rs1), row(w, inst.rs2),
                                      row(w, inst.rs3), texels, leave + kTexHop, std::move(done));
  clear_host_flags();
  write_row(w, inst.rd, texels);
  if (requests != nullptr) {
    requests->end_texture(w, inst, ready == kernel::TexturePort::kLater ? kPending : ready + kTexHop);
  } else {
    if (lsu.dcache != nullptr) tex_queue.hold(leave, ready);
    set_ready(w, inst, ready + kTexHop);
    std::swap(w.sampled[inst.rd], w.loaded[inst.rd]);
  }
  ++count.tex;
  return true;
}

}  // namespace gyre::core
