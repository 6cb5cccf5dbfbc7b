// The knobs of the machine: one table that parsing, --set, `config show` and the reference page are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config.h"

namespace gyre::config {

// A field that is one of a few words: an enumeration whose values count from 0 as the words do.
struct Word {
  const char* const* words;
  unsigned count;
  std::function<unsigned()> get;
  std::function<void(unsigned)> set;
};

using Field = std::variant<unsigned*, std::uint64_t*, bool*, Timing*, Severity*, Word, std::string*>;

// How a number is written and what its unit suffixes are.
enum class Unit { kNone, kCycles, kDuration, kFrequency, kBytes };

enum class Shape { kAny, kPowerOfTwo, kDividesSecond };  // kDividesSecond: the clock period is whole picoseconds

struct Knob {
  const char* path;                       // YAML path = path of the field in MachineConfig
  Field (*field)(MachineConfig& config);  // where it lives
  std::uint64_t min, max;                 // inclusive; numbers only
  Unit unit;
  Shape shape;
  const char* doc;
};

const std::vector<Knob>& knobs();

// Index of the knob with this path, or npos. A unit suffix of the last word may be left out: sim.quantum is
// sim.quantum_ps (its value then needs a unit).
constexpr std::size_t kNoKnob = ~std::size_t{0};
std::size_t find_knob(std::string_view path);

// "gpu", "gpu.core", ...: a path that has knobs below it.
bool is_group(std::string_view path);

// The path most like `path` among knobs and groups, or "" when none is near.
std::string nearest_path(const std::string& path);

}  // namespace gyre::config
