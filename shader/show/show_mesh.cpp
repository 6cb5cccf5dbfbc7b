#include <cmath>

#include "show.h"

namespace gyre::shader {
namespace {

constexpr float kPi = 3.14159265f;

using Vertex = ShowVertex;
using Vertices = std::vector<ShowVertex>;

// A grid of u, v in 0..1 bent by `at`.
template <class At>
void surface(Vertices* out, int columns, int rows, At at) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const float u0 = static_cast<float>(column) / static_cast<float>(columns), u1 = static_cast<float>(column + 1) / static_cast<float>(columns);
      const float v0 = static_cast<float>(row) / static_cast<float>(rows), v1 = static_cast<float>(row + 1) / static_cast<float>(rows);
      const Vertex corners[4] = {at(u0, v0), at(u1, v0), at(u1, v1), at(u0, v1)};
      for (const int i : {0, 2, 1, 0, 3, 2}) out->push_back(corners[i]);
    }
}

Vertex sphere(float u, float v) {
  const float a = u * 2 * kPi, b = v * kPi;
  const float x = std::sin(b) * std::sin(a), y = std::cos(b), z = std::sin(b) * std::cos(a);
  return {{x, y, z}, {x, y, z}, {u, v}};
}

Vertex torus(float u, float v) {
  const float a = u * 2 * kPi, b = v * 2 * kPi, ring = 0.7f, tube = 0.3f;
  const float n[3] = {std::cos(b) * std::sin(a), -std::sin(b), std::cos(b) * std::cos(a)};
  return {{ring * std::sin(a) + tube * n[0], tube * n[1], ring * std::cos(a) + tube * n[2]}, {n[0], n[1], n[2]}, {u * 4, v}};
}

// One of six sides; axis is the direction of its normal.
void side(Vertices* out, int axis, float sign, float size) {
  Vertex corners[4];
  for (int i = 0; i < 4; ++i) {
    const float s = i == 1 || i == 2 ? 1.0f : -1.0f, t = i >= 2 ? 1.0f : -1.0f;
    Vertex& v = corners[i];
    v = {};
    v.normal[axis] = sign;
    v.position[axis] = sign * size;
    v.position[(axis + 1) % 3] = s * size * sign;
    v.position[(axis + 2) % 3] = t * size;
    v.uv[0] = s * 0.5f + 0.5f;
    v.uv[1] = 0.5f - t * 0.5f;
  }
  for (const int i : {0, 1, 2, 0, 2, 3}) out->push_back(corners[i]);
}

}  // namespace

bool is_show_mesh(const std::string& name) { return name == "sphere" || name == "torus" || name == "cube" || name == "quad"; }

std::vector<ShowVertex> show_mesh(const std::string& name) {
  Vertices out;
  if (name == "torus") {
    surface(&out, 48, 24, torus);
  } else if (name == "cube") {
    for (int axis = 0; axis < 3; ++axis)
      for (const float sign : {1.0f, -1.0f}) side(&out, axis, sign, 0.6f);
  } else if (name == "quad") {
    side(&out, 2, 1.0f, 1.0f);
  } else {
    surface(&out, 40, 24, sphere);
  }
  return out;
}

void build_show_mesh(Gfx3d* device, Owner owner, Handle mesh, const std::string& name) {
  for (const ShowVertex& v : show_mesh(name)) device->mesh_vert(owner, mesh, v.position, v.normal, v.uv);
}

}  // namespace gyre::shader
