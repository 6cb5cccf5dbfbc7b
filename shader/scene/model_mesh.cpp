#include "model_mesh.h"

#include <algorithm>
#include <cstring>

#include "error.h"
#include "files.h"
#include "isolate.h"
#include "model.h"
#include "ply_check.h"

namespace gyre::shader {
namespace {

void fit_in_unit(std::vector<SceneVertex>* vertices) {
  float low[3], high[3];
  for (int k = 0; k < 3; ++k) low[k] = high[k] = (*vertices)[0].position[k];
  for (const SceneVertex& v : *vertices)
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], v.position[k]);
      high[k] = std::max(high[k], v.position[k]);
    }
  const float side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  if (!(side > 0)) return;
  for (SceneVertex& v : *vertices)
    for (int k = 0; k < 3; ++k) v.position[k] = (v.position[k] - (low[k] * 0.5f + high[k] * 0.5f)) / (side * 0.5f);
}

}  // namespace

std::vector<SceneVertex> model_mesh(const std::string& path, bool fit) {
  const std::string content = scene::read_file(path);
  if (content.compare(0, 3, "ply") == 0) scene::check_ply(content, path);
  const auto cpu_seconds = static_cast<unsigned>(5 + 2 * (content.size() >> 20));
  const std::vector<std::uint8_t> bytes = scene::run_isolated(path, cpu_seconds, [&] {
    std::vector<SceneVertex> vertices;
    for (const scene::ModelPart& part : scene::import_model(path).parts)
      for (const scene::Corner& c : part.corners)
        vertices.push_back({{c.position[0], c.position[1], c.position[2], 1},
                            {c.normal[0], c.normal[1], c.normal[2], 0},
                            {c.uv[0], c.uv[1]},
                            {c.color[0], c.color[1], c.color[2], c.color[3]}});
    std::vector<std::uint8_t> out(vertices.size() * sizeof(SceneVertex));
    if (!out.empty()) std::memcpy(out.data(), vertices.data(), out.size());
    return out;
  });
  std::vector<SceneVertex> vertices(bytes.size() / sizeof(SceneVertex));
  if (vertices.empty()) user_error("{}: no triangles in this model", path);
  std::memcpy(vertices.data(), bytes.data(), vertices.size() * sizeof(SceneVertex));
  if (fit) fit_in_unit(&vertices);
  return vertices;
}

}  // namespace gyre::shader
