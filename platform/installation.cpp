#include "installation.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
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

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) user_error("{}: is a directory, not a file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) user_error("{}: cannot be opened: {}", path, std::strerror(errno));
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) user_error("{}: cannot be read: {}", path, std::strerror(errno));
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) user_error("{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace gyre::platform
