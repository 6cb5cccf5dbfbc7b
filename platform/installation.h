// Where the product's own files are: next to the executable (build tree or installed tree).
#pragma once

#include <string>

namespace gyre::platform {

// Absolute path of a file the product ships, e.g. firmware_file("player.elf"). Throws UserError if it is missing.
std::string firmware_file(const std::string& name);

}  // namespace gyre::platform
