#include "register_names.h"

#include "disassembler.h"

namespace gyre::debug {

void add_standard_registers(std::vector<RegisterInfo>& registers, unsigned xlen, unsigned flen) {
  for (unsigned i = 0; i < 32; ++i) {
    const bool pointer = i == 2 || i == 3 || i == 4 || i == 8;
    registers.push_back({i == 8 ? "fp" : riscv::register_name(i), xlen,
                         pointer  ? "data_ptr"
                         : i == 1 ? "code_ptr"
                                  : "int",
                         "general", kCpuFeature});
  }
  registers.push_back({"pc", xlen, "code_ptr", "general", kCpuFeature});
  if (flen == 0) return;
  for (unsigned i = 0; i < 32; ++i)
    registers.push_back(
        {riscv::float_register_name(i), flen, flen == 64 ? "ieee_double" : "ieee_single", "float", kFpuFeature});
}

}  // namespace gyre::debug
