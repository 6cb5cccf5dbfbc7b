#include "sweep_plan.h"

#include <algorithm>
#include <filesystem>

#include "configuration.h"
#include "error.h"
#include "files.h"
#include "knobs.h"
#include "value.h"
#include "yaml_place.h"

namespace gyre::platform {
namespace {

using shader::YamlValue;
using Knobs = std::vector<std::pair<std::string, std::string>>;  // KEY, VALUE

// Beside the sweep file, unless it says where.
std::string near(const std::string& sweep, const std::string& name) {
  return (std::filesystem::path(sweep).parent_path() / name).lexically_normal().string();
}

std::vector<std::string> words(const YamlValue& value, std::size_t most) {
  if (!value.is_list()) return {value.text()};
  std::vector<std::string> out;
  for (const YamlValue& item : value.list(1, most)) out.push_back(item.text());
  return out;
}

Knobs assignments(const YamlValue& map) {
  if (!map.is_map()) map.fail("knobs with their values are expected, as in gpu.raster.slices: 2");
  Knobs out;
  map.each_key([&](const std::string& key, const YamlValue& value) { out.emplace_back(key, value.text()); });
  return out;
}

// Every combination, the last knob changing fastest, after each of `before`.
std::vector<Knobs> combine(std::vector<Knobs> before, const YamlValue& vary) {
  if (!vary.is_map()) vary.fail("knobs with lists of values are expected, as in gpu.raster.slices: [1, 2, 4]");
  vary.each_key([&](const std::string& key, const YamlValue& value) {
    const std::vector<std::string> choices = words(value, SweepPlan::kMaxPoints);
    if (before.size() * choices.size() > SweepPlan::kMaxPoints)
      value.fail(fmt::format("with its values the sweep has more than {} points", SweepPlan::kMaxPoints));
    std::vector<Knobs> after;
    for (const Knobs& knobs : before)
      for (const std::string& choice : choices) {
        after.push_back(knobs);
        after.back().emplace_back(key, choice);
      }
    before = std::move(after);
  });
  return before;
}

std::vector<Knobs> points_of(const YamlValue& file) {
  std::vector<Knobs> points{{}};
  if (file.has("points")) {
    points.clear();
    for (const YamlValue& item : file.at("points").list(1, SweepPlan::kMaxPoints)) points.push_back(assignments(item));
  }
  return file.has("vary") ? combine(std::move(points), file.at("vary")) : points;
}

// A machine: the assignments that make it, and what its knobs are then. `where` begins what is wrong with it.
SweepPoint make_machine(const Knobs& fixed, const Knobs& varied, const SweepPlan& plan, const std::string& where) {
  SweepPoint point;
  for (const Knobs* list : {&fixed, &varied})
    for (const auto& [key, value] : *list) point.sets.push_back(key + "=" + value);
  try {
    const MachineConfig machine = config::load(plan.config, point.sets).machine();
    for (const std::string& key : plan.knobs) {
      const std::size_t knob = config::find_knob(key);  // a point that comes later may name one there is not
      point.values.push_back(knob == config::kNoKnob ? "" : config::value_text(config::knobs()[knob], machine));
    }
  } catch (const UserError& error) {
    std::string who = where;
    for (const auto& [key, value] : varied) who += fmt::format(" {}={}", key, scene::quote_text(value));
    user_error("{}: {}", who, error.what());
  }
  return point;
}

// Keys of all points, in the order they come.
std::vector<std::string> keys_of(const std::vector<Knobs>& points, const YamlValue& file) {
  std::vector<std::string> keys;
  for (const Knobs& knobs : points)
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      const std::string& key = knobs[i].first;
      for (std::size_t k = 0; k < i; ++k)
        if (knobs[k].first == key) file.fail(fmt::format("{} is given a value twice, under points and under vary", key));
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  return keys;
}

}  // namespace

SweepPlan read_sweep(const std::string& path) {
  const YamlValue file = shader::parse_yaml(scene::read_file(path), path);
  file.allow({"scene", "scenes", "size", "config", "set", "vary", "points", "columns"});
  if (file.has("scene") == file.has("scenes")) file.fail("a sweep draws one `scene:`, or a list of `scenes:`");
  SweepPlan plan;
  const YamlValue scenes = file.at(file.has("scene") ? "scene" : "scenes");
  const std::vector<std::string> names = words(scenes, SweepPlan::kMaxPoints);
  if (file.has("size")) plan.size = file.at("size").text();
  if (file.has("config")) plan.config = near(path, file.at("config").text());
  if (file.has("columns")) plan.columns = words(file.at("columns"), 100);
  const Knobs fixed = file.has("set") ? assignments(file.at("set")) : Knobs{};
  const std::vector<Knobs> points = points_of(file);
  if (points.size() * names.size() > SweepPlan::kMaxPoints)
    scenes.fail(fmt::format("with its scenes the sweep has more than {} points", SweepPlan::kMaxPoints));
  plan.knobs = keys_of(points, file);
  std::vector<SweepPoint> machines;
  for (const Knobs& knobs : points)
    machines.push_back(make_machine(fixed, knobs, plan, fmt::format("{}: point {}", path, machines.size() + 1)));
  for (const std::string& name : names)
    for (SweepPoint machine : machines) {
      machine.scene = near(path, name);
      plan.points.push_back(std::move(machine));
    }
  return plan;
}

}  // namespace gyre::platform
