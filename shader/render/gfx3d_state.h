// The tables behind Gfx3d's handles.
#pragma once

#include "gfx3d.h"

namespace gyre::shader {

struct Gfx3d::Target {
  int width = 0, height = 0;
  std::vector<std::uint32_t> color;
  std::vector<float> depth;
};

struct Gfx3d::Mesh {
  VertexLayout layout;
  std::vector<std::uint8_t> vertices;
  int count = 0;
  std::vector<std::uint16_t> indices;
  bool building = false;
};

struct Gfx3d::Texture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> texels;
};

struct Gfx3d::ProgramSlot {
  Program program;
  std::string log;
};

struct Gfx3d::Context {
  bool drawing = false, depth = true, cull = false;
  Handle target = 0, program = 0, texture = 0;
  int viewport[4] = {0, 0, 0, 0};
  float fov = 60.0f, near_plane = 0.1f, far_plane = 200.0f;
  Mat4 view = mat4_identity(), projection = mat4_identity(), model = mat4_identity();
  bool has_camera = false, has_model = false;
};

// Handles of destroyed objects stay invalid: a slot's generation moves on with every object, past 0.
template <class T>
struct Gfx3d::Table {
  struct Slot {
    std::unique_ptr<T> object;
    Owner owner = 0;
    std::uint16_t generation = 0;
  };
  std::vector<Slot> slots;

  explicit Table(int size) : slots(static_cast<std::size_t>(size)) {}

  Handle add(Owner owner) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].object) continue;
      slots[i].object = std::make_unique<T>();
      slots[i].owner = owner;
      if (++slots[i].generation == 0) slots[i].generation = 1;
      return static_cast<Handle>(slots[i].generation) << 16 | static_cast<Handle>(i + 1);
    }
    return 0;
  }
  Slot* slot(Owner owner, Handle handle) {
    const std::size_t index = (handle & 0xFFFF) - 1u;
    if (index >= slots.size()) return nullptr;
    Slot& found = slots[index];
    return found.object && found.owner == owner && found.generation == handle >> 16 ? &found : nullptr;
  }
  T* get(Owner owner, Handle handle) {
    Slot* const found = slot(owner, handle);
    return found != nullptr ? found->object.get() : nullptr;
  }
  bool remove(Owner owner, Handle handle) {
    Slot* const found = slot(owner, handle);
    if (found != nullptr) found->object.reset();
    return found != nullptr;
  }
  void remove_owner(Owner owner) {
    for (Slot& s : slots)
      if (s.owner == owner) s.object.reset();
  }
  int live() const {
    int count = 0;
    for (const Slot& s : slots) count += s.object != nullptr;
    return count;
  }
};

struct Gfx3d::Tables {
  Table<Context> contexts{kContexts};
  Table<Target> targets{kTargets};
  Table<Mesh> meshes{kMeshes};
  Table<Texture> textures{kTextures};
  Table<ProgramSlot> programs{kPrograms};
};

}  // namespace gyre::shader
