// gyre render for Gfx3D scenes (.yaml): drawn with their own shaders on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report.h"

namespace gyre::platform {

bool is_gfx3d_scene(const std::string& path);  // by its name: .yaml or .yml

struct Gfx3dRender {
  std::string scene, output, raw;  // files; raw: also PREFIX.rgba and PREFIX.depth (floats)
  std::string backend;             // soft or interp; empty: soft
  std::uint32_t width = 0, height = 0;  // 0: the scene's own
  int threads = 1;
};

// The draws of the scene and their compiled shaders as a draw package for the machine; `tex_unit`: SAMPLE goes to the TEX unit. Nothing
// after a shader's mistakes were printed. UserError for everything else, what the machine cannot draw among it.
std::optional<std::vector<std::uint8_t>> package_gfx3d(const Gfx3dRender& options, bool tex_unit);

// Writes the picture. 2 after a shader's mistakes were printed, else 0. UserError for everything else.
int render_gfx3d(const Gfx3dRender& options, RunReport* report);

}  // namespace gyre::platform
