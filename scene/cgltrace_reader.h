// Reader of .cgltrace scenes: recorded OpenGL ES 1 draws (cgltrace.md §1-§3), translated as its §7 says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::scene {

constexpr std::uint32_t kTraceSide = 128;  // pixels; target of a trace when nobody asks for another size

// Draw package bytes for a target of width x height pixels. The viewport rectangle of the trace is ignored.
// UserError with `name`, line and element path when the text is not a complete, consistent trace.
std::vector<std::uint8_t> read_cgltrace(std::string_view text, const std::string& name, std::uint32_t width,
                                        std::uint32_t height);

}  // namespace gyre::scene
