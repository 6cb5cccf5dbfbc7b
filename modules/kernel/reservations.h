// Load reservations of LR/SC, held where atomics are executed: at the memory all cores share (isa.md §1, memory.md
// §4.3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gyre::kernel {

// One reservation a hardware thread, on one word. `key`: word address, with the core in the upper half for local
// memory. Stores of cores break reservations; those of fixed-function units and of the CP are not seen.
class ReservationSet {
 public:
  // A core watches stores to the pages whose bit is set in its map (1 bit a 4 KiB page).
  void add_watcher(std::uint64_t* pages) { watchers_.push_back(pages); }

  void reserve(std::uint64_t key, std::uint32_t hart) {
    forget(hart, hart);
    entries_.push_back({key, hart});
    const std::uint32_t page = static_cast<std::uint32_t>(key) >> 12;
    for (std::uint64_t* pages : watchers_) pages[page >> 6] |= std::uint64_t{1} << (page & 63);
  }
  // SC: true if the hart's reservation is on `key`. It is gone afterwards either way.
  bool claim(std::uint64_t key, std::uint32_t hart) {
    const bool held =
        std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key && e.hart == hart; });
    forget(hart, hart);
    return held;
  }
  // A store to the word.
  void stored(std::uint64_t key) {
    if (!entries_.empty()) erase([&](const Entry& e) { return e.key == key; });
  }
  // Harts first to last start a new program.
  void forget(std::uint32_t first, std::uint32_t last) {
    if (!entries_.empty()) erase([&](const Entry& e) { return e.hart >= first && e.hart <= last; });
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t hart;
  };
  template <class Match>
  void erase(Match match) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), match), entries_.end());
  }

  std::vector<Entry> entries_;
  std::vector<std::uint64_t*> watchers_;
};

}  // namespace gyre::kernel
