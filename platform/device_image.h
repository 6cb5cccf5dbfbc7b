// Device images given by name (abi/vxbin.h): the mistakes that can be seen without running them.
#pragma once

#include <string>

namespace gyre::platform {

// The whole file. UserError, naming it, unless the firmware's loader would take it: header, addresses, length, footer.
std::string read_device_image(const std::string& path);

}  // namespace gyre::platform
