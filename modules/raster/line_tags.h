// Tags of a small read-only cache: what hits, nothing else. Data always comes from memory.
#pragma once

#include <array>
#include <cstdint>

#include "device_map.h"

namespace gyre::raster {

// Default geometry of the rcache: 4 KiB, 2 ways, 64-byte lines, FIFO replacement (memory.md §2).
class LineTags {
 public:
  // True: the line of `address` was there; else it is now.
  bool touch(std::uint64_t address) {
    const std::uint64_t line = address / GYRE_DEV_BLOCK_BYTES + 1;  // 0 = empty
    Set& set = sets_[line % kSets];
    for (std::uint64_t way : set.ways)
      if (way == line) return true;
    set.ways[set.next] = line;
    set.next ^= 1;
    return false;
  }
  void invalidate() { sets_ = {}; }

 private:
  static constexpr unsigned kSets = 32;
  struct Set {
    std::array<std::uint64_t, 2> ways{};
    unsigned next = 0;
  };
  std::array<Set, kSets> sets_{};
};

}  // namespace gyre::raster
