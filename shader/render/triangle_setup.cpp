#include "triangle_setup.h"

#include <cmath>

#include "fixed.h"

namespace gyre::shader {
namespace {

constexpr float kFar = 1073741824.0f;  // 2^30
constexpr float kSmallestDen = 1e-4f;

struct Point {
  float x, y;
};

float literal_edge(Point a, Point b, Point p) { return (p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x); }

Edge make_edge(Point a, Point b, const RasterRules& rules, float facing) {
  Edge edge{};
  edge.sign = 1.0f;
  // Seen so that the inside is on the positive side, y down: a left edge goes down, a top edge goes left.
  const float dx = (b.x - a.x) * facing, dy = (b.y - a.y) * facing;
  edge.owns_zero = dy > 0.0f || (dy == 0.0f && dx < 0.0f);
  if (rules.top_left && (a.y > b.y || (a.y == b.y && a.x > b.x))) {
    const Point swap = a;
    a = b;
    b = swap;
    edge.sign = -1.0f;
  }
  edge.ax = a.x;
  edge.ay = a.y;
  edge.dx = b.x - a.x;
  edge.dy = b.y - a.y;
  return edge;
}

int pixel(float coordinate) {
  if (coordinate > kFar) coordinate = kFar;
  if (coordinate < -kFar) coordinate = -kFar;
  return gyre_f32_to_i32_sat(coordinate);
}

// Distance to a clip plane; inside when >= 0. Planes: W >= small_w, Z >= -W, Z <= W.
float distance(const float* p, int plane, float small_w) {
  if (plane == 0) return p[3] - small_w;
  return plane == 1 ? p[2] + p[3] : p[3] - p[2];
}

ShadedVertex between(const ShadedVertex& inside, const ShadedVertex& outside, float di, float dout) {
  const float t = di / (di - dout);
  ShadedVertex out;
  for (int i = 0; i < 4; ++i) out.position[i] = inside.position[i] + t * (outside.position[i] - inside.position[i]);
  for (int i = 0; i < 32; ++i) out.varyings[i] = inside.varyings[i] + t * (outside.varyings[i] - inside.varyings[i]);
  return out;
}

}  // namespace

bool TriangleList::add(const ShadedVertex& v0, const ShadedVertex& v1, const ShadedVertex& v2) {
  if (rules_.clip) {
    const ShadedVertex* const vertices[3] = {&v0, &v1, &v2};
    clip(vertices);
    return true;
  }
  for (const ShadedVertex* v : {&v0, &v1, &v2})
    if (std::fabs(v->position[3]) < rules_.small_w) return false;
  add_flat(v0, v1, v2);
  return true;
}

// Sutherland and Hodgman. An edge is cut from its inner end to its outer end, whatever its direction, so triangles that
// share it cut it in the same point.
void TriangleList::clip(const ShadedVertex* const vertices[3]) {
  const ShadedVertex* polygon[8] = {vertices[0], vertices[1], vertices[2]};
  int count = 3;
  for (int plane = 0; plane < 3; ++plane) {
    const ShadedVertex* next[8];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      const ShadedVertex *const a = polygon[i], *const b = polygon[(i + 1) % count];
      const float da = distance(a->position, plane, rules_.small_w), db = distance(b->position, plane, rules_.small_w);
      if (da >= 0.0f) next[kept++] = a;
      if ((da >= 0.0f) == (db >= 0.0f)) continue;
      store_.push_back(da >= 0.0f ? between(*a, *b, da, db) : between(*b, *a, db, da));
      next[kept++] = &store_.back();
    }
    count = kept;
    for (int i = 0; i < count; ++i) polygon[i] = next[i];
    if (count < 3) return;
  }
  for (int i = 1; i + 1 < count; ++i) add_flat(*polygon[0], *polygon[i], *polygon[i + 1]);
}

void TriangleList::add_flat(const ShadedVertex& v0, const ShadedVertex& v1, const ShadedVertex& v2) {
  const ShadedVertex* const vertices[3] = {&v0, &v1, &v2};
  const float* const view = rules_.viewport;
  Triangle t{};
  Point p[3];
  for (int i = 0; i < 3; ++i) {
    const float* const clip = vertices[i]->position;
    const float iw = 1.0f / clip[3];
    p[i].x = view[0] + (clip[0] * iw * 0.5f + 0.5f) * view[2];
    p[i].y = view[1] + (1.0f - (clip[1] * iw * 0.5f + 0.5f)) * view[3];
    // What has no place on the screen has no pixels.
    if (!std::isfinite(p[i].x) || !std::isfinite(p[i].y)) return;
    t.iw[i] = iw;
    t.z[i] = clip[2];
    t.varyings[i] = vertices[i]->varyings;
  }
  t.den = literal_edge(p[0], p[1], p[2]);
  if (!(std::fabs(t.den) >= kSmallestDen) || (rules_.cull && t.den < 0.0f)) return;
  t.facing = t.den > 0.0f ? 1.0f : -1.0f;
  for (int i = 0; i < 3; ++i) t.edges[i] = make_edge(p[(i + 1) % 3], p[(i + 2) % 3], rules_, t.facing);
  t.box = {pixel(p[0].x), pixel(p[0].y), pixel(p[0].x), pixel(p[0].y)};
  for (int i = 1; i < 3; ++i) {
    const int x = pixel(p[i].x), y = pixel(p[i].y);
    if (x < t.box.x0) t.box.x0 = x;
    if (x > t.box.x1) t.box.x1 = x;
    if (y < t.box.y0) t.box.y0 = y;
    if (y > t.box.y1) t.box.y1 = y;
  }
  const PixelRect& b = rules_.bounds;
  if (t.box.x0 < b.x0) t.box.x0 = b.x0;
  if (t.box.y0 < b.y0) t.box.y0 = b.y0;
  if (t.box.x1 > b.x1) t.box.x1 = b.x1;
  if (t.box.y1 > b.y1) t.box.y1 = b.y1;
  if (!t.box.empty()) triangles_.push_back(t);
}

}  // namespace gyre::shader
