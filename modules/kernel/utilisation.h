// Every unit whose time the report breaks down, and how to ask it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "activity.h"

namespace gyre::kernel {

struct UnitTime {
  Activity activity;
  std::uint64_t input = 0;  // cycles without input: busy + memory + output + input = places * cycles of the run
  std::uint64_t overbooked = 0;  // what was booked beyond that and is left out: a run that was cut off
  // Finer than the four, where a unit can say more: {name, cycles}.
  std::vector<std::pair<std::string, std::uint64_t>> details;
};

class Utilisation {
 public:
  using Details = std::vector<std::pair<std::string, std::uint64_t>>;
  struct Unit {
    std::string name;  // hierarchical, as a counter's
    std::string kind;  // units of a kind are summed
    unsigned places;   // what works side by side in it: banks, warps
    std::function<Activity(Cycle run)> activity;  // of a run of so many cycles
    std::function<Details(Cycle run)> details;    // may be empty
  };

  void add(std::string name, std::string kind, unsigned places, std::function<Activity(Cycle)> activity,
           std::function<Details(Cycle)> details = {}) {
    units_.push_back({std::move(name), std::move(kind), places, std::move(activity), std::move(details)});
  }
  // In the order of registration.
  const std::vector<Unit>& units() const { return units_; }

  // Units may be ahead of a run that is cut off; what they have booked beyond its end is left out, output first.
  static UnitTime time_of(const Unit& unit, Cycle run) {
    UnitTime time;
    time.activity = unit.activity(run);
    std::uint64_t room = run * unit.places;
    for (const Doing what : {Doing::kBusy, Doing::kMemory, Doing::kOutput}) {
      std::uint64_t& cycles = time.activity[what];
      time.overbooked += cycles - std::min(cycles, room);
      cycles = std::min(cycles, room);
      room -= cycles;
    }
    time.input = room;
    if (unit.details) time.details = unit.details(run);
    return time;
  }

 private:
  std::vector<Unit> units_;
};

}  // namespace gyre::kernel
