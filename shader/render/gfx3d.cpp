// Contexts, their state, and frames.
#include "gfx3d.h"

#include <algorithm>

#include "gfx3d_state.h"
#include "pixel_pack.h"

namespace gyre::shader {

Gfx3d::Gfx3d(const Gfx3dOptions& options) : options_(options), tables_(std::make_unique<Tables>()) {
  options_.threads = std::clamp(options_.threads, 1, 64);
}
Gfx3d::~Gfx3d() = default;

Math Gfx3d::math() const {
  using Precise = Gfx3dOptions::Precise;
  const bool precise = options_.precise == Precise::kOn || (options_.precise == Precise::kByMode && options_.features != kCompat);
  return precise ? Math::kPrecise : Math::kCompat;
}

Gfx3dCounts Gfx3d::live() const {
  return {tables_->contexts.live(), tables_->targets.live(), tables_->meshes.live(), tables_->textures.live(), tables_->programs.live()};
}

void Gfx3d::destroy_owner(Owner owner) {
  tables_->contexts.remove_owner(owner);
  tables_->targets.remove_owner(owner);
  tables_->meshes.remove_owner(owner);
  tables_->textures.remove_owner(owner);
  tables_->programs.remove_owner(owner);
}

Handle Gfx3d::context_create(Owner owner, Backend backend) {
  if (backend != Backend::kAuto && backend != Backend::kSoftware) return no_handle("context: this backend is not available, only software is");
  const Handle handle = tables_->contexts.add(owner);
  return handle != 0 ? handle : no_handle("context: all 8 are in use");
}

int Gfx3d::context_destroy(Owner owner, Handle context) {
  return tables_->contexts.remove(owner, context) ? 0 : fail("context: no such handle");
}

int Gfx3d::backend_of(Owner owner, Handle context) {
  return context_of(owner, context) != nullptr ? static_cast<int>(Backend::kSoftware) : -1;
}

Gfx3d::Context* Gfx3d::context_of(Owner owner, Handle context) {
  Context* const found = tables_->contexts.get(owner, context);
  if (found == nullptr) fail("context: no such handle");
  return found;
}

Gfx3d::Context* Gfx3d::drawing_context(Owner owner, Handle context) {
  Context* const found = context_of(owner, context);
  if (found != nullptr && !found->drawing) {
    fail("context: no frame, call begin first");
    return nullptr;
  }
  return found;
}

int Gfx3d::begin(Owner owner, Handle context, Handle target) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  const Target* const t = tables_->targets.get(owner, target);
  if (t == nullptr) return fail("begin: no such target");
  c->drawing = true;
  c->target = target;
  c->viewport[0] = c->viewport[1] = 0;
  c->viewport[2] = t->width;
  c->viewport[3] = t->height;
  return 0;
}

int Gfx3d::end(Owner owner, Handle context) {
  Context* const c = drawing_context(owner, context);
  if (c == nullptr) return -1;
  c->drawing = false;
  return 0;
}

int Gfx3d::clear(Owner owner, Handle context, float r, float g, float b, float a, int depth) {
  Context* const c = drawing_context(owner, context);
  if (c == nullptr) return -1;
  Target* const t = tables_->targets.get(owner, c->target);
  if (t == nullptr) return fail("clear: the target is gone");
  float rgba[4] = {r, g, b, a};
  for (float& v : rgba)
    if (v < 0.0f) v = 0.0f;
  if (depth != 0) c->depth = true;
  if (options_.sink != nullptr) {
    options_.sink->clear(t->width, t->height, pack_pixel(rgba, feature(kColorClamp)));
    return 0;
  }
  std::fill(t->color.begin(), t->color.end(), pack_pixel(rgba, feature(kColorClamp)));
  std::fill(t->depth.begin(), t->depth.end(), 1.0f);
  return 0;
}

int Gfx3d::depth(Owner owner, Handle context, int on) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  c->depth = on != 0;
  return 0;
}

int Gfx3d::cull(Owner owner, Handle context, int on) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  c->cull = on != 0;
  return 0;
}

int Gfx3d::viewport(Owner owner, Handle context, int x, int y, int width, int height) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  constexpr int kFar = 16384;
  if (width < 0 || height < 0 || width > kFar || height > kFar || x < -kFar || y < -kFar || x > kFar || y > kFar)
    return fail("viewport: sides are 0 to 16384, corners -16384 to 16384");
  const int values[4] = {x, y, width, height};
  std::copy(values, values + 4, c->viewport);
  return 0;
}

int Gfx3d::use_program(Owner owner, Handle context, Handle program) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  if (program != 0 && tables_->programs.get(owner, program) == nullptr) return fail("use_program: no such program");
  c->program = program;
  apply_matrices(c);
  return 0;
}

int Gfx3d::bind_tex(Owner owner, Handle context, int, Handle texture) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  if (texture != 0 && tables_->textures.get(owner, texture) == nullptr) return fail("bind_tex: no such texture");
  c->texture = texture;
  return 0;
}

}  // namespace gyre::shader
