#include "vxbin_writer.h"

#include <string>

#include "vxbin.h"

namespace gyre::shader::gpu {
namespace {

void put(std::vector<std::uint8_t>* out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out->push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

std::vector<std::uint8_t> write_vxbin(const Image& image) {
  std::vector<std::uint8_t> out;
  put(&out, image.base, 8);
  put(&out, image.end, 8);
  auto section = [&](std::uint32_t address, const std::vector<std::uint32_t>& words) {
    if (words.empty()) return;
    out.resize(GYRE_VXBIN_HEADER_BYTES + (address - image.base), 0);
    for (const std::uint32_t w : words) put(&out, w, 4);
  };
  section(image.base, image.start);
  section(image.kernels_address, image.kernels);
  section(image.routines_address, image.routines);
  section(image.table_address, image.table);
  out.resize(GYRE_VXBIN_HEADER_BYTES + (image.end - image.base), 0);

  std::string names;
  std::vector<std::uint8_t> symbols;
  std::uint32_t count = 0;
  for (const Symbol& symbol : image.symbols) {
    if (!symbol.kernel) continue;
    put(&symbols, names.size(), 4);
    put(&symbols, symbol.name.size(), 2);
    put(&symbols, 0, 2);
    put(&symbols, symbol.address, 8);
    names += symbol.name;
    ++count;
  }
  out.insert(out.end(), names.begin(), names.end());
  out.insert(out.end(), symbols.begin(), symbols.end());
  put(&out, count, 4);
  out.insert(out.end(), GYRE_VXBIN_MAGIC, GYRE_VXBIN_MAGIC + GYRE_VXBIN_MAGIC_BYTES);
  return out;
}

}  // namespace gyre::shader::gpu
