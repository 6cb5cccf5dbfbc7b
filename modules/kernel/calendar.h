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
  Cycle take(Cycle at, Cycle work) {
    const Cycle first = at / kBucketCycles;
    Cycle bucket = first;
    Cycle finish = at;
    // A bucket's load must stay below its capacity; within one bucket work is served from its start or `at`.
    while (work > 0) {
      if (bucket - full_begin_ < full_end_ - full_begin_) bucket = full_end_;
      Slot& slot = slots_[bucket % kBuckets];
      if (slot.bucket != bucket) {
        if (slot.bucket > bucket) {  // the window has moved past: treat as free
          finish = std::max(finish, bucket * kBucketCycles) + work;
          return finish;
        }
        slot = {bucket, 0};
      }
      const Cycle free = kBucketCycles - slot.used;
      const Cycle part = std::min(free, work);
      if (part > 0) {
        slot.used = static_cast<std::uint16_t>(slot.used + part);
        work -= part;
        finish = std::max(finish, bucket * kBucketCycles) + part;
      }
      if (slot.used == kBucketCycles) note_full(bucket, first);
      if (work > 0) ++bucket;
    }
    return finish;
  }

 private:
  struct Slot {
    Cycle bucket = 0;
    std::uint16_t used = 0;
  };

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
