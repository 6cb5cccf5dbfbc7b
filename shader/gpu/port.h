// Where a shader's inputs come from on the device. Each kind of entry (entry.h) implements it.
#pragma once

#include <array>

#include "builder.h"

namespace gyre::shader::gpu {

class Port {
 public:
  virtual ~Port() = default;

  // Whether the source exists; a load from one that does not leaves its temporaries alone (csir.md §5).
  virtual bool has_attributes() const { return false; }
  virtual bool has_varyings() const { return false; }
  virtual bool has_fragcoord() const { return false; }
  virtual bool has_uniforms() const { return true; }
  // Called where the shader reads; unused lanes are dropped later. `slot` is what stands in the instruction.
  virtual VReg attribute(Builder&, int, int) { return {}; }
  virtual VReg varying(Builder&, int, int) { return {}; }
  virtual VReg fragcoord(Builder&, int) { return {}; }
  virtual VReg uniform(Builder& b, int slot, int lane) = 0;
  // r, g, b, a. `divergent`: neighbours of the quad may stand aside.
  virtual std::array<VReg, 4> sample(Builder& b, VReg u, VReg v, bool divergent) = 0;
};

// The seed's sampler (csir.md §8) in software, bit for bit: nearest, clamp, base level; words 0xAARRGGBB at `texels`.
std::array<VReg, 4> sample_software(Builder& b, VReg texels, VReg width, VReg height, VReg u, VReg v);
// No texture: zero.
std::array<VReg, 4> sample_nothing(Builder& b);

}  // namespace gyre::shader::gpu
