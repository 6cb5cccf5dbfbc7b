#include "sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gyre::platform {
namespace {

using State = PointResult::State;

// "gpu.cluster0.socket1.tcache0.reads" without the numbers of the instances.
std::string kind_name(const std::string& counter) {
  std::string out;
  for (const char c : counter) {
    if (c == '.')
      while (!out.empty() && out.back() >= '0' && out.back() <= '9') out.pop_back();
    out += c;
  }
  return out;
}

bool ends_so(const std::string& name, const std::string& end) {
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0 &&
         name[name.size() - end.size() - 1] == '.';
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string scene_name(const SweepPoint& point) { return std::filesystem::path(point.scene).filename().string(); }

// The table as fields of text, for both of its forms.
std::vector<std::string> head(const SweepPlan& plan) {
  std::vector<std::string> out{"point", "scene"};
  out.insert(out.end(), plan.knobs.begin(), plan.knobs.end());
  for (const char* name : {"gpu_cycles", "relative", "warp_instructions", "fragments", "busiest", "busy"}) out.push_back(name);
  out.insert(out.end(), plan.columns.begin(), plan.columns.end());
  out.push_back("state");
  return out;
}

std::vector<std::string> row(const SweepPlan& plan, const std::vector<PointResult>& results, std::size_t i) {
  const PointResult& result = results[i];
  const PointNumbers& n = result.numbers;
  std::vector<std::string> out{std::to_string(i + 1), scene_name(plan.points[i])};
  out.insert(out.end(), plan.points[i].values.begin(), plan.points[i].values.end());
  if (result.state == State::kDone) {
    const auto times = relative(plan, results, i);
    for (const std::string& field :
         {std::to_string(n.gpu_cycles), times ? fmt::format("{:.4f}", *times) : std::string(), std::to_string(n.warp_instructions),
          std::to_string(n.fragments), n.busiest, fmt::format("{:.4f}", n.busy)})
      out.push_back(field);
    for (const auto& value : n.columns) out.push_back(value ? std::to_string(*value) : "");
  } else {
    out.resize(out.size() + 6 + plan.columns.size());
  }
  out.push_back(result.state == State::kDone ? "done" : result.state == State::kFailed ? "failed" : "not run");
  return out;
}

}  // namespace

PointNumbers read_numbers(const std::string& report, const std::vector<std::string>& columns) {
  const auto json = nlohmann::json::parse(report);
  PointNumbers out;
  const auto& simulated = json.at("simulated");
  out.gpu_cycles = simulated.at("gpu_cycles").get<std::uint64_t>();
  out.warp_instructions = simulated.at("warp_instructions").get<std::uint64_t>();
  out.fragments = simulated.at("fragments").get<std::uint64_t>();
  const double cycles = json.at("utilisation").at("cycles").get<double>();
  for (const auto& [kind, unit] : json.at("utilisation").at("kinds").items()) {
    const double all = unit.value("places", 1.0) * cycles, part = all > 0 ? unit.value("busy", 0.0) / all : 0;
    if (part > out.busy) {
      out.busiest = kind;
      out.busy = part;
    }
  }
  out.columns.resize(columns.size());
  for (const auto& [name, value] : json.at("counters").items()) {
    const std::string kind = kind_name(name);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (name == columns[i] || kind == columns[i] || ends_so(kind, columns[i]))
        out.columns[i] = out.columns[i].value_or(0) + value.get<std::uint64_t>();
  }
  return out;
}

std::optional<double> relative(const SweepPlan& plan, const std::vector<PointResult>& results, std::size_t point) {
  std::size_t first = 0;
  while (plan.points[first].scene != plan.points[point].scene) ++first;
  const PointResult &base = results[first], &own = results[point];
  if (base.state != State::kDone || own.state != State::kDone || base.numbers.gpu_cycles == 0) return std::nullopt;
  return static_cast<double>(own.numbers.gpu_cycles) / static_cast<double>(base.numbers.gpu_cycles);
}

std::string results_csv(const SweepPlan& plan, const std::vector<PointResult>& results) {
  std::string out;
  const auto add = [&](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(fields[i]);
    out += '\n';
  };
  add(head(plan));
  for (std::size_t i = 0; i < results.size(); ++i) add(row(plan, results, i));
  return out;
}

void print_results(std::FILE* out, const SweepPlan& plan, const std::vector<PointResult>& results) {
  std::vector<std::vector<std::string>> table{head(plan)};
  for (std::size_t i = 0; i < results.size(); ++i) table.push_back(row(plan, results, i));
  std::vector<std::size_t> width(table[0].size());
  for (const auto& fields : table)
    for (std::size_t i = 0; i < fields.size(); ++i) width[i] = std::max(width[i], fields[i].size());
  for (const auto& fields : table) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) line += fmt::format("{:>{}}  ", fields[i], width[i]);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    fmt::print(out, "{}\n", line);
  }
}

}  // namespace gyre::platform
