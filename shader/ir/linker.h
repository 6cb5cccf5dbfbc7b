// A program: one vertex and one fragment shader, the way varyings find each other, and uniform storage (csir.md §12).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "csir.h"

namespace gyre::shader {

// A uniform by name, wherever it occurs.
struct Uniform {
  std::string name;
  Type type = Type::kNone;
  int vertex_slot = -1, fragment_slot = -1;  // first vec4 slot in each stage, -1: not there
};

class Program {
 public:
  // Verifies both shaders and ties them together. On failure: false, log() says why, and an earlier successful link
  // stays in force, uniforms included. On success uniforms are zero and generation() has moved on (never to 0).
  bool link(const Shader& vertex, const Shader& fragment);

  bool linked() const { return linked_; }
  std::uint32_t generation() const { return generation_; }
  const std::string& log() const { return log_; }

  const Shader& vertex() const { return vertex_; }
  const Shader& fragment() const { return fragment_; }
  // Fragment varying slot -> vertex varying slot, -1 where the fragment shader has none.
  const std::array<std::int16_t, kMaxVaryings>& varying_map() const { return map_; }
  std::vector<InterfaceEntry> attributes() const;
  std::vector<InterfaceEntry> samplers() const;  // of both stages, each name once
  const std::vector<Uniform>& uniforms() const { return uniforms_; }

  // Index for set_uniform(), -1 when no stage has the name.
  int uniform_index(const std::string& name) const;
  // Writes every occurrence. mat4: 16 floats, mat3: 9, column-major; others: one a lane. False when the index does not
  // exist or `count` is not what the type needs. Not safe during a draw with this program.
  bool set_uniform(int index, const float* values, int count);
  // 32 vec4 slots.
  const float* words(Stage stage) const { return stage == Stage::kVertex ? vertex_words_.data() : fragment_words_.data(); }

 private:
  bool linked_ = false;
  std::uint32_t generation_ = 0;
  std::string log_;
  Shader vertex_, fragment_;
  std::array<std::int16_t, kMaxVaryings> map_{};
  std::vector<Uniform> uniforms_;
  std::array<float, 4 * kMaxUniformSlots> vertex_words_{}, fragment_words_{};
};

// Floats set_uniform() takes for a type.
int uniform_floats(Type type);

}  // namespace gyre::shader
