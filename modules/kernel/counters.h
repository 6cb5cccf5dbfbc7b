// Counters of the run report: units own plain integers and register them by hierarchical name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gyre::kernel {

class CounterRegistry {
 public:
  // `value` must outlive the registry's readers. Registration order is report order (never hash order).
  void add(std::string name, const std::uint64_t* value) { entries_.emplace_back(std::move(name), value); }
  const std::vector<std::pair<std::string, const std::uint64_t*>>& entries() const { return entries_; }

  // Sum of every counter whose name ends in ".suffix".
  std::uint64_t sum(const std::string& suffix) const {
    std::uint64_t total = 0;
    const std::string tail = "." + suffix;
    for (const auto& [name, value] : entries_)
      if (name.size() >= tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0) total += *value;
    return total;
  }

 private:
  std::vector<std::pair<std::string, const std::uint64_t*>> entries_;
};

}  // namespace gyre::kernel
