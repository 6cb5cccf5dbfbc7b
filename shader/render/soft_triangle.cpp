#include "soft_triangle.h"

#include "raster.h"

namespace gyre::shader {

int soft_triangle(const Program& program, const float* v0, const float* v1, const float* v2, int attr_stride,
                  std::uint32_t* pixels, int width, int height, const TextureView* texture, Math math) {
  if (pixels == nullptr || width < 1 || height < 1 || width > kProofSide || height > kProofSide || attr_stride < 4) return -1;
  const float* const attributes[3] = {v0, v1, v2};
  ShadedVertex vertices[3] = {};
  for (int i = 0; i < 3; ++i)
    if (soft_vs(program, attributes[i], vertices[i].position, vertices[i].varyings, math) != 0) return -1;
  RasterRules rules;
  rules.small_w = 1e-4f;
  rules.viewport[2] = static_cast<float>(width);
  rules.viewport[3] = static_cast<float>(height);
  rules.bounds = {0, 0, width - 1, height - 1};
  TriangleList list(rules);
  if (!list.add(vertices[0], vertices[1], vertices[2])) return -1;
  std::vector<float> depth(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 1.0f);
  raster_interpreted({pixels, depth.data(), width, height}, list, {&program, texture, math});
  return 0;
}

}  // namespace gyre::shader
