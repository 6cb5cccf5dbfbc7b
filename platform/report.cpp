#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report_utilisation.h"

namespace gyre::platform {
namespace {

std::uint64_t cycles(kernel::Picoseconds ps, std::uint64_t hz) { return ps / (1'000'000'000'000ull / hz); }

double per_second(std::uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

struct CacheSum {
  std::string kind;  // "dcache"
  std::uint64_t reads = 0, hits = 0, fills = 0;
};

// The caches that were read, kind by kind, summed over the machine, in the order of the counters. Reads that chain to a
// fill under way are no hits and no fills.
std::vector<CacheSum> caches(const kernel::CounterRegistry& counters) {
  std::vector<CacheSum> sums;
  for (const auto& [name, value] : counters.entries()) {
    const std::size_t end = name.rfind('.'), begin = name.rfind('.', end - 1) + 1;
    const std::string what = name.substr(end + 1);
    if (what != "reads" && what != "read_hits" && what != "fills") continue;
    std::string kind = name.substr(begin, end - begin);
    if (kind != "l2" && kind != "l3") {
      kind.erase(kind.find_last_not_of("0123456789") + 1);
      if (kind.size() != 6 || kind.compare(1, 5, "cache") != 0) continue;
    }
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const CacheSum& s) { return s.kind == kind; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), {kind});
    (what == "reads" ? sum->reads : what == "fills" ? sum->fills : sum->hits) += *value;
  }
  sums.erase(std::remove_if(sums.begin(), sums.end(), [](const CacheSum& s) { return s.reads == 0; }), sums.end());
  return sums;
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

// By lint: how often, and where.
nlohmann::ordered_json lints_json(const kernel::LintLog& log) {
  auto lints = nlohmann::ordered_json::object();
  for (const auto& [key, finding] : log.findings()) {
    auto& lint = lints[kernel::lint_name(key.first)];
    lint["count"] = log.count(key.first);
    nlohmann::ordered_json place;
    if (finding.subject.empty()) {
      place["pc"] = finding.pc;
      if (!finding.where.empty()) place["where"] = finding.where;
      place["core"] = finding.core;
      place["warp"] = finding.warp;
      place["lanes"] = finding.lanes;
    } else {
      place["subject"] = finding.subject;
    }
    place["count"] = finding.count;
    place["what"] = finding.what;
    lint["places"].push_back(std::move(place));
  }
  return lints;
}

}  // namespace

std::string report_json(const RunReport& report, const MachineConfig& config,
                        const kernel::CounterRegistry* counters) {
  nlohmann::ordered_json root;
  root["format"] = "gyre-report";
  root["version"] = 1;
  root["machine"] = config.name;
  root["backend"] = report.backend;
  if (!report.scene.empty()) root["scene"] = report.scene;
  root["exit_code"] = report.exit_code;
  root["frames"] = report.frames;
  const std::uint64_t gpu_cycles = cycles(report.simulated_ps, config.gpu.clock_hz);
  auto& simulated = root["simulated"];
  simulated["picoseconds"] = report.simulated_ps;
  simulated["gpu_cycles"] = gpu_cycles;
  simulated["host_cycles"] = cycles(report.simulated_ps, config.host.clock_hz);
  simulated["host_instructions"] = report.host_instructions;
  simulated["warp_instructions"] = report.warp_instructions;
  simulated["thread_instructions"] = report.thread_instructions;
  simulated["fragments"] = report.fragments;
  root["warnings"] = report.warnings;
  if (report.lints != nullptr) root["lints"] = lints_json(*report.lints);
  if (report.utilisation != nullptr) root["utilisation"] = utilisation_json(times_of(*report.utilisation, gpu_cycles));
  if (counters != nullptr) {
    auto& values = root["counters"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : counters->entries()) values[name] = *value;
  }
  auto& wall = root["wall"];
  wall["seconds"] = report.wall_seconds;
  wall["host_mips"] = per_second(report.host_instructions, report.wall_seconds) / 1e6;
  wall["warp_instructions_per_second"] = per_second(report.warp_instructions, report.wall_seconds);
  wall["fragments_per_second"] = per_second(report.fragments, report.wall_seconds);
  return root.dump(2) + "\n";
}

void print_table(std::FILE* out, const RunReport& report, const MachineConfig& config,
                 const kernel::CounterRegistry* counters) {
  const std::uint64_t gpu_cycles = cycles(report.simulated_ps, config.gpu.clock_hz);
  auto line = [&](const char* what, const std::string& value) { fmt::print(out, "  {:<22} {}\n", what, value); };
  fmt::print(out, "{} on {} ({} backend)\n", report.scene.empty() ? "firmware" : report.scene, config.name,
             report.backend);
  if (report.backend == "gpu") {
    line("simulated time", fmt::format("{:.3f} ms, {} GPU cycles", static_cast<double>(report.simulated_ps) * 1e-9,
                                       grouped(gpu_cycles)));
    line("host instructions", grouped(report.host_instructions));
    line("warp instructions", fmt::format("{} ({} of threads)", grouped(report.warp_instructions),
                                          grouped(report.thread_instructions)));
    line("fragments merged", grouped(report.fragments));
    if (report.utilisation != nullptr) {
      const UnitTimes times = times_of(*report.utilisation, gpu_cycles);
      line("busiest unit", busiest(times));
      line("warps wait for", warp_waits(times));
    }
    if (counters != nullptr)
      for (const CacheSum& cache : caches(*counters))
        line(fmt::format("{} reads", cache.kind).c_str(),
             fmt::format("{}, {:.1f} % hit, {} fills", grouped(cache.reads),
                         100.0 * static_cast<double>(cache.hits) / static_cast<double>(cache.reads), grouped(cache.fills)));
    if (report.warnings != 0) line("warnings", grouped(report.warnings));
    if (report.lints != nullptr)
      for (unsigned i = 0; i < kernel::kLints; ++i)
        if (const auto lint = static_cast<kernel::Lint>(i); report.lints->count(lint) != 0)
          line(fmt::format("lint {}", kernel::lint_name(lint)).c_str(),
               fmt::format("{} times", grouped(report.lints->count(lint))));
  }
  if (report.backend == "soft" || report.backend == "interp") line("fragments shaded", grouped(report.fragments));
  line("wall time", fmt::format("{:.3f} s", report.wall_seconds));
  if (report.backend == "gpu")
    line("speed", fmt::format("{:.1f} M host and warp instructions/s",
                              per_second(report.host_instructions + report.warp_instructions, report.wall_seconds) / 1e6));
}

}  // namespace gyre::platform
