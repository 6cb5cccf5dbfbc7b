// Pictures of 8-bit RGBA, row 0 first: texture sources and frames.
#pragma once

#include <cstdint>
#include <vector>

namespace gyre::scene {

struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgba;  // 4 bytes a pixel, tightly packed
};

bool is_power_of_two(std::uint32_t value);
unsigned log2_of(std::uint32_t power_of_two);

// Next mip level: 2x2 box, (sum + 2) >> 2; a side of 1 repeats its row or column.
Image halve(const Image& image);

// The image resampled (bilinear, box filtered when it shrinks) to the nearest powers of two, at most `max_side`.
Image to_power_of_two(const Image& image, std::uint32_t max_side);

// GYRE_TEX_FORMAT_A8R8G8B8 bytes (B, G, R, A) of the pixels.
std::vector<std::uint8_t> to_argb_bytes(const Image& image);

// A frame buffer of A8R8G8B8 words as a picture with its top row first. `bottom_up`: row 0 of the frame is the bottom
// of the picture.
Image from_frame(const std::uint32_t* words, std::uint32_t width, std::uint32_t height, bool bottom_up);

}  // namespace gyre::scene
