// From shaded vertices to triangles on the screen, and the arithmetic of one pixel of them (csir.md §13, §14). Every
// renderer evaluates these same expressions in float32, in this order.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "csir.h"

namespace gyre::shader {

struct ShadedVertex {
  float position[4];   // clip coordinates
  float varyings[32];  // 8 vec4
};

struct PixelRect {
  int x0 = 0, y0 = 0, x1 = -1, y1 = -1;  // both ends inclusive
  bool empty() const { return x1 < x0 || y1 < y0; }
};

struct RasterRules {
  float small_w = 1e-5f;      // |W| below: the triangle is not drawn (without clipping)
  bool clip = false;          // -W <= Z <= W and W >= small_w
  bool cull = false;          // drop clockwise triangles
  bool window_depth = false;  // affine, 0..1
  bool top_left = false;
  bool depth_test = true;
  bool depth_write = true;
  bool clamp_color = true;
  float viewport[4] = {0, 0, 0, 0};  // x, y, width, height in pixels
  PixelRect bounds;                  // pixels that may be written
};

// e(a, b, p) = (p.x - a.x) dy - (p.y - a.y) dx, times sign. With the top-left rule the ends are put in one order, so
// that two triangles see their common edge with the same number, one of them negated.
struct Edge {
  float ax, ay, dx, dy, sign;
  bool owns_zero;  // a pixel on the edge belongs to this triangle

  float at(float px, float py) const { return ((px - ax) * dy - (py - ay) * dx) * sign; }
};

struct Triangle {
  Edge edges[3];  // v1v2, v2v0, v0v1
  float den;      // > 0: counter-clockwise in NDC
  float facing;   // sign of den
  float iw[3], z[3];
  const float* varyings[3];
  PixelRect box;
};

// Is the pixel covered, by the top-left rule: its edge functions say.
inline bool covers_top_left(const Triangle& t, float e0, float e1, float e2) {
  const float f0 = e0 * t.facing, f1 = e1 * t.facing, f2 = e2 * t.facing;
  return ((f0 > 0.0f) | ((f0 == 0.0f) & t.edges[0].owns_zero)) & ((f1 > 0.0f) | ((f1 == 0.0f) & t.edges[1].owns_zero)) &
         ((f2 > 0.0f) | ((f2 == 0.0f) & t.edges[2].owns_zero));
}

// Is it covered, by either rule; `b`: barycentrics.
inline bool covers(const Triangle& t, bool top_left, float e0, float e1, float e2, float* b) {
  b[0] = e0 / t.den;
  b[1] = e1 / t.den;
  b[2] = e2 / t.den;
  if (!top_left) return !(b[0] < -0.001f) & !(b[1] < -0.001f) & !(b[2] < -0.001f);
  return covers_top_left(t, e0, e1, e2);
}

inline float sample_iw(const Triangle& t, const float* b) { return b[0] * t.iw[0] + b[1] * t.iw[1] + b[2] * t.iw[2]; }

inline float sample_z(const Triangle& t, bool window_depth, const float* b, float iw) {
  const float sum = b[0] * t.z[0] * t.iw[0] + b[1] * t.z[1] * t.iw[1] + b[2] * t.z[2] * t.iw[2];
  return window_depth ? sum * 0.5f + 0.5f : sum / iw;
}

inline float interpolate(float b0, float b1, float b2, float v0, float v1, float v2, const float* w, float iw) {
  return (b0 * v0 * w[0] + b1 * v1 * w[1] + b2 * v2 * w[2]) / iw;
}

// The triangles of one draw. Clipped vertices live in a store of their own; pointers into it stay valid.
class TriangleList {
 public:
  explicit TriangleList(const RasterRules& rules) : rules_(rules) {}

  // Adds what is left of a triangle: nothing, itself, or the fan of the clipped polygon. The vertices must outlive the
  // list. False when a W is too small and nothing was drawn for that reason (never with clipping).
  bool add(const ShadedVertex& v0, const ShadedVertex& v1, const ShadedVertex& v2);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  const RasterRules& rules() const { return rules_; }

 private:
  void clip(const ShadedVertex* const vertices[3]);
  void add_flat(const ShadedVertex& v0, const ShadedVertex& v1, const ShadedVertex& v2);

  RasterRules rules_;
  std::vector<Triangle> triangles_;
  std::deque<ShadedVertex> store_;
};

}  // namespace gyre::shader
