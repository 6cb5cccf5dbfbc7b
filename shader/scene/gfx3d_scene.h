// A whole picture for Gfx3D: what is drawn, with which shaders, seen from where. Read from YAML (read_gfx3d_scene),
// drawn by any backend that shows what Gfx3D shows.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gfx3d.h"

namespace gyre::shader {

// Attributes of every mesh of a scene: position vec4 (w 1) at location 0, normal vec4 (w 0) at 1, uv vec2 at 2, colour
// vec4 at 3.
struct SceneVertex {
  float position[4], normal[4], uv[2], color[4];
};
VertexLayout scene_vertex_layout();

struct SceneMesh {
  std::string name;
  std::vector<SceneVertex> vertices;  // triangle list
};

struct SceneTexture {
  std::string name;
  int width = 0, height = 0;
  std::vector<std::uint32_t> texels;  // 0xAARRGGBB, row 0 is v = 0
};

struct SceneProgram {
  std::string name;
  Shader vertex, fragment;  // they link
};

struct SceneUniform {
  std::string name;
  std::vector<float> values;  // as Gfx3d::uniform() takes them
};

struct SceneDraw {
  int mesh = 0, program = 0, texture = -1;  // indices; -1: none
  Mat4 model;
  std::vector<SceneUniform> uniforms;
  bool depth = true, cull = false;
  std::optional<std::array<int, 4>> viewport;  // x, y, width, height in pixels; nothing: the whole target
};

struct SceneCamera {
  float eye[3] = {1.5f, 1.2f, 2.6f}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  float fov = 40, near_plane = 0.1f, far_plane = 200;  // degrees, vertical; units
};

struct Gfx3dScene {
  int width = 640, height = 480;
  std::uint32_t features = kStrict;
  float background[4] = {0.09f, 0.10f, 0.13f, 1};
  SceneCamera camera;
  std::vector<SceneMesh> meshes;
  std::vector<SceneTexture> textures;
  std::vector<SceneProgram> programs;
  std::vector<SceneDraw> draws;

  Mat4 view() const { return mat4_look_at(camera.eye, camera.center, camera.up); }
  Mat4 projection() const {
    return mat4_perspective(camera.fov, static_cast<float>(width) / static_cast<float>(height), camera.near_plane,
                            camera.far_plane);
  }
};

// A shader of the scene does not compile or link; what() is the log, several lines.
class ShaderMistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// UserError, one line with file, line and column, for anything else that is wrong with the file or a file it names.
Gfx3dScene read_gfx3d_scene(const std::string& path);
// `folder`: where the files it names are looked for.
Gfx3dScene parse_gfx3d_scene(const std::string& text, const std::string& name, const std::string& folder);

struct ScenePicture {
  std::vector<std::uint32_t> color;  // A<<24 | R<<16 | G<<8 | B, row 0 on top
  std::vector<float> depth;
  Gfx3dStats stats;
};
// On the CPU, by either executor. UserError when the device refuses something.
ScenePicture draw_gfx3d_scene(const Gfx3dScene& scene, Executor executor, int threads);
// Hands every draw to `sink`, which draws for another machine. UserError when it or the device refuses something.
void record_gfx3d_scene(const Gfx3dScene& scene, DrawSink* sink);

}  // namespace gyre::shader
