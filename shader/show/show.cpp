#include "show.h"

namespace gyre::shader {
namespace {

constexpr Owner kOwner = 1;

std::vector<std::uint32_t> checker(int side) {
  std::vector<std::uint32_t> out;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const bool light = (x / 8 + y / 8) % 2 == 0;
      const auto r = static_cast<std::uint32_t>(light ? 235 : 40 + x), g = static_cast<std::uint32_t>(light ? 225 : 60 + y);
      out.push_back(0xFF000000u | r << 16 | g << 8 | (light ? 205u : 130u));
    }
  return out;
}

// Sets a uniform when the program has it in this size.
void offer(Gfx3d* device, Handle context, const char* name, const std::vector<float>& values) {
  device->uniform(kOwner, context, name, values.data(), static_cast<int>(values.size()));
}

void set_camera(Gfx3d* device, Handle context, const ShowOptions& options) {
  const float aspect = static_cast<float>(options.width) / static_cast<float>(options.height);
  const float eye[3] = {options.orbit ? 1.5f : 0.0f, options.orbit ? 1.2f : 0.0f, options.orbit ? 2.6f : 3.2f};
  const float center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  device->camera(kOwner, context, mat4_look_at(eye, center, up), mat4_perspective(40, aspect, 0.1f, 200));
  device->model(kOwner, context, mat4_identity());
}

// An error of the device, or nothing.
std::string draw(Gfx3d* device, const Shader& vertex, const Shader& fragment, const ShowOptions& options, Handle* target) {
  const Handle context = device->context_create(kOwner), program = device->program_create(kOwner);
  *target = device->target_create(kOwner, options.width, options.height);
  if (*target == 0 || device->program_link(kOwner, program, vertex, fragment) != 0) return device->last_error();
  const bool given = !options.texture.empty();
  const Handle texture = device->tex_create(kOwner, given ? options.texture_width : 64, given ? options.texture_height : 64);
  const std::vector<std::uint32_t> texels = given ? options.texture : checker(64);
  if (texture == 0 || device->tex_upload(kOwner, texture, texels.data(), texels.size()) != 0) return device->last_error();
  const Handle mesh = device->mesh_build(kOwner);
  build_show_mesh(device, kOwner, mesh, options.mesh);
  device->mesh_finish(kOwner, mesh);
  device->use_program(kOwner, context, program);
  device->bind_tex(kOwner, context, 0, texture);
  set_camera(device, context, options);
  offer(device, context, "light", {0.4242641f, 0.5656854f, 0.7071068f});
  offer(device, context, "time", {1.0f});
  offer(device, context, "resolution", {static_cast<float>(options.width), static_cast<float>(options.height)});
  for (const UniformValue& uniform : options.uniforms)
    if (device->uniform(kOwner, context, uniform.name.c_str(), uniform.values.data(), static_cast<int>(uniform.values.size())) != 0)
      return device->last_error();
  device->begin(kOwner, context, *target);
  device->clear(kOwner, context, 0.09f, 0.10f, 0.13f, 1, 1);
  if (device->draw(kOwner, context, mesh) != 0) return device->last_error();
  device->end(kOwner, context);
  return {};
}

}  // namespace

ShowResult show(const Shader& vertex, const Shader& fragment, const ShowOptions& options) {
  Gfx3d device(options.device);
  ShowResult out;
  Handle target = 0;
  out.error = draw(&device, vertex, fragment, options, &target);
  out.ok = out.error.empty();
  if (!out.ok) return out;
  out.width = options.width;
  out.height = options.height;
  out.words.resize(static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height));
  device.target_read(kOwner, target, out.words.data(), out.words.size());
  out.stats = device.stats();
  return out;
}

}  // namespace gyre::shader
