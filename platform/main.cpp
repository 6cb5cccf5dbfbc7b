// The gyre program. Exit codes: 0 done, 1 the run failed, 2 the user's mistake; `gyre run`: the firmware's own.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "error.h"
#include "log.h"
#include "options.h"

namespace {

// SystemC prints its banner before sc_main() unless told not to.
[[maybe_unused]] const int kNoBanner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

// One line: a file name may hold anything.
void complain(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  fmt::print(stderr, "gyre: {}\n", text);
}

int dispatch(int argc, char** argv) {
  int code = 0;
  // What stands after "--" belongs to the firmware.
  char** const end = argv + argc;
  char** const split = std::find_if(argv, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
  const std::vector<std::string> firmware_arguments(split == end ? end : split + 1, end);
  CLI::App app{"Gyre, a virtual platform of a RISC-V host and a RISC-V GPU", "gyre"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "gyre 0.1.0");
  gyre::platform::add_render_command(app, &code);
  gyre::platform::add_run_command(app, firmware_arguments, &code);
  gyre::platform::add_sweep_command(app, &code);
  gyre::platform::add_config_command(app, &code);
  gyre::platform::add_shader_command(app, &code);
  try {
    app.parse(static_cast<int>(split - argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::vector<std::string> unknown = app.remaining(true);
    complain(unknown.empty() ? fmt::format("{}; see gyre --help", error.what())
                             : fmt::format("{}: not known here; see gyre --help", unknown.front()));
    return 2;
  }
  return code;
}

}  // namespace

int sc_main(int argc, char** argv) {
  // SystemC's own reports become exceptions or silence: never an abort, never its banner.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  try {
    return dispatch(argc, argv);
  } catch (const gyre::UserError& error) {
    complain(error.what());
    return 2;
  } catch (const gyre::platform::HangError& error) {
    fmt::print(stderr, "gyre: {}\n", error.what());  // a report of several lines
    return 1;
  } catch (const sc_core::sc_report& error) {
    complain(fmt::format("{}: {}", error.get_process_name() == nullptr ? "simulation" : error.get_process_name(),
                         error.get_msg()));
    return 1;
  } catch (const std::bad_alloc&) {
    complain("this computer has not enough memory for the run: make the machine (host.ram) or the scene smaller");
    return 1;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}
