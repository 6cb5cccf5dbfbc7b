// The knobs of the caches: the same set for each kind.
#include <list>
#include <string>

#include "knob_words.h"

namespace gyre::config {
namespace {

using C = MachineConfig;
constexpr const char* kReplacements[] = {"fifo", "plru", "random"};
constexpr const char* kWrites[] = {"auto", "through", "through_allocate", "back", "back_around"};
constexpr std::uint64_t kMany = 1'000'000;  // of cycles

struct Kind {
  const char* path;
  const char* what;
  bool level;   // L2, L3: one a place, off by default
  bool writes;  // has a write policy to choose
};

// Paths and texts live as long as the program.
const char* keep(std::string text) {
  static std::list<std::string> kept;
  return kept.emplace_back(std::move(text)).c_str();
}

template <CacheConfig GpuConfig::*kCache>
void add(std::vector<Knob>& table, const Kind& kind) {
  const auto knob = [&](const char* name, Field (*field)(C&), std::uint64_t min, std::uint64_t max, Unit unit, Shape shape,
                        std::string doc) {
    table.push_back({keep(std::string(kind.path) + "." + name), field, min, max, unit, shape, keep(std::move(doc))});
  };
  const std::string what = kind.what;
  knob(
      "enabled", [](C& c) -> Field { return &(c.gpu.*kCache).enabled; }, 0, 1, Unit::kNone, Shape::kAny,
      kind.level ? what + "." : what + ". Without it every access hits.");
  knob(
      "bytes", [](C& c) -> Field { return &(c.gpu.*kCache).bytes; }, 64, 64 << 20, Unit::kBytes, Shape::kAny,
      "Size of one.");
  knob(
      "ways", [](C& c) -> Field { return &(c.gpu.*kCache).ways; }, 1, 64, Unit::kNone, Shape::kAny,
      "Lines a set; the sets must be a power of two.");
  knob(
      "line", [](C& c) -> Field { return &(c.gpu.*kCache).line; }, 64, 512, Unit::kNone, Shape::kPowerOfTwo,
      "Bytes of a line; 64-byte sectors are filled and written back alone.");
  knob(
      "banks", [](C& c) -> Field { return &(c.gpu.*kCache).banks; }, 0, 64, Unit::kNone, Shape::kPowerOfTwo,
      "Banks, interleaved by line, a request a cycle each; 0 = by rule.");
  knob(
      "mshr", [](C& c) -> Field { return &(c.gpu.*kCache).mshr; }, 1, 1024, Unit::kNone, Shape::kAny,
      "Requests of a bank that may wait for memory.");
  knob(
      "latency", [](C& c) -> Field { return &(c.gpu.*kCache).latency; }, 0, kMany, Unit::kCycles, Shape::kAny,
      kind.level ? "Of a hit; 0 = 4, and 1 more for each doubling of the default size."
                 : "Of a hit; 0 = 2, and 1 more for each doubling beyond 16 KiB.");
  knob(
      "miss", [](C& c) -> Field { return &(c.gpu.*kCache).miss; }, 0, kMany, Unit::kCycles, Shape::kAny,
      "From the failed lookup until the request below leaves.");
  if (!kind.level)
    knob(
        "count", [](C& c) -> Field { return &(c.gpu.*kCache).count; }, 0, 128, Unit::kNone, Shape::kPowerOfTwo,
        "How many; clients are dealt to them in turn; 0 = one for four clients.");
  knob(
      "replacement", [](C& c) -> Field { return word((c.gpu.*kCache).replacement, kReplacements); }, 0, 0, Unit::kNone,
      Shape::kAny, "Which line makes room.");
  if (kind.writes)
    knob(
        "write", [](C& c) -> Field { return word((c.gpu.*kCache).write, kWrites); }, 0, 0, Unit::kNone, Shape::kAny,
        "Write policy; auto: back where nobody else can hold the line below, else through.");
}

}  // namespace

void add_cache_knobs(std::vector<Knob>& table) {
  add<&GpuConfig::icache>(table, {"gpu.icache", "Instruction cache of a socket", false, false});
  add<&GpuConfig::dcache>(table, {"gpu.dcache", "Data cache of a socket", false, true});
  add<&GpuConfig::tcache>(table, {"gpu.tcache", "Texture cache of a socket", false, false});
  add<&GpuConfig::rcache>(table, {"gpu.rcache", "Raster cache of a cluster", false, false});
  add<&GpuConfig::ocache>(table, {"gpu.ocache", "Cache of a cluster's output mergers and early-Z", false, false});
  add<&GpuConfig::l2>(table, {"gpu.l2", "A second-level cache in every cluster", true, true});
  add<&GpuConfig::l3>(table, {"gpu.l3", "A third-level cache of the device", true, true});
}

}  // namespace gyre::config
