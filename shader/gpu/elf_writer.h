// A generated image as a linked ELF program: what simtcheck, elf2vxbin, `gyre run --device` and the GNU tools read.
#pragma once

#include <cstdint>
#include <vector>

#include "emit.h"

namespace gyre::shader::gpu {

// ET_EXEC, EM_RISCV, 32 bits, float ABI single; one loadable segment; sections .text.start, .simt_kernel, .text,
// .rodata (empty ones are left out); every function has a symbol with its size.
std::vector<std::uint8_t> write_elf(const Image& image);

}  // namespace gyre::shader::gpu
