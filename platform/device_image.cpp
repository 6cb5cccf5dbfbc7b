#include "device_image.h"

#include <cstdint>
#include <cstring>

#include "device_map.h"
#include "error.h"
#include "files.h"
#include "vxbin.h"

namespace gyre::platform {
namespace {

template <class T>
T value_at(const std::string& file, std::size_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::string read_device_image(const std::string& path) {
  std::string file = scene::read_file(path);
  if (file.compare(0, 4, "\177ELF") == 0) user_error("{}: an ELF file: make a device image of it with elf2vxbin", path);
  if (file.size() < GYRE_VXBIN_HEADER_BYTES)
    user_error("{}: {} bytes are too short for a device image (.vxbin)", path, file.size());
  const auto begin = value_at<std::uint64_t>(file, 0), end = value_at<std::uint64_t>(file, 8);
  if (begin % 4 != 0 || begin < GYRE_DEV_IMAGE_BASE || end <= begin || end > GYRE_DEV_APERTURE_BASE)
    user_error("{}: not a device image (.vxbin): its addresses [{:#x}, {:#x}) are not within [{:#x}, {:#x})", path, begin,
               end, GYRE_DEV_IMAGE_BASE, GYRE_DEV_APERTURE_BASE);
  const std::uint64_t rest = file.size() - GYRE_VXBIN_HEADER_BYTES;
  if (rest < end - begin)
    user_error("{}: truncated: {} bytes of code announced, {} there", path, end - begin, rest);
  const std::uint64_t footer = rest - (end - begin);
  const bool named = footer >= GYRE_VXBIN_FOOTER_BYTES &&
                     file.compare(file.size() - GYRE_VXBIN_MAGIC_BYTES, GYRE_VXBIN_MAGIC_BYTES, GYRE_VXBIN_MAGIC) == 0;
  if (!named) user_error("{}: has no symbol table, so no kernel can be found: make it with elf2vxbin", path);
  const std::uint64_t count = value_at<std::uint32_t>(file, file.size() - GYRE_VXBIN_FOOTER_BYTES);
  if (count * sizeof(gyre_vxbin_symbol) > footer - GYRE_VXBIN_FOOTER_BYTES)
    user_error("{}: damaged: a table of {} symbols does not fit into {} bytes", path, count, footer);
  const std::size_t table = file.size() - GYRE_VXBIN_FOOTER_BYTES - count * sizeof(gyre_vxbin_symbol);
  const std::uint64_t names = footer - GYRE_VXBIN_FOOTER_BYTES - count * sizeof(gyre_vxbin_symbol);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = value_at<gyre_vxbin_symbol>(file, table + i * sizeof(gyre_vxbin_symbol));
    if (symbol.name_offset > names || symbol.name_bytes > names - symbol.name_offset || symbol.pc < begin ||
        symbol.pc >= end || symbol.pc % 4 != 0)
      user_error("{}: damaged: symbol {} has no name or lies outside the code", path, i);
  }
  return file;
}

}  // namespace gyre::platform
