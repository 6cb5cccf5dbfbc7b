// Reader of draw-list JSON: the case format of the picture oracle (docs/scenes.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::scene {

// Draw package bytes. width, height: 0 keeps the size the file gives; another size stretches the picture, scissors
// included. PNG textures are looked for beside `name`. UserError with file and path of the value on any mistake.
std::vector<std::uint8_t> read_drawlist(std::string_view text, const std::string& name, std::uint32_t width,
                                        std::uint32_t height);

}  // namespace gyre::scene
