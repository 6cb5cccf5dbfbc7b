// Programs and uniforms.
#include <cstring>

#include "compiler.h"
#include "gfx3d.h"
#include "gfx3d_state.h"

namespace gyre::shader {

Handle Gfx3d::program_create(Owner owner) {
  const Handle handle = tables_->programs.add(owner);
  return handle != 0 ? handle : no_handle("program: all 16 are in use");
}

int Gfx3d::program_build(Owner owner, Handle program, std::string_view vertex_source, std::string_view fragment_source) {
  ProgramSlot* const p = tables_->programs.get(owner, program);
  if (p == nullptr) return fail("program: no such handle");
  const Compiled vertex = compile(vertex_source, Stage::kVertex, "vertex");
  const Compiled fragment = compile(fragment_source, Stage::kFragment, "fragment");
  if (vertex.ok() && fragment.ok()) return program_link(owner, program, *vertex.shader, *fragment.shader);
  p->log = vertex.diagnostics.log() + fragment.diagnostics.log();
  if (p->program.linked()) p->log += "link: kept previous program\n";
  return fail(p->log);
}

int Gfx3d::program_link(Owner owner, Handle program, const Shader& vertex, const Shader& fragment) {
  ProgramSlot* const p = tables_->programs.get(owner, program);
  if (p == nullptr) return fail("program: no such handle");
  const bool linked = p->program.link(vertex, fragment);
  p->log = p->program.log();
  return linked ? 0 : fail(p->log);
}

const std::string& Gfx3d::program_log(Owner owner, Handle program) {
  static const std::string kNothing;
  const ProgramSlot* const p = tables_->programs.get(owner, program);
  return p != nullptr ? p->log : kNothing;
}

std::uint32_t Gfx3d::program_generation(Owner owner, Handle program) {
  const ProgramSlot* const p = tables_->programs.get(owner, program);
  return p != nullptr ? p->program.generation() : 0;
}

const Program* Gfx3d::program_of(Owner owner, Handle program) {
  const ProgramSlot* const p = tables_->programs.get(owner, program);
  return p != nullptr ? &p->program : nullptr;
}

int Gfx3d::program_destroy(Owner owner, Handle program) {
  return tables_->programs.remove(owner, program) ? 0 : fail("program: no such handle");
}

// A context's owner owns what it names, so the table can be searched without it.
Program* Gfx3d::program_in_use(Context* context) {
  for (auto& slot : tables_->contexts.slots) {
    if (slot.object.get() != context) continue;
    ProgramSlot* const p = tables_->programs.get(slot.owner, context->program);
    return p != nullptr && p->program.linked() ? &p->program : nullptr;
  }
  return nullptr;
}

namespace {

void column_major(const Mat4& in, float out[16]) {
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row) out[4 * column + row] = in.m[row][column];
}

void set_mat4(Program* program, const char* name, const Mat4& value) {
  float words[16];
  column_major(value, words);
  program->set_uniform(program->uniform_index(name), words, 16);
}

void set_normal_matrix(Program* program, const Mat4& model) {
  const int index = program->uniform_index("normalMatrix");
  if (index < 0) return;
  float normal[3][3], words[16] = {};
  mat4_normal(model, normal);
  const int n = type_lanes(program->uniforms()[static_cast<std::size_t>(index)].type);
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 3; ++row) words[n * column + row] = normal[row][column];
  if (n == 4) words[15] = 1.0f;
  program->set_uniform(index, words, n * n);
}

}  // namespace

void Gfx3d::apply_matrices(Context* context) {
  Program* const program = program_in_use(context);
  if (program == nullptr) return;
  if (context->has_camera) {
    set_mat4(program, "view", context->view);
    set_mat4(program, "projection", context->projection);
  }
  if (context->has_model) {
    set_mat4(program, "model", context->model);
    set_normal_matrix(program, context->model);
  }
}

int Gfx3d::uniform(Owner owner, Handle context, const char* name, const float* values, int count) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  Program* const program = program_in_use(c);
  if (program == nullptr) return fail("uniform: no program is in use");
  const int index = program->uniform_index(name != nullptr ? name : "");
  if (index < 0) return fail(std::string("uniform: no shader has ") + (name != nullptr ? name : "(null)"));
  if (!program->set_uniform(index, values, count))
    return fail(std::string("uniform ") + name + " takes " +
                std::to_string(uniform_floats(program->uniforms()[static_cast<std::size_t>(index)].type)) + " floats");
  return 0;
}

int Gfx3d::uniform_mat4(Owner owner, Handle context, const char* name, const Mat4& value) {
  float words[16];
  column_major(value, words);
  return uniform(owner, context, name, words, 16);
}

int Gfx3d::camera(Owner owner, Handle context, const Mat4& view, const Mat4& projection) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  c->view = view;
  c->projection = projection;
  c->has_camera = true;
  apply_matrices(c);
  return 0;
}

int Gfx3d::model(Owner owner, Handle context, const Mat4& model) {
  Context* const c = context_of(owner, context);
  if (c == nullptr) return -1;
  c->model = model;
  c->has_model = true;
  apply_matrices(c);
  return 0;
}

}  // namespace gyre::shader
