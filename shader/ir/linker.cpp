#include "linker.h"

#include "diagnostics.h"
#include "verifier.h"

namespace gyre::shader {
namespace {

constexpr std::int16_t kNoSlot = -1;

const InterfaceEntry* find(const Shader& shader, InterfaceKind kind, const std::string& name) {
  for (const InterfaceEntry& entry : shader.interface)
    if (entry.kind == kind && entry.name == name) return &entry;
  return nullptr;
}

std::string types(Type x, Type y) { return std::string(type_name(x)) + " and " + type_name(y); }

std::array<std::int16_t, kMaxVaryings> tie_varyings(const Shader& vertex, const Shader& fragment, Diagnostics* out) {
  std::array<std::int16_t, kMaxVaryings> map;
  map.fill(kNoSlot);
  for (const InterfaceEntry& entry : fragment.interface) {
    if (entry.kind != InterfaceKind::kVarying) continue;
    const InterfaceEntry* const from = find(vertex, InterfaceKind::kVarying, entry.name);
    if (from == nullptr) {
      out->error({}, "missing varying " + entry.name + ": the vertex shader has no output of this name");
    } else if (from->type != entry.type) {
      out->error({}, "type mismatch for varying " + entry.name + ": " + types(from->type, entry.type));
    } else {
      map[entry.slot] = static_cast<std::int16_t>(from->slot);
    }
  }
  return map;
}

std::vector<Uniform> tie_uniforms(const Shader& vertex, const Shader& fragment, Diagnostics* out) {
  std::vector<Uniform> table;
  for (const InterfaceEntry& entry : vertex.interface)
    if (entry.kind == InterfaceKind::kUniform) table.push_back({entry.name, entry.type, entry.slot, -1});
  const std::size_t of_vertex = table.size();
  for (const InterfaceEntry& entry : fragment.interface) {
    if (entry.kind != InterfaceKind::kUniform) continue;
    std::size_t at = 0;
    while (at < of_vertex && table[at].name != entry.name) ++at;
    if (at == of_vertex) {
      table.push_back({entry.name, entry.type, -1, entry.slot});
    } else if (table[at].type != entry.type) {
      out->error({}, "type mismatch for uniform " + entry.name + ": " + types(table[at].type, entry.type));
    } else {
      table[at].fragment_slot = entry.slot;
    }
  }
  if (table.size() > kMaxUniformSlots) out->error({}, std::to_string(table.size()) + " uniforms, a program may have 32");
  return table;
}

void store(float* words, Type type, const float* values, int count) {
  if (is_matrix(type)) {
    const int n = type_lanes(type);
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < 4; ++row) words[4 * column + row] = row < n ? values[n * column + row] : 0.0f;
    return;
  }
  for (int lane = 0; lane < 4; ++lane) words[lane] = lane < count ? values[lane] : 0.0f;
}

}  // namespace

int uniform_floats(Type type) { return type_lanes(type) * type_columns(type); }

bool Program::link(const Shader& vertex, const Shader& fragment) {
  Diagnostics out("link");
  if (vertex.stage != Stage::kVertex) out.error({}, "the first shader is no vertex shader");
  if (fragment.stage != Stage::kFragment) out.error({}, "the second shader is no fragment shader");
  verify(vertex, &out);
  verify(fragment, &out);
  if (out.ok() && !vertex.stores_position()) out.error({}, "the vertex shader does not write gl_Position");
  if (out.ok() && !fragment.stores_color()) out.error({}, "the fragment shader has no output");
  std::array<std::int16_t, kMaxVaryings> map{};
  std::vector<Uniform> uniforms;
  if (out.ok()) {
    map = tie_varyings(vertex, fragment, &out);
    uniforms = tie_uniforms(vertex, fragment, &out);
  }
  log_ = out.log();
  if (!out.ok()) {
    if (linked_) log_ += "link: kept previous program\n";
    return false;
  }
  vertex_ = vertex;
  fragment_ = fragment;
  map_ = map;
  uniforms_ = std::move(uniforms);
  vertex_words_.fill(0);
  fragment_words_.fill(0);
  linked_ = true;
  if (++generation_ == 0) generation_ = 1;
  return true;
}

std::vector<InterfaceEntry> Program::attributes() const {
  std::vector<InterfaceEntry> out;
  for (const InterfaceEntry& entry : vertex_.interface)
    if (entry.kind == InterfaceKind::kAttribute) out.push_back(entry);
  return out;
}

std::vector<InterfaceEntry> Program::samplers() const {
  std::vector<InterfaceEntry> out;
  for (const InterfaceEntry& entry : vertex_.interface)
    if (entry.kind == InterfaceKind::kSampler) out.push_back(entry);
  for (const InterfaceEntry& entry : fragment_.interface)
    if (entry.kind == InterfaceKind::kSampler && find(vertex_, InterfaceKind::kSampler, entry.name) == nullptr) out.push_back(entry);
  return out;
}

int Program::uniform_index(const std::string& name) const {
  for (std::size_t i = 0; i < uniforms_.size(); ++i)
    if (uniforms_[i].name == name) return static_cast<int>(i);
  return -1;
}

bool Program::set_uniform(int index, const float* values, int count) {
  if (index < 0 || static_cast<std::size_t>(index) >= uniforms_.size() || values == nullptr) return false;
  const Uniform& uniform = uniforms_[index];
  if (count != uniform_floats(uniform.type)) return false;
  if (uniform.vertex_slot >= 0) store(&vertex_words_[4 * uniform.vertex_slot], uniform.type, values, count);
  if (uniform.fragment_slot >= 0) store(&fragment_words_[4 * uniform.fragment_slot], uniform.type, values, count);
  return true;
}

}  // namespace gyre::shader
