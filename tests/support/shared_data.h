// Data that is not part of the product: traces and reference pictures beside the checkout. Tests that need them say
// so and are counted when they are absent.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace gyre::test {

// GYRE_SOURCE_DIR is defined by the build. Empty if the folder is absent; then prints one SKIPPED line.
inline std::string shared_folder(const std::string& relative, const std::string& who) {
  const auto folder = std::filesystem::path(GYRE_SOURCE_DIR) / ".." / "shared" / relative;
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return folder.lexically_normal().string();
  std::printf("SKIPPED %s: needs ../shared/%s, which is not part of the product\n", who.c_str(), relative.c_str());
  std::fflush(stdout);
  return {};
}

}  // namespace gyre::test
