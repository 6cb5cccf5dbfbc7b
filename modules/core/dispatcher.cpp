#include "dispatcher.h"

#include "device_map.h"

namespace gyre::core {
namespace {

using kernel::Cycle;
using kernel::LaunchKind;

constexpr Cycle kRetireToFree = 3;
constexpr std::uint32_t kWindowBytes = 20;  // the five instructions of the dispatch window (isa.md §12)
constexpr std::uint32_t kWsyncWord = 0x0000700B, kTmcZeroWord = 0x0000000B;

}  // namespace

CtaDispatcher::CtaDispatcher(Engine& engine)
    : engine_(engine),
      slots_(engine.warps.size()),
      initialised_(engine.warps.size()),
      warp_free_at_(engine.warps.size()),
      in_cta_(engine.warps.size()) {
  engine.listener = this;
}

bool CtaDispatcher::advance(kernel::LaunchQueue& queue, Cycle now) {
  if (active_) {
    start_warps();
    return !active_;
  }
  Cycle when = std::max({now, queue.head_stamp(), time_});
  refused_ = !admit(queue.head(), when);
  if (refused_) return false;
  begin(queue.head(), when);
  queue.pop(when);
  return true;
}

// launch.md §7.1, §7.2. On success slot_ is chosen and `when` not earlier than the slot is free.
bool CtaDispatcher::admit(const kernel::LaunchMessage& m, Cycle& when) {
  const unsigned slots = static_cast<unsigned>(slots_.size());
  const std::uint32_t stride = m.aligned_lmem;
  const std::uint32_t lmem = static_cast<std::uint32_t>(engine_.lmem.size());
  const unsigned usable = stride == 0 ? slots : std::clamp<unsigned>(lmem / stride, 1, slots);
  for (const Slot& s : slots_)
    if (stride > 0 && s.busy && s.stride > 0 && s.stride != stride) return false;
  unsigned tail = tail_ >= usable ? 0 : tail_;
  unsigned need = 1;
  if (m.kind == LaunchKind::kCompute && m.compute.cluster_size > 1 && m.compute.first_of_cluster) {
    need = std::clamp<unsigned>(m.compute.cluster_size, 1, usable);
    if (tail + need > usable) tail = 0;
  }
  for (unsigned i = tail; i < tail + need; ++i)
    if (slots_[i].busy) return false;
  slot_ = tail;
  when = std::max(when, slots_[tail].free_at);
  tail_ = (tail + 1) % usable;
  return true;
}

void CtaDispatcher::begin(const kernel::LaunchMessage& m, Cycle when) {
  if (ctx_id_ != m.ctx_id) {
    ctx_id_ = m.ctx_id;
    std::fill(initialised_.begin(), initialised_.end(), 0);
    engine_.code.refresh();  // a new launch may bring new code
  }
  message_ = m;
  rank_ = 0;
  std::fill(std::begin(base_), std::end(base_), 0);
  const bool fragment = m.kind == LaunchKind::kFragment;
  const std::uint32_t quads = std::min<std::uint32_t>(m.fragment.count, engine_.threads / 4);
  threads_ = fragment ? quads * 4 : m.compute.block_size;
  warps_ = (threads_ + engine_.threads - 1) / engine_.threads;
  // Accept, then the pipe that expands thread indices.
  time_ = when + 1 + engine_.threads / 2;
  if (warps_ == 0) {
    engine_.ctx.busy.give(engine_.busy_node, when);
    return;
  }
  Slot& slot = slots_[slot_];
  slot.busy = true;
  slot.stride = m.aligned_lmem;
  slot.remaining = warps_;
  slot.last = 0;
  active_ = true;
  ++engine_.count.ctas;
}

void CtaDispatcher::start_warps() {
  while (rank_ < warps_) {
    const std::uint32_t all = engine_.warps.size() == 32 ? ~0u : (1u << engine_.warps.size()) - 1;
    const std::uint32_t free = all & ~engine_.active_mask;
    if (free == 0) return;
    Warp& w = engine_.warps[static_cast<unsigned>(__builtin_ctz(free))];
    const std::uint32_t left = threads_ - rank_ * engine_.threads;
    const std::uint32_t mask = left >= engine_.threads ? w.full : (1u << left) - 1;
    const bool fragment = message_.kind == LaunchKind::kFragment;
    time_ = std::max(time_, warp_free_at_[w.id]);
    in_cta_[w.id] = true;
    w.cta = CtaRecord{};
    w.cta.slot = slot_;
    w.cta.rank = rank_;
    w.cta.size = warps_;
    w.cta.lmem = GYRE_DEV_LMEM_BASE + slot_ * message_.aligned_lmem;
    w.cta.entry = engine_.wide ? message_.entry : static_cast<std::uint32_t>(message_.entry);
    w.mscratch = engine_.wide ? message_.param : static_cast<std::uint32_t>(message_.param);
    if (fragment)
      fill_fragment(w);
    else
      fill_compute(w, mask);
    w.pc = start_pc(w, mask);
    engine_.activate(w, fragment ? WarpKind::kFragment : WarpKind::kCompute, mask, time_ + 1);
    if (fragment) engine_.find_older(w);
    engine_.in_reach(w, message_.pc);
    ++time_;
    ++rank_;
  }
  active_ = false;
}

// launch.md §6: lane 0 of the warp from the base registers, the others by carry.
void CtaDispatcher::fill_compute(Warp& w, std::uint32_t mask) {
  const kernel::ComputeArgs& a = message_.compute;
  std::uint32_t x = base_[0], y = base_[1], z = base_[2];
  for (unsigned l = 0; l < engine_.threads; ++l) {
    const bool present = ((mask >> l) & 1) != 0;
    w.thread_id[0][l] = present ? x : 0;
    w.thread_id[1][l] = present ? y : 0;
    w.thread_id[2][l] = present ? z : 0;
    if (++x >= a.block_dim[0]) {
      x = 0;
      if (++y >= a.block_dim[1]) {
        y = 0;
        ++z;
      }
    }
  }
  std::uint32_t carry = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    base_[axis] += a.warp_step[axis] + carry;
    carry = axis < 2 && base_[axis] >= a.block_dim[axis];
    if (carry != 0) base_[axis] -= a.block_dim[axis];
    w.cta.block_idx[axis] = a.block_idx[axis];
    w.cta.block_dim[axis] = a.block_dim[axis];
    w.cta.grid_dim[axis] = a.grid_dim[axis];
  }
  w.cta.cluster_size = a.cluster_size;
}

// launch.md §5.1, isa.md §7: lane l shows sub-pixel l & 3 of quad l >> 2.
void CtaDispatcher::fill_fragment(Warp& w) {
  const kernel::FragmentArgs& f = message_.fragment;
  for (unsigned l = 0; l < engine_.threads; ++l) {
    const unsigned quad = l / 4, sub = l & 3;
    w.thread_id[0][l] = w.thread_id[1][l] = w.thread_id[2][l] = 0;
    if (quad * 4 >= threads_) continue;
    const kernel::QuadStamp& s = f.quads[quad];
    const std::uint32_t x = (2u * s.x + (sub & 1)) & 0xFFFF, y = (2u * s.y + (sub >> 1)) & 0x7FFF;
    const std::uint32_t covered = (s.mask >> sub) & 1u;
    w.thread_id[0][l] = covered << 31 | y << 16 | x;
    w.thread_id[1][l] = s.pid;
    engine_.count.fragments += covered;
  }
  w.full_quads = (1u << (threads_ / 4)) - 1;
  for (unsigned axis = 0; axis < 3; ++axis) w.cta.grid_dim[axis] = w.cta.block_dim[axis] = 1;
  w.cta.block_dim[0] = threads_;
  w.cta.cluster_size = 1;
}

// launch.md §8
std::uint32_t CtaDispatcher::start_pc(Warp& w, std::uint32_t mask) {
  const std::uint32_t image = static_cast<std::uint32_t>(message_.pc);
  const bool fresh = (mask & ~initialised_[w.id]) != 0;
  initialised_[w.id] |= mask;
  if (fresh || w.pc < kWindowBytes) return image;
  std::uint32_t tail[2] = {0, 0};
  if ((w.pc & 3) != 0 || !engine_.memory.read(w.pc - 8, tail, sizeof tail)) return image;
  return tail[0] == kWsyncWord && tail[1] == kTmcZeroWord ? w.pc - kWindowBytes : image;
}

void CtaDispatcher::warp_retired(const Warp& w, Cycle stamp) {
  warp_free_at_[w.id] = stamp;
  if (!in_cta_[w.id]) {  // started by WSPAWN: holds a token of its own
    engine_.ctx.busy.give(engine_.busy_node, stamp);
    return;
  }
  in_cta_[w.id] = false;
  Slot& slot = slots_[w.cta.slot];
  slot.last = std::max(slot.last, stamp);
  if (--slot.remaining != 0) return;
  slot.busy = refused_ = false;
  slot.free_at = slot.last + kRetireToFree;
  engine_.ctx.busy.give(engine_.busy_node, slot.last);
}

}  // namespace gyre::core
