#include "configuration.h"

#include "default_machine.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>

#include "error.h"
#include "knobs.h"
#include "rules.h"
#include "value.h"

namespace gyre::config {
namespace {

constexpr std::size_t kMaxFile = 1 << 20;

std::string printable(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, 60)) out += static_cast<unsigned char>(c) >= 0x20 && c != 0x7F ? c : '?';
  return text.size() > 60 ? out + "..." : out;
}

std::string at(const std::string& name, const YAML::Mark& mark) {
  return mark.is_null() ? name : fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

[[noreturn]] void unknown_key(const std::string& where, const std::string& path) {
  const std::string nearest = nearest_path(path);
  user_error("{}: unknown key {}{} (`gyre config show` lists all)", where, printable(path),
             nearest.empty() ? "" : ", did you mean " + nearest + "?");
}

// Scalars of a mapping tree in the order of the text.
struct Entry {
  std::string path, value;
  YAML::Mark mark;
};

void collect(const YAML::Node& map, const std::string& prefix, const std::string& name, std::vector<Entry>& out) {
  std::set<std::string> seen;
  for (const auto& item : map) {
    const YAML::Node &key = item.first, &value = item.second;
    const std::string where = at(name, key.Mark());
    if (!key.IsScalar()) user_error("{}: a key must be a word", where);
    const std::string path = prefix.empty() ? key.Scalar() : prefix + "." + key.Scalar();
    if (!seen.insert(key.Scalar()).second) user_error("{}: key {} is given twice", where, printable(path));
    if (is_group(path)) {
      if (value.IsNull()) continue;
      if (!value.IsMap()) user_error("{}: {} is a group of keys, not a value", at(name, value.Mark()), printable(path));
      collect(value, path, name, out);
      continue;
    }
    const std::size_t knob = find_knob(path);
    if (knob == kNoKnob) unknown_key(where, path);
    if (!value.IsScalar())
      user_error("{}: {} needs one value: {}", at(name, value.IsNull() ? key.Mark() : value.Mark()), path,
                 allowed_text(knobs()[knob]));
    out.push_back({path, value.Scalar(), value.Mark()});
  }
}

bool needs_unit(const std::string& path) {
  const Knob& knob = knobs()[find_knob(path)];
  return path != knob.path && knob.unit != Unit::kCycles;
}

}  // namespace

Configuration::Configuration() : sources_(knobs().size(), "default") {}

void Configuration::store(std::size_t knob, const std::string& text, bool needs_unit, const std::string& where,
                          const std::string& source) {
  const Knob& k = knobs()[knob];
  if (const auto wrong = store_value(k, text, needs_unit, machine_))
    user_error("{}: {}: \"{}\" is {}; allowed: {}", where, k.path, printable(text), *wrong, allowed_text(k));
  sources_[knob] = source;
}

void Configuration::read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) user_error("{}: {}", path, std::strerror(errno));
  std::string text(kMaxFile + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  const bool failed = std::ferror(file) != 0;
  const int reason = errno;
  std::fclose(file);
  if (failed) user_error("{}: {}", path, std::strerror(reason));
  read_text(text, path);
}

void Configuration::read_text(const std::string& text, const std::string& name) {
  if (text.size() > kMaxFile) user_error("{}: a configuration of more than 1 MiB is not read", name);
  std::vector<Entry> entries;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) user_error("{}: more than one YAML document", at(name, documents[1].Mark()));
    if (documents.empty() || documents[0].IsNull()) return;
    if (!documents[0].IsMap()) user_error("{}: keys with values are expected", at(name, documents[0].Mark()));
    collect(documents[0], "", name, entries);
  } catch (const YAML::Exception& error) {
    user_error("{}: not well-formed YAML: {}", at(name, error.mark), printable(error.msg));
  }
  for (const Entry& entry : entries)
    store(find_knob(entry.path), entry.value, needs_unit(entry.path), at(name, entry.mark),
          fmt::format("{}:{}", name, entry.mark.line + 1));
}

void Configuration::set(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string where = "--set " + printable(assignment);
  if (equals == std::string::npos || equals == 0) user_error("{}: KEY=VALUE is expected", where);
  const std::string path = assignment.substr(0, equals);
  const std::size_t knob = find_knob(path);
  if (knob == kNoKnob) {
    if (is_group(path)) user_error("{}: {} is a group of keys; name one of them", where, path);
    unknown_key(where, path);
  }
  store(knob, assignment.substr(equals + 1), needs_unit(path), where, "--set");
}

void Configuration::check() const {
  const auto conflict = find_conflict(machine_);
  if (!conflict) return;
  std::string list;
  for (const std::string& path : conflict->knobs) {
    const std::size_t knob = find_knob(path);
    list += fmt::format("{}{} = {} ({})", list.empty() ? "" : ", ", path, value_text(knobs()[knob], machine_),
                        sources_[knob]);
  }
  user_error("{}: {}", list, conflict->what);
}

std::string Configuration::show() const {
  std::string out;
  std::vector<std::string> open;  // groups printed and still valid
  for (std::size_t i = 0; i < knobs().size(); ++i) {
    const std::string path = knobs()[i].path;
    std::vector<std::string> words;
    std::istringstream stream(path);
    for (std::string word; std::getline(stream, word, '.');) words.push_back(word);
    std::size_t same = 0;
    while (same < open.size() && same + 1 < words.size() && open[same] == words[same]) ++same;
    open.assign(words.begin(), words.end() - 1);
    for (std::size_t level = same; level < open.size(); ++level)
      out += std::string(2 * level, ' ') + open[level] + ":\n";
    const std::string line =
        fmt::format("{}{}: {}", std::string(2 * open.size(), ' '), words.back(), value_text(knobs()[i], machine_));
    out += fmt::format("{:<44}# {}\n", line, sources_[i]);
  }
  return out;
}

Configuration load(const std::string& path, const std::vector<std::string>& assignments) {
  Configuration configuration;
  if (path.empty())
    configuration.read_text(kDefaultMachine, "default machine");
  else
    configuration.read_file(path);
  for (const std::string& assignment : assignments) configuration.set(assignment);
  configuration.check();
  return configuration;
}

std::string reference_page() {
  std::string out =
      "# Configuration reference\n\n"
      "Made by `gyre config doc` from the table the reader itself uses; do not edit by hand.\n\n"
      "A configuration is a YAML file; `--set KEY=VALUE` overrides single keys. Times take a unit (`ps`, `ns`, `us`, "
      "`ms`, `s`),\nfrequencies `Hz`, `kHz`, `MHz`, `GHz`, sizes `B`, `KiB`, `MiB`, `GiB`; without one they count the "
      "unit of the key's name.\nThat suffix of the name may be left out when the value has its unit: "
      "`sim.quantum: 10us`.\nUnknown keys, wrong types, values out of range and combinations the hardware forbids are "
      "errors.\n\n"
      "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
  const MachineConfig defaults;
  for (const Knob& knob : knobs())
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", knob.path, type_text(knob), value_text(knob, defaults),
                       allowed_text(knob), knob.doc);
  out +=
      "\nCombinations that are refused: more lanes (clusters x sockets x cores x warps x threads) than 8 KiB stacks "
      "fit "
      "(31,736);\n`gpu.raster.block_log` not below `bin_log`; more samplers than cores in a socket; more output "
      "mergers "
      "than cores in a cluster;\na refresh that is not shorter than its "
      "period, an interleave beyond a row;\ncache geometries that give no power of two of sets, "
      "more banks than sets, write-back where several caches could hold a line;\n"
      "more ways than entries of a TLB;\na timebase above the host clock; host RAM that is no multiple of 4 KiB.\n";
  return out;
}

}  // namespace gyre::config
