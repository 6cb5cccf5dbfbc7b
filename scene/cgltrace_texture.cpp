#include "cgltrace_texture.h"

#include "package.h"

namespace gyre::scene {
namespace {

constexpr std::uint32_t kConvert = GYRE_PKG_NONE;

// Where a channel sits in the little-endian texel: bits == 0 means it is absent (255).
struct Field {
  std::uint8_t shift, bits;
};
struct Format {
  const char* name;
  std::uint8_t bytes;  // 0: not a texture for us
  std::uint32_t unit;  // GYRE_TEX_FORMAT_* or kConvert
  Field r, g, b, a;    // for kConvert
};

constexpr Format kFormats[kTraceFormats] = {
    {"UNKNOWN", 0, kConvert, {}, {}, {}, {}},
    {"A8", 1, GYRE_TEX_FORMAT_A8, {}, {}, {}, {}},
    {"L8", 1, GYRE_TEX_FORMAT_L8, {}, {}, {}, {}},
    {"A8L8", 2, GYRE_TEX_FORMAT_A8L8, {}, {}, {}, {}},
    {"R5G6B5", 2, GYRE_TEX_FORMAT_R5G6B5, {}, {}, {}, {}},
    {"A8R8G8B8", 4, GYRE_TEX_FORMAT_A8R8G8B8, {}, {}, {}, {}},
    {"A1R5G5B5", 2, GYRE_TEX_FORMAT_A1R5G5B5, {}, {}, {}, {}},
    {"R8G8B8", 3, kConvert, {16, 8}, {8, 8}, {0, 8}, {}},
    {"A4R4G4B4", 2, GYRE_TEX_FORMAT_A4R4G4B4, {}, {}, {}, {}},
    {"A8B8G8R8", 4, kConvert, {0, 8}, {8, 8}, {16, 8}, {24, 8}},
    {"R5G5B5A1", 2, kConvert, {11, 5}, {6, 5}, {1, 5}, {0, 1}},
    {"B8G8R8", 3, kConvert, {0, 8}, {8, 8}, {16, 8}, {}},
    {"R4G4B4A4", 2, kConvert, {12, 4}, {8, 4}, {4, 4}, {0, 4}},
    {"D16", 0, kConvert, {}, {}, {}, {}},
    {"X8S8D16", 0, kConvert, {}, {}, {}, {}},
    {"PAL4_B8G8R8", 0, kConvert, {}, {}, {}, {}},
    {"PAL4_A8B8G8R8", 0, kConvert, {}, {}, {}, {}},
    {"PAL4_R5G6B5", 0, kConvert, {}, {}, {}, {}},
    {"PAL4_R4G4B4A4", 0, kConvert, {}, {}, {}, {}},
    {"PAL4_R5G5B5A1", 0, kConvert, {}, {}, {}, {}},
    {"PAL8_B8G8R8", 0, kConvert, {}, {}, {}, {}},
    {"PAL8_A8B8G8R8", 0, kConvert, {}, {}, {}, {}},
    {"PAL8_R5G6B5", 0, kConvert, {}, {}, {}, {}},
    {"PAL8_R4G4B4A4", 0, kConvert, {}, {}, {}, {}},
    {"PAL8_R5G5B5A1", 0, kConvert, {}, {}, {}, {}},
};

// Expansion to 8 bits by repeating the high bits.
std::uint8_t widen(std::uint32_t texel, Field field) {
  if (field.bits == 0) return 255;
  const std::uint32_t value = texel >> field.shift & ((1u << field.bits) - 1);
  std::uint32_t out = 0;
  for (int shift = 8 - field.bits; shift > -static_cast<int>(field.bits); shift -= field.bits)
    out |= shift >= 0 ? value << shift : value >> -shift;
  return static_cast<std::uint8_t>(out);
}

}  // namespace

const char* trace_format_name(std::uint32_t format) { return format < kTraceFormats ? kFormats[format].name : "?"; }

unsigned trace_texel_bytes(std::uint32_t format) { return format < kTraceFormats ? kFormats[format].bytes : 0; }

std::uint32_t to_unit_format(std::uint32_t format, std::vector<std::uint8_t>& pixels) {
  const Format& from = kFormats[format];
  if (from.unit != kConvert) return from.unit;
  std::vector<std::uint8_t> out;
  out.reserve(pixels.size() / from.bytes * 4);
  for (std::size_t i = 0; i + from.bytes <= pixels.size(); i += from.bytes) {
    std::uint32_t texel = 0;
    for (unsigned k = 0; k < from.bytes; ++k) texel |= std::uint32_t{pixels[i + k]} << (8 * k);
    for (Field field : {from.b, from.g, from.r, from.a}) out.push_back(widen(texel, field));
  }
  pixels = std::move(out);
  return GYRE_TEX_FORMAT_A8R8G8B8;
}

}  // namespace gyre::scene
