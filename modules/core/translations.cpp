#include "translations.h"

#include <algorithm>

#include "op.h"

namespace gyre::core {

using kernel::kNever;
using memory::kPageShift;
using riscv::Op;

namespace {

constexpr std::uint32_t kOffset = memory::kPageBytes - 1;

// An address is rs1 + imm; atomics and exports use rs1 alone.
bool has_offset(Op op) {
  return (op >= Op::kLb && op <= Op::kSd) || op == Op::kFlw || op == Op::kFld || op == Op::kFsw || op == Op::kFsd;
}

unsigned pieces_of(Op op) { return op == Op::kPacklb ? 4 : op == Op::kPacklh ? 2 : 1; }

}  // namespace

Translations::Translations(Engine& engine, const GpuConfig& resolved, kernel::AtClient* data, Told told)
    : engine_(engine),
      mmu_(*engine.mmu),
      data_(data),
      told_(std::move(told)),
      period_(resolved.period_ps()),
      second_latency_(resolved.mmu.l2tlb_latency),
      load_latency_(resolved.core.latency_load),
      lookups_(2 * engine.warps.size()),
      walkers_(resolved.mmu.walkers) {
  alarm_ = std::make_unique<kernel::Alarm>("walk", [this] {
    while (due_.next() <= now()) step(due_.pop());
    if (!due_.empty()) alarm_->set(due_.next() * period_);
  });
}

// In the order in which the instruction will ask for them; 0: it will fault before.
unsigned Translations::addresses(const Warp& w, const Inst& inst, std::uint32_t* list) const {
  const Op op = static_cast<Op>(inst.op);
  const unsigned pieces = pieces_of(op);
  const RegisterValue offset = has_offset(op) ? static_cast<RegisterValue>(std::int64_t{inst.imm}) : 0;
  unsigned count = 0;
  for (unsigned k = 0; k < pieces; ++k)
    for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
      RegisterValue at = engine_.lane_value(w, inst.rs1, l) + offset;
      if (k != 0) at += k * engine_.lane_value(w, inst.rs2, l);
      if (engine_.wide && at >> 32 != 0) return 0;
      list[count++] = static_cast<std::uint32_t>(at);
    }
  return count;
}

void Translations::begin(Lookup& l, const Warp& w, const std::uint32_t* address, unsigned count, unsigned lanes) {
  l.active = true;
  l.fault = false;
  l.stage = Stage::kFirst;
  l.life = w.life;
  l.pc = w.pc;
  l.serial = ++serial_;
  l.count = count;
  l.lanes = lanes;
  l.next = l.taken = 0;
  l.page = Tlb::kNone;
  std::copy_n(address, count, l.address);
}

Cycle Translations::data(Warp& w, const Inst& inst, Cycle at) {
  std::uint32_t list[kMost];
  const unsigned count = addresses(w, inst, list);
  if (std::all_of(list, list + count, [](std::uint32_t a) { return memory::untranslated(a); })) return at;
  Lookup& l = of(w.id, Side::kData);
  if (!serves(l, w) || l.count != count || !std::equal(list, list + count, l.address)) {
    begin(l, w, list, count, w.lanes);
    l.code = engine_.physical_pc(w.pc);
  }
  return look_up(l, {w.id, Side::kData, l.serial}, at);
}

bool Translations::fetch_hits(const Warp& w, std::uint32_t* physical) {
  *physical = w.pc;
  if (memory::untranslated(w.pc)) return true;
  if (serves(of(w.id, Side::kFetch), w) || !mmu_.holds(Side::kFetch, w.pc >> kPageShift)) return false;
  *physical = mmu_.first(Side::kFetch, w.pc >> kPageShift) << kPageShift | (w.pc & kOffset);
  return true;
}

Cycle Translations::fetch(Warp& w, Cycle at) {
  Lookup& l = of(w.id, Side::kFetch);
  if (!serves(l, w)) begin(l, w, &w.pc, 1, 1);
  return look_up(l, {w.id, Side::kFetch, l.serial}, at);
}

bool Translations::fetched(const Warp& w, std::uint32_t* code) const {
  const Lookup& l = of(w.id, Side::kData);
  *code = l.code;
  return serves(l, w);
}

Cycle Translations::look_up(Lookup& l, const Waiter& who, Cycle at) {
  while (l.next < l.count && !l.fault) {
    const std::uint32_t address = l.address[l.next], page = address >> kPageShift;
    if (page != l.page) {
      std::uint32_t frame = Tlb::kNone;
      switch (l.stage) {
        case Stage::kFirst:
          frame = memory::untranslated(address) ? page : mmu_.first(who.side, page);
          if (frame == Tlb::kNone) {
            l.stage = Stage::kSecond;
            l.due = at + second_latency_;
            continue;
          }
          break;
        case Stage::kSecond:
          if (at < l.due) return l.due;
          frame = mmu_.second(who.side, page);
          if (frame == Tlb::kNone) {
            l.stage = Stage::kWalk;
            l.asked = at;
            waiting_.push_back(who);
            serve();
            return kNever;
          }
          break;
        case Stage::kWalk: return kNever;
        case Stage::kWalked:
          frame = l.walked;
          if (frame == Tlb::kNone) {
            l.fault = true;
            continue;
          }
          break;
      }
      l.stage = Stage::kFirst;
      l.page = page;
      l.frame = frame;
    }
    l.physical[l.next++] = l.frame << kPageShift | (address & kOffset);
    if (l.next % l.lanes == 0) l.page = Tlb::kNone;  // the next piece asks anew
  }
  return at;
}

bool Translations::take_data(const Warp& w, std::uint32_t address, std::uint32_t* physical) {
  Lookup& l = of(w.id, Side::kData);
  // What nobody has looked up takes no time: an instruction that a debugger has changed the operands of.
  if (!serves(l, w) || l.taken >= l.count || l.address[l.taken] != address) return mmu_.peek(address, physical);
  if (l.taken >= l.next) return false;
  *physical = l.physical[l.taken];
  if (++l.taken == l.count) l.active = false;
  return true;
}

bool Translations::take_fetch(const Warp& w, std::uint32_t* physical) {
  Lookup& l = of(w.id, Side::kFetch);
  l.active = false;
  *physical = l.fault ? w.pc : l.physical[0];
  return !l.fault;
}

bool Translations::walked(std::uint32_t page) const {
  return std::any_of(walkers_.begin(), walkers_.end(),
                     [&](const Walker& walker) { return walker.busy && walker.walk.address >> kPageShift == page; });
}

void Translations::serve() {
  for (auto waiter = waiting_.begin(); waiter != waiting_.end();) {
    const Waiter who = *waiter;
    const Lookup& l = of(who.warp, who.side);
    if (l.serial != who.serial) {  // it has asked for something else since
      waiter = waiting_.erase(waiter);
      continue;
    }
    const std::uint32_t address = l.address[l.next], page = address >> kPageShift;
    if (const std::uint32_t frame = mmu_.second(who.side, page); frame != Tlb::kNone) {
      waiter = waiting_.erase(waiter);
      answer(who, frame);
      continue;
    }
    const auto free = std::find_if(walkers_.begin(), walkers_.end(), [](const Walker& walker) { return !walker.busy; });
    if (free == walkers_.end() || walked(page)) {
      ++waiter;
      continue;
    }
    waiter = waiting_.erase(waiter);
    *free = {true, who, mmu_.begin(address), l.asked};
    step(static_cast<unsigned>(free - walkers_.begin()));
  }
}

// The next entry is read; its date comes later.
void Translations::step(unsigned index) {
  Walker& walker = walkers_[index];
  std::uint64_t where = 0;
  if (!mmu_.next(walker.walk, &where)) return finish(walker);
  const bool there = mmu_.read(walker.walk, where);
  if (there && data_ != nullptr) {
    const memory::MemoryAccess entry{where, 1};
    data_->read(&entry, 1, now(), [this, index](Cycle) { step(index); });
  } else {
    due_.push(now() + load_latency_, index);
    alarm_->set(due_.next() * period_);
  }
}

void Translations::finish(Walker& walker) {
  walker.busy = false;
  const std::uint32_t frame = mmu_.end(walker.who.side, walker.walk, now() - walker.asked);
  answer(walker.who, frame);
  serve();
}

void Translations::answer(const Waiter& who, std::uint32_t frame) {
  Lookup& l = of(who.warp, who.side);
  if (l.serial != who.serial) return;
  l.walked = frame;
  l.stage = Stage::kWalked;
  Warp& w = engine_.warps[who.warp];
  if (w.life == l.life && w.state == WarpState::kMemory) told_(w);
}

}  // namespace gyre::core
