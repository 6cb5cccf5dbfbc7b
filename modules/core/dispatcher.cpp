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

Cycle CtaDispatcher::next(const kernel::LaunchQueue& queue) const {
  if (active_) {
    const Warp* const w = free_warp();
    return w == nullptr ? kernel::kNever : warp_free_at_[w->id];
  }
  return queue.empty() ? kernel::kNever : admission(queue.head(), std::max(queue.head_stamp(), time_)).when;
}

void CtaDispatcher::advance(kernel::LaunchQueue& queue) {
  if (active_) {
    start_warp(*free_warp());
    return;
  }
  const Admission place = admission(queue.head(), std::max(queue.head_stamp(), time_));
  slot_ = place.slot;
  tail_ = (place.slot + 1) % usable_slots(queue.head().aligned_lmem);
  begin(queue.head(), place.when);
  queue.pop(place.when);
}

// launch.md §7.1, §7.2
CtaDispatcher::Admission CtaDispatcher::admission(const kernel::LaunchMessage& m, Cycle when) const {
  const std::uint32_t stride = m.aligned_lmem;
  const unsigned usable = usable_slots(stride);
  if (stride > 0)
    for (const Slot& s : slots_)
      if (s.stride > 0 && s.stride != stride) when = std::max(when, s.free_at);
  unsigned slot = tail_ >= usable ? 0 : tail_, need = 1;
  if (m.kind == LaunchKind::kCompute && m.compute.cluster_size > 1 && m.compute.first_of_cluster) {
    need = std::clamp<unsigned>(m.compute.cluster_size, 1, usable);
    if (slot + need > usable) slot = 0;
  }
  for (unsigned i = slot; i < slot + need; ++i) when = std::max(when, slots_[i].free_at);
  return {slot, when};
}

unsigned CtaDispatcher::usable_slots(std::uint32_t stride) const {
  const unsigned slots = static_cast<unsigned>(slots_.size());
  return stride == 0 ? slots : std::clamp<unsigned>(static_cast<unsigned>(engine_.lmem.size()) / stride, 1, slots);
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
  slot.free_at = kernel::kNever;
  slot.stride = m.aligned_lmem;
  slot.remaining = warps_;
  slot.last = 0;
  active_ = true;
  ++engine_.count.ctas;
}

// launch.md §7.3: the lowest of those that have ended by then. One that ends later may have been run earlier; if there is
// no other, the one that ends first.
Warp* CtaDispatcher::free_warp() const {
  Warp* best = nullptr;
  for (Warp& w : engine_.warps) {
    if (w.state != WarpState::kInactive) continue;
    if (warp_free_at_[w.id] <= time_) return &w;
    if (best == nullptr || warp_free_at_[w.id] < warp_free_at_[best->id]) best = &w;
  }
  return best;
}

void CtaDispatcher::start_warp(Warp& w) {
  const std::uint32_t left = threads_ - rank_ * engine_.threads;
  const std::uint32_t mask = left >= engine_.threads ? w.full : (1u << left) - 1;
  const bool fragment = message_.kind == LaunchKind::kFragment;
  time_ = std::max(time_, warp_free_at_[w.id]) + 1;
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
  engine_.activate(w, fragment ? WarpKind::kFragment : WarpKind::kCompute, mask, time_);
  if (fragment) engine_.find_older(w);
  active_ = ++rank_ < warps_;
  engine_.in_reach(w, message_.pc);
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
  slot.free_at = slot.last + kRetireToFree;
  engine_.ctx.busy.give(engine_.busy_node, slot.last);
}

}  // namespace gyre::core
