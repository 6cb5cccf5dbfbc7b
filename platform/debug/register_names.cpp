#include "register_names.h"

namespace gyre::debug {
namespace {

constexpr const char* kIntegerNames[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                           "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                           "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr const char* kFloatNames[32] = {"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
                                         "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
                                         "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

}  // namespace

void add_standard_registers(std::vector<RegisterInfo>& registers, unsigned xlen, unsigned flen) {
  for (unsigned i = 0; i < 32; ++i) {
    const bool pointer = i == 2 || i == 3 || i == 4 || i == 8;
    registers.push_back({kIntegerNames[i], xlen,
                         pointer  ? "data_ptr"
                         : i == 1 ? "code_ptr"
                                  : "int",
                         "general", kCpuFeature});
  }
  registers.push_back({"pc", xlen, "code_ptr", "general", kCpuFeature});
  if (flen == 0) return;
  for (const char* name : kFloatNames)
    registers.push_back({name, flen, flen == 64 ? "ieee_double" : "ieee_single", "float", kFpuFeature});
}

}  // namespace gyre::debug
