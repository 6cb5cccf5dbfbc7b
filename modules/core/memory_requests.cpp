#include "memory_requests.h"

#include <algorithm>
#include <utility>

#include "device_map.h"
#include "geometry.h"
#include "translations.h"

namespace gyre::core {
namespace {

using kernel::kNever;

std::uint32_t packed(const std::uint32_t* address, std::uint32_t mask, std::uint32_t* list) {
  std::uint32_t count = 0;
  for (; mask != 0; mask &= mask - 1) list[count++] = address[__builtin_ctz(mask)];
  return count;
}

}  // namespace

MemoryRequests::MemoryRequests(Engine& engine, const GpuConfig& resolved, Ports ports)
    : engine_(engine),
      ports_(std::move(ports)),
      period_(resolved.period_ps()),
      pool_(resolved.core.lsu_pending),
      staging_(resolved.core.lsu_staging),
      texture_queue_(resolved.tex.queue) {
  if (ports_.data != nullptr) ports_.data->taken = [this] { retry(); };
  if (engine_.mmu != nullptr)
    translations_ = std::make_unique<Translations>(engine_, resolved, ports_.data, [this](Warp& w) {
      if (w.waits == kPage || w.waits == kFetchPage) release(w, now());
    });
}

MemoryRequests::~MemoryRequests() = default;

const char* MemoryRequests::describe(unsigned reason) {
  switch (reason) {
    case kOperand: return "a value from memory";
    case kRoom: return "room in the load/store path";
    case kDrain: return "its loads and stores";
    case kInstructions: return "instructions";
    case kTexture: return "room in the texture queue";
    case kExport: return "the output merger";
    case kPage:
    case kFetchPage: return "a page walk";
    case kIdle: return "the loads and stores of the core";
    default: return "a cache flush";
  }
}

void MemoryRequests::hold(Warp& w, Reason reason) {
  w.waits = reason;
  if (for_room(reason)) wait_for_room_ |= 1u << w.id;
  engine_.set_state(w, WarpState::kMemory);
}

// `when` is now or earlier.
void MemoryRequests::release(Warp& w, Cycle when) {
  if (when > w.local) {
    const Cycle waited = when - w.local;
    w.local = when;
    switch (w.waits) {
      case kOperand:
        engine_.count.operand_stalls += waited;
        engine_.count.load_waits += waited;
        break;
      case kDrain:
      case kIdle: engine_.count.drain_waits += waited; break;
      case kTexture: engine_.count.sfu_stalls += waited; break;
      case kExport: engine_.count.lsu_stalls += waited; break;
      case kInstructions:
      case kFetchPage: engine_.count.fetch_stalls += waited; break;
      case kPage: engine_.count.translation_waits += waited; break;
      case kRoom: engine_.count.lsu_stalls += waited; break;
      default: break;
    }
  }
  engine_.set_state(w, WarpState::kReady);
  engine_.notify_wake();
}

void MemoryRequests::idle() {
  if (loads_ + stores_ != 0) return;
  const Cycle at = now();
  for (Warp& w : engine_.warps)
    if (w.state == WarpState::kMemory && w.waits == kIdle) release(w, at);
}

Warp* MemoryRequests::living(unsigned warp, std::uint32_t life) {
  Warp& w = engine_.warps[warp];
  return w.life == life && w.state != WarpState::kInactive ? &w : nullptr;
}

void MemoryRequests::retry() {
  if (wait_for_room_ == 0) return;
  const Cycle at = now();
  for (std::uint32_t left = std::exchange(wait_for_room_, 0); left != 0; left &= left - 1) {
    Warp& w = engine_.warps[static_cast<unsigned>(__builtin_ctz(left))];
    if (w.state == WarpState::kMemory && for_room(w.waits)) release(w, at);  // else it has been ended meanwhile
  }
}

Cycle MemoryRequests::limit(Warp& w) {
  w.sync = false;
  last_ = w.id;
  // Warps that compete for the issue port take turns.
  return engine_.ready_warps() > engine_.config.fetch_interval ? w.local + 1 : w.local + kAhead;
}

Warp* MemoryRequests::pick() {
  const unsigned count = static_cast<unsigned>(engine_.warps.size());
  const auto before = [&](const Warp& a, const Warp& b) {
    if (a.local != b.local) return a.local < b.local;
    if (a.ticket != b.ticket) return a.ticket - 1 < b.ticket - 1;  // 0: has not waited
    return (a.id - last_ - 1) % count < (b.id - last_ - 1) % count;
  };
  Warp* best = nullptr;
  for (std::uint32_t left = engine_.active_mask; left != 0; left &= left - 1) {
    Warp& w = engine_.warps[static_cast<unsigned>(__builtin_ctz(left))];
    if (w.state == WarpState::kReady && (best == nullptr || before(w, *best))) best = &w;
  }
  return best;
}

bool MemoryRequests::fetch(Warp& w, std::uint32_t physical) {
  if (ports_.fetch == nullptr) return true;
  if (w.line == physical / GYRE_DEV_BLOCK_BYTES) {  // it has come, for this warp; that it may be gone again does not matter
    w.line = ~0u;
    return true;
  }
  if (ports_.present(physical)) return true;
  if (w.local > now()) {
    w.sync = true;
    return false;
  }
  hold(w, kInstructions);
  ++debt_;
  const memory::MemoryAccess block{physical, 1};
  ports_.fetch->read(&block, 1, w.local, [this, id = w.id, life = w.life, physical](Cycle back) {
    Warp* const warp = living(id, life);
    if (warp == nullptr || warp->state != WarpState::kMemory || warp->waits != kInstructions) return;
    warp->line = physical / GYRE_DEV_BLOCK_BYTES;
    release(*warp, back - std::min<Cycle>(back, ports_.fetch_latency));  // a hit is in the fetch interval
  });
  return false;
}

void MemoryRequests::fetched(Warp& w, unsigned instructions, Cycle since) {
  if (ports_.fetch == nullptr || instructions == 0) return;
  const unsigned paid = std::min(debt_, instructions);
  debt_ -= paid;
  ports_.fetched(instructions - paid);
  if (ports_.fetch_port == nullptr) return;
  const Cycle late = ports_.fetch_port->take(since, instructions) - instructions - since;
  if (late == 0 || w.state == WarpState::kInactive) return;
  engine_.count.fetch_stalls += late;
  w.local += late;
}

bool MemoryRequests::may_issue_shared(Warp& w, const Inst& inst, Cycle at) {
  if (at >= kPending) {
    hold(w, kOperand);
    return false;
  }
  if (at > now()) {
    w.local = at;
    w.sync = true;
    return false;
  }
  if (engine_.translating && inst.want >= Want::kLoad && inst.want <= Want::kExport && !pages_known(w, inst, at))
    return false;
  Reason reason = kRoom;
  const Cycle from = room(w, inst, at, reason);
  if (from <= at) {
    w.ticket = 0;
    return true;
  }
  w.local = at;
  if (for_room(reason) && w.ticket == 0) w.ticket = ++tickets_;
  if (from == kNever) {
    hold(w, reason);
  } else {
    engine_.count.lsu_stalls += from - at;
    w.local = from;
    w.sync = true;
  }
  return false;
}

Cycle MemoryRequests::pool_room(Cycle at) {
  while (!leaving_.empty() && leaving_.front() <= at + LsuTiming::kToExecute) leaving_.pop_front();
  if (loads_ + leaving_.size() < pool_) return at;
  return leaving_.empty() ? kNever : leaving_.front() - LsuTiming::kToExecute;
}

Cycle MemoryRequests::room(Warp& w, const Inst& inst, Cycle at, Reason& reason) {
  const Want want = inst.want;
  switch (want) {
    case Want::kLoad:
    case Want::kStore:
      if (ports_.data == nullptr) return at;
      // The way to the cache holds an access a cycle; what is staged waits at its end.
      if (ports_.data->waiting() >= staging_ + LsuTiming::kToCache) return kNever;
      return want == Want::kLoad ? pool_room(at) : at;
    case Want::kTexture:
      reason = kTexture;
      return textures_ < texture_queue_ ? at : kNever;
    case Want::kExport:
      reason = kExport;
      return !ports_.exports_accepted || ports_.exports_accepted() ? at : kNever;
    case Want::kIdle:
      reason = kIdle;
      return loads_ + stores_ == 0 ? at : kNever;
    case Want::kDrain:
      reason = kDrain;
      return w.loads == 0 ? at : kNever;
    case Want::kFence:
    case Want::kFenceI:
      reason = kDrain;
      if (w.loads != 0 || w.stores != 0) return kNever;
      reason = kFlush;
      if (want == Want::kFence && !engine_.config.fence_flush) return at;
      return flushed(w, want == Want::kFence ? ports_.flush_data : ports_.flush_instructions) ? at : kNever;
    default: return at;
  }
}

bool MemoryRequests::flushed(Warp& w, const std::function<void(Told)>& flush) {
  if (!flush) return true;
  if (w.flushed) {
    w.flushed = false;
    return true;
  }
  flush([this, id = w.id, life = w.life] {
    Warp* const warp = living(id, life);
    if (warp == nullptr) return;
    warp->flushed = true;
    release(*warp, now());
  });
  return false;
}

unsigned MemoryRequests::open_slot(Warp& w, const Inst& inst) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<unsigned>(slots_.size()));
    slots_.emplace_back();
  }
  const unsigned slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {w.id, w.life, inst.rd, false, 1, w.issue, 0, engine_.lsu.after()};
  return slot;
}

void MemoryRequests::begin_load(Warp& w, const Inst& inst) { current_ = open_slot(w, inst); }

kernel::AtClient::Done MemoryRequests::part(unsigned slot) {
  ++slots_[slot].parts;
  return [this, slot](Cycle last) { part_done(slot, last); };
}

void MemoryRequests::part_done(unsigned slot, Cycle last) {
  Slot& s = slots_[slot];
  s.ready = std::max(s.ready, last + s.after);
  if (--s.parts == 0) finish(slot);
}

// Packets of several cycles hold the coalescer.
Cycle MemoryRequests::coalesce(const LsuTiming::Packet& packet, Cycle at) {
  at = std::max(at, coalescer_free_);
  if (packet.cycles > 1) coalescer_free_ = at + packet.cycles;
  engine_.lsu.count_packet(packet);
  return at;
}

void MemoryRequests::load_words(const LsuTiming::Packet& packet, Cycle issue) {
  const Cycle at = coalesce(packet, issue + LsuTiming::kToCache);
  Slot& s = slots_[current_];
  s.ready = std::max(s.ready, at + packet.cycles - 1 + ports_.data_latency + s.after);
  ports_.data->read(packet.line, packet.lines, at, part(current_));
}

void MemoryRequests::load_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue) {
  std::uint32_t list[kMaxLanes];
  ports_.data->read_io(list, packed(address, mask, list), issue + LsuTiming::kToCache, part(current_));
}

void MemoryRequests::atomics(const std::uint32_t* address, std::uint32_t mask, Cycle issue) {
  std::uint32_t list[kMaxLanes];
  ports_.data->atomic(list, packed(address, mask, list), issue + LsuTiming::kToCache, part(current_));
}

void MemoryRequests::end_load(Warp& w, const Inst& inst, Cycle known) {
  Slot& s = slots_[current_];
  if (--s.parts == 0) {
    set_ready(w, inst, known);
    free_slots_.push_back(current_);
    return;
  }
  s.ready = std::max(s.ready, known);
  ++loads_;
  pend(w, inst);
}

// The last part of a load or of a texture request is there.
void MemoryRequests::finish(unsigned slot) {
  const Slot s = slots_[slot];
  free_slots_.push_back(slot);
  if (s.texture) {
    --textures_;
  } else {
    --loads_;
    leaving_.push_back(s.ready - 2);
    engine_.lsu.count_load(s.issue, s.ready);
  }
  if (Warp* const w = living(s.warp, s.life)) {
    --w->loads;
    if (s.rd < kSinkRow) {
      w->ready[s.rd] = (s.texture ? w->sampled : w->loaded)[s.rd] = s.ready;
      w->memory_until = std::max(w->memory_until, s.ready);
      w->max_ready = *std::max_element(w->ready, w->ready + kSinkRow);
    }
    if (w->state == WarpState::kMemory && (w->waits == kOperand || (w->waits == kDrain && w->loads == 0)))
      release(*w, now());
  }
  idle();
  retry();
}

kernel::AtClient::Done MemoryRequests::posted(Warp& w) {
  ++w.stores;
  ++stores_;
  engine_.ctx.busy.take(engine_.busy_node);
  return [this, id = w.id, life = w.life](Cycle accepted) {
    engine_.ctx.busy.give(engine_.busy_node, accepted);
    --stores_;
    idle();
    Warp* const warp = living(id, life);
    if (warp == nullptr) return;
    --warp->stores;
    if (warp->state == WarpState::kMemory && warp->waits == kDrain) release(*warp, now());
  };
}

void MemoryRequests::store_words(Warp& w, const LsuTiming::Packet& packet) {
  const Cycle at = coalesce(packet, w.issue + LsuTiming::kToCache);
  ports_.data->write(packet.line, packet.lines, at, posted(w));
}

void MemoryRequests::store_io(Warp& w, const std::uint32_t* address, std::uint32_t mask) {
  std::uint32_t list[kMaxLanes];
  const unsigned count = packed(address, mask, list);
  ports_.data->write_io(list, count, w.issue + LsuTiming::kToCache, posted(w));
}

std::function<void(Cycle)> MemoryRequests::begin_texture(Warp& w, const Inst& inst, Cycle after) {
  current_ = open_slot(w, inst);
  slots_[current_].texture = true;
  slots_[current_].after = after;
  return [this, slot = current_](Cycle there) { part_done(slot, there); };
}

void MemoryRequests::end_texture(Warp& w, const Inst& inst, Cycle ready) {
  if (ready != kPending) {
    free_slots_.push_back(current_);
    set_ready(w, inst, ready);
    return;
  }
  ++textures_;
  pend(w, inst);
}

}  // namespace gyre::core
