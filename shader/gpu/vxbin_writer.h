// A generated image as the firmware loads it (abi/vxbin.h); the same bytes elf2vxbin makes of write_elf()'s file.
#pragma once

#include <cstdint>
#include <vector>

#include "emit.h"

namespace gyre::shader::gpu {

std::vector<std::uint8_t> write_vxbin(const Image& image);

}  // namespace gyre::shader::gpu
