#include "installation.h"

#include <filesystem>
#include <system_error>

#include "error.h"

namespace gyre::platform {

std::string firmware_file(const std::string& name) {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  // The tests' programs stand deeper in the build tree than gyre itself, so parents are tried too.
  for (auto folder = executable.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const auto candidate = folder / "firmware" / name;
    if (std::filesystem::is_regular_file(candidate, error)) return candidate.string();
  }
  user_error("{}: not found beside {}; build the target `firmware` first", name, executable.string());
}

}  // namespace gyre::platform
