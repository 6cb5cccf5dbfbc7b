// Contention without events: how much of each short bucket of cycles of a resource is taken (design §4).
#pragma once

#include <array>
#include <cstdint>

#include "time.h"

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
    Cycle bucket = at / kBucketCycles;
    Cycle finish = at;
    // A bucket's load must stay below its capacity; within one bucket work is served from its start or `at`.
    while (work > 0) {
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
      if (work > 0) ++bucket;
    }
    return finish;
  }


 private:
  struct Slot {
    Cycle bucket = 0;
    std::uint16_t used = 0;
  };
  std::array<Slot, kBuckets> slots_{};
};

}  // namespace gyre::kernel
