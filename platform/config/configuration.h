// The effective configuration of a machine and where each value came from (design: configuration).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config.h"

namespace gyre::config {

class Configuration {
 public:
  Configuration();  // the defaults of MachineConfig

  // Each later source overrides the earlier ones. UserError, one line: file, line, column, key, the value given, what
  // is allowed, and the nearest key when a key is unknown.
  void read_file(const std::string& path);
  void read_text(const std::string& text, const std::string& name);
  void set(const std::string& assignment);  // "gpu.raster.slices=4"

  // UserError when values that are fine alone do not go together. Call it after the last source.
  void check() const;

  const MachineConfig& machine() const { return machine_; }

  // Every knob as YAML that read_text() takes back, each with its source in a comment.
  std::string show() const;

 private:
  void store(std::size_t knob, const std::string& text, bool needs_unit, const std::string& where,
             const std::string& source);

  MachineConfig machine_;
  std::vector<std::string> sources_;  // one a knob: "default", "file.yaml:12", "--set"
};

// File (empty: the built-in copy of configs/default.yaml), then the assignments, checked.
Configuration load(const std::string& path, const std::vector<std::string>& assignments);

// The reference page of all knobs (docs/configuration.md).
std::string reference_page();

}  // namespace gyre::config
