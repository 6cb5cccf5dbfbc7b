// Barriers of a core (isa.md §6).
#pragma once

#include <algorithm>
#include <cstdint>

namespace gyre::core {

// State of one barrier. Times: the barrier opens at the latest arrival, in whatever order arrivals are simulated.
struct Barrier {
  std::uint32_t arrived = 0;
  std::uint32_t waiting = 0;  // warps
  std::uint32_t events = 0;   // EXPECT_TX; nothing completes them on this core
  std::uint32_t phase = 0;    // one architectural bit
  std::uint64_t latest = 0;   // latest arrival of the current phase

  // One arrival. Returns the warps to wake if this one completes the barrier (`completed` set). `count` > 0.
  std::uint32_t arrive(std::uint32_t count, std::uint64_t stamp, bool& completed) {
    latest = std::max(latest, stamp);
    completed = arrived + 1 == count && events == 0;
    arrived = (arrived + 1) % count;
    if (!completed) return 0;
    const std::uint32_t woken = waiting;
    waiting = 0;
    phase ^= 1;
    return woken;
  }
};

// A core's side of a barrier of the cluster: it reports once all its active warps have arrived.
struct GlobalBarrier {
  std::uint32_t arrived = 0;  // warps
  std::uint32_t waiting = 0;  // warps
  std::uint32_t cores = 0;    // participants the last arrival asked for
  std::uint32_t events = 0;   // EXPECT_TX; nothing completes them on this core
  std::uint32_t phase = 0;    // one architectural bit
  std::uint64_t latest = 0;   // latest arrival
  bool reported = false;      // the cluster knows
};

}  // namespace gyre::core
