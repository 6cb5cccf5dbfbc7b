// The seed's sampler: nearest, clamp, base level (csir.md §8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fixed.h"

namespace gyre::shader {

// Words 0xAARRGGBB, row 0 is v = 0. The texels must outlive every run that gets the view.
struct TextureView {
  const std::uint32_t* texels = nullptr;
  int width = 0, height = 0;  // 1..1024
};

// The texel index along one axis of `size` texels; NaN counts as 0.
inline int texel_index(float u, int size) {
  u = u > 0.0f ? u : 0.0f;
  u = u < 1.0f ? u : 1.0f;
  const int index = gyre_f32_to_i32_sat(u * static_cast<float>(size - 1) + 0.5f);
  return index < 0 ? 0 : index >= size ? size - 1 : index;
}

inline std::uint32_t fetch_texel(const TextureView& texture, float u, float v) {
  const auto row = static_cast<std::size_t>(texel_index(v, texture.height));
  return texture.texels[row * static_cast<std::size_t>(texture.width) + static_cast<std::size_t>(texel_index(u, texture.width))];
}

// Lanes r, g, b, a.
inline float texel_lane(std::uint32_t texel, int lane) {
  constexpr int kShift[4] = {16, 8, 0, 24};
  return static_cast<float>(texel >> kShift[lane] & 255) / 255.0f;
}

}  // namespace gyre::shader
