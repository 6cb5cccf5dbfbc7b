// Options several commands share, and the commands themselves.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "debugger.h"
#include "error.h"
#include "insn_trace.h"
#include "machine.h"

namespace gyre::platform {

struct MachineOptions {
  std::string config;             // YAML file; empty: the machine of configs/default.yaml
  std::vector<std::string> sets;  // key=value
  std::string report;             // JSON file; empty: none
  std::string trace;              // timeline, JSON file; empty: none
  std::uint64_t trace_limit = 256;  // of that file, MB
  std::string insn_trace;           // instruction trace; empty: none
  std::vector<std::string> insn_filters;
  bool quiet = false;

  void add_to(CLI::App& app);
  // Records what happens from now on; null if nobody asked. UserError if the file cannot be written.
  std::unique_ptr<kernel::Timeline> record(kernel::Context& context) const;
  // The instruction trace, attached; null if nobody asked. `system`: null on a bare device. UserError for a filter that
  // cannot be meant or a file that cannot be written.
  std::unique_ptr<InsnTrace> trace_instructions(const ProgramNames& names, const MachineConfig& machine, gpu::Gpu& gpu,
                                                host::HostSystem* system) const;
  // Names of the files the options write, and `picture`.
  std::vector<std::string> outputs(const std::string& picture = {}) const {
    return {picture, report, trace, insn_trace};
  }
  void write_report(const RunReport& facts, const MachineConfig& machine, const kernel::CounterRegistry* counters) const;
};

// Ports of the debugger.
struct DebugOptions {
  std::string host, gpu;  // port number or path of a socket; empty: none
  bool wait = false;

  void add_to(CLI::App& app);
  bool wanted() const { return !host.empty() || !gpu.empty(); }
  // `system`: null on a bare device. `reload` puts the images into host memory again. Throws UserError if a port
  // cannot be had.
  std::unique_ptr<debug::Debugger> make(kernel::Context& context, gpu::Gpu& gpu, host::HostSystem* system,
                                        std::function<void()> reload = {}) const;
};

// The machine came to a stop without an exit; what() is the diagnosis, several lines.
class HangError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Files written at the end of a run: one that cannot be written must not cost the others.
class Outputs {
 public:
  void write(const std::function<void()>& step) {
    try {
      step();
    } catch (const UserError& error) {
      if (!first_) first_ = error;
    }
  }
  // Throws the first error, if there was one.
  void finish() const {
    if (first_) throw *first_;
  }

 private:
  std::optional<UserError> first_;
};

// UserError when an output is the same file as an input or as another output. Empty names are left out.
void check_file_names(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

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
void add_shader_command(CLI::App& app, int* code);
void add_sweep_command(CLI::App& app, int* code);

}  // namespace gyre::platform
