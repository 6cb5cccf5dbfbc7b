// What a cache holds: tags, valid and dirty sectors, replacement (memory.md §2 to §4). Pure, no time.
#pragma once

#include <cstdint>
#include <vector>

#include "config.h"

namespace gyre::memory {

// A slot is one line's place: set * ways + way. Lines are numbers (address / line bytes) below 2^32 - 1; the set is the
// line modulo the sets, so banks that interleave by line own every banks-th set.
class CacheTags {
 public:
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kMaxWays = 64, kMaxSectors = 8;

  struct Victim {
    bool valid = false;
    std::uint32_t line = 0;
    std::uint8_t valid_sectors = 0, dirty_sectors = 0;  // bit = sector
  };

  // `sets` a power of two; `ways` 1..64, a power of two for PLRU; `seed` matters for random replacement only.
  CacheTags(unsigned sets, unsigned ways, Replacement replacement, std::uint64_t seed = 1);

  // The slot that holds `line`, or kNone.
  unsigned find(std::uint32_t line) const {
    const unsigned first = (line & set_mask_) * ways_;
    const std::uint32_t* const lines = &lines_[first];
    for (unsigned way = 0; way != ways_; ++way)
      if (lines[way] == line) return first + way;
    return kNone;
  }
  // A use of the slot, for PLRU.
  void touch(unsigned slot) {
    if (ordered()) touch_tree(slot);
  }
  // Uses matter: touch() has an effect.
  bool ordered() const { return replacement_ == Replacement::kPlru; }
  // Gives `line`, which must not be there, a slot without valid sectors: an empty way, else the one replacement names.
  [[gnu::always_inline]] unsigned allocate(std::uint32_t line, Victim& victim) {
    const unsigned set = line & set_mask_, way = in_turn_ ? turn_[set] : room(set);
    if (in_turn_) turn_[set] = static_cast<std::uint8_t>(way + 1 == ways_ ? 0 : way + 1);
    const unsigned slot = set * ways_ + way;
    victim = {lines_[slot] != kEmpty, lines_[slot], valid_[slot], dirty_[slot]};
    lines_[slot] = line;
    valid_[slot] = dirty_[slot] = 0;
    came_[slot] = ++arrivals_;
    touch(slot);
    return slot;
  }
  // Empties the slot.
  void drop(unsigned slot) {
    lines_[slot] = kEmpty;
    valid_[slot] = dirty_[slot] = 0;
    in_turn_ = false;
  }
  // Empties everything. Random replacement goes on where it stood.
  void clear();

  bool valid(unsigned slot, unsigned sector) const { return (valid_[slot] >> sector & 1) != 0; }
  void set_valid(unsigned slot, unsigned sector) { valid_[slot] |= static_cast<std::uint8_t>(1u << sector); }
  void set_dirty(unsigned slot, unsigned sector) { dirty_[slot] |= static_cast<std::uint8_t>(1u << sector); }
  std::uint8_t dirty_sectors(unsigned slot) const { return dirty_[slot]; }
  std::uint32_t line(unsigned slot) const { return lines_[slot]; }
  bool empty(unsigned slot) const { return lines_[slot] == kEmpty; }

  unsigned slots() const { return static_cast<unsigned>(lines_.size()); }
  unsigned sets() const { return set_mask_ + 1; }
  unsigned ways() const { return ways_; }

 private:
  static constexpr std::uint32_t kEmpty = ~0u;

  // The way for a line of the set: an empty one, or the one replacement names.
  unsigned room(unsigned set);
  unsigned choose(unsigned set);
  void touch_tree(unsigned slot);

  unsigned set_mask_, ways_;
  Replacement replacement_;
  std::vector<std::uint32_t> lines_;
  std::vector<std::uint8_t> valid_, dirty_;
  std::vector<std::uint64_t> came_;  // FIFO: when a line came, counted in lines
  std::vector<std::uint8_t> turn_;   // FIFO: by set, the way of the next line while in_turn_
  bool in_turn_;                     // FIFO, and nothing has been dropped: ways are taken in turn
  std::vector<std::uint64_t> tree_;  // PLRU: bit n of node n, children 2n and 2n + 1; set: the older half is the upper
  std::uint64_t random_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace gyre::memory
