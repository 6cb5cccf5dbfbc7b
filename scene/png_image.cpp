#include "png_image.h"

#include <png.h>

#include <cstring>

#include "error.h"
#include "files.h"

namespace gyre::scene {
namespace {

constexpr std::uint32_t kMaxSide = 16384;

// The library's simplified interface: errors come back as values, so no longjmp crosses our frames.
struct Png {
  png_image image;
  Png() {
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_image_free(&image); }
};

}  // namespace

Image decode_png(std::string_view bytes, const std::string& name) {
  Png png;
  if (!png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()))
    user_error("{}: not a readable PNG picture: {}", name, png.image.message);
  if (png.image.width > kMaxSide || png.image.height > kMaxSide)
    user_error("{}: a picture of {}x{} is too large, the largest side is {}", name, png.image.width, png.image.height,
               kMaxSide);
  png.image.format = PNG_FORMAT_RGBA;
  Image out{png.image.width, png.image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png.image))};
  if (!png_image_finish_read(&png.image, nullptr, out.rgba.data(), 0, nullptr))
    user_error("{}: damaged PNG picture: {}", name, png.image.message);
  return out;
}

Image read_png(const std::string& path) { return decode_png(read_file(path), path); }

void write_png(const std::string& path, const Image& image) {
  Png png;
  png.image.width = image.width;
  png.image.height = image.height;
  png.image.format = PNG_FORMAT_RGBA;
  // Through memory: the library's own file writer deletes what it could not write to, devices included.
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::vector<std::uint8_t> file(bytes);
  if (!png_image_write_to_memory(&png.image, file.data(), &bytes, 0, image.rgba.data(), 0, nullptr))
    user_error("{}: the picture cannot be written: {}", path, png.image.message);
  write_file(path, file.data(), bytes);
}

}  // namespace gyre::scene
