// Fragment wave packing (Rasterizer §8, launch.md §5.3).
#pragma once

#include <array>
#include <cstdint>

#include "coverage.h"

namespace gyre::raster {

constexpr unsigned kMaxWaveQuads = 8;  // 32 lanes, four a quad

struct Wave {
  std::array<Quad, kMaxWaveQuads> quads{};
  unsigned count = 0;
  std::uint32_t owner = 0;  // core within the cluster
};

// The fill buffer. Quads enter in arrival order; the caller flushes when told to, and after the idle time.
class Packer {
 public:
  // `capacity`: quads per wave, threads / 4, 1..kMaxWaveQuads.
  explicit Packer(unsigned capacity) : capacity_(capacity) {}

  bool empty() const { return wave_.count == 0; }
  bool full() const { return wave_.count == capacity_; }

  // The buffer has to leave before `quad` may enter: no wave mixes owners, and a pixel appears at most once in a
  // wave, so that two fragments of a pixel land in successive launches.
  bool conflicts(const Quad& quad, std::uint32_t owner) const {
    if (empty()) return false;
    if (full() || owner != wave_.owner) return true;
    for (unsigned i = 0; i < wave_.count; ++i)
      if (wave_.quads[i].x == quad.x && wave_.quads[i].y == quad.y) return true;
    return false;
  }

  // Requires !conflicts(quad, owner).
  void append(const Quad& quad, std::uint32_t owner) {
    wave_.owner = owner;
    wave_.quads[wave_.count++] = quad;
  }

  const Wave& wave() const { return wave_; }
  void clear() { wave_.count = 0; }

 private:
  unsigned capacity_;
  Wave wave_;
};

}  // namespace gyre::raster
