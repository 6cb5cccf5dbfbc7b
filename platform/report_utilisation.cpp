#include "report_utilisation.h"

#include <fmt/format.h>

#include <algorithm>

namespace gyre::platform {
namespace {

constexpr const char* kWarps = "warps";  // the kind whose places always hold something: no candidate for the busiest

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

nlohmann::ordered_json time_json(unsigned places, const kernel::UnitTime& time) {
  nlohmann::ordered_json json;
  json["places"] = places;
  json["busy"] = time.activity.busy;
  json["memory"] = time.activity.memory;
  json["output"] = time.activity.output;
  json["input"] = time.input;
  if (time.overbooked != 0) json["overbooked"] = time.overbooked;
  if (!time.details.empty()) {
    auto& details = json["details"] = nlohmann::ordered_json::object();
    for (const auto& [name, cycles] : time.details) details[name] = cycles;
  }
  return json;
}

// The units of a kind as one.
struct Sum {
  std::string kind;
  unsigned units = 0, places = 0;
  kernel::UnitTime time;
};

std::vector<Sum> sums_of(const UnitTimes& times) {
  std::vector<Sum> sums;
  for (const auto& [unit, time] : times.entries) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&unit = unit](const Sum& s) { return s.kind == unit->kind; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), {unit->kind, 0, 0, {}});
    ++sum->units;
    sum->places += unit->places;
    sum->time.activity += time.activity;
    sum->time.input += time.input;
    sum->time.overbooked += time.overbooked;
    auto& details = sum->time.details;
    if (details.empty()) details.resize(time.details.size());
    for (std::size_t i = 0; i < details.size(); ++i) {
      details[i].first = time.details[i].first;
      details[i].second += time.details[i].second;
    }
  }
  return sums;
}

}  // namespace

UnitTimes times_of(const kernel::Utilisation& utilisation, kernel::Cycle cycles) {
  UnitTimes times;
  times.cycles = cycles;
  for (const auto& unit : utilisation.units()) times.entries.push_back({&unit, utilisation.time_of(unit, cycles)});
  return times;
}

nlohmann::ordered_json utilisation_json(const UnitTimes& times) {
  nlohmann::ordered_json json;
  json["cycles"] = times.cycles;
  auto& units = json["units"] = nlohmann::ordered_json::object();
  for (const auto& [unit, time] : times.entries) units[unit->name] = time_json(unit->places, time);
  auto& kinds = json["kinds"] = nlohmann::ordered_json::object();
  for (const Sum& sum : sums_of(times)) {
    auto& kind = kinds[sum.kind];
    kind["units"] = sum.units;
    kind.update(time_json(sum.places, sum.time));
  }
  return json;
}

std::string busiest(const UnitTimes& times) {
  const UnitTimes::Entry* best = nullptr;
  double most = 0;
  for (const UnitTimes::Entry& entry : times.entries) {
    if (entry.unit->kind == kWarps) continue;
    const double share = percent(entry.time.activity.busy, times.cycles * entry.unit->places);
    if (share <= most) continue;
    most = share;
    best = &entry;
  }
  if (best == nullptr) return "none";
  const std::uint64_t whole = times.cycles * best->unit->places;
  return fmt::format("{} ({:.0f} % of the cycles, {:.0f} % blocked on memory, {:.0f} % on output)", best->unit->name, most,
                     percent(best->time.activity.memory, whole), percent(best->time.activity.output, whole));
}

std::string warp_waits(const UnitTimes& times) {
  constexpr std::size_t kShown = 4;
  for (const Sum& sum : sums_of(times)) {
    if (sum.kind != kWarps) continue;
    std::vector<std::pair<std::string, std::uint64_t>> waits;
    std::uint64_t there = 0;
    for (const auto& [name, cycles] : sum.time.details) {
      if (name == "empty") continue;
      there += cycles;
      if (name != "issue" && cycles != 0) waits.emplace_back(name, cycles);
    }
    std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (waits.size() > kShown) waits.resize(kShown);
    std::string text;
    for (const auto& [name, cycles] : waits)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, percent(cycles, there));
    return text.empty() ? "nothing" : text;
  }
  return "nothing";
}

}  // namespace gyre::platform
