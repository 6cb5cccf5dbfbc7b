// Draws a shader pair on a built-in mesh with a camera, and whole folders of them as a contact sheet.
#pragma once

#include <string>
#include <vector>

#include "gfx3d.h"

namespace gyre::shader {

struct UniformValue {
  std::string name;
  std::vector<float> values;  // as many floats as the type has; matrices column-major
};

struct ShowOptions {
  int width = 256, height = 256;  // 1x1 to 1920x1080
  Gfx3dOptions device;
  std::string mesh = "sphere";    // sphere, torus, cube, quad
  // Words 0xAARRGGBB; empty: a checker board with a gradient.
  std::vector<std::uint32_t> texture;
  int texture_width = 0, texture_height = 0;
  std::vector<UniformValue> uniforms;
  bool orbit = true;  // false: the camera looks straight at the mesh
};

struct ShowResult {
  bool ok = false;
  std::string error;  // one or more lines
  int width = 0, height = 0;
  std::vector<std::uint32_t> words;  // A<<24 | R<<16 | G<<8 | B, row 0 on top
  Gfx3dStats stats;
};

// Attributes: position vec4 at location 0, normal vec4 at 1, uv vec2 at 2. Uniforms set when the program has them:
// view, projection, model, normalMatrix, light (vec3, unit, toward the light), time (float, 1.0), resolution (vec2).
ShowResult show(const Shader& vertex, const Shader& fragment, const ShowOptions& options);

struct ShowVertex {
  float position[3], normal[3], uv[2];
};
bool is_show_mesh(const std::string& name);  // sphere, torus, cube, quad
// Triangles, counter-clockwise outside: a sphere of radius 1, a torus of the same reach around y, a cube of side 1.2, a square of
// side 2 at z = 1 that looks along z.
std::vector<ShowVertex> show_mesh(const std::string& name);
// Adds them to a mesh that is being built.
void build_show_mesh(Gfx3d* device, Owner owner, Handle mesh, const std::string& name);

}  // namespace gyre::shader
