// Binned random scenes and what has to come out of them, pixel by pixel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "dcr.h"
#include "depth_plane.h"
#include "launch.h"
#include "triangles.h"

namespace gyre::test {

constexpr std::uint32_t kTileBuffer = 0x10000, kPrimBuffer = 0x80000, kDepthBuffer = 0x100000, kMemoryBytes = 0x180000;

struct Scene {
  int width = 0, height = 0;
  std::vector<Triangle> triangles;
  std::vector<gyre_plane> depths;

  static Scene random(unsigned seed, int width, int height, unsigned count) {
    std::mt19937 random(seed);
    Scene scene;
    scene.width = width;
    scene.height = height;
    for (unsigned i = 0; i < count; ++i) {
      scene.triangles.push_back(random_triangle(random, 5, width, height));
      scene.depths.push_back({static_cast<std::int32_t>(random() % 20000) - 10000,
                              static_cast<std::int32_t>(random() % 20000) - 10000,
                              static_cast<std::int32_t>(random() % 0xFFFFFF)});
    }
    return scene;
  }

  unsigned columns(unsigned bin_log) const { return (static_cast<unsigned>(width) + (1u << bin_log) - 1) >> bin_log; }
  unsigned rows(unsigned bin_log) const { return (static_cast<unsigned>(height) + (1u << bin_log) - 1) >> bin_log; }
  unsigned bins(unsigned bin_log) const { return columns(bin_log) * rows(bin_log); }

  // Tile and primitive buffers as the front end leaves them: dense headers, ascending pids.
  void store(std::vector<std::uint8_t>& memory, unsigned bin_log) const {
    std::vector<gyre_bin_header> headers;
    std::vector<std::uint32_t> pids;
    for (unsigned y = 0; y < rows(bin_log); ++y)
      for (unsigned x = 0; x < columns(bin_log); ++x) {
        const std::uint32_t first = static_cast<std::uint32_t>(pids.size());
        for (std::uint32_t pid = 0; pid < triangles.size(); ++pid) {
          const gyre_bbox& box = triangles[pid].box;
          if (box.left >> bin_log <= x && x <= (box.right - 1) >> bin_log && box.top >> bin_log <= y &&
              y <= (box.bottom - 1) >> bin_log)
            pids.push_back(pid);
        }
        headers.push_back({y << 16 | x, first, static_cast<std::uint32_t>(pids.size()) - first});
      }
    std::memcpy(memory.data() + kTileBuffer, headers.data(), headers.size() * sizeof headers[0]);
    std::memcpy(memory.data() + kTileBuffer + headers.size() * sizeof headers[0], pids.data(), pids.size() * 4);
    for (std::size_t pid = 0; pid < triangles.size(); ++pid) {
      gyre_prim prim = {};
      std::copy(triangles[pid].edges, triangles[pid].edges + 3, prim.edges);
      prim.depth = depths[pid];
      std::memcpy(memory.data() + kPrimBuffer + pid * sizeof prim, &prim, sizeof prim);
    }
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> registers(unsigned bin_log) const {
    return {{GYRE_DCR_STARTUP_ADDR0, 0x80000000u},
            {GYRE_DCR_RASTER_TBUF_ADDR, kTileBuffer >> 6},
            {GYRE_DCR_RASTER_TILE_COUNT, bins(bin_log)},
            {GYRE_DCR_RASTER_PBUF_ADDR, kPrimBuffer >> 6},
            {GYRE_DCR_RASTER_PBUF_STRIDE, sizeof(gyre_prim)},
            {GYRE_DCR_RASTER_SCISSOR_X, static_cast<std::uint32_t>(width) << 16},
            {GYRE_DCR_RASTER_SCISSOR_Y, static_cast<std::uint32_t>(height) << 16},
            {GYRE_DCR_RASTER_FRAG_ENTRY_LO, 0x80001234u},
            {GYRE_DCR_RASTER_FRAG_PARAM_LO, 0x00ABC000u}};
  }
};

// pids of every pixel in the order they are launched.
using PixelOrder = std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>>;

// keep(x, y, pid): the fragment survives early-Z.
template <class Keep>
PixelOrder expected_order(const Scene& scene, Keep keep) {
  PixelOrder order;
  for (unsigned pid = 0; pid < scene.triangles.size(); ++pid)
    for (int y = 0; y < scene.height; ++y)
      for (int x = 0; x < scene.width; ++x)
        if (covers(scene.triangles[pid].edges, x, y) && keep(x, y, pid))
          order[{static_cast<unsigned>(x), static_cast<unsigned>(y)}].push_back(pid);
  return order;
}

inline void add_message(PixelOrder& order, const kernel::LaunchMessage& message) {
  for (unsigned i = 0; i < message.fragment.count; ++i) {
    const kernel::QuadStamp& quad = message.fragment.quads[i];
    for (unsigned s = 0; s < 4; ++s)
      if (quad.mask >> s & 1) order[{2u * quad.x + (s & 1), 2u * quad.y + (s >> 1)}].push_back(quad.pid);
  }
}

}  // namespace gyre::test
