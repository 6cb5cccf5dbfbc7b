// Reads a draw package (abi/package.h). Everything is checked at construction, so users index freely afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "package.h"
#include "package_builder.h"

namespace gyre::scene {

// A view: `data` is not copied (the records are) and must outlive it. UserError, starting with `name`, on any
// inconsistency: sizes, offsets, alignment, code ranges, missing textures.
class PackageView {
 public:
  PackageView(const std::uint8_t* data, std::size_t bytes, const std::string& name = "package");
  explicit PackageView(const std::vector<std::uint8_t>& bytes, const std::string& name = "package")
      : PackageView(bytes.data(), bytes.size(), name) {}

  const gyre_pkg_header& header() const { return header_; }
  std::uint32_t width() const { return header_.width; }
  std::uint32_t height() const { return header_.height; }
  // Draws run shaders of the package; only the machine can.
  bool has_programs() const { return header_.shaders_bytes != 0; }
  bool bottom_up() const { return (header_.flags & GYRE_PKG_BOTTOM_UP) != 0; }

  const std::vector<gyre_pkg_texture>& textures() const { return textures_; }
  const std::vector<gyre_pkg_draw>& draws() const { return draws_; }

  // textures()[index].data_bytes bytes.
  const std::uint8_t* texture_data(std::size_t index) const { return data_ + textures_[index].data_offset; }
  // draws()[index].num_vertices VS records. `data` must be 4-byte aligned (a vector's is).
  const PackageVertex* vertices(std::size_t index) const {
    return reinterpret_cast<const PackageVertex*>(data_ + draws_[index].vertices_offset);
  }

 private:
  const std::uint8_t* data_;
  gyre_pkg_header header_{};
  std::vector<gyre_pkg_texture> textures_;
  std::vector<gyre_pkg_draw> draws_;
};

}  // namespace gyre::scene
