// Triangles for the front-end tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "front_end.h"
#include "setup.h"
#include "stages.h"

namespace gyre::test {

inline gyre_setup_vertex vertex(float x, float y, float z, float w) {
  gyre_setup_vertex v{};
  v.pos[0] = x;
  v.pos[1] = y;
  v.pos[2] = z;
  v.pos[3] = w;
  for (float& c : v.color) c = 1;
  return v;
}

// Clip position of a point given in pixels (y down) and screen depth [0, 1] under the default viewport.
inline gyre_setup_vertex at_pixel(double x, double y, double z, double w, double width, double height) {
  return vertex(static_cast<float>((2 * x / width - 1) * w), static_cast<float>((2 * y / height - 1) * w),
                static_cast<float>((2 * z - 1) * w), static_cast<float>(w));
}

struct Triangle {
  gyre_setup_config config;
  gyre_prim prim[GYRE_SETUP_MAX_SUB];
  gyre_bbox box[GYRE_SETUP_MAX_SUB];
  std::uint32_t flat[GYRE_SETUP_MAX_SUB][GYRE_LANES];
  std::uint32_t count;
};

inline Triangle set_up(const reference::FrontEndState& state, const gyre_setup_vertex tri[3]) {
  Triangle r{};
  const gyre_pipe_arg arg = reference::make_pipe_arg(state, 1, {});
  gyre_setup_configure(&r.config, &arg);
  r.count = gyre_setup_emit(&r.config, tri, GYRE_SETUP_MAX_SUB, r.prim, r.box, r.flat[0]);
  return r;
}

// Random triangles of all kinds: small and large, behind the eye, off screen, degenerate.
inline std::vector<gyre_setup_vertex> random_triangles(std::uint32_t seed, std::uint32_t count, bool inside_near) {
  std::mt19937 rng(seed);
  auto uniform = [&](float lo, float hi) { return lo + (hi - lo) * static_cast<float>(rng() >> 8) * 0x1p-24f; };
  std::vector<gyre_setup_vertex> v;
  for (std::uint32_t t = 0; t < count; ++t) {
    const float cx = uniform(-1.2f, 1.2f), cy = uniform(-1.2f, 1.2f);
    const float size = rng() % 8 == 0 ? 1.5f : 0.1f;
    for (int k = 0; k < 3; ++k) {
      const float w = uniform(0.2f, 8.0f);
      gyre_setup_vertex p = vertex((cx + uniform(-size, size)) * w, (cy + uniform(-size, size)) * w,
                                   uniform(-1.0f, 1.0f) * w, w);
      if (!inside_near && rng() % 4 == 0) p.pos[2] = -p.pos[3] - uniform(0, 1);
      if (!inside_near && rng() % 16 == 0) p.pos[3] = -p.pos[3];
      for (float& c : p.color) c = uniform(0, 1);
      for (float& c : p.texcoord) c = uniform(-3, 3);
      v.push_back(p);
    }
    if (rng() % 32 == 0) v[v.size() - 1] = v[v.size() - 2];
  }
  return v;
}

}  // namespace gyre::test
