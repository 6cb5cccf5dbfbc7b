// The texture request of a core: a typed call that returns texels and the time they are ready (design §3, tex.md §3).
#pragma once

#include <systemc>

#include <cstdint>
#include <functional>

#include "sim_time.h"

namespace gyre::kernel {

class TexturePort : public virtual sc_core::sc_interface {
 public:
  // One vx_tex of a warp. Arrays have one entry a lane; only lanes in `mask` are read and written.
  // u, v: signed fixed point, 23 fraction bits; lod: tex.md §8; texels: A8R8G8B8.
  // `at`: GPU cycle of issue. Returns the cycle the texels are in the core. Never waits.
  // Approximate style: may return kLater instead and calls `done` with that cycle when it has come.
  using Done = std::function<void(Cycle)>;
  static constexpr Cycle kLater = kNever;
  virtual Cycle sample(unsigned stage, std::uint32_t mask, const std::uint32_t* u, const std::uint32_t* v,
                       const std::uint32_t* lod, std::uint32_t* texels, Cycle at, Done done = {}) = 0;
};

}  // namespace gyre::kernel
