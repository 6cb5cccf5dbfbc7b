// Texel formats of traces (cgltrace.md §3.2) and their way into the texture unit's.
#pragma once

#include <cstdint>
#include <vector>

namespace gyre::scene {

constexpr std::uint32_t kTraceFormats = 25;

const char* trace_format_name(std::uint32_t format);

// Bytes a texel; 0: a format that is no texture for us (unknown, depth, palette).
unsigned trace_texel_bytes(std::uint32_t format);

// Changes `pixels` to a format of the texture unit and returns its code; the unit's own formats pass unchanged.
std::uint32_t to_unit_format(std::uint32_t format, std::vector<std::uint8_t>& pixels);

}  // namespace gyre::scene
