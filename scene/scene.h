// One call from any scene file to draw package bytes (abi/package.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::scene {

enum class Kind { kPackage, kTrace, kDrawList, kModel };

const char* kind_name(Kind kind);

// What a file is, by its content, then by the extension of `path`.
Kind detect(const std::string& path, std::string_view content);

// Reads a draw package, a .cgltrace, a draw-list JSON or a model file. width, height in pixels; 0: the size the file
// itself has (package, draw list), otherwise kTraceSide or kModelWidth x kModelHeight. A package has one size only.
// UserError, one line, when the file cannot be read or is malformed. The result has passed PackageView's checks.
std::vector<std::uint8_t> load(const std::string& path, std::uint32_t width = 0, std::uint32_t height = 0);

}  // namespace gyre::scene
