// Writes a reference state through a register-write function: write(register, value).
#pragma once

#include "dcr.h"
#include "om_reference.h"

namespace gyre::test {

template <class Write>
void program(const RefOm& om, Write&& write) {
  const auto two = [](const std::uint32_t(&v)[2]) { return v[1] << 16 | v[0]; };
  write(GYRE_DCR_OM_DEPTH_FUNC, om.depth_func);
  write(GYRE_DCR_OM_DEPTH_WRITEMASK, om.depth_write);
  write(GYRE_DCR_OM_STENCIL_FUNC, two(om.func));
  write(GYRE_DCR_OM_STENCIL_ZPASS, two(om.zpass));
  write(GYRE_DCR_OM_STENCIL_ZFAIL, two(om.zfail));
  write(GYRE_DCR_OM_STENCIL_FAIL, two(om.fail));
  write(GYRE_DCR_OM_STENCIL_REF, two(om.ref));
  write(GYRE_DCR_OM_STENCIL_MASK, two(om.mask));
  write(GYRE_DCR_OM_STENCIL_WRITEMASK, two(om.writemask));
  write(GYRE_DCR_OM_BLEND_MODE, om.mode_a << 16 | om.mode_rgb);
  write(GYRE_DCR_OM_BLEND_FUNC, om.dst_a << 24 | om.dst_rgb << 16 | om.src_a << 8 | om.src_rgb);
  write(GYRE_DCR_OM_BLEND_CONST, om.constant);
  write(GYRE_DCR_OM_LOGIC_OP, om.logic);
  write(GYRE_DCR_OM_CBUF_WRITEMASK, om.colour_mask);
}

// Any state the registers can hold; blending and tests off now and then so that every draw mode occurs.
template <class Random>
RefOm random_state(Random& random) {
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  RefOm om;
  if (pick(3) != 0) om.depth_func = pick(8);
  om.depth_write = pick(2);
  for (int f = 0; f < 2; ++f) {
    if (pick(2) != 0) om.func[f] = pick(8);
    if (pick(2) != 0) om.zpass[f] = pick(8), om.zfail[f] = pick(8);
    om.fail[f] = pick(8);
    om.ref[f] = pick(256);
    om.mask[f] = pick(2) != 0 ? 255 : pick(256);
    om.writemask[f] = pick(3) == 0 ? 0 : pick(256);
  }
  if (pick(4) != 0) {
    om.mode_rgb = pick(6), om.mode_a = pick(3) != 0 ? om.mode_rgb : pick(6);
    om.src_rgb = pick(16), om.dst_rgb = pick(16), om.src_a = pick(16), om.dst_a = pick(16);
  }
  if (pick(6) == 0) om.src_rgb = om.src_a = 6, om.dst_rgb = om.dst_a = 7, om.mode_rgb = om.mode_a = 0;
  om.constant = static_cast<std::uint32_t>(random());
  om.logic = pick(16);
  om.colour_mask = pick(3) == 0 ? 15 : pick(16);
  return om;
}

}  // namespace gyre::test
