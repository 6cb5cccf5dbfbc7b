// gyre run: firmware on the modelled machine, or a kernel image on the bare device; the exit code is the program's.
#include <filesystem>

#include "configuration.h"
#include "console_input.h"
#include "device_run.h"
#include "error.h"
#include "files.h"
#include "log.h"
#include "options.h"
#include "png_image.h"

namespace gyre::platform {
namespace {

struct RunOptions {
  MachineOptions machine;
  DebugOptions debug;
  std::string firmware, bios, kernel, uart_script, output;
  bool uart_stdin = false;
  std::vector<std::string> folders, arguments;
  DeviceProgram device;
  std::vector<std::uint32_t> grid, block;
};

// frame.png, frame-2.png, ...
std::string numbered(const std::string& name, std::uint64_t number) {
  if (number <= 1) return name;
  const auto dot = name.rfind('.');
  const std::string stem = name.substr(0, dot), extension = dot == std::string::npos ? "" : name.substr(dot);
  return stem + "-" + std::to_string(number) + extension;
}

// Anything can be a flat image; only a file that says so is taken for one, so that a mistaken name is no program.
void check_firmware(const std::string& path) {
  const std::vector<std::uint8_t> file = host::read_image_file(path);
  if (!host::is_elf(file) && std::filesystem::path(path).extension() != ".bin")
    user_error("{}: not an ELF file (a flat image, loaded to the start of RAM, is named *.bin)", path);
}

std::string simulated(const RunOutcome& now) {
  return fmt::format("{:.3f} ms simulated, {:.1f} s", static_cast<double>(now.simulated_ps) * 1e-9, now.wall_seconds);
}

int run_device(const RunOptions& options) {
  if (!options.arguments.empty()) user_error("--device: a kernel has no command line; its argument words are --arg");
  check_file_names({options.device.image, options.machine.config}, options.machine.outputs());
  DeviceProgram program = options.device;
  program.kernel = options.kernel;
  std::copy(options.grid.begin(), options.grid.end(), program.grid.begin());
  std::copy(options.block.begin(), options.block.end(), program.block.begin());
  BareDevice device(config::load(options.machine.config, options.machine.sets).machine());
  const auto timeline = options.machine.record(device.context());
  const auto instructions =
      options.machine.trace_instructions(device.names(), device.config(), device.gpu(), nullptr);
  const auto debugger = options.debug.make(device.context(), device.gpu(), nullptr);
  ProgressLine progress(options.machine.quiet);
  const RunOutcome outcome =
      device.run(program, [&](const RunOutcome& now) { progress.show(simulated(now)); }, debugger.get());
  progress.show("");
  Outputs outputs;
  outputs.write([&] { if (timeline) timeline->finish(); });
  outputs.write([&] { if (instructions) instructions->finish(); });
  outputs.write([&] { options.machine.write_report(device.report(outcome), device.config(), &device.context().counters); });
  if (!outcome.exited) throw HangError(fmt::format("{}: {}", program.image, outcome.diagnosis));
  outputs.finish();
  return outcome.exit_code;
}

int run(const RunOptions& options) {
  if (!options.device.image.empty()) return run_device(options);
  const std::string& image = options.bios.empty() ? options.firmware : options.bios;
  check_file_names({image, options.kernel, options.uart_script, options.machine.config},
                   options.machine.outputs(options.output));
  check_firmware(image);
  if (!options.kernel.empty()) check_firmware(options.kernel);
  const MachineConfig config = config::load(options.machine.config, options.machine.sets).machine();
  Machine machine(config);
  host::HostSystem& host = machine.host();
  for (const std::string& folder : options.folders) host.semihost.files.add_directory(folder);
  std::string line = image;
  for (const std::string& argument : options.arguments) line += " " + argument;
  host.semihost.command_line = line;
  Outputs outputs;
  if (!options.output.empty())
    host.display.on_present = [&](const host::DisplayFrame& frame) {
      outputs.write([&] {
        scene::write_png(numbered(options.output, frame.index + 1),
                         scene::from_frame(frame.pixels.data(), frame.width, frame.height, false));
      });
    };
  auto load = [&] {
    host.load_bios(image);
    if (!options.kernel.empty()) host.load_kernel(options.kernel);
  };
  load();
  machine.names().host.add(image);
  if (!options.kernel.empty()) machine.names().host.add(options.kernel);
  host.semihost.files.on_read = [&](const std::string& path) {
    if (std::filesystem::path(path).extension() == ".vxbin") machine.names().device.add(path);
  };
  std::unique_ptr<UartScript> script;
  if (!options.uart_script.empty()) {
    script = std::make_unique<UartScript>(options.uart_script, [&host](std::string_view text) { host.uart.receive(text); });
    host.uart.listen([&script](std::string_view text) { script->printed(text); });
  }
  StdinInput keyboard;
  if (options.uart_stdin)
    machine.before_slice = [&] {
      if (const std::string typed = keyboard.typed(); !typed.empty()) host.uart.receive(typed);
    };

  const auto timeline = options.machine.record(machine.context());
  const auto instructions = options.machine.trace_instructions(machine.names(), config, machine.gpu(), &host);
  const auto debugger = options.debug.make(machine.context(), machine.gpu(), &host, load);
  ProgressLine progress(options.machine.quiet);
  const RunOutcome outcome =
      machine.run([&](const RunOutcome& now) { progress.show(simulated(now)); }, debugger.get());
  progress.show("");
  if (script && !script->waits_for().empty()) kernel::log_warn(options.uart_script, "{}", script->waits_for());
  if (outcome.exited && !options.output.empty() && host.display.frames() == 0)
    kernel::log_warn(image, "ended without presenting a frame: {} is not written", options.output);
  outputs.write([&] { if (timeline) timeline->finish(); });
  outputs.write([&] { if (instructions) instructions->finish(); });
  outputs.write([&] { options.machine.write_report(machine.report(outcome), config, &machine.context().counters); });
  if (!outcome.exited) throw HangError(fmt::format("{}: {}", image, outcome.diagnosis));
  outputs.finish();
  return outcome.exit_code;
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& arguments, int* code) {
  auto options = std::make_shared<RunOptions>();
  options->arguments = arguments;
  CLI::App* command = app.add_subcommand("run", "run firmware or a device program; the exit code is the program's; firmware's arguments follow --");
  auto* what = command->add_option_group("program", "what to run: one of the three");
  auto* firmware = what->add_option("--firmware,-f", options->firmware, "host firmware (RV64 ELF)")->type_name("FILE");
  what->add_option("--bios", options->bios, "machine-mode firmware: ELF, or a flat image for the start of RAM")->type_name("FILE");
  auto* device = what->add_option("--device", options->device.image, "kernel image (RV32 ELF) on the bare GPU")->type_name("FILE");
  what->require_option(1);
  command->add_option("--kernel", options->kernel, "with --bios: second image (at 0x80200000 if flat); with --device: kernel function (main, or the only one)")->excludes(firmware)->type_name("FILE|NAME");
  command->add_flag("--uart-stdin", options->uart_stdin, "what is typed on standard input goes to the UART")->excludes(device);
  command->add_option("--uart-script", options->uart_script, "dialogue on the UART: lines '? TEXT' wait for the machine to print TEXT, '> TEXT' type a line")->excludes(device)->type_name("FILE");
  command->add_option("--grid", options->grid, "device: CTAs of the launch")->delimiter(',')->expected(1, 3)->needs(device)->type_name("X,Y,Z");
  command->add_option("--block", options->block, "device: threads of a CTA (one warp)")->delimiter(',')->expected(1, 3)->needs(device)->type_name("X,Y,Z");
  command->add_option("--arg", options->device.arguments, "device: argument word of the kernel (repeatable)")->needs(device)->type_name("WORD");
  command->add_option("--lmem", options->device.lmem, "device: local memory of a CTA")->needs(device)->type_name("BYTES");
  command->add_flag("--legacy", options->device.legacy, "device: no launch, warp 0 lane 0 of every core starts")->needs(device);
  command->add_option("--fs", options->folders, "folder the firmware may open files in (repeatable)")->excludes(device)->type_name("DIR[:ro]");
  command->add_option("-o,--output", options->output, "write presented frames as PNG")->excludes(device)->type_name("FILE");
  options->machine.add_to(*command);
  options->debug.add_to(*command);
  command->callback([options, code] { *code = run(*options); });
}

}  // namespace gyre::platform
