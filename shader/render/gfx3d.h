// Gfx3D: the public 3D interface on the software renderer (csir.md §13.1, §14).
// Objects are named by handles, generation << 16 | (index + 1); 0 is never valid. Every object belongs to an owner, a
// number the caller chooses; calls for objects of another owner fail. Calls return 0 or a handle, and -1 or 0 when they
// fail; last_error() then says why. Nothing throws but std::bad_alloc.
// Not thread-safe: one device, and everything in it, is used by one thread at a time. Separate devices share nothing.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gfx3d_features.h"
#include "matrix.h"
#include "raster.h"

namespace gyre::shader {

using Handle = std::uint32_t;
using Owner = std::uint32_t;

enum class Backend : int { kAuto = 0, kSoftware = 1, kVirgl = 2, kMock = 3 };
// Who runs fragments: both give the same bits.
enum class Executor { kInterpreter, kBatched };

struct VertexElement {
  int location;    // attribute; outside 0..7: ignored
  int components;  // floats, 1..4
  int offset;      // bytes from the start of a vertex; negative: ignored
};
struct VertexLayout {
  int stride = 0;  // bytes of a vertex, >= 4
  std::vector<VertexElement> elements;  // 1..8, none may reach beyond the stride
};

// Takes draws in place of the software renderer: a recorder for another machine.
struct SinkDraw {
  const Program* program = nullptr;      // linked, with the uniforms of this draw
  std::vector<float> attributes;         // 8 vec4 a corner, three corners a triangle
  const TextureView* texture = nullptr;  // or null
  RasterRules rules;
  Math math = Math::kPrecise;
};
class DrawSink {
 public:
  virtual ~DrawSink() = default;
  // The whole target: colour word, every depth 1.0.
  virtual void clear(int width, int height, std::uint32_t color) = 0;
  // Empty, or why the draw cannot be taken.
  virtual std::string draw(int width, int height, const SinkDraw& draw) = 0;
};

struct Gfx3dOptions {
  std::uint32_t features = kStrict;          // Feature bits
  std::uint32_t compat_fill = 0xA5A5A5A5;    // what "uninitialized" memory holds without kInitialize
  // Precise mathematics; not set: as STRICT wants it, so precise when any feature bit is set.
  enum class Precise { kByMode, kOff, kOn } precise = Precise::kByMode;
  Executor executor = Executor::kBatched;
  int threads = 1;                           // of the batched executor, 1..64; no influence on results
  DrawSink* sink = nullptr;                  // not null: clears and draws go there, targets stay as they are
};

struct Gfx3dCounts {
  int contexts = 0, targets = 0, meshes = 0, textures = 0, programs = 0;
};
struct Gfx3dStats {
  std::uint64_t triangles = 0;  // submitted by draws
  std::uint64_t fragments = 0;  // fragment shader runs
};

class Gfx3d {
 public:
  static constexpr int kContexts = 8, kTargets = 8, kMeshes = 48, kTextures = 24, kPrograms = 16;
  static constexpr int kMaxWidth = 1920, kMaxHeight = 1080, kMaxTextureSide = 1024;
  static constexpr int kMaxBuiltVertices = 8192, kMaxMeshVertices = 1 << 20;

  explicit Gfx3d(const Gfx3dOptions& options = {});
  ~Gfx3d();
  Gfx3d(const Gfx3d&) = delete;
  Gfx3d& operator=(const Gfx3d&) = delete;

  const std::string& last_error() const { return error_; }
  Gfx3dCounts live() const;
  const Gfx3dStats& stats() const { return stats_; }
  void destroy_owner(Owner owner);  // everything that belongs to it

  // Contexts. AUTO is SOFTWARE; VIRGL and MOCK are not available. A new context: depth flag on, cull off, field of view
  // 60 degrees, near 0.1, far 200, identity matrices.
  Handle context_create(Owner owner, Backend backend = Backend::kAuto);
  int context_destroy(Owner owner, Handle context);
  int backend_of(Owner owner, Handle context);  // Backend as int, -1

  // Targets, 1x1 to 1920x1080. Resize keeps nothing. read copies width * height words; `words` is the room.
  Handle target_create(Owner owner, int width, int height);
  int target_resize(Owner owner, Handle target, int width, int height);
  int target_read(Owner owner, Handle target, std::uint32_t* out, std::size_t words);
  int target_read_depth(Owner owner, Handle target, float* out, std::size_t words);
  int target_destroy(Owner owner, Handle target);

  // Meshes: uploaded (copied), or built vertex by vertex: 40 bytes each, position vec4 (w 1) at location 0, normal vec4
  // (w 0) at 1, uv vec2 at 2; at most 8192 vertices. A mesh that is being built cannot be drawn.
  Handle mesh_upload(Owner owner, const void* vertices, int count, const VertexLayout& layout, const std::uint16_t* indices,
                     int index_count);
  Handle mesh_build(Owner owner);
  int mesh_vert(Owner owner, Handle mesh, const float position[3], const float normal[3], const float uv[2]);
  int mesh_finish(Owner owner, Handle mesh);
  int mesh_destroy(Owner owner, Handle mesh);

  // Textures, 1x1 to 1024x1024, words 0xAARRGGBB, row 0 is v = 0. upload takes width * height words exactly and makes
  // alpha FF.
  Handle tex_create(Owner owner, int width, int height);
  int tex_upload(Owner owner, Handle texture, const std::uint32_t* texels, std::size_t words);
  int tex_destroy(Owner owner, Handle texture);

  // Programs. A failed build of a program that was built before keeps the old one; program_log() says why it failed.
  Handle program_create(Owner owner);
  int program_build(Owner owner, Handle program, std::string_view vertex_source, std::string_view fragment_source);
  int program_link(Owner owner, Handle program, const Shader& vertex, const Shader& fragment);
  const std::string& program_log(Owner owner, Handle program);
  std::uint32_t program_generation(Owner owner, Handle program);  // 0: never built
  const Program* program_of(Owner owner, Handle program);         // null
  int program_destroy(Owner owner, Handle program);

  // A frame: begin sets the viewport to the whole target.
  int begin(Owner owner, Handle context, Handle target);
  int end(Owner owner, Handle context);
  // Fills the colour and sets every depth to 1.0. Negative components count as 0. `depth` not 0 turns the depth flag on.
  int clear(Owner owner, Handle context, float r, float g, float b, float a, int depth);

  // State of a context.
  int depth(Owner owner, Handle context, int on);
  int cull(Owner owner, Handle context, int on);
  int viewport(Owner owner, Handle context, int x, int y, int width, int height);  // sides 0..16384
  int use_program(Owner owner, Handle context, Handle program);                    // 0: none
  int bind_tex(Owner owner, Handle context, int unit, Handle texture);             // 0: none; the unit has no meaning

  // Uniforms of the program in use. A name no shader has is -1. camera() and model() skip names that are not there:
  // "view" and "projection", "model" and "normalMatrix" (mat3 or mat4). They are applied again by use_program().
  int uniform(Owner owner, Handle context, const char* name, const float* values, int count);
  int uniform_mat4(Owner owner, Handle context, const char* name, const Mat4& value);
  int camera(Owner owner, Handle context, const Mat4& view, const Mat4& projection);
  int model(Owner owner, Handle context, const Mat4& model);

  // Between begin and end, with a program whose attributes the mesh provides. -1 at a bad index, when everything
  // before it is drawn, and for less than one triangle. Indices left over are ignored.
  int draw(Owner owner, Handle context, Handle mesh);

 private:
  struct Context;
  struct Target;
  struct Mesh;
  struct Texture;
  struct ProgramSlot;
  template <class T>
  struct Table;
  struct Tables;

  int fail(std::string text) {
    error_ = std::move(text);
    return -1;
  }
  Handle no_handle(std::string text) {
    error_ = std::move(text);
    return 0;
  }
  bool feature(Feature bit) const { return (options_.features & bit) != 0; }
  Math math() const;
  bool allocate(Target* target, int width, int height);
  Context* context_of(Owner owner, Handle context);
  Context* drawing_context(Owner owner, Handle context);
  Program* program_in_use(Context* context);
  void apply_matrices(Context* context);
  RasterRules rules_for(const Context& context, const Target& target) const;
  int draw_to_sink(const Context& context, const Target& target, const Program& program, const Mesh& mesh, const TextureView* texture);
  bool layout_fits(const Program& program, const Mesh& mesh);
  int mesh_fields(const Mesh& mesh, int vertex, float* attributes) const;
  bool vertices_used(const Mesh& mesh, std::vector<int>* order, int* triangles);
  void shade_vertices(const Program& program, const Mesh& mesh, const std::vector<int>& order, std::vector<ShadedVertex>* vertices) const;
  bool gather(const Program& program, const Mesh& mesh, TriangleList* list, std::vector<ShadedVertex>* vertices);

  Gfx3dOptions options_;
  std::unique_ptr<Tables> tables_;
  std::string error_;
  Gfx3dStats stats_;
};

}  // namespace gyre::shader
