// Model files (OBJ, glTF, 3DS, PLY, Collada) as scenes: a camera that frames the model, a light baked into the vertex
// colours, the base-colour picture as a mip-mapped texture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.h"

namespace gyre::scene {

constexpr std::uint32_t kModelWidth = 640, kModelHeight = 480;  // pixels, when nobody asks for another size

// Draw package bytes: one draw a picture, depth LESS, no culling, colour rule ROUND, row 0 on top. Pictures are
// rescaled to powers of two of at most 1024 texels a side. UserError on a malformed file; a crash or hang of the
// importer is one too (isolate.h).
std::vector<std::uint8_t> read_model(const std::string& path, std::uint32_t width, std::uint32_t height);

// The second half: an imported model to a package.
std::vector<std::uint8_t> draw_model(const Model& model, std::uint32_t width, std::uint32_t height);

}  // namespace gyre::scene
