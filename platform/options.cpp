#include "options.h"

#include <unistd.h>

#include <filesystem>

#include "files.h"
#include "gpu_target.h"
#include "host_target.h"
#include "run_watch.h"

namespace gyre::platform {

void MachineOptions::add_to(CLI::App& app) {
  app.add_option("--config,-c", config, "machine description (YAML); without it the machine of configs/default.yaml")->type_name("FILE");
  app.add_option("--set", sets, "override one knob, e.g. gpu.raster.slices=2 (repeatable)")->type_name("KEY=VALUE");
  app.add_option("--report", report, "write the report as JSON")->type_name("FILE");
  app.add_option("--trace", trace, "write what every unit did when, for ui.perfetto.dev or chrome://tracing")->type_name("FILE");
  app.add_option("--trace-limit", trace_limit, "the timeline is cut at this size (256)")->type_name("MB")->check(CLI::Range(1, 1 << 20));
  app.add_option("--trace-insn", insn_trace, "write every instruction the host CPU and the cores execute")->type_name("FILE");
  app.add_option("--trace-insn-filter", insn_filters, "only some: host, gpu, core=N, warp=N, pc=A-B, symbol=F, lines=N, bytes=N (repeatable, or with commas)")
      ->type_name("TERM,...")->allow_extra_args(false);
  app.add_flag("--quiet,-q", quiet, "no table, no progress");
}

std::unique_ptr<kernel::Timeline> MachineOptions::record(kernel::Context& context) const {
  if (trace.empty()) return nullptr;
  auto timeline = std::make_unique<kernel::Timeline>(trace, trace_limit << 20);
  context.timeline = timeline.get();
  return timeline;
}

std::unique_ptr<InsnTrace> MachineOptions::trace_instructions(const ProgramNames& names, const MachineConfig& machine,
                                                              gpu::Gpu& gpu, host::HostSystem* system) const {
  if (insn_trace.empty()) {
    if (!insn_filters.empty()) user_error("--trace-insn-filter: filters what? Add --trace-insn FILE");
    return nullptr;
  }
  InsnFilter filter = InsnFilter::parse(insn_filters, machine, system != nullptr);
  auto trace = std::make_unique<InsnTrace>(insn_trace, std::move(filter), names, machine);
  trace->attach(gpu);
  if (system != nullptr) trace->attach(*system);
  return trace;
}

void MachineOptions::write_report(const RunReport& facts, const MachineConfig& machine,
                                  const kernel::CounterRegistry* counters) const {
  if (!quiet) print_table(stdout, facts, machine, counters);
  if (report.empty()) return;
  const std::string text = report_json(facts, machine, counters);
  scene::write_file(report, text.data(), text.size());
}

void DebugOptions::add_to(CLI::App& app) {
  app.add_option("--gdb", host, "let GDB attach to the host CPU: a loopback port, or the path of a socket")->type_name("PORT|PATH");
  app.add_option("--gdb-gpu", gpu, "let GDB attach to the GPU, whose threads are lanes")->type_name("PORT|PATH");
  app.add_flag("--gdb-wait", wait, "start when a debugger has attached to every port and continued");
}

std::unique_ptr<debug::Debugger> DebugOptions::make(kernel::Context& context, gpu::Gpu& device,
                                                    host::HostSystem* system, std::function<void()> reload) const {
  if (wait && !wanted()) user_error("--gdb-wait: wait at which port? Add --gdb or --gdb-gpu");
  if (!host.empty() && system == nullptr) user_error("--gdb: a bare device has no host CPU; use --gdb-gpu");
  auto debugger = std::make_unique<debug::Debugger>(wait);
  debugger->give_up = &RunWatch::interrupted;
  if (!host.empty())
    debugger->listen(
        std::make_unique<debug::HostTarget>(context, device, *system, std::move(reload), *debugger), host, "--gdb");
  if (!gpu.empty())
    debugger->listen(std::make_unique<debug::GpuTarget>(context, device, system, *debugger), gpu, "--gdb-gpu");
  return debugger;
}

void check_file_names(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  auto same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error)) return std::filesystem::is_regular_file(a, error);
    return std::filesystem::absolute(a).lexically_normal() == std::filesystem::absolute(b).lexically_normal();
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& input : inputs)
      if (same(outputs[i], input)) user_error("{}: is an input; write to another file", outputs[i]);
    for (std::size_t k = 0; k < i; ++k)
      if (same(outputs[i], outputs[k])) user_error("{}: is named for two outputs", outputs[i]);
  }
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
