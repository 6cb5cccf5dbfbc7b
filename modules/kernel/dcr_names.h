// Names of the device control registers, as abi/dcr.h has them.
#pragma once

#include <string>

namespace gyre::kernel {

// "OM_DEPTH_FUNC"; of a number that has no name "no register".
std::string dcr_name(unsigned number);

}  // namespace gyre::kernel
