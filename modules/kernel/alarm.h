// A call at a date: one event and one method, however often the date is moved.
#pragma once

#include <systemc>

#include <functional>

#include "sim_time.h"

namespace gyre::kernel {

class Alarm {
 public:
  // To be made during elaboration, inside a module.
  Alarm(const char* name, std::function<void()> rings) : rings_(std::move(rings)) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&event_);
    sc_core::sc_spawn(
        [this] {
          armed_ = kNever;
          rings_();
        },
        sc_core::sc_gen_unique_name(name), &options);
  }
  Alarm(const Alarm&) = delete;

  // Rings at `when` (now, if that is past), or earlier if it was set so; once.
  void set(Picoseconds when) {
    if (when >= armed_) return;
    armed_ = when;
    const Picoseconds now = kernel_now();
    event_.notify(when > now ? sc_core::sc_time::from_value(when - now) : sc_core::SC_ZERO_TIME);
  }

 private:
  static constexpr Picoseconds kNever = ~Picoseconds{0};

  std::function<void()> rings_;
  Picoseconds armed_ = kNever;
  sc_core::sc_event event_;
};

}  // namespace gyre::kernel
