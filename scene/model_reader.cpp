#include "model_reader.h"

#include <algorithm>
#include <cmath>

#include "files.h"
#include "isolate.h"
#include "package_builder.h"
#include "ply_check.h"

namespace gyre::scene {
namespace {

constexpr std::uint32_t kMaxTextureSide = 1024;
constexpr std::uint32_t kBackground = 0xFF2A323Du;
constexpr double kHalfField = 0.30;  // tangent of half the field of view along the shorter side
constexpr double kMargin = 0.94;     // part of the picture the model may fill

struct Vec {
  double x = 0, y = 0, z = 0;
  Vec operator+(const Vec& b) const { return {x + b.x, y + b.y, z + b.z}; }
  Vec operator-(const Vec& b) const { return {x - b.x, y - b.y, z - b.z}; }
  Vec operator*(double s) const { return {x * s, y * s, z * s}; }
};
double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(const Vec& a, const Vec& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec normalized(const Vec& v) { return v * (1 / std::sqrt(dot(v, v))); }
Vec vec(const float (&v)[3]) { return {v[0], v[1], v[2]}; }

// Looks at the model from the front, a little from the right and above; the whole of it is in the picture, whatever
// the aspect.
class Camera {
 public:
  Camera(const Model& model, std::uint32_t width, std::uint32_t height) {
    towards_ = normalized({0.45, 0.38, 1.0});
    right_ = normalized(cross({0, 1, 0}, towards_));
    up_ = cross(towards_, right_);
    const double shorter = std::min(width, height);
    tan_x_ = kHalfField * width / shorter;
    tan_y_ = kHalfField * height / shorter;
    frame(model);
  }

  // Position in the camera's frame: right, up, distance before the eye.
  Vec view(const Vec& p) const {
    const Vec d = p - centre_;
    return {dot(d, right_) - shift_x_, dot(d, up_) - shift_y_, distance_ - dot(d, towards_)};
  }
  // Clip coordinates, depth 0..w, y down.
  void project(const Vec& p, float (&out)[4]) const {
    const Vec v = view(p);
    out[0] = static_cast<float>(v.x / tan_x_);
    out[1] = static_cast<float>(-v.y / tan_y_);
    out[2] = static_cast<float>((v.z - near_) * far_ / (far_ - near_));
    out[3] = static_cast<float>(v.z);
  }
  const Vec& right() const { return right_; }
  const Vec& up() const { return up_; }
  const Vec& towards() const { return towards_; }
  Vec eye() const { return centre_ + towards_ * distance_ + right_ * shift_x_ + up_ * shift_y_; }

 private:
  template <class Body>
  static void for_each_position(const Model& model, Body body) {
    for (const ModelPart& part : model.parts)
      for (const Corner& corner : part.corners) body(vec(corner.position));
  }

  void frame(const Model& model) {
    Vec low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    for_each_position(model, [&](const Vec& p) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    });
    centre_ = (low + high) * 0.5;
    // Smallest distance at which four planes through the eye, one a picture edge, have the model on their inner side;
    // moving the eye sideways first centres the picture.
    const double reach_x = tan_x_ * kMargin, reach_y = tan_y_ * kMargin;
    double left = -1e30, right = -1e30, bottom = -1e30, top = -1e30, front = -1e30, back = 1e30;
    for_each_position(model, [&](const Vec& p) {
      const Vec d = p - centre_;
      const double x = dot(d, right_), y = dot(d, up_), z = dot(d, towards_);
      left = std::max(left, z - x / reach_x);
      right = std::max(right, z + x / reach_x);
      bottom = std::max(bottom, z - y / reach_y);
      top = std::max(top, z + y / reach_y);
      front = std::max(front, z);
      back = std::min(back, z);
    });
    shift_x_ = (right - left) * 0.5 * reach_x;
    shift_y_ = (top - bottom) * 0.5 * reach_y;
    const double size = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-30});
    distance_ = std::max({(left + right) * 0.5, (bottom + top) * 0.5, front + size * 0.05});
    near_ = std::max((distance_ - front) * 0.95, distance_ * 1e-3);
    far_ = (distance_ - back) * 1.05 + size * 0.01;
  }

  Vec centre_, right_, up_, towards_;
  double tan_x_ = 1, tan_y_ = 1, shift_x_ = 0, shift_y_ = 0, distance_ = 1, near_ = 0.1, far_ = 10;
};

// Key light from the upper left, a weak fill from the right, more sky than ground light, a soft highlight. Surfaces
// are lit from whichever side is seen.
class Light {
 public:
  explicit Light(const Camera& camera) : eye_(camera.eye()) {
    key_ = normalized(camera.right() * -0.55 + camera.up() * 0.75 + camera.towards() * 0.6);
    fill_ = normalized(camera.right() * 0.9 + camera.up() * 0.1 + camera.towards() * 0.5);
  }
  void shade(const Corner& corner, bool textured, float (&out)[4]) const {
    const Vec to_eye = normalized(eye_ - vec(corner.position));
    Vec normal = vec(corner.normal);
    if (dot(normal, normal) < 0.25) normal = to_eye;  // none was given and none could be made
    if (dot(normal, to_eye) < 0) normal = normal * -1;
    const double diffuse =
        0.24 + 0.12 * normal.y + 0.66 * std::max(0.0, dot(normal, key_)) + 0.16 * std::max(0.0, dot(normal, fill_));
    const double facing = std::max(0.0, dot(normal, normalized(key_ + to_eye)));
    const double highlight = textured ? 0.0 : 0.18 * std::pow(facing, 40);
    for (unsigned k = 0; k < 3; ++k)
      out[k] = static_cast<float>(std::clamp(corner.color[k] * diffuse + highlight, 0.0, 1.0));
    out[3] = corner.color[3];
  }

 private:
  Vec eye_, key_, fill_;
};

// Whole periods do not change a repeated texture; without them the coordinates stay in the planes' range.
void fold_repeats(const ModelPart& part, PackageVertex (&triangle)[3]) {
  const std::uint32_t wraps[2] = {part.wrap_u, part.wrap_v};
  for (unsigned axis = 0; axis < 2; ++axis) {
    if (wraps[axis] != GYRE_TEX_WRAP_REPEAT) continue;
    const float base =
        std::floor(std::min({triangle[0].texcoord[axis], triangle[1].texcoord[axis], triangle[2].texcoord[axis]}));
    for (PackageVertex& vertex : triangle) vertex.texcoord[axis] -= base;
  }
}

std::uint32_t add_picture(const Image& picture, PackageBuilder& builder, std::uint32_t& levels) {
  std::vector<std::vector<std::uint8_t>> data;
  Image level = to_power_of_two(picture, kMaxTextureSide);
  const unsigned log_width = log2_of(level.width), log_height = log2_of(level.height);
  data.push_back(to_argb_bytes(level));
  while (level.width > 1 || level.height > 1) {
    level = halve(level);
    data.push_back(to_argb_bytes(level));
  }
  levels = static_cast<std::uint32_t>(data.size());
  return builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, log_width, log_height, data);
}

}  // namespace

std::vector<std::uint8_t> draw_model(const Model& model, std::uint32_t width, std::uint32_t height) {
  PackageBuilder builder(width, height);
  builder.set_clear(kBackground, 0xFFFFFF, 0);
  const Camera camera(model, width, height);
  const Light light(camera);
  for (const ModelPart& part : model.parts) {
    gyre_pkg_draw draw = plain_draw(width, height);
    draw.color_rule = GYRE_COLOR_ROUND;
    draw.vp_halfz = 1;
    draw.depth_func = GYRE_CMP_LESS;
    draw.depth_writemask = 1;
    const bool textured = part.picture >= 0;
    if (textured) {
      draw.shader = GYRE_SHADER_MODULATE;
      draw.texture = add_picture(model.pictures[static_cast<std::size_t>(part.picture)], builder, draw.tex_levels);
      draw.tex_filter = GYRE_TEX_FILTER_BILINEAR;
      draw.tex_filter_min = GYRE_TEX_FILTER_BILINEAR | GYRE_TEX_FILTER_MIP_LINEAR;
      draw.tex_wrap = pack16(part.wrap_v, part.wrap_u);
      draw.lod_rule = GYRE_LOD_FINE;
    }
    std::vector<PackageVertex> vertices;
    vertices.reserve(part.corners.size());
    for (std::size_t i = 0; i + 2 < part.corners.size(); i += 3) {
      PackageVertex triangle[3] = {};
      for (unsigned c = 0; c < 3; ++c) {
        const Corner& corner = part.corners[i + c];
        camera.project(vec(corner.position), triangle[c].position);
        light.shade(corner, textured, triangle[c].color);
        triangle[c].texcoord[0] = corner.uv[0];
        triangle[c].texcoord[1] = corner.uv[1];
      }
      if (textured) fold_repeats(part, triangle);
      vertices.insert(vertices.end(), triangle, triangle + 3);
    }
    builder.add_draw(draw, vertices);
  }
  return builder.build();
}

std::vector<std::uint8_t> read_model(const std::string& path, std::uint32_t width, std::uint32_t height) {
  check_target_size(path.c_str(), width, height);
  const std::string content = read_file(path);
  if (content.compare(0, 3, "ply") == 0) check_ply(content, path);
  const auto cpu_seconds = static_cast<unsigned>(5 + 2 * (content.size() >> 20));
  return run_isolated(path, cpu_seconds, [&] { return draw_model(import_model(path), width, height); });
}

}  // namespace gyre::scene
