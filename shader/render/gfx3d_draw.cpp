// Vertex fetch, triangles, pixels.
#include <algorithm>
#include <cstring>

#include "gfx3d.h"
#include "gfx3d_state.h"
#include "vertex_batch.h"

namespace gyre::shader {

// 32 floats zeroed, then each element's floats to location * 4. Returns the stride.
int Gfx3d::mesh_fields(const Mesh& mesh, int vertex, float* attributes) const {
  std::fill(attributes, attributes + 32, 0.0f);
  const std::uint8_t* const bytes = mesh.vertices.data() + static_cast<std::size_t>(vertex) * static_cast<std::size_t>(mesh.layout.stride);
  for (const VertexElement& element : mesh.layout.elements) {
    if (element.location < 0 || element.location >= kMaxAttributes || element.offset < 0) continue;
    std::memcpy(attributes + 4 * element.location, bytes + element.offset, 4 * static_cast<std::size_t>(element.components));
  }
  return mesh.layout.stride;
}

bool Gfx3d::layout_fits(const Program& program, const Mesh& mesh) {
  for (const InterfaceEntry& attribute : program.attributes()) {
    bool found = false;
    for (const VertexElement& element : mesh.layout.elements)
      found |= element.location == attribute.slot && element.offset >= 0 && element.components >= type_lanes(attribute.type);
    if (!found) {
      fail("draw: the mesh has no " + std::string(type_name(attribute.type)) + " at location " + std::to_string(attribute.slot) + " for " +
           attribute.name);
      return false;
    }
  }
  return true;
}

RasterRules Gfx3d::rules_for(const Context& context, const Target& target) const {
  RasterRules rules;
  rules.clip = feature(kClip);
  rules.cull = feature(kCull) && context.cull;
  rules.window_depth = feature(kWindowDepth);
  rules.top_left = feature(kTopLeft);
  rules.depth_test = rules.depth_write = !feature(kDepthFlag) || context.depth;
  rules.clamp_color = feature(kColorClamp);
  int view[4] = {0, 0, target.width, target.height};
  if (feature(kViewport)) std::copy(context.viewport, context.viewport + 4, view);
  for (int i = 0; i < 4; ++i) rules.viewport[i] = static_cast<float>(view[i]);
  rules.bounds = {std::max(view[0], 0), std::max(view[1], 0), std::min(view[0] + view[2], target.width) - 1,
                  std::min(view[1] + view[3], target.height) - 1};
  return rules;
}

// The vertices in front of the first bad index, each once, in the order they are met; false: there is a bad one.
bool Gfx3d::vertices_used(const Mesh& mesh, std::vector<int>* order, int* triangles) {
  const bool indexed = !mesh.indices.empty();
  const int corners = indexed ? static_cast<int>(mesh.indices.size()) : mesh.count;
  std::vector<bool> met(static_cast<std::size_t>(mesh.count), false);
  *triangles = 0;
  for (int first = 0; first + 3 <= corners; first += 3) {
    for (int i = 0; i < 3; ++i) {
      const int at = indexed ? mesh.indices[static_cast<std::size_t>(first + i)] : first + i;
      if (at < mesh.count) continue;
      fail("draw: index " + std::to_string(at) + ", the mesh has " + std::to_string(mesh.count) + " vertices");
      return false;
    }
    for (int i = 0; i < 3; ++i) {
      const int at = indexed ? mesh.indices[static_cast<std::size_t>(first + i)] : first + i;
      if (!met[static_cast<std::size_t>(at)]) order->push_back(at);
      met[static_cast<std::size_t>(at)] = true;
    }
    ++*triangles;
  }
  return true;
}

void Gfx3d::shade_vertices(const Program& program, const Mesh& mesh, const std::vector<int>& order, std::vector<ShadedVertex>* vertices) const {
  float attributes[32];
  if (options_.executor == Executor::kInterpreter) {
    for (const int at : order) {
      ShadedVertex& vertex = (*vertices)[static_cast<std::size_t>(at)];
      mesh_fields(mesh, at, attributes);
      std::fill(vertex.varyings, vertex.varyings + 32, 0.0f);
      soft_vs(program, attributes, vertex.position, vertex.varyings, math());
    }
    return;
  }
  const auto batch = std::make_unique<VertexBatch>(program, math());
  for (std::size_t first = 0; first < order.size(); first += kBatchLanes) {
    const int count = static_cast<int>(std::min<std::size_t>(kBatchLanes, order.size() - first));
    for (int lane = 0; lane < count; ++lane) {
      mesh_fields(mesh, order[first + static_cast<std::size_t>(lane)], attributes);
      batch->set(lane, attributes);
    }
    batch->run(count);
    for (int lane = 0; lane < count; ++lane) batch->get(lane, &(*vertices)[static_cast<std::size_t>(order[first + static_cast<std::size_t>(lane)])]);
  }
}

// Shades vertices and collects triangles up to the first bad index; false: there is one.
bool Gfx3d::gather(const Program& program, const Mesh& mesh, TriangleList* list, std::vector<ShadedVertex>* vertices) {
  std::vector<int> order;
  int triangles = 0;
  const bool good = vertices_used(mesh, &order, &triangles);
  vertices->resize(static_cast<std::size_t>(mesh.count));
  shade_vertices(program, mesh, order, vertices);
  for (int first = 0; first < 3 * triangles; first += 3) {
    const ShadedVertex* corner[3];
    for (int i = 0; i < 3; ++i) {
      const int at = mesh.indices.empty() ? first + i : mesh.indices[static_cast<std::size_t>(first + i)];
      corner[i] = &(*vertices)[static_cast<std::size_t>(at)];
    }
    list->add(*corner[0], *corner[1], *corner[2]);
  }
  stats_.triangles += static_cast<std::uint64_t>(triangles);
  return good;
}

// Triangles up to the first bad index, corner by corner; those before it are drawn.
int Gfx3d::draw_to_sink(const Context& context, const Target& target, const Program& program, const Mesh& mesh, const TextureView* texture) {
  SinkDraw out;
  out.program = &program;
  out.rules = rules_for(context, target);
  out.math = math();
  out.texture = texture;
  std::vector<int> order;
  int triangles = 0;
  const bool good = vertices_used(mesh, &order, &triangles);
  out.attributes.resize(static_cast<std::size_t>(triangles) * 3 * 32);
  for (int corner = 0; corner < 3 * triangles; ++corner)
    mesh_fields(mesh, mesh.indices.empty() ? corner : mesh.indices[static_cast<std::size_t>(corner)], &out.attributes[static_cast<std::size_t>(corner) * 32]);
  stats_.triangles += static_cast<std::uint64_t>(triangles);
  const std::string refusal = options_.sink->draw(target.width, target.height, out);
  if (!refusal.empty()) return fail("draw: " + refusal);
  return good ? 0 : -1;
}

int Gfx3d::draw(Owner owner, Handle context, Handle mesh) {
  Context* const c = drawing_context(owner, context);
  if (c == nullptr) return -1;
  Target* const target = tables_->targets.get(owner, c->target);
  if (target == nullptr) return fail("draw: the target is gone");
  const Program* const program = program_in_use(c);
  if (program == nullptr) return fail("draw: no built program is in use");
  const Mesh* const m = tables_->meshes.get(owner, mesh);
  if (m == nullptr || m->building) return fail("draw: no such mesh, or it is not finished");
  if (!layout_fits(*program, *m)) return -1;
  if ((m->indices.empty() ? m->count : static_cast<int>(m->indices.size())) < 3) return fail("draw: less than one triangle");
  const Texture* const texture = tables_->textures.get(owner, c->texture);
  TextureView view;
  if (texture != nullptr) view = {texture->texels.data(), texture->width, texture->height};
  const TextureView* const bound = texture != nullptr ? &view : nullptr;
  if (options_.sink != nullptr) return draw_to_sink(*c, *target, *program, *m, bound);
  TriangleList list(rules_for(*c, *target));
  std::vector<ShadedVertex> vertices;
  const bool good = gather(*program, *m, &list, &vertices);
  const FragmentSource source{program, bound, math()};
  const Surface surface{target->color.data(), target->depth.data(), target->width, target->height};
  stats_.fragments += options_.executor == Executor::kInterpreter ? raster_interpreted(surface, list, source)
                                                                   : raster_batched(surface, list, source, options_.threads);
  return good ? 0 : -1;
}

}  // namespace gyre::shader
