// Simulated time of one agent (design §4, "Threads, quantum and launches").
#pragma once

#include <systemc>

#include <algorithm>
#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

using Picoseconds = std::uint64_t;  // SystemC's default resolution, so conversion is exact

inline Picoseconds kernel_now() { return sc_core::sc_time_stamp().value(); }

// The first cycle of a clock that does not begin before `ps`.
constexpr Cycle cycle_at(Picoseconds ps, Picoseconds period) { return (ps + period - 1) / period; }
inline Cycle cycle_now(Picoseconds period) { return cycle_at(kernel_now(), period); }

// Local time of one SC_THREAD: an absolute cycle count that never goes back. Kernel time is computed from the
// count, never summed. `quantum` bounds how far local time may run ahead of kernel time.
class LocalClock {
 public:
  LocalClock(Picoseconds period, Picoseconds quantum) : period_(period), quantum_(std::max(quantum, period)) {
    set_limit();
  }

  Picoseconds period() const { return period_; }
  Cycle now() const { return now_; }
  Picoseconds now_ps() const { return now_ * period_; }
  Cycle from_ps(Picoseconds ps) const { return cycle_at(ps, period_); }

  void advance(Cycle cycles) { now_ += cycles; }
  void advance_to(Cycle stamp) { now_ = std::max(now_, stamp); }

  // Local cycle at which the thread has to sync; an agent may run batches up to it.
  Cycle limit() const { return limit_; }
  bool quantum_spent() const { return now_ >= limit_; }

  // Lets kernel time reach local time. Yields, so every condition read before must be read again.
  void sync() {
    const Picoseconds kernel = kernel_now();
    if (now_ps() > kernel) sc_core::wait(sc_core::sc_time::from_value(now_ps() - kernel));
    catch_up();
  }

  // Call after anything that may have let kernel time move (a foreign target that waits).
  void catch_up() {
    advance_to(from_ps(kernel_now()));
    set_limit();
  }

  // Waits for `ready()`; `event` is notified (SC_ZERO_TIME) after every change that can make it true. Syncs
  // first so that no local offset is lost, and checks last: nothing yields between the check and the wait.
  template <class Ready>
  void wait_until(const sc_core::sc_event& event, Ready ready) {
    while (!ready()) {
      const Picoseconds kernel = kernel_now();
      if (now_ps() > kernel) {
        sync();
        continue;
      }
      sc_core::wait(event);
      catch_up();
    }
  }

 private:
  void set_limit() { limit_ = (now_ps() / quantum_ + 1) * quantum_ / period_; if (limit_ <= now_) limit_ = now_ + 1; }

  Picoseconds period_;
  Picoseconds quantum_;
  Cycle now_ = 0;
  Cycle limit_ = 0;
};

}  // namespace gyre::kernel
