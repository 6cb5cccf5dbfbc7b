#include "sample_tex_unit.h"

#include <cstddef>

#include "gfx.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

constexpr int kFractionBits = 23, kStage = 1, kLodFractionBits = 8;

// Value of lane k of the own quad (isa.md §4.2): IDX with c = 3, m = 0x3C.
VReg quad_lane(Builder& b, VReg v, int k) {
  return b.op(ROp::kShflIdx, v, b.li(static_cast<std::uint32_t>(k) | 3u << 6 | 0x3Cu << 12));
}

// Float bits of |v_k - v_0| * 2^log, toward zero: exponent and the bits below the leading one, comparable as an
// integer.
VReg step(Builder& b, VReg origin, VReg neighbour, VReg log) {
  const VReg backward = b.slt(neighbour, origin);
  const VReg distance = select(b, backward, b.sub(origin, neighbour), b.sub(neighbour, origin));
  return b.add(b.bits(b.to_real_unsigned_toward_zero(distance)), b.slli(log, 23));
}
VReg larger(Builder& b, VReg x, VReg y) { return select(b, b.slt(x, y), y, x); }

// Level with 8 fraction bits.
VReg level_of(Builder& b, VReg descriptor, VReg u, VReg v) {
  const VReg logdim = b.op(ROp::kLw, descriptor, {}, offsetof(gyre_tex_desc, logdim));
  const VReg log_width = b.andi(logdim, 15), log_height = b.srli(logdim, 16);
  const VReg u0 = quad_lane(b, u, 0), v0 = quad_lane(b, v, 0);
  const VReg across =
      larger(b, step(b, u0, quad_lane(b, u, 1), log_width), step(b, v0, quad_lane(b, v, 1), log_height));
  const VReg down = larger(b, step(b, u0, quad_lane(b, u, 2), log_width), step(b, v0, quad_lane(b, v, 2), log_height));
  const VReg rho = b.sub(larger(b, across, down), b.li((127u + kFractionBits) << 23));
  const VReg level = b.srai(rho, 23 - kLodFractionBits);
  const VReg from_zero = b.if_zero(level, b.slti(level, 0));
  const VReg last =
      b.slli(b.addi(b.op(ROp::kLw, descriptor, {}, offsetof(gyre_tex_desc, levels)), -1), kLodFractionBits);
  return select(b, b.sltu(from_zero, last), from_zero, last);
}

}  // namespace

std::array<VReg, 4> texel_lanes(Builder& b, VReg texel) {
  static constexpr int kShift[4] = {16, 8, 0, 24};
  std::array<VReg, 4> lanes;
  for (std::size_t k = 0; k < 4; ++k)
    lanes[k] = b.fdiv(b.to_real(b.andi(b.srli(texel, kShift[k]), 255)), b.real(255.0f));
  return lanes;
}

std::array<VReg, 4> sample_tex_unit(Builder& b, VReg descriptor, VReg u, VReg v, bool divergent) {
  const VReg scale = b.real(8388608.0f);
  const VReg fixed_u = b.truncate(b.fmul(u, scale)), fixed_v = b.truncate(b.fmul(v, scale));
  VReg lod = kZeroReg;
  if (!divergent) {
    // The operand is a level, or level << 8 | fraction when the stage filters between levels (tex.md §8).
    const VReg filter = b.op(ROp::kLw, descriptor, {}, offsetof(gyre_tex_desc, filter));
    const VReg linear = b.slli(b.andi(filter, GYRE_TEX_FILTER_MIP_LINEAR), 2);
    lod = b.srl(level_of(b, descriptor, fixed_u, fixed_v), b.sub(b.li(kLodFractionBits), linear));
  }
  Insn i;
  i.op = ROp::kTex;
  i.rd = b.function().make(false);
  i.a = fixed_u, i.b = fixed_v, i.c = lod, i.imm = kStage;
  b.function().code.push_back(i);
  return texel_lanes(b, i.rd);
}

}  // namespace gyre::shader::gpu
