// The fragment shaders of firmware/shaders on the host, a quad at a time: the same arithmetic (fragment_math.h), the
// texture unit and the neighbours' values in place of the SIMT instructions.
#pragma once

#include <cstring>

#include "coverage.h"
#include "draw_state.h"
#include "fragment_math.h"
#include "sampler.h"

namespace gyre::reference {

// One of the device's entry points.
template <unsigned kShader, unsigned kColorRule, unsigned kLodRule>
class QuadShader {
 public:
  explicit QuadShader(const DrawState& state) : state_(state) {}

  static constexpr bool kTextured = kShader == GYRE_SHADER_TEXTURE || kShader == GYRE_SHADER_MODULATE;

  // Colour words of the covered pixels of a quad; color[s] is set where bit s of the mask is.
  void shade(const gyre_prim& prim, const raster::Quad& quad, std::uint32_t color[4]) const {
    if constexpr (kShader == GYRE_SHADER_FLAT) {
      const float* c = state_.uniform;
      const float scale = gyre_color_scale(kColorRule);
      const std::uint32_t word = gyre_pack_color(kColorRule, c[0] * scale, c[1] * scale, c[2] * scale, c[3] * scale);
      for (unsigned s = 0; s < 4; ++s) color[s] = word;
      return;
    }
    // Helper lanes matter only where a neighbour asks for their coordinates.
    const unsigned lanes = kTextured && kLodRule == GYRE_LOD_FINE ? 15 : quad.mask;
    gyre_weights weights[4];
    float iw[4], u[4], v[4];
    for (unsigned s = 0; s < 4; ++s) {
      if ((lanes >> s & 1) == 0) continue;
      weights[s] = gyre_fragment_weights(prim.edges, 2u * quad.x + (s & 1), 2u * quad.y + (s >> 1));
      iw[s] = gyre_fragment_w(&prim.planes[GYRE_PLANE_RHW], &weights[s]);
      if constexpr (kTextured) {
        u[s] = gyre_attribute(&prim.planes[GYRE_PLANE_U], &weights[s], iw[s]);
        v[s] = gyre_attribute(&prim.planes[GYRE_PLANE_V], &weights[s], iw[s]);
      }
    }
    for (unsigned s = 0; s < 4; ++s) {
      if ((quad.mask >> s & 1) == 0) continue;
      std::uint32_t texel = 0;
      if constexpr (kTextured) {
        float lambda = state_.uniform[4];
        if constexpr (kLodRule == GYRE_LOD_FINE) {
          lambda = gyre_lambda(state_.desc[0].logdim, u[s], v[s], u[s ^ 1], v[s ^ 1], u[s ^ 2], v[s ^ 2]);
        }
        texel = sample(u[s], v[s], lambda);
      }
      if constexpr (kShader == GYRE_SHADER_TEXTURE) {
        color[s] = texel;
        continue;
      }
      const float scale = kTextured ? gyre_modulate_scale(kColorRule) : gyre_color_scale(kColorRule);
      float c[4];
      for (unsigned k = 0; k < 4; ++k) {
        c[k] = gyre_attribute(&prim.planes[GYRE_PLANE_R + k], &weights[s], iw[s] * scale);
      }
      color[s] = kTextured ? gyre_pack_modulated(kColorRule, texel, c[0], c[1], c[2], c[3])
                           : gyre_pack_color(kColorRule, c[0], c[1], c[2], c[3]);
    }
  }

 private:
  std::uint32_t sample(float u, float v, float lambda) const {
    const bool minify = lambda > 0.0f;
    const std::uint32_t lod = minify ? gyre_lod_operand(lambda, state_.desc[1].filter, state_.desc[1].levels) : 0;
    return tex::sample(state_.tex.bank(minify ? 1 : 0), static_cast<std::uint32_t>(gyre_tex_coordinate(u)),
                       static_cast<std::uint32_t>(gyre_tex_coordinate(v)), lod,
                       [this](std::uint64_t address, unsigned bytes) {
                         std::uint32_t texel = 0;
                         if (address + bytes <= state_.texel_bytes) std::memcpy(&texel, state_.texels + address, bytes);
                         return texel;
                       });
  }

  const DrawState& state_;
};

}  // namespace gyre::reference
