// Contention without events: how much of each short bucket of cycles of a resource is taken (design §4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

// A resource that serves one cycle of work a cycle. Agents arrive out of time order (each has its own local
// time), so a single "next free" time would make an early caller pay for a late one; buckets do not.
// The calendar covers a sliding window; work older than the window sees an idle resource.
class Calendar {
 public:
  static constexpr unsigned kBucketCycles = 16;
  static constexpr unsigned kBuckets = 1024;

  // Takes the first `work` free cycles at or after `at`; returns the cycle the work is finished.
  [[gnu::always_inline]] Cycle take(Cycle at, Cycle work) {
    return __builtin_expect(take_now(at, work), 1) ? at + work : search(at, work);
  }
  // The same if they are those from `at` on and the bucket has more: true. False: nothing is taken.
  [[gnu::always_inline]] bool take_now(Cycle at, Cycle work) {
    const Cycle bucket = at / kBucketCycles;
    const Slot empty = empty_slot(bucket), used = load(slots_[bucket % kBuckets], empty);
    if (__builtin_expect(used + (work - 1) >= kBucketCycles - 1, 0)) return false;
    slots_[bucket % kBuckets] = empty + used + static_cast<Slot>(work);
    return true;
  }

  // Cycles taken of a bucket; all of them if the window has moved past it.
  unsigned used(Cycle bucket) const { return std::min(load(slots_[bucket % kBuckets], empty_slot(bucket)), Slot{kBucketCycles}); }
  // Of `cycles` from `begin` on; both whole buckets.
  unsigned used(Cycle begin, unsigned cycles) const {
    unsigned sum = 0;
    for (Cycle bucket = begin / kBucketCycles; bucket < (begin + cycles) / kBucketCycles; ++bucket) sum += used(bucket);
    return sum;
  }

 private:
  // The bucket's lap around the window, and above the lowest bits how much of it is taken. Laps are compared modulo
  // 2^27: a slot that nobody has touched for 10^12 cycles may count as one of the future, whose load is not known.
  using Slot = std::uint32_t;
  static constexpr unsigned kUsedBits = 5;
  static constexpr Slot kFuture = 1u << kUsedBits;  // as a load: not known

  static Slot empty_slot(Cycle bucket) { return static_cast<Slot>(bucket / kBuckets) << kUsedBits; }
  // How much of the bucket is taken, if the slot holds this one; 0 if an older one; kFuture.
  [[gnu::always_inline]] static Slot load(Slot slot, Slot empty) {
    const Slot used = slot - empty;
    if (__builtin_expect(used < kFuture, 1)) return used;
    return static_cast<std::int32_t>(used) < 0 ? 0 : kFuture;
  }

  [[gnu::noinline]] Cycle search(Cycle at, Cycle work) {
    const Cycle first = at / kBucketCycles;
    Cycle bucket = first;
    Cycle finish = at;
    // A bucket's load must stay below its capacity; within one bucket work is served from its start or `at`.
    while (work > 0) {
      if (bucket - full_begin_ < full_end_ - full_begin_) bucket = full_end_;
      const Slot empty = empty_slot(bucket), used = load(slots_[bucket % kBuckets], empty);
      if (used == kFuture) return std::max(finish, bucket * kBucketCycles) + work;  // the window has moved past: free
      const Cycle part = std::min<Cycle>(kBucketCycles - used, work);
      slots_[bucket % kBuckets] = empty + used + static_cast<Slot>(part);
      if (part > 0) {
        work -= part;
        finish = std::max(finish, bucket * kBucketCycles) + part;
      }
      if (used + part == kBucketCycles) note_full(bucket, first);
      if (work > 0) ++bucket;
    }
    return finish;
  }

  // One run of full buckets is remembered, so that a saturated resource is not searched bucket by bucket and its
  // backlog may be longer than the window. A run that ended before the caller's time gives way to a newer one.
  void note_full(Cycle bucket, Cycle first) {
    if (bucket == full_end_) {
      ++full_end_;
    } else if (bucket + 1 == full_begin_) {
      --full_begin_;
    } else if (first >= full_end_) {
      full_begin_ = bucket;
      full_end_ = bucket + 1;
    }
  }

  std::array<Slot, kBuckets> slots_{};
  Cycle full_begin_ = 0, full_end_ = 0;  // [begin, end), in buckets
};

}  // namespace gyre::kernel
