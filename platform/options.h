// Options several commands share, and the commands themselves.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"

namespace gyre::platform {

struct MachineOptions {
  std::string config;             // YAML file; empty: the machine of configs/default.yaml
  std::vector<std::string> sets;  // key=value
  std::string report;             // JSON file; empty: none
  bool quiet = false;

  void add_to(CLI::App& app);
  void write_report(const RunReport& facts, const MachineConfig& machine, const kernel::CounterRegistry* counters) const;
};

// Prints simulated time and speed on a terminal's standard error; nothing in a pipe.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  void show(const std::string& text);

 private:
  bool on_;
  bool shown_ = false;
};

// Each adds its sub-command; the callback stores the exit code in `*code`.
void add_render_command(CLI::App& app, int* code);
// `arguments`: what stood after "--".
void add_run_command(CLI::App& app, const std::vector<std::string>& arguments, int* code);
void add_config_command(CLI::App& app, int* code);

}  // namespace gyre::platform
