// Targets, meshes, textures.
#include <cstring>

#include "gfx3d.h"
#include "gfx3d_state.h"

namespace gyre::shader {
namespace {

constexpr int kBuiltStride = 40;

VertexLayout built_layout() { return {kBuiltStride, {{0, 4, 0}, {1, 4, 16}, {2, 2, 32}}}; }

}  // namespace

bool Gfx3d::allocate(Target* target, int width, int height) {
  if (width < 1 || height < 1 || width > kMaxWidth || height > kMaxHeight) {
    fail("target: " + std::to_string(width) + "x" + std::to_string(height) + ", from 1x1 to 1920x1080 is possible");
    return false;
  }
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const bool defined = feature(kInitialize);
  target->color.assign(pixels, defined ? 0 : options_.compat_fill);
  target->depth.assign(pixels, defined ? 1.0f : float_from_bits(options_.compat_fill));
  target->width = width;
  target->height = height;
  return true;
}

Handle Gfx3d::target_create(Owner owner, int width, int height) {
  Target fresh;
  if (!allocate(&fresh, width, height)) return 0;
  const Handle handle = tables_->targets.add(owner);
  if (handle == 0) return no_handle("target: all 8 are in use");
  *tables_->targets.get(owner, handle) = std::move(fresh);
  return handle;
}

int Gfx3d::target_resize(Owner owner, Handle target, int width, int height) {
  Target* const t = tables_->targets.get(owner, target);
  if (t == nullptr) return fail("target: no such handle");
  return allocate(t, width, height) ? 0 : -1;
}

int Gfx3d::target_read(Owner owner, Handle target, std::uint32_t* out, std::size_t words) {
  const Target* const t = tables_->targets.get(owner, target);
  if (t == nullptr) return fail("target: no such handle");
  if (out == nullptr || words < t->color.size()) return fail("target_read: room for " + std::to_string(t->color.size()) + " words is needed");
  std::memcpy(out, t->color.data(), t->color.size() * sizeof(std::uint32_t));
  return 0;
}

int Gfx3d::target_read_depth(Owner owner, Handle target, float* out, std::size_t words) {
  const Target* const t = tables_->targets.get(owner, target);
  if (t == nullptr) return fail("target: no such handle");
  if (out == nullptr || words < t->depth.size()) return fail("target_read_depth: room for " + std::to_string(t->depth.size()) + " words is needed");
  std::memcpy(out, t->depth.data(), t->depth.size() * sizeof(float));
  return 0;
}

int Gfx3d::target_destroy(Owner owner, Handle target) {
  return tables_->targets.remove(owner, target) ? 0 : fail("target: no such handle");
}

Handle Gfx3d::mesh_upload(Owner owner, const void* vertices, int count, const VertexLayout& layout, const std::uint16_t* indices,
                          int index_count) {
  if (vertices == nullptr || count < 1 || count > kMaxMeshVertices) return no_handle("mesh: 1 to 1048576 vertices are possible");
  if (layout.stride < 4 || layout.stride > 4096) return no_handle("mesh: the stride is 4 to 4096 bytes");
  if (layout.elements.empty() || layout.elements.size() > 8) return no_handle("mesh: a layout has 1 to 8 elements");
  for (const VertexElement& element : layout.elements) {
    if (element.components < 1 || element.components > 4) return no_handle("mesh: an element has 1 to 4 components");
    if (element.offset > layout.stride - 4 * element.components) return no_handle("mesh: an element reaches beyond the stride");
  }
  if (index_count < 0 || (indices == nullptr && index_count > 0)) return no_handle("mesh: indices are missing");
  Mesh mesh;
  const auto* const bytes = static_cast<const std::uint8_t*>(vertices);
  mesh.layout = layout;
  mesh.count = count;
  mesh.vertices.assign(bytes, bytes + static_cast<std::size_t>(count) * static_cast<std::size_t>(layout.stride));
  if (index_count > 0) mesh.indices.assign(indices, indices + index_count);
  const Handle handle = tables_->meshes.add(owner);
  if (handle == 0) return no_handle("mesh: all 48 are in use");
  *tables_->meshes.get(owner, handle) = std::move(mesh);
  return handle;
}

Handle Gfx3d::mesh_build(Owner owner) {
  Mesh mesh;
  mesh.layout = built_layout();
  mesh.building = true;
  const Handle handle = tables_->meshes.add(owner);
  if (handle == 0) return no_handle("mesh: all 48 are in use");
  *tables_->meshes.get(owner, handle) = std::move(mesh);
  return handle;
}

int Gfx3d::mesh_vert(Owner owner, Handle mesh, const float position[3], const float normal[3], const float uv[2]) {
  Mesh* const m = tables_->meshes.get(owner, mesh);
  if (m == nullptr || !m->building) return fail("mesh_vert: no such mesh, or it is finished");
  if (m->count == kMaxBuiltVertices) return fail("mesh_vert: a built mesh has at most 8192 vertices");
  const float fields[10] = {position[0], position[1], position[2], 1, normal[0], normal[1], normal[2], 0, uv[0], uv[1]};
  static_assert(sizeof fields == kBuiltStride);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(fields);
  m->vertices.insert(m->vertices.end(), bytes, bytes + sizeof fields);
  ++m->count;
  return 0;
}

int Gfx3d::mesh_finish(Owner owner, Handle mesh) {
  Mesh* const m = tables_->meshes.get(owner, mesh);
  if (m == nullptr || !m->building) return fail("mesh_finish: no such mesh, or it is finished");
  if (m->count == 0) return fail("mesh_finish: the mesh has no vertices");
  m->building = false;
  return 0;
}

int Gfx3d::mesh_destroy(Owner owner, Handle mesh) {
  return tables_->meshes.remove(owner, mesh) ? 0 : fail("mesh: no such handle");
}

Handle Gfx3d::tex_create(Owner owner, int width, int height) {
  if (width < 1 || height < 1 || width > kMaxTextureSide || height > kMaxTextureSide)
    return no_handle("texture: " + std::to_string(width) + "x" + std::to_string(height) + ", from 1x1 to 1024x1024 is possible");
  Texture texture;
  texture.width = width;
  texture.height = height;
  texture.texels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0xFF000000u);
  const Handle handle = tables_->textures.add(owner);
  if (handle == 0) return no_handle("texture: all 24 are in use");
  *tables_->textures.get(owner, handle) = std::move(texture);
  return handle;
}

int Gfx3d::tex_upload(Owner owner, Handle texture, const std::uint32_t* texels, std::size_t words) {
  Texture* const t = tables_->textures.get(owner, texture);
  if (t == nullptr) return fail("texture: no such handle");
  if (texels == nullptr || words != t->texels.size()) return fail("tex_upload: exactly " + std::to_string(t->texels.size()) + " words are needed");
  for (std::size_t i = 0; i < words; ++i) t->texels[i] = texels[i] | 0xFF000000u;
  return 0;
}

int Gfx3d::tex_destroy(Owner owner, Handle texture) {
  return tables_->textures.remove(owner, texture) ? 0 : fail("texture: no such handle");
}

}  // namespace gyre::shader
