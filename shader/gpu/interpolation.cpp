#include "interpolation.h"

#include "csr.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

constexpr int kPlaneOfLane[GYRE_LANES] = {GYRE_PLANE_U,      GYRE_PLANE_V,      GYRE_PLANE_R,      GYRE_PLANE_G,
                                          GYRE_PLANE_B,      GYRE_PLANE_A,      GYRE_PLANE_W0,     GYRE_PLANE_W0 + 1,
                                          GYRE_PLANE_W0 + 2, GYRE_PLANE_W0 + 3, GYRE_PLANE_W0 + 4, GYRE_PLANE_W0 + 5};

}  // namespace

Interpolation::Interpolation(Builder* builder, VReg slots) {
  Builder& b = *builder;
  const VReg position = b.op(ROp::kCsrrs, kZeroReg, {}, GYRE_CSR_FRAG_POS),
             pid = b.op(ROp::kCsrrs, kZeroReg, {}, GYRE_CSR_FRAG_PID);
  covered_ = b.srli(position, 31);
  x_ = b.srli(b.slli(position, 16), 16);
  y_ = b.srli(b.slli(position, 1), 17);
  prim_ = b.add(b.op(ROp::kLw, slots, {}, 8 * GYRE_FRAG_SLOT_PRIM), b.mul(pid, b.li(sizeof(gyre_prim))));
  VReg f[3];
  for (std::size_t k = 0; k < 3; ++k) f[k] = b.to_real(at_pixel(b, offsetof(gyre_prim, edges) + k * sizeof(gyre_edge)));
  const VReg rc = b.fdiv(b.real(16777216.0f), b.fadd(b.fadd(f[0], f[1]), f[2]));
  auto weight = [&](VReg edge) {
    const VReg d = b.truncate(b.fmul(rc, edge));
    return Weight{b.slli(d, 8), b.srai(d, 24)};
  };
  first_ = weight(f[0]);
  second_ = weight(f[1]);
  const VReg q = plane(b, GYRE_PLANE_RHW);
  // A q of 0 counts as 1e-8.
  const VReg limited = select_real(b, q, b.to_real(q), b.real(1e-8f * 16777216.0f));
  w_ = b.fdiv(b.real(1.0f), limited);
}

VReg Interpolation::at_pixel(Builder& b, std::size_t offset) const {
  return b.add(b.add(b.mul(word(b, offset), x_), b.mul(word(b, offset + 4), y_)), word(b, offset + 8));
}

VReg Interpolation::plane(Builder& b, int index) const {
  const std::size_t at = offsetof(gyre_prim, planes) + static_cast<std::size_t>(index) * sizeof(gyre_plane);
  const VReg px = word(b, at), py = word(b, at + 4);
  auto product = [&](VReg p, const Weight& w) { return b.add(b.mul(p, w.high), b.op(ROp::kMulhsu, p, w.low)); };
  return b.add(product(py, second_), b.add(product(px, first_), word(b, at + 8)));
}

VReg Interpolation::depth(Builder& b) const {
  const VReg z = at_pixel(b, offsetof(gyre_prim, depth)), limit = b.li(0xFFFFFF);
  const VReg from_zero = b.if_zero(z, b.slti(z, 0));
  return select(b, b.sltu(limit, from_zero), limit, from_zero);
}

VReg Interpolation::varying(Builder& b, int lane) const { return b.fmul(b.to_real(plane(b, kPlaneOfLane[lane])), w_); }

VReg Interpolation::fragcoord(Builder& b, int lane) const {
  switch (lane) {
    case 0:
      return b.fadd(b.to_real(x_), b.real(0.5f));
    case 1:
      return b.fadd(b.to_real(y_), b.real(0.5f));
    case 2:
      return b.fdiv(b.to_real(depth(b)), b.real(16777215.0f));
    default:
      return b.fmul(b.fmul(b.from_bits(word(b, offsetof(gyre_prim, rhw_scale))), b.real(16777216.0f)), w_);
  }
}

}  // namespace gyre::shader::gpu
