// Runs firmware with `gyre run` and returns what it printed.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "gyre_paths.h"
#include "run_gyre.h"

namespace gyre::test {

struct FirmwareRun {
  int exit_code = -1;  // -1: ended by a signal
  std::string text;    // standard output and error
};

// `options` go to gyre, `arguments` to the firmware. The folders of the build and of the test are open to it.
inline FirmwareRun run_firmware(const std::string& name, const std::string& options, const std::string& arguments,
                                Lints lints = Lints::kError) {
  std::string severities;
  if (lints == Lints::kError)
    for (const std::string& word : lint_options()) severities += word + " ";
  const std::string command = std::string(GYRE_BINARY) + " run " + severities + "-q -f " GYRE_FIRMWARE_DIR "/" + name +
                              ".elf --fs " GYRE_FIRMWARE_DIR ":ro --fs " FIRMWARE_TEST_DIR " " + options + " -- -- " +
                              arguments + " 2>&1";
  FirmwareRun run;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) run.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  return run;
}

}  // namespace gyre::test
