#include "options.h"

#include <unistd.h>

#include "files.h"

namespace gyre::platform {

void MachineOptions::add_to(CLI::App& app) {
  app.add_option("--config,-c", config, "machine description (YAML); without it the machine of configs/default.yaml")->type_name("FILE");
  app.add_option("--set", sets, "override one knob, e.g. gpu.raster.slices=2 (repeatable)")->type_name("KEY=VALUE");
  app.add_option("--report", report, "write the report as JSON")->type_name("FILE");
  app.add_flag("--quiet,-q", quiet, "no table, no progress");
}

void MachineOptions::write_report(const RunReport& facts, const MachineConfig& machine,
                                  const kernel::CounterRegistry* counters) const {
  if (!quiet) print_table(stdout, facts, machine, counters);
  if (report.empty()) return;
  const std::string text = report_json(facts, machine, counters);
  scene::write_file(report, text.data(), text.size());
}

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const std::string& text) {
  if (!on_) return;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

}  // namespace gyre::platform
