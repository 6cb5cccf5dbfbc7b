// The part of a run's report that says where the time of every unit went.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "utilisation.h"

namespace gyre::platform {

// Units in the order of the registry, each with its time in a run of `cycles` GPU cycles.
struct UnitTimes {
  struct Entry {
    const kernel::Utilisation::Unit* unit;
    kernel::UnitTime time;
  };
  kernel::Cycle cycles = 0;
  std::vector<Entry> entries;
};
UnitTimes times_of(const kernel::Utilisation& utilisation, kernel::Cycle cycles);

// {"cycles", "units": {name: time}, "kinds": {kind: time}}; a time is {"places", "busy", "memory", "output", "input",
// "details": {…}}, in cycles; of a kind the sum, with the number of its units.
nlohmann::ordered_json utilisation_json(const UnitTimes& times);
// "gpu.memory.bus0 (87 % of the cycles, 12 % blocked on memory)": the unit that was busy for the largest share.
std::string busiest(const UnitTimes& times);
// "loads 43 %, fetch 12 %, execution 9 %": shares of the time warps were there, largest first.
std::string warp_waits(const UnitTimes& times);

}  // namespace gyre::platform
