#include "error.h"
#include "gfx3d_scene.h"

namespace gyre::shader {
namespace {

constexpr Owner kOwner = 1;

class SceneDrawing {
 public:
  SceneDrawing(const Gfx3dScene& scene, const Gfx3dOptions& options) : scene_(scene), device_(options) {}

  ScenePicture run() {
    const Handle target = handle(device_.target_create(kOwner, scene_.width, scene_.height));
    context_ = handle(device_.context_create(kOwner));
    const VertexLayout layout = scene_vertex_layout();
    for (const SceneMesh& mesh : scene_.meshes)
      meshes_.push_back(handle(device_.mesh_upload(kOwner, mesh.vertices.data(), static_cast<int>(mesh.vertices.size()),
                                                   layout, nullptr, 0)));
    for (const SceneTexture& texture : scene_.textures) {
      textures_.push_back(handle(device_.tex_create(kOwner, texture.width, texture.height)));
      done(device_.tex_upload(kOwner, textures_.back(), texture.texels.data(), texture.texels.size()));
    }
    for (const SceneProgram& program : scene_.programs) {
      programs_.push_back(handle(device_.program_create(kOwner)));
      done(device_.program_link(kOwner, programs_.back(), program.vertex, program.fragment));
    }
    done(device_.begin(kOwner, context_, target));
    const float* const c = scene_.background;
    done(device_.clear(kOwner, context_, c[0], c[1], c[2], c[3], 1));
    done(device_.camera(kOwner, context_, scene_.view(), scene_.projection()));
    for (const SceneDraw& draw : scene_.draws) one(draw);
    done(device_.end(kOwner, context_));
    ScenePicture out;
    out.color.resize(static_cast<std::size_t>(scene_.width) * static_cast<std::size_t>(scene_.height));
    out.depth.resize(out.color.size());
    done(device_.target_read(kOwner, target, out.color.data(), out.color.size()));
    done(device_.target_read_depth(kOwner, target, out.depth.data(), out.depth.size()));
    out.stats = device_.stats();
    return out;
  }

 private:
  void done(int result) {
    if (result != 0) user_error("{}", device_.last_error());
  }
  Handle handle(Handle made) {
    if (made == 0) user_error("{}", device_.last_error());
    return made;
  }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  // Uniforms belong to the program, so each draw starts them anew.
  void one(const SceneDraw& draw) {
    const SceneProgram& program = scene_.programs[at(draw.program)];
    done(device_.program_link(kOwner, programs_[at(draw.program)], program.vertex, program.fragment));
    done(device_.use_program(kOwner, context_, programs_[at(draw.program)]));
    done(device_.bind_tex(kOwner, context_, 0, draw.texture < 0 ? 0 : textures_[at(draw.texture)]));
    done(device_.model(kOwner, context_, draw.model));
    for (const SceneUniform& uniform : draw.uniforms)
      done(device_.uniform(kOwner, context_, uniform.name.c_str(), uniform.values.data(),
                           static_cast<int>(uniform.values.size())));
    done(device_.depth(kOwner, context_, draw.depth ? 1 : 0));
    done(device_.cull(kOwner, context_, draw.cull ? 1 : 0));
    const std::array<int, 4> view = draw.viewport.value_or(std::array<int, 4>{0, 0, scene_.width, scene_.height});
    done(device_.viewport(kOwner, context_, view[0], view[1], view[2], view[3]));
    done(device_.draw(kOwner, context_, meshes_[at(draw.mesh)]));
  }

  const Gfx3dScene& scene_;
  Gfx3d device_;
  Handle context_ = 0;
  std::vector<Handle> meshes_, textures_, programs_;
};

}  // namespace

VertexLayout scene_vertex_layout() { return {sizeof(SceneVertex), {{0, 4, 0}, {1, 4, 16}, {2, 2, 32}, {3, 4, 40}}}; }

ScenePicture draw_gfx3d_scene(const Gfx3dScene& scene, Executor executor, int threads) {
  Gfx3dOptions options;
  options.features = scene.features;
  options.executor = executor;
  options.threads = threads;
  return SceneDrawing(scene, options).run();
}

void record_gfx3d_scene(const Gfx3dScene& scene, DrawSink* sink) {
  Gfx3dOptions options;
  options.features = scene.features;
  options.sink = sink;
  SceneDrawing(scene, options).run();
}

}  // namespace gyre::shader
