// Conformance cases: a draw list NAME.json beside its picture NAME.png, and how close a renderer has to come.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "image_compare.h"
#include "png_image.h"

namespace gyre::test {

struct Rule {
  int tolerance;  // per channel
  double share;   // of pixels that may be off by more
  const char* reason;
};

// docs/conformance.md explains each figure.
inline Rule rule_of(const std::string& family) {
  if (family == "fill" || family == "logic") return {0, 0, "integer coverage and bitwise operations"};
  if (family == "blend") return {1, 0, "8-bit blending rounds once"};
  if (family == "texture") return {2, 0.005, "nearest filtering at texel edges"};
  if (family == "persp") return {2, 0.01, "edge pixels; depth ties"};
  if (family == "clip") return {2, 0.005, "cut edges are snapped differently"};
  return {0, 0.01, "surfaces closer than the depth plane's truncation"};  // depth, stencil
}

struct Case {
  std::string name, family, path;
  Picture expected;
};

inline Picture picture_of(const scene::Image& image) { return {image.width, image.height, image.rgba}; }

// Sorted by name. A case without a picture is left out.
inline std::vector<Case> cases_in(const std::string& folder, const std::string& pictures) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  std::vector<Case> cases;
  for (const auto& name : names) {
    const auto picture = std::filesystem::path(pictures) / (name + ".png");
    if (!std::filesystem::exists(picture)) continue;
    cases.push_back({name, name.substr(0, name.find('_')), (std::filesystem::path(folder) / (name + ".json")).string(),
                     picture_of(scene::read_png(picture.string()))});
  }
  return cases;
}

}  // namespace gyre::test
