// Where the time of a unit went: busy, blocked on memory, blocked on output, waiting for input.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

// What a unit did with a cycle. A cycle it did nothing of this with is one in which it waited for input.
enum class Doing : std::uint8_t { kBusy, kMemory, kOutput };

struct Activity {
  std::uint64_t busy = 0, memory = 0, output = 0;  // cycles

  std::uint64_t& operator[](Doing what) {
    return what == Doing::kBusy ? busy : what == Doing::kMemory ? memory : output;
  }
  std::uint64_t sum() const { return busy + memory + output; }
  Activity& operator+=(const Activity& other) {
    busy += other.busy;
    memory += other.memory;
    output += other.output;
    return *this;
  }
};

// The account of a unit that does one thing after the other, in the order of its own time: every cycle is booked once.
class Ledger {
 public:
  // From where the account stands to `until`; nothing if that is past.
  void spend(Doing what, Cycle until) {
    if (until <= at_) return;
    total_[what] += until - at_;
    at_ = until;
  }
  void wait_for_input(Cycle until) { at_ = std::max(at_, until); }
  const Activity& activity() const { return total_; }

 private:
  Cycle at_ = 0;
  Activity total_;
};

// The account of a unit whose callers come out of time order, each at its own local time. Work is counted as it is. A
// cycle in which somebody waits counts once, and not at all if the unit worked meanwhile: within a bucket of 64 cycles
// waits fill what work has left, memory before output. Covers a sliding window; waits older than that are lost.
class ActivityMap {
 public:
  static constexpr unsigned kBucketCycles = 64, kBuckets = 256;

  void work(Cycle at, Cycle cycles) {
    done_.busy += cycles;
    for (Cycle end = at + cycles; at < end;) {
      const Cycle stop = std::min(end, (at / kBucketCycles + 1) * kBucketCycles);
      if (Slot* slot = find(at / kBucketCycles, [](Cycle) { return 0u; })) slot->worked += static_cast<std::uint16_t>(stop - at);
      at = stop;
    }
  }
  // [from, to) was waited through. `worked(begin)`: for units whose work is known elsewhere, its cycles in the bucket that
  // begins at cycle `begin`.
  template <class Worked>
  void wait(Doing why, Cycle from, Cycle to, Worked worked) {
    while (from < to) {
      const Cycle bucket = from / kBucketCycles, begin = bucket * kBucketCycles;
      const Cycle stop = std::min(to, begin + kBucketCycles);
      if (Slot* slot = find(bucket, worked)) {
        const std::uint64_t upper = stop - begin == kBucketCycles ? ~std::uint64_t{0} : (std::uint64_t{1} << (stop - begin)) - 1;
        (why == Doing::kMemory ? slot->memory : slot->output) |= upper & ~((std::uint64_t{1} << (from - begin)) - 1);
      }
      from = stop;
    }
  }
  void wait(Doing why, Cycle from, Cycle to) {
    wait(why, from, to, [](Cycle) { return 0u; });
  }

  template <class Worked>
  Activity activity(Worked worked) const {
    ActivityMap rest = *this;
    for (Slot& slot : rest.slots_) rest.settle(slot, worked);
    return rest.done_;
  }
  Activity activity() const {
    return activity([](Cycle) { return 0u; });
  }

 private:
  struct Slot {
    Cycle bucket = 0;
    std::uint64_t memory = 0, output = 0;  // bit c: somebody waited in cycle c
    std::uint16_t worked = 0;
  };

  // The slot of a bucket; nullptr: it has left the window.
  template <class Worked>
  Slot* find(Cycle bucket, Worked worked) {
    Slot& slot = slots_[bucket % kBuckets];
    if (slot.bucket > bucket) return nullptr;
    if (slot.bucket != bucket) {
      settle(slot, worked);
      slot = {bucket, 0, 0, 0};
    }
    return &slot;
  }
  // Work is booked already. Dates of a calendar say when work ended, not where all of it lay: what a bucket cannot hold
  // goes where there is room.
  template <class Worked>
  void settle(const Slot& slot, Worked worked) {
    if ((slot.memory | slot.output) == 0 && slot.worked == 0) return;
    unsigned room = kBucketCycles;
    const auto take = [&](std::uint64_t wanted) {
      const unsigned taken = static_cast<unsigned>(std::min<std::uint64_t>(wanted, room));
      room -= taken;
      return taken;
    };
    const unsigned here = slot.worked + worked(slot.bucket * kBucketCycles);
    excess_ += here - take(here);
    excess_ -= take(excess_);
    done_.memory += take(static_cast<std::uint64_t>(__builtin_popcountll(slot.memory)));
    done_.output += take(static_cast<std::uint64_t>(__builtin_popcountll(slot.output & ~slot.memory)));
  }

  std::array<Slot, kBuckets> slots_{};
  Activity done_;
  std::uint64_t excess_ = 0;
};

}  // namespace gyre::kernel
