// C interface: pointers become objects, exceptions become failures.
#include "gyre_gfx3d.h"

#include <cstring>
#include <new>

#include "gfx3d.h"

using namespace gyre::shader;

struct gyre_gfx3d {
  explicit gyre_gfx3d(const Gfx3dOptions& options) : device(options) {}
  Gfx3d device;
  const char* own_error = nullptr;  // what this layer refused; else the device knows
};

namespace {

template <class Result, class Call>
Result guarded(gyre_gfx3d* device, Result failed, Call call) {
  if (device == nullptr) return failed;
  try {
    device->own_error = nullptr;
    return call(device->device);
  } catch (const std::exception&) {  // or a size beyond what a container can hold
    device->own_error = "out of memory";
  }
  return failed;
}

int null_pointer(gyre_gfx3d* device) {
  if (device != nullptr) device->own_error = "a pointer that is needed is null";
  return -1;
}

Mat4 matrix(const float* values) {
  Mat4 out;
  std::memcpy(out.m, values, sizeof out.m);
  return out;
}

}  // namespace

gyre_gfx3d* gyre_gfx3d_create(uint32_t features, uint32_t compat_fill, int threads) {
  Gfx3dOptions options;
  options.features = features;
  options.compat_fill = compat_fill;
  options.threads = threads;
  try {
    return new gyre_gfx3d(options);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void gyre_gfx3d_destroy(gyre_gfx3d* device) { delete device; }

const char* gyre_gfx3d_error(const gyre_gfx3d* device) {
  if (device == nullptr) return "no device";
  return device->own_error != nullptr ? device->own_error : device->device.last_error().c_str();
}

void gyre_gfx3d_destroy_owner(gyre_gfx3d* device, uint32_t owner) {
  guarded(device, 0, [&](Gfx3d& d) { return d.destroy_owner(owner), 0; });
}

gyre_handle gyre_gfx3d_context_create(gyre_gfx3d* device, uint32_t owner, int backend) {
  return guarded(device, 0u, [&](Gfx3d& d) { return d.context_create(owner, static_cast<Backend>(backend)); });
}
int gyre_gfx3d_context_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle context) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.context_destroy(owner, context); });
}

gyre_handle gyre_gfx3d_target_create(gyre_gfx3d* device, uint32_t owner, int width, int height) {
  return guarded(device, 0u, [&](Gfx3d& d) { return d.target_create(owner, width, height); });
}
int gyre_gfx3d_target_resize(gyre_gfx3d* device, uint32_t owner, gyre_handle target, int width, int height) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.target_resize(owner, target, width, height); });
}
int gyre_gfx3d_target_read(gyre_gfx3d* device, uint32_t owner, gyre_handle target, uint32_t* out, size_t words) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.target_read(owner, target, out, words); });
}
int gyre_gfx3d_target_read_depth(gyre_gfx3d* device, uint32_t owner, gyre_handle target, float* out, size_t words) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.target_read_depth(owner, target, out, words); });
}
int gyre_gfx3d_target_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle target) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.target_destroy(owner, target); });
}

gyre_handle gyre_gfx3d_mesh_upload(gyre_gfx3d* device, uint32_t owner, const void* vertices, int count, int stride,
                                   const gyre_gfx3d_element* elements, int element_count, const uint16_t* indices,
                                   int index_count) {
  return guarded(device, 0u, [&](Gfx3d& d) {
    VertexLayout layout;
    layout.stride = stride;
    for (int i = 0; elements != nullptr && i < element_count && i < 9; ++i)
      layout.elements.push_back({elements[i].location, elements[i].components, elements[i].offset});
    return d.mesh_upload(owner, vertices, count, layout, indices, index_count);
  });
}
gyre_handle gyre_gfx3d_mesh_build(gyre_gfx3d* device, uint32_t owner) {
  return guarded(device, 0u, [&](Gfx3d& d) { return d.mesh_build(owner); });
}
int gyre_gfx3d_mesh_vert(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh, const float position[3],
                         const float normal[3], const float uv[2]) {
  if (position == nullptr || normal == nullptr || uv == nullptr) return null_pointer(device);
  return guarded(device, -1, [&](Gfx3d& d) { return d.mesh_vert(owner, mesh, position, normal, uv); });
}
int gyre_gfx3d_mesh_finish(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.mesh_finish(owner, mesh); });
}
int gyre_gfx3d_mesh_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.mesh_destroy(owner, mesh); });
}

gyre_handle gyre_gfx3d_tex_create(gyre_gfx3d* device, uint32_t owner, int width, int height) {
  return guarded(device, 0u, [&](Gfx3d& d) { return d.tex_create(owner, width, height); });
}
int gyre_gfx3d_tex_upload(gyre_gfx3d* device, uint32_t owner, gyre_handle texture, const uint32_t* texels, size_t words) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.tex_upload(owner, texture, texels, words); });
}
int gyre_gfx3d_tex_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle texture) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.tex_destroy(owner, texture); });
}

gyre_handle gyre_gfx3d_program_create(gyre_gfx3d* device, uint32_t owner) {
  return guarded(device, 0u, [&](Gfx3d& d) { return d.program_create(owner); });
}
int gyre_gfx3d_program_build(gyre_gfx3d* device, uint32_t owner, gyre_handle program, const char* vertex_source,
                             const char* fragment_source) {
  if (vertex_source == nullptr || fragment_source == nullptr) return null_pointer(device);
  return guarded(device, -1, [&](Gfx3d& d) { return d.program_build(owner, program, vertex_source, fragment_source); });
}
const char* gyre_gfx3d_program_log(gyre_gfx3d* device, uint32_t owner, gyre_handle program) {
  return device == nullptr ? "" : device->device.program_log(owner, program).c_str();
}
uint32_t gyre_gfx3d_program_generation(gyre_gfx3d* device, uint32_t owner, gyre_handle program) {
  return device == nullptr ? 0 : device->device.program_generation(owner, program);
}
int gyre_gfx3d_program_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle program) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.program_destroy(owner, program); });
}

int gyre_gfx3d_begin(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle target) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.begin(owner, context, target); });
}
int gyre_gfx3d_end(gyre_gfx3d* device, uint32_t owner, gyre_handle context) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.end(owner, context); });
}
int gyre_gfx3d_clear(gyre_gfx3d* device, uint32_t owner, gyre_handle context, float r, float g, float b, float a, int depth) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.clear(owner, context, r, g, b, a, depth); });
}
int gyre_gfx3d_depth(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.depth(owner, context, on); });
}
int gyre_gfx3d_cull(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.cull(owner, context, on); });
}
int gyre_gfx3d_viewport(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int x, int y, int width, int height) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.viewport(owner, context, x, y, width, height); });
}
int gyre_gfx3d_use_program(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle program) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.use_program(owner, context, program); });
}
int gyre_gfx3d_bind_tex(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int unit, gyre_handle texture) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.bind_tex(owner, context, unit, texture); });
}

int gyre_gfx3d_uniform(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float* values, int count) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.uniform(owner, context, name, values, count); });
}
int gyre_gfx3d_uniform_mat4(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float values[16]) {
  if (values == nullptr) return null_pointer(device);
  return guarded(device, -1, [&](Gfx3d& d) { return d.uniform_mat4(owner, context, name, matrix(values)); });
}
int gyre_gfx3d_camera(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float view[16], const float projection[16]) {
  if (view == nullptr || projection == nullptr) return null_pointer(device);
  return guarded(device, -1, [&](Gfx3d& d) { return d.camera(owner, context, matrix(view), matrix(projection)); });
}
int gyre_gfx3d_model(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float model[16]) {
  if (model == nullptr) return null_pointer(device);
  return guarded(device, -1, [&](Gfx3d& d) { return d.model(owner, context, matrix(model)); });
}
int gyre_gfx3d_draw(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle mesh) {
  return guarded(device, -1, [&](Gfx3d& d) { return d.draw(owner, context, mesh); });
}

void gyre_gfx3d_perspective(float out[16], float fov, float aspect, float near_plane, float far_plane) {
  const Mat4 matrix = mat4_perspective(fov, aspect, near_plane, far_plane);
  std::memcpy(out, matrix.m, sizeof matrix.m);
}
void gyre_gfx3d_look_at(float out[16], const float eye[3], const float center[3], const float up[3]) {
  const Mat4 matrix = mat4_look_at(eye, center, up);
  std::memcpy(out, matrix.m, sizeof matrix.m);
}
