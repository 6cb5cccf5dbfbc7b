// The fragment interpolation contract (frontend.md §13) as emitted code: the same steps and roundings as
// firmware/shaders/fragment_math.h.
#pragma once

#include <cstddef>

#include "builder.h"
#include "gfx.h"

namespace gyre::shader::gpu {

class Interpolation {
 public:
  // `slots`: address of the fragment argument block.
  Interpolation(Builder* b, VReg slots);

  VReg covered() const { return covered_; }  // 1 or 0
  VReg x() const { return x_; }
  VReg y() const { return y_; }
  VReg facing(Builder& b) const { return word(b, offsetof(gyre_prim, facing)); }
  // 24 bits, saturated: the same multiply-add as early-Z.
  VReg depth(Builder& b) const;
  // Scalar `lane` of the twelve a vertex carries, u v r g b a w0..w5, perspective correct.
  VReg varying(Builder& b, int lane) const;
  // gl_FragCoord as csir.md §13 has it: pixel centre, depth in [0, 1], interpolated W.
  VReg fragcoord(Builder& b, int lane) const;

 private:
  struct Weight {
    VReg low, high;  // d << 8, d >> 24 of the weight with 24 fraction bits
  };
  VReg word(Builder& b, std::size_t offset) const { return b.op(riscv::Op::kLw, prim_, {}, static_cast<int>(offset)); }
  VReg at_pixel(Builder& b, std::size_t plane) const;
  // I(P), 24 fraction bits, wrapping.
  VReg plane(Builder& b, int index) const;

  VReg prim_, x_, y_, covered_;
  Weight first_, second_;
  VReg w_;  // 1/q in units of 2^24
};

}  // namespace gyre::shader::gpu
