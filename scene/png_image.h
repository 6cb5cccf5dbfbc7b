// PNG files, 8-bit RGBA.
#pragma once

#include <string>
#include <string_view>

#include "image.h"

namespace gyre::scene {

// Any PNG, converted to 8-bit RGBA. UserError, starting with `name`, when it is damaged or a side is above 16384.
Image decode_png(std::string_view bytes, const std::string& name);
Image read_png(const std::string& path);

// UserError when the file cannot be written.
void write_png(const std::string& path, const Image& image);

}  // namespace gyre::scene
