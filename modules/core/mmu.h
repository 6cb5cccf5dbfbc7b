// The MMU of a core (memory.md §9): instruction and data TLB, a TLB of second level for both, page walkers with a cache
// of upper levels.
#pragma once

#include <cstdint>
#include <vector>

#include "cache.h"
#include "config.h"
#include "memory_port.h"
#include "page_table.h"
#include "place_calendar.h"

namespace gyre::core {

using kernel::Cycle;

// Translations of 4 KiB pages, first in first out within a set. A superpage takes an entry a page that is used.
class Tlb {
 public:
  // `entries` and `ways` powers of two; ways 0: one set.
  Tlb(unsigned entries, unsigned ways);
  // Frame number of the page, or kNone.
  std::uint32_t find(std::uint32_t page) const {
    const unsigned first = (page & set_mask_) * ways_;
    for (unsigned i = first; i != first + ways_; ++i)
      if (entries_[i].page == page) return entries_[i].frame;
    return kNone;
  }
  // True if another one had to go.
  bool insert(std::uint32_t page, std::uint32_t frame);
  void clear();

  static constexpr std::uint32_t kNone = ~0u;

 private:
  struct Entry {
    std::uint32_t page = kNone, frame = kNone;
  };
  unsigned ways_, set_mask_;
  std::vector<Entry> entries_;
  std::vector<unsigned> next_;  // by set
};

struct MmuCounters {
  std::uint64_t reads = 0, hits = 0, misses = 0, evictions = 0;  // of instruction and data TLB
  std::uint64_t second_hits = 0, second_misses = 0;
  std::uint64_t walks = 0, walk_cycles = 0, walk_reads = 0;
  std::uint64_t faults = 0;
};

// Time (chosen, where memory.md is silent): a hit of the first level is part of the access; a miss asks the second level
// for gpu.mmu.l2tlb_latency cycles; a walk reads an entry a level through the data cache, one after the other, on one of
// gpu.mmu.walkers walkers. Entries go with a change of satp and with a cache flush of the core. Loose: translate() knows
// all dates; approximate: Translations takes the same steps when their time has come.
class Mmu {
 public:
  Mmu(const GpuConfig& gpu, kernel::MemoryPort& memory);

  // Cache whose time walks take; null: `latency` of a load.
  void set_cache(memory::Cache* cache) { cache_ = cache; }
  // Takes a new root. True: translation is on.
  bool set_satp(std::uint64_t satp);
  void flush();

  enum class Side { kFetch, kData };
  // Looks `address` up at cycle `*at`, which becomes the cycle of the answer. False: page fault.
  bool translate(Side side, std::uint32_t address, std::uint32_t* physical, Cycle* at);
  // Without TLBs, time and counters.
  bool peek(std::uint32_t address, std::uint32_t* physical) const;

  // ---- the steps of a translation. Frames are Tlb::kNone where there is none.
  // Lookup in the first level, counted; without counting.
  std::uint32_t first(Side side, std::uint32_t page);
  bool holds(Side side, std::uint32_t page) const { return tlb(side).find(page) != Tlb::kNone; }
  // In the second level. A hit counts and fills the first.
  std::uint32_t second(Side side, std::uint32_t page);
  struct Walk {
    std::uint32_t address = 0;
    unsigned level = 0;  // entries above it are known
    std::uint64_t table = 0, physical = 0;
    std::uint64_t generation = 0;
    memory::EntryKind kind = memory::EntryKind::kTable;
  };
  // A walk from the lowest table that is known already.
  Walk begin(std::uint32_t address);
  // False: it is over; else the entry at `*where` is to be read.
  bool next(Walk& walk, std::uint64_t* where);
  // Reads it. False: there is no memory.
  bool read(Walk& walk, std::uint64_t where);
  // The frame, after `cycles` since it was asked for. Both levels keep it, unless they have been flushed meanwhile.
  std::uint32_t end(Side side, const Walk& walk, Cycle cycles);

  const MmuCounters& counters() const { return count_; }

 private:
  Tlb& tlb(Side side) { return side == Side::kFetch ? instructions_ : data_; }
  const Tlb& tlb(Side side) const { return side == Side::kFetch ? instructions_ : data_; }
  std::uint64_t tag_of(std::uint32_t address, unsigned level) const {
    return std::uint64_t{level} << 32 | address >> (memory::kPageShift + mode_.index_bits * level);
  }
  std::uint32_t walk(Side side, std::uint32_t address, Cycle* at);
  bool read_entry(std::uint64_t at, std::uint64_t* entry) const;

  struct Upper {
    std::uint64_t tag = ~std::uint64_t{0};  // level and upper bits of the address
    std::uint64_t table = 0;
  };
  const memory::PagingMode mode_;
  const bool wide_;
  const unsigned second_latency_, load_latency_;
  kernel::MemoryPort& memory_;
  memory::Cache* cache_ = nullptr;
  Tlb instructions_, data_, second_;
  std::vector<Upper> upper_;
  std::size_t upper_next_ = 0;
  kernel::PlaceCalendar walkers_;
  std::uint64_t root_ = 0, generation_ = 0;  // the second: counts flushes
  MmuCounters count_;
};

}  // namespace gyre::core
