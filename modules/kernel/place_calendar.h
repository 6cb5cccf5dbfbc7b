// Contention for places that are held for a time: MSHR entries, pending loads, queue slots (design §4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

// `places` equal places; each holder has one from a date to a date. Like Calendar, made for agents that arrive out of
// time order: it keeps how many place-cycles of each bucket of 16 cycles are taken, over a sliding window, so that a
// holder of the future does not stand in the way of one in the past. Holders older than the window see it empty.
class PlaceCalendar {
 public:
  static constexpr unsigned kBucketCycles = 16;
  static constexpr unsigned kBuckets = 512;

  explicit PlaceCalendar(unsigned places) : capacity_(places * kBucketCycles) {}

  // First cycle at or after `at` from which a place can be held to the end of the next bucket.
  Cycle available(Cycle at) const {
    if (at >= last_) return at;
    const Cycle bucket = at / kBucketCycles;
    return __builtin_expect(has_place(bucket) && has_place(bucket + 1), 1) ? at : search(at);
  }

  // Takes places for [from, to). `from` comes from available().
  void hold(Cycle from, Cycle to, unsigned places = 1) {
    if (from >= to) return;
    last_ = std::max(last_, to);
    const Cycle first = from / kBucketCycles, last = to / kBucketCycles;
    // Whole buckets, less what lies before `from` and from `to` on.
    std::uint32_t cycles = (kBucketCycles - static_cast<std::uint32_t>(from % kBucketCycles)) * places;
    std::uint32_t lap = lap_of(first);
    auto slot = static_cast<unsigned>(first % kBuckets);
    for (Cycle left = last - first; left != 0; --left, cycles = kBucketCycles * places) {
      if (!add(slots_[slot], lap, cycles)) return;
      if (++slot == kBuckets) slot = 0, ++lap;
    }
    cycles -= (kBucketCycles - static_cast<std::uint32_t>(to % kBucketCycles)) * places;
    if (cycles != 0) add(slots_[slot], lap, cycles);
  }

 private:
  struct Slot {
    std::uint32_t lap = 0;   // around the window: which bucket this is
    std::uint32_t used = 0;  // place-cycles
  };
  static std::uint32_t lap_of(Cycle bucket) { return static_cast<std::uint32_t>(bucket / kBuckets); }
  std::uint32_t used(Cycle bucket) const {
    const Slot& slot = slots_[bucket % kBuckets];
    return slot.lap == lap_of(bucket) ? slot.used : 0;
  }
  // False: older than the window.
  [[gnu::always_inline]] static bool add(Slot& slot, std::uint32_t lap, std::uint32_t place_cycles) {
    if (__builtin_expect(slot.lap == lap, 1)) {
      slot.used += place_cycles;
      return true;
    }
    if (slot.lap > lap) return false;
    slot = {lap, place_cycles};
    return true;
  }
  bool has_place(Cycle bucket) const { return used(bucket) + kBucketCycles <= capacity_; }

  [[gnu::noinline]] Cycle search(Cycle at) const {
    Cycle bucket = at / kBucketCycles;
    for (unsigned looked = 0; looked < kBuckets; ++looked, ++bucket) {
      const std::uint32_t free = capacity_ - std::min(used(bucket), capacity_);
      if (free == 0 || !has_place(bucket + 1)) continue;
      const Cycle end = (bucket + 1) * kBucketCycles;
      return std::max(at, end - std::min<Cycle>(free, kBucketCycles));
    }
    return std::max(at, bucket * kBucketCycles);
  }

  std::uint32_t capacity_;
  Cycle last_ = 0;  // nobody holds a place from here on
  std::array<Slot, kBuckets> slots_{};
};

}  // namespace gyre::kernel
