// ABI names and GDB features that all RISC-V targets share.
#pragma once

#include <string>
#include <vector>

#include "target.h"

namespace gyre::debug {

constexpr unsigned kPcRegister = 32;       // after x0..x31
constexpr unsigned kFirstFpRegister = 33;  // if there are any
constexpr char kCpuFeature[] = "org.gnu.gdb.riscv.cpu", kFpuFeature[] = "org.gnu.gdb.riscv.fpu",
               kCsrFeature[] = "org.gnu.gdb.riscv.csr", kVirtualFeature[] = "org.gnu.gdb.riscv.virtual",
               kSimtFeature[] = "org.gyre.simt";

// x0..x31 and pc of `xlen` bits, then f0..f31 of `flen` bits unless that is 0.
void add_standard_registers(std::vector<RegisterInfo>& registers, unsigned xlen, unsigned flen);

}  // namespace gyre::debug
