#include "port.h"
#include "sample_tex_unit.h"

namespace gyre::shader::gpu {
namespace {

using riscv::Op;

// Texel index along an axis; NaN counts as 0. The interpreter's limits of the result are never reached for sizes up to
// 1024.
VReg index_of(Builder& b, VReg coordinate, VReg size) {
  const VReg zero = b.real(0.0f), one = b.real(1.0f);
  const VReg from_zero = b.from_bits(b.if_nonzero(b.bits(coordinate), b.flt(zero, coordinate)));
  const VReg limited = select_real(b, b.flt(from_zero, one), from_zero, one);
  return b.truncate(b.fadd(b.fmul(limited, b.to_real(b.addi(size, -1))), b.real(0.5f)));
}

}  // namespace

std::array<VReg, 4> sample_software(Builder& b, VReg texels, VReg width, VReg height, VReg u, VReg v) {
  const VReg index = b.add(b.mul(index_of(b, v, height), width), index_of(b, u, width));
  const VReg texel = b.op(Op::kLw, b.add(texels, b.slli(index, 2)));
  return texel_lanes(b, texel);
}

std::array<VReg, 4> sample_nothing(Builder& b) { return {b.real(0.0f), b.real(0.0f), b.real(0.0f), b.real(0.0f)}; }

}  // namespace gyre::shader::gpu
