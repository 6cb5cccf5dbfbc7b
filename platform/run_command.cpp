// gyre run: firmware on the modelled machine; the exit code is the firmware's.
#include <filesystem>

#include "configuration.h"
#include "error.h"
#include "files.h"
#include "log.h"
#include "options.h"
#include "png_image.h"

namespace gyre::platform {
namespace {

struct RunOptions {
  MachineOptions machine;
  std::string firmware, output;
  std::vector<std::string> folders, arguments;
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

int run(const RunOptions& options) {
  check_file_names({options.firmware, options.machine.config}, {options.output, options.machine.report});
  check_firmware(options.firmware);
  const MachineConfig config = config::load(options.machine.config, options.machine.sets).machine();
  Machine machine(config);
  host::HostSystem& host = machine.host();
  for (const std::string& folder : options.folders) host.semihost.files.add_directory(folder);
  std::string line = options.firmware;
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
  host.load_bios(options.firmware);

  ProgressLine progress(options.machine.quiet);
  const RunOutcome outcome = machine.run([&](const RunOutcome& now) {
    progress.show(fmt::format("{:.3f} ms simulated, {:.1f} s", static_cast<double>(now.simulated_ps) * 1e-9, now.wall_seconds));
  });
  progress.show("");
  if (!outcome.exited) throw HangError(fmt::format("{}: {}", options.firmware, outcome.diagnosis));
  if (!options.output.empty() && host.display.frames() == 0)
    kernel::log_warn(options.firmware, "ended without presenting a frame: {} is not written", options.output);
  outputs.write([&] { options.machine.write_report(machine.report(outcome), config, &machine.context().counters); });
  outputs.finish();
  return outcome.exit_code;
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& arguments, int* code) {
  auto options = std::make_shared<RunOptions>();
  options->arguments = arguments;
  CLI::App* command = app.add_subcommand("run", "run firmware; the exit code is the firmware's; its arguments follow --");
  command->add_option("--firmware,-f", options->firmware, "host firmware (RV64 ELF)")->required()->type_name("FILE");
  command->add_option("--fs", options->folders, "folder the firmware may open files in (repeatable)")->type_name("DIR[:ro]");
  command->add_option("-o,--output", options->output, "write presented frames as PNG")->type_name("FILE");
  options->machine.add_to(*command);
  command->callback([options, code] { *code = run(*options); });
}

}  // namespace gyre::platform
