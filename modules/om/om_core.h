// Dates of the OM core pipeline: interlock, read credits, ocache banks (om.md §11, §12).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "activity.h"
#include "cache.h"
#include "calendar.h"
#include "place_calendar.h"

namespace gyre::om {

// One cache instance: latency and bank occupancy only; a bank serves one word a cycle.
class Ocache {
 public:
  explicit Ocache(unsigned banks) : banks_(banks) {}

  // `a` and `b` are byte addresses of the words; returns the cycle the last of `words` (1 or 2) left its bank.
  kernel::Cycle take(kernel::Cycle at, unsigned words, std::uint64_t a, std::uint64_t b) {
    if (banks_.size() == 1) return banks_[0].take(at, words);
    const kernel::Cycle first = bank(a).take(at, 1);
    return words == 1 ? first : std::max(first, bank(b).take(at, 1));
  }

 private:
  kernel::Calendar& bank(std::uint64_t address) { return banks_[(address >> 6) & (banks_.size() - 1)]; }
  std::vector<kernel::Calendar> banks_;
};

class OmPipeline;

struct OmCore {
  // `reads`: outstanding reads a core may have.
  explicit OmCore(unsigned reads) : credits(reads) {}
  // Issue stage of read-modify-writes. A fragment holds it for as long as read credits and cache banks need.
  kernel::Calendar issue;
  // Same-pixel interlock: cycle at which the last read-modify-write of the bucket has left.
  std::array<kernel::Cycle, 64> bucket_free{};
  Ocache* cache = nullptr;
  memory::Cache* real = nullptr;  // the cache with tags; null: every word hits `cache`
  OmPipeline* pipeline = nullptr;  // approximate style: instead of all dates in here
  memory::LineReader lines;        // of the cache
  kernel::PlaceCalendar credits;  // read credits, with `real`
  // Busy: the issue stage. Blocked on memory: a fragment waits for a credit, its words or a bank. Blocked on output: one
  // waits for the fragment before it to leave.
  kernel::ActivityMap activity;

  static unsigned bucket_of(std::uint32_t x, std::uint32_t y) { return (y & 7) << 3 | (x & 7); }
  kernel::Cycle& bucket(std::uint32_t x, std::uint32_t y) { return bucket_free[bucket_of(x, y)]; }
};

}  // namespace gyre::om
