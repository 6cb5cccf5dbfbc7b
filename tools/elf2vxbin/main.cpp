// elf2vxbin IN.elf OUT.vxbin: packs a device program and the names of its kernels (isa.md §12, abi/vxbin.h).
#include <cstdio>
#include <cstring>
#include <fstream>

#include "elf_image.h"
#include "vxbin.h"

namespace {

using gyre::tools::ElfImage;
using gyre::tools::ToolError;

void put(std::vector<uint8_t>& out, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

std::vector<uint8_t> pack(const ElfImage& image) {
  constexpr uint64_t kMaxBytes = 64u << 20;
  if (image.segments.empty()) throw ToolError(image.path + ": has nothing to load");
  const uint64_t begin = image.segments.front().address;
  uint64_t end = begin;
  for (const auto& segment : image.segments) end = std::max(end, uint64_t{segment.address} + segment.memory_bytes);
  if (end - begin > kMaxBytes) throw ToolError(image.path + ": spans more than 64 MiB");
  if (image.entry != begin) throw ToolError(image.path + ": its entry is not its first byte, where every warp starts");

  std::vector<uint8_t> out;
  put(out, begin, 8);
  put(out, end, 8);
  out.resize(GYRE_VXBIN_HEADER_BYTES + (end - begin));
  for (const auto& segment : image.segments)
    std::copy(segment.data.begin(), segment.data.end(),
              out.begin() + GYRE_VXBIN_HEADER_BYTES + static_cast<std::ptrdiff_t>(segment.address - begin));

  std::string names;
  std::vector<uint8_t> symbols;
  uint32_t count = 0;
  for (const auto& function : image.functions) {
    if (!function.kernel) continue;
    put(symbols, names.size(), 4);
    put(symbols, function.name.size(), 2);
    put(symbols, 0, 2);
    put(symbols, function.address, 8);
    names += function.name;
    ++count;
  }
  out.insert(out.end(), names.begin(), names.end());
  out.insert(out.end(), symbols.begin(), symbols.end());
  put(out, count, 4);
  out.insert(out.end(), GYRE_VXBIN_MAGIC, GYRE_VXBIN_MAGIC + GYRE_VXBIN_MAGIC_BYTES);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: elf2vxbin IN.elf OUT.vxbin\n");
    return 2;
  }
  try {
    const std::vector<uint8_t> out = pack(gyre::tools::read_elf(argv[1]));
    std::ofstream file(argv[2], std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
    if (!file.flush()) throw ToolError(std::string(argv[2]) + ": cannot be written");
  } catch (const ToolError& error) {
    std::fprintf(stderr, "elf2vxbin: %s\n", error.what());
    return 2;
  }
  return 0;
}
