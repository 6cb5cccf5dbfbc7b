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

bool Mmu::translate(Side side, std::uint32_t address, std::uint32_t* physical, Cycle* at) {
  *physical = address;
  if (memory::untranslated(address)) return true;
  Tlb& first = side == Side::kFetch ? instructions_ : data_;
  const std::uint32_t page = address >> memory::kPageShift, offset = address & (memory::kPageBytes - 1);
  ++count_.reads;
  std::uint32_t frame = first.find(page);
  if (frame != Tlb::kNone) {
    ++count_.hits;
    *physical = frame << memory::kPageShift | offset;
    return true;
  }
  ++count_.misses;
  *at += second_latency_;
  frame = second_.find(page);
  if (frame != Tlb::kNone) {
    ++count_.second_hits;
  } else {
    ++count_.second_misses;
    std::uint64_t out = 0;
    if (!walk(address, &out, at)) {
      ++count_.faults;
      return false;
    }
    frame = static_cast<std::uint32_t>(out >> memory::kPageShift);
    second_.insert(page, frame);
  }
  count_.evictions += first.insert(page, frame);
  *physical = frame << memory::kPageShift | offset;
  return true;
}

bool Mmu::walk(std::uint32_t address, std::uint64_t* physical, Cycle* at) {
  const Cycle asked = *at, from = walkers_.available(asked);
  Cycle now = from;
  ++count_.walks;
  // The lowest table that is known already.
  std::uint64_t table = root_;
  unsigned level = mode_.levels;
  const auto tag_of = [&](unsigned of) {
    return std::uint64_t{of} << 32 | address >> (memory::kPageShift + mode_.index_bits * of);
  };
  for (const Upper& upper : upper_)
    for (unsigned of = 1; of < level; ++of)
      if (upper.tag == tag_of(of)) {
        level = of;
        table = upper.table;
      }
  EntryKind kind = EntryKind::kTable;
  while (kind == EntryKind::kTable && level-- > 0) {
    std::uint64_t entry = 0, out = 0;
    const std::uint64_t where = memory::entry_address(mode_, table, address, level);
    ++count_.walk_reads;
    const bool there = read_entry(where, &entry);
    now = cache_ != nullptr && there ? cache_->read({where, 1}, now) : now + load_latency_;
    kind = there ? memory::read_entry(mode_, entry, address, level, &out) : EntryKind::kInvalid;
    if (kind == EntryKind::kTable) {
      table = out;
      if (!upper_.empty()) {
        upper_[upper_next_] = {tag_of(level), table};
        upper_next_ = (upper_next_ + 1) % upper_.size();
      }
    }
    *physical = out;
  }
  walkers_.hold(from, now);
  count_.walk_cycles += now - asked;
  *at = now;
  return kind == EntryKind::kPage;
}

}  // namespace gyre::core
