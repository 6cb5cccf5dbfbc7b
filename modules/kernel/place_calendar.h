// Contention for places that are held for a time: MSHR entries, pending loads, queue slots (design §4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cycle.h"

namespace gyre::kernel {

// `places` equal places; each holder has one from a date to a date. Like Calendar, made for agents that arrive out of
// time order: it keeps how many place-cycles of each bucket of 16 cycles are taken, over a sliding window, so that a
// holder of the future does not stand in the way of one in the past. Holders older than the window see it empty.
class PlaceCalendar {
 public:
  static constexpr unsigned kBucketCycles = 16;
  static constexpr unsigned kBuckets = 512;

  explicit PlaceCalendar(unsigned places) : capacity_(places * kBucketCycles), slots_(kBuckets) {}

  // First cycle at or after `at` from which a place can be held to the end of the next bucket.
  Cycle available(Cycle at) const {
    if (at >= last_) return at;
    Cycle bucket = at / kBucketCycles;
    for (unsigned looked = 0; looked < kBuckets; ++looked, ++bucket) {
      const std::uint32_t free = capacity_ - std::min(used(bucket), capacity_);
      if (free == 0 || used(bucket + 1) + kBucketCycles > capacity_) continue;
      const Cycle end = (bucket + 1) * kBucketCycles;
      const Cycle from = std::max(at, end - std::min<Cycle>(free, kBucketCycles));
      return from;
    }
    return std::max(at, bucket * kBucketCycles);
  }

  // Takes places for [from, to). `from` comes from available().
  void hold(Cycle from, Cycle to, unsigned places = 1) {
    last_ = std::max(last_, to);
    while (from < to) {
      const Cycle bucket = from / kBucketCycles, end = std::min(to, (bucket + 1) * kBucketCycles);
      Slot& slot = slots_[bucket % kBuckets];
      if (slot.bucket > bucket) return;  // older than the window
      if (slot.bucket != bucket) slot = {bucket, 0};
      slot.used += static_cast<std::uint32_t>(end - from) * places;
      from = end;
    }
  }

 private:
  struct Slot {
    Cycle bucket = 0;
    std::uint32_t used = 0;  // place-cycles
  };
  std::uint32_t used(Cycle bucket) const {
    const Slot& slot = slots_[bucket % kBuckets];
    return slot.bucket == bucket ? slot.used : 0;
  }

  std::uint32_t capacity_;
  Cycle last_ = 0;  // nobody holds a place from here on
  std::vector<Slot> slots_;
};

}  // namespace gyre::kernel
