#include "image.h"

#include <algorithm>
#include <cmath>

namespace gyre::scene {
namespace {

// Nearest power of two on a logarithmic scale, so that a size changes by at most sqrt(2).
std::uint32_t nearest_power_of_two(std::uint32_t size, std::uint32_t max_side) {
  std::uint32_t power = 1;
  while (power < max_side && std::uint64_t{power} * power * 2 < std::uint64_t{size} * size) power *= 2;
  return power;
}

// One axis of a resampling: `out` samples, each a weighted mean of source samples under a triangle filter at least
// one source sample wide.
Image resample_x(const Image& in, std::uint32_t width) {
  Image out{width, in.height, std::vector<std::uint8_t>(std::size_t{4} * width * in.height)};
  const double scale = static_cast<double>(in.width) / width;
  const double reach = std::max(1.0, scale);
  const auto last = static_cast<std::int64_t>(in.width) - 1;
  for (std::uint32_t x = 0; x < width; ++x) {
    const double centre = (x + 0.5) * scale - 0.5;
    const auto first = static_cast<std::int64_t>(std::ceil(centre - reach));
    const auto end = static_cast<std::int64_t>(std::floor(centre + reach));
    for (std::uint32_t y = 0; y < in.height; ++y) {
      double sum[4] = {0, 0, 0, 0}, total = 0;
      for (std::int64_t k = first; k <= end; ++k) {
        const double weight = 1.0 - std::abs(static_cast<double>(k) - centre) / reach;
        const auto source = static_cast<std::size_t>(std::clamp<std::int64_t>(k, 0, last));
        for (unsigned c = 0; c < 4; ++c) sum[c] += weight * in.rgba[(std::size_t{y} * in.width + source) * 4 + c];
        total += weight;
      }
      for (unsigned c = 0; c < 4; ++c)
        out.rgba[(std::size_t{y} * width + x) * 4 + c] = static_cast<std::uint8_t>(sum[c] / total + 0.5);
    }
  }
  return out;
}

Image transpose(const Image& in) {
  Image out{in.height, in.width, std::vector<std::uint8_t>(in.rgba.size())};
  for (std::uint32_t y = 0; y < in.height; ++y)
    for (std::uint32_t x = 0; x < in.width; ++x)
      for (unsigned c = 0; c < 4; ++c)
        out.rgba[(std::size_t{x} * in.height + y) * 4 + c] = in.rgba[(std::size_t{y} * in.width + x) * 4 + c];
  return out;
}

}  // namespace

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

unsigned log2_of(std::uint32_t power_of_two) {
  unsigned log = 0;
  while (power_of_two >> log > 1) ++log;
  return log;
}

Image halve(const Image& image) {
  Image out{std::max(1u, image.width / 2), std::max(1u, image.height / 2), {}};
  out.rgba.reserve(std::size_t{4} * out.width * out.height);
  for (std::uint32_t y = 0; y < out.height; ++y) {
    const std::size_t y0 = 2 * std::size_t{y}, y1 = std::min<std::size_t>(y0 + 1, image.height - 1);
    for (std::uint32_t x = 0; x < out.width; ++x) {
      const std::size_t x0 = 2 * std::size_t{x}, x1 = std::min<std::size_t>(x0 + 1, image.width - 1);
      const auto at = [&](std::size_t px, std::size_t py, unsigned c) -> unsigned {
        return image.rgba[(py * image.width + px) * 4 + c];
      };
      for (unsigned c = 0; c < 4; ++c)
        out.rgba.push_back(
            static_cast<std::uint8_t>((at(x0, y0, c) + at(x1, y0, c) + at(x0, y1, c) + at(x1, y1, c) + 2) >> 2));
    }
  }
  return out;
}

Image to_power_of_two(const Image& image, std::uint32_t max_side) {
  const std::uint32_t width = nearest_power_of_two(image.width, max_side);
  const std::uint32_t height = nearest_power_of_two(image.height, max_side);
  Image out = width == image.width ? image : resample_x(image, width);
  if (height != out.height) out = transpose(resample_x(transpose(out), height));
  return out;
}

std::vector<std::uint8_t> to_argb_bytes(const Image& image) {
  std::vector<std::uint8_t> out(image.rgba);
  for (std::size_t i = 0; i + 3 < out.size(); i += 4) std::swap(out[i], out[i + 2]);
  return out;
}

Image from_frame(const std::uint32_t* words, std::uint32_t width, std::uint32_t height, bool bottom_up) {
  Image out{width, height, {}};
  out.rgba.reserve(std::size_t{4} * width * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::uint32_t* row = words + std::size_t{width} * (bottom_up ? height - 1 - y : y);
    for (std::uint32_t x = 0; x < width; ++x)
      for (unsigned shift : {16u, 8u, 0u, 24u}) out.rgba.push_back(static_cast<std::uint8_t>(row[x] >> shift));
  }
  return out;
}

}  // namespace gyre::scene
