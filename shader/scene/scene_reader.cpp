// The YAML form of a Gfx3D scene (docs/scenes.md).
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "files.h"
#include "gfx3d_scene.h"
#include "model_mesh.h"
#include "png_image.h"
#include "shader_file.h"
#include "show.h"
#include "yaml_place.h"

namespace gyre::shader {
namespace {

constexpr float kHuge = 1e30f;
constexpr float kRadians = 0.017453292519943295f;
constexpr std::size_t kMaxDraws = 256;

class SceneReader {
 public:
  SceneReader(const YamlValue& root, std::string folder) : root_(root), folder_(std::move(folder)) {}

  Gfx3dScene read() {
    root_.allow(
        {"gfx3d", "target", "mode", "background", "camera", "meshes", "textures", "programs", "uniforms", "draws"});
    root_.at("gfx3d").integer(1, 1);
    target();
    camera();
    named("meshes", Gfx3d::kMeshes, [this](const std::string& name, const YamlValue& value) { mesh(name, value); });
    named("textures", Gfx3d::kTextures,
          [this](const std::string& name, const YamlValue& value) { texture(name, value); });
    named("programs", Gfx3d::kPrograms,
          [this](const std::string& name, const YamlValue& value) { program(name, value); });
    for (const YamlValue& value : root_.at("draws").list(1, kMaxDraws)) draw(value);
    shared_uniforms();
    return std::move(scene_);
  }

 private:
  template <class Body>
  void named(const char* key, int most, Body body) {
    if (!root_.has(key)) return;
    int count = 0;
    root_.at(key).each_key([&](const std::string& name, const YamlValue& value) {
      if (++count > most) value.fail("more than " + std::to_string(most) + " " + key);
      body(name, value);
    });
  }

  static void copy(const std::vector<float>& from, float* to) { std::copy(from.begin(), from.end(), to); }
  std::string file_of(const YamlValue& value) const {
    return (std::filesystem::path(folder_) / value.text()).lexically_normal().string();
  }

  void target() {
    if (root_.has("target")) {
      const YamlValue value = root_.at("target");
      value.allow({"width", "height"});
      scene_.width = value.at("width").integer(1, Gfx3d::kMaxWidth);
      scene_.height = value.at("height").integer(1, Gfx3d::kMaxHeight);
    }
    if (root_.has("mode")) scene_.features = root_.at("mode").one_of({"strict", "compat"}) == 0 ? kStrict : kCompat;
    if (root_.has("background")) copy(root_.at("background").numbers(4, 0, 1), scene_.background);
  }

  void camera() {
    if (!root_.has("camera")) return;
    const YamlValue value = root_.at("camera");
    value.allow({"eye", "center", "up", "fov", "near", "far"});
    SceneCamera& camera = scene_.camera;
    if (value.has("eye")) copy(value.at("eye").numbers(3, -kHuge, kHuge), camera.eye);
    if (value.has("center")) copy(value.at("center").numbers(3, -kHuge, kHuge), camera.center);
    if (value.has("up")) copy(value.at("up").numbers(3, -kHuge, kHuge), camera.up);
    if (value.has("fov")) camera.fov = value.at("fov").number(1, 179);
    if (value.has("near")) camera.near_plane = value.at("near").number(1e-6f, kHuge);
    if (value.has("far")) camera.far_plane = value.at("far").number(1e-6f, kHuge);
    if (!(camera.near_plane < camera.far_plane)) value.fail("near must be smaller than far");
    // The picture needs a direction and a side that is up.
    const Mat4 view = scene_.view();
    for (const auto& row : view.m)
      for (const float x : row)
        if (!std::isfinite(x)) value.fail("eye and center are one place, or up points along the view");
    if (std::equal(camera.eye, camera.eye + 3, camera.center)) value.fail("eye and center are one place");
    float across = 0;
    for (int k = 0; k < 3; ++k) across += std::fabs(view.m[0][k]);
    if (across < 0.5f) value.fail("up points along the view");
  }

  void mesh(const std::string& name, const YamlValue& value) {
    value.allow({"shape", "file", "fit"});
    SceneMesh mesh{name, {}};
    if (value.has("shape") == value.has("file")) value.fail("a mesh has a shape or a file");
    if (value.has("shape")) {
      static const std::vector<std::string> kShapes = {"sphere", "torus", "cube", "quad"};
      if (value.has("fit")) value.at("fit").fail("fit is for files");
      for (const ShowVertex& v : show_mesh(kShapes[static_cast<std::size_t>(value.at("shape").one_of(kShapes))]))
        mesh.vertices.push_back({{v.position[0], v.position[1], v.position[2], 1},
                                 {v.normal[0], v.normal[1], v.normal[2], 0},
                                 {v.uv[0], v.uv[1]},
                                 {1, 1, 1, 1}});
    } else {
      const bool fit = !value.has("fit") || value.at("fit").truth();
      mesh.vertices = model_mesh(file_of(value.at("file")), fit);
      if (mesh.vertices.size() > static_cast<std::size_t>(Gfx3d::kMaxMeshVertices))
        value.at("file").fail(fmt::format("{} vertices, a mesh holds {}; make the model simpler", mesh.vertices.size(),
                                          static_cast<int>(Gfx3d::kMaxMeshVertices)));
    }
    scene_.meshes.push_back(std::move(mesh));
  }

  static std::uint32_t word_of(const std::vector<float>& rgb) {
    std::uint32_t word = 0xFF;
    for (const float c : rgb) word = word << 8 | static_cast<std::uint32_t>(c * 255.0f + 0.5f);
    return word;
  }

  void texture(const std::string& name, const YamlValue& value) {
    value.allow({"file", "checker", "size"});
    SceneTexture out;
    out.name = name;
    constexpr int kSide = Gfx3d::kMaxTextureSide;
    if (value.has("file") == value.has("checker")) value.fail("a texture has a file or a checker");
    if (value.has("file")) {
      if (value.has("size")) value.at("size").fail("size is for checkers");
      const std::string file = file_of(value.at("file"));
      const scene::Image image = scene::read_png(file);
      if (image.width > static_cast<std::uint32_t>(kSide) || image.height > static_cast<std::uint32_t>(kSide))
        value.at("file").fail(
            fmt::format("{} is {}x{}, a texture has at most {}x{}", file, image.width, image.height, kSide, kSide));
      out.width = static_cast<int>(image.width);
      out.height = static_cast<int>(image.height);
      for (std::size_t i = 0; i < image.rgba.size(); i += 4)
        out.texels.push_back(std::uint32_t{image.rgba[i + 3]} << 24 | std::uint32_t{image.rgba[i]} << 16 |
                             std::uint32_t{image.rgba[i + 1]} << 8 | image.rgba[i + 2]);
    } else {
      out.width = out.height = value.has("size") ? value.at("size").integer(8, kSide) : 64;
      const std::vector<YamlValue> colors = value.at("checker").list(2, 2);
      const std::uint32_t words[2] = {word_of(colors[0].numbers(3, 0, 1)), word_of(colors[1].numbers(3, 0, 1))};
      const int square = out.width / 8;
      for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) out.texels.push_back(words[(x / square + y / square) % 2]);
    }
    scene_.textures.push_back(std::move(out));
  }

  Shader shader(const YamlValue& value, Stage stage) {
    LoadedShader loaded = load_shader(file_of(value));
    if (!loaded.shader) throw ShaderMistake(loaded.log);
    if (loaded.shader->stage != stage)
      value.fail(value.text() + " is a " + stage_name(loaded.shader->stage) + " shader");
    return std::move(*loaded.shader);
  }

  void program(const std::string& name, const YamlValue& value) {
    value.allow({"vertex", "fragment"});
    SceneProgram out{name, shader(value.at("vertex"), Stage::kVertex), shader(value.at("fragment"), Stage::kFragment)};
    Program program;
    if (!program.link(out.vertex, out.fragment)) throw ShaderMistake(program.log());
    for (const InterfaceEntry& attribute : program.attributes()) {
      const VertexLayout layout = scene_vertex_layout();
      const bool fits = attribute.slot < 4 && layout.elements[static_cast<std::size_t>(attribute.slot)].components >=
                                                  type_lanes(attribute.type);
      if (!fits)
        value.at("vertex").fail(fmt::format(
            "the meshes have no {} at location {} for {}; there are position 0, normal 1, uv (vec2) 2, colour 3",
            type_name(attribute.type), attribute.slot, attribute.name));
    }
    linked_.push_back(std::move(program));
    scene_.programs.push_back(std::move(out));
  }

  template <class Things>
  static int find(const Things& things, const YamlValue& value, const char* what) {
    const std::string name = value.text();
    std::string names;
    for (std::size_t i = 0; i < things.size(); ++i) {
      if (things[i].name == name) return static_cast<int>(i);
      names += (i == 0 ? "" : ", ") + things[i].name;
    }
    value.fail(fmt::format("no {} is called {}; {}", what, plain(name),
                           names.empty() ? "there is none" : "there are " + names));
  }

  // Rotations in degrees about x, then y, then z; after scale, before translation.
  static Mat4 placed(const YamlValue& value) {
    Mat4 out = mat4_identity();
    if (value.has("scale")) {
      std::vector<float> s = value.at("scale").is_list() ? value.at("scale").numbers(3, -1e6f, 1e6f)
                                                         : value.at("scale").numbers(0, -1e6f, 1e6f);
      s.resize(3, s[0]);
      for (const float f : s)
        if (f == 0) value.at("scale").fail("a scale of 0 leaves nothing to draw");
      out = mat4_scale(s[0], s[1], s[2]);
    }
    if (value.has("rotate")) {
      const std::vector<float> r = value.at("rotate").numbers(3, -36000, 36000);
      out = mat4_multiply(mat4_rotate_x(r[0] * kRadians), out);
      out = mat4_multiply(mat4_rotate_y(r[1] * kRadians), out);
      out = mat4_multiply(mat4_rotate_z(r[2] * kRadians), out);
    }
    if (value.has("translate")) {
      const std::vector<float> t = value.at("translate").numbers(3, -kHuge, kHuge);
      out = mat4_multiply(mat4_translate(t[0], t[1], t[2]), out);
    }
    return out;
  }

  static bool set_by_scene(const std::string& name) {
    return name == "view" || name == "projection" || name == "model" || name == "normalMatrix";
  }

  // The uniform for one draw, or nothing when its program does not have the name.
  std::optional<SceneUniform> uniform(const std::string& name, const YamlValue& value, const Program& program) {
    if (set_by_scene(name)) value.fail(name + " is set by the camera and the place of the draw");
    const int index = program.uniform_index(name);
    if (index < 0) return std::nullopt;
    const Uniform& found = program.uniforms()[static_cast<std::size_t>(index)];
    const std::vector<float> values = value.numbers(0, -3.4e38f, 3.4e38f);
    if (static_cast<int>(values.size()) != uniform_floats(found.type))
      value.fail(fmt::format("{} numbers for a {}, {} are needed", values.size(), type_name(found.type),
                             uniform_floats(found.type)));
    return SceneUniform{name, values};
  }

  void draw(const YamlValue& value) {
    value.allow(
        {"mesh", "program", "texture", "translate", "rotate", "scale", "uniforms", "depth", "cull", "viewport"});
    SceneDraw out;
    out.mesh = find(scene_.meshes, value.at("mesh"), "mesh");
    out.program = find(scene_.programs, value.at("program"), "program");
    if (value.has("texture")) out.texture = find(scene_.textures, value.at("texture"), "texture");
    const Program& program = linked_[static_cast<std::size_t>(out.program)];
    if (out.texture < 0 && !program.samplers().empty())
      value.fail("the program has a sampler, so the draw needs a texture");
    out.model = placed(value);
    if (value.has("depth")) out.depth = value.at("depth").truth();
    if (value.has("cull")) out.cull = value.at("cull").truth();
    if (value.has("viewport")) {
      const std::vector<YamlValue> sides = value.at("viewport").list(4, 4);
      out.viewport = {sides[0].integer(-16384, 16384), sides[1].integer(-16384, 16384), sides[2].integer(0, 16384),
                      sides[3].integer(0, 16384)};
    }
    if (value.has("uniforms")) {
      value.at("uniforms").each_key([&](const std::string& name, const YamlValue& given) {
        const auto found = uniform(name, given, program);
        if (!found) given.fail(missing_uniform(name, {&program}));
        out.uniforms.push_back(*found);
      });
    }
    scene_.draws.push_back(std::move(out));
  }

  static std::string missing_uniform(const std::string& name, const std::vector<const Program*>& programs) {
    std::string names;
    for (const Program* program : programs)
      for (const Uniform& u : program->uniforms())
        if (!set_by_scene(u.name))
          names += fmt::format("{}{} {}", names.empty() ? "; there are " : ", ", type_name(u.type), u.name);
    return "no shader has a uniform " + plain(name) + names;
  }

  // What a draw says itself goes first.
  void shared_uniforms() {
    if (!root_.has("uniforms")) return;
    root_.at("uniforms").each_key([&](const std::string& name, const YamlValue& value) {
      bool used = false;
      for (SceneDraw& draw : scene_.draws) {
        const auto found = uniform(name, value, linked_[static_cast<std::size_t>(draw.program)]);
        used |= found.has_value();
        const auto own = [&](const SceneUniform& u) { return u.name == name; };
        if (found && std::none_of(draw.uniforms.begin(), draw.uniforms.end(), own)) draw.uniforms.push_back(*found);
      }
      std::vector<const Program*> programs;
      for (const Program& program : linked_) programs.push_back(&program);
      if (!used) value.fail(missing_uniform(name, programs));
    });
  }

  const YamlValue& root_;
  std::string folder_;
  Gfx3dScene scene_;
  std::vector<Program> linked_;  // of each program of the scene
};

}  // namespace

Gfx3dScene parse_gfx3d_scene(const std::string& text, const std::string& name, const std::string& folder) {
  const YamlValue root = parse_yaml(text, name);
  try {
    return SceneReader(root, folder).read();
  } catch (const YAML::Exception& error) {  // what the library notices late
    user_error("{}: {}", name, plain(error.msg, 80));
  }
}

Gfx3dScene read_gfx3d_scene(const std::string& path) {
  return parse_gfx3d_scene(scene::read_file(path), path, std::filesystem::path(path).parent_path().string());
}

}  // namespace gyre::shader
