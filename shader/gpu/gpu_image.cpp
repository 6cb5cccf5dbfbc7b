#include "gpu_image.h"

#include "math_code.h"

namespace gyre::shader::gpu {

Image link_image(std::uint32_t base, const std::vector<Function>& kernels) {
  bool wanted[kRoutines] = {};
  for (const Function& kernel : kernels)
    for (const Insn& i : kernel.code)
      if (i.kind == Kind::kCall) wanted[i.imm] = true;
  std::vector<Function> routines;
  for (int r = 0; r < kRoutines; ++r)
    if (wanted[r]) routines.push_back(make_routine(static_cast<Routine>(r)));
  return emit(base, kernels, routines, routines.empty() ? std::vector<std::uint32_t>{} : math_table());
}

}  // namespace gyre::shader::gpu
