// gyre config: show, check and document the configuration.
#include "configuration.h"
#include "files.h"
#include "host_system.h"
#include "options.h"

namespace gyre::platform {

void add_config_command(CLI::App& app, int* code) {
  auto options = std::make_shared<MachineOptions>();
  CLI::App* command = app.add_subcommand("config", "show, check or document the machine configuration");
  command->require_subcommand(1);

  CLI::App* show = command->add_subcommand("show", "every knob, its value and where the value came from");
  CLI::App* check = command->add_subcommand("check", "say nothing if the configuration is legal");
  for (CLI::App* sub : {show, check}) {
    sub->add_option("--config,-c,config", options->config, "machine description (YAML)")->type_name("FILE");
    sub->add_option("--set", options->sets, "override one knob (repeatable)")->type_name("KEY=VALUE");
  }
  show->callback([options, code] {
    fmt::print("{}", config::load(options->config, options->sets).show());
    *code = 0;
  });
  check->callback([options, code] {
    config::load(options->config, options->sets);
    *code = 0;
  });
  CLI::App* dtb = command->add_subcommand("dtb", "the flattened device tree the firmware of this machine finds");
  dtb->add_option("--config,-c,config", options->config, "machine description (YAML)")->type_name("FILE");
  dtb->add_option("--set", options->sets, "override one knob (repeatable)")->type_name("KEY=VALUE");
  auto output = std::make_shared<std::string>();
  dtb->add_option("-o,--output", *output, "write it there instead of to standard output")->type_name("FILE");
  dtb->callback([options, output, code] {
    const auto blob = host::machine_device_tree(config::load(options->config, options->sets).machine());
    if (output->empty()) std::fwrite(blob.data(), 1, blob.size(), stdout);
    else scene::write_file(*output, blob.data(), blob.size());
    *code = 0;
  });
  command->add_subcommand("doc", "the reference page of all knobs")->callback([code] {
    fmt::print("{}", config::reference_page());
    *code = 0;
  });
}

}  // namespace gyre::platform
