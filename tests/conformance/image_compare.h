// How far two pictures are apart, in the terms the conformance rules are written in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace gyre::test {

struct Picture {
  unsigned width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // top row first
};

// Pixels of which some channel differs by more than `tolerance`. SIZE_MAX if the sizes differ.
inline std::size_t bad_pixels(const Picture& a, const Picture& b, int tolerance) {
  if (a.width != b.width || a.height != b.height || a.rgba.size() != b.rgba.size()) return SIZE_MAX;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
    int worst = 0;
    for (std::size_t c = 0; c < 4; ++c) worst = std::max(worst, std::abs(a.rgba[i + c] - b.rgba[i + c]));
    bad += worst > tolerance;
  }
  return bad;
}

inline int worst_difference(const Picture& a, const Picture& b) {
  int worst = 0;
  for (std::size_t i = 0; i < std::min(a.rgba.size(), b.rgba.size()); ++i)
    worst = std::max(worst, std::abs(a.rgba[i] - b.rgba[i]));
  return worst;
}

}  // namespace gyre::test
