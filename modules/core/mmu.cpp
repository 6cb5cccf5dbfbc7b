#include "mmu.h"

#include <algorithm>

namespace gyre::core {

using memory::EntryKind;

Tlb::Tlb(unsigned entries, unsigned ways)
    : ways_(ways == 0 ? entries : std::min(ways, entries)),
      set_mask_(entries / ways_ - 1),
      entries_(entries),
      next_(set_mask_ + 1) {}

bool Tlb::insert(std::uint32_t page, std::uint32_t frame) {
  const unsigned set = page & set_mask_;
  Entry& entry = entries_[set * ways_ + next_[set]];
  next_[set] = (next_[set] + 1) % ways_;
  const bool evicts = entry.page != kNone;
  entry = {page, frame};
  return evicts;
}

void Tlb::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  std::fill(next_.begin(), next_.end(), 0u);
}

Mmu::Mmu(const GpuConfig& gpu, kernel::MemoryPort& memory)
    : mode_(gpu.core.xlen == 64 ? memory::kSv39 : memory::kSv32),
      wide_(gpu.core.xlen == 64),
      second_latency_(gpu.mmu.l2tlb_latency),
      load_latency_(gpu.core.latency_load),
      memory_(memory),
      instructions_(gpu.mmu.itlb, 0),
      data_(gpu.mmu.dtlb, 0),
      second_(gpu.mmu.l2tlb, gpu.mmu.l2tlb_ways),
      upper_(gpu.mmu.walk_cache),
      walkers_(gpu.mmu.walkers) {}

bool Mmu::set_satp(std::uint64_t satp) {
  flush();
  return memory::satp_root(satp, wide_, &root_);
}

void Mmu::flush() {
  ++generation_;
  instructions_.clear();
  data_.clear();
  second_.clear();
  std::fill(upper_.begin(), upper_.end(), Upper{});
  upper_next_ = 0;
}

bool Mmu::read_entry(std::uint64_t at, std::uint64_t* entry) const {
  *entry = 0;
  return at >> 32 == 0 && memory_.read(at, entry, mode_.entry_bytes);
}

bool Mmu::peek(std::uint32_t address, std::uint32_t* physical) const {
  *physical = address;
  if (memory::untranslated(address)) return true;
  std::uint64_t out = 0;
  const bool ok = memory::walk(
      mode_, root_, address, [this](std::uint64_t at, unsigned, std::uint64_t* entry) { return read_entry(at, entry); },
      &out);
  *physical = static_cast<std::uint32_t>(out);
  return ok;
}

std::uint32_t Mmu::first(Side side, std::uint32_t page) {
  const std::uint32_t frame = tlb(side).find(page);
  ++count_.reads;
  ++(frame != Tlb::kNone ? count_.hits : count_.misses);
  return frame;
}

std::uint32_t Mmu::second(Side side, std::uint32_t page) {
  const std::uint32_t frame = second_.find(page);
  if (frame == Tlb::kNone) return frame;
  ++count_.second_hits;
  count_.evictions += tlb(side).insert(page, frame);
  return frame;
}

Mmu::Walk Mmu::begin(std::uint32_t address) {
  ++count_.second_misses;
  ++count_.walks;
  Walk walk;
  walk.address = address;
  walk.level = mode_.levels;
  walk.table = root_;
  walk.generation = generation_;
  for (const Upper& upper : upper_)
    for (unsigned of = 1; of < walk.level; ++of)
      if (upper.tag == tag_of(address, of)) {
        walk.level = of;
        walk.table = upper.table;
      }
  return walk;
}

bool Mmu::next(Walk& walk, std::uint64_t* where) {
  if (walk.kind != EntryKind::kTable || walk.level == 0) return false;
  *where = memory::entry_address(mode_, walk.table, walk.address, --walk.level);
  ++count_.walk_reads;
  return true;
}

bool Mmu::read(Walk& walk, std::uint64_t where) {
  std::uint64_t entry = 0, out = 0;
  const bool there = read_entry(where, &entry);
  walk.kind = there ? memory::read_entry(mode_, entry, walk.address, walk.level, &out) : EntryKind::kInvalid;
  walk.physical = out;
  if (walk.kind != EntryKind::kTable) return there;
  walk.table = out;
  if (!upper_.empty() && walk.generation == generation_) {
    upper_[upper_next_] = {tag_of(walk.address, walk.level), out};
    upper_next_ = (upper_next_ + 1) % upper_.size();
  }
  return there;
}

std::uint32_t Mmu::end(Side side, const Walk& walk, Cycle cycles) {
  count_.walk_cycles += cycles;
  if (walk.kind != EntryKind::kPage) {
    ++count_.faults;
    return Tlb::kNone;
  }
  const auto frame = static_cast<std::uint32_t>(walk.physical >> memory::kPageShift);
  if (walk.generation != generation_) return frame;
  const std::uint32_t page = walk.address >> memory::kPageShift;
  second_.insert(page, frame);
  count_.evictions += tlb(side).insert(page, frame);
  return frame;
}

bool Mmu::translate(Side side, std::uint32_t address, std::uint32_t* physical, Cycle* at) {
  *physical = address;
  if (memory::untranslated(address)) return true;
  const std::uint32_t page = address >> memory::kPageShift, offset = address & (memory::kPageBytes - 1);
  std::uint32_t frame = first(side, page);
  if (frame == Tlb::kNone) {
    *at += second_latency_;
    frame = second(side, page);
    if (frame == Tlb::kNone) frame = walk(side, address, at);
    if (frame == Tlb::kNone) return false;
  }
  *physical = frame << memory::kPageShift | offset;
  return true;
}

std::uint32_t Mmu::walk(Side side, std::uint32_t address, Cycle* at) {
  const Cycle asked = *at, from = walkers_.available(asked);
  Cycle now = from;
  Walk walk = begin(address);
  for (std::uint64_t where = 0; next(walk, &where);) {
    const bool there = read(walk, where);
    now = cache_ != nullptr && there ? cache_->read({where, 1}, now) : now + load_latency_;
  }
  walkers_.hold(from, now);
  *at = now;
  return end(side, walk, now - asked);
}

}  // namespace gyre::core
