// Data that is not part of the product: traces and reference pictures beside the checkout. Tests that need them say
// so and are counted when they are absent.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gyre_paths.h"

namespace gyre::test {

// GYRE_SOURCE_DIR is defined by the build. Empty if the folder is absent; then prints one SKIPPED line.
inline std::string shared_folder(const std::string& relative, const std::string& who) {
  const char* elsewhere = std::getenv("GYRE_SHARED_DIR");  // for checkouts that stand somewhere else
  const auto shared = elsewhere != nullptr ? std::filesystem::path(elsewhere)
                                           : std::filesystem::path(GYRE_SOURCE_DIR) / ".." / "shared";
  const auto folder = shared / relative;
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return folder.lexically_normal().string();
  std::printf("SKIPPED %s: needs ../shared/%s, which is not part of the product\n", who.c_str(), relative.c_str());
  std::fflush(stdout);
  return {};
}

}  // namespace gyre::test
