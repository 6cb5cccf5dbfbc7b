// Program images: ELF files and flat binaries, checked before anything is written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gyre::host {

// Writes `bytes` bytes at `address`; `data` is nullptr for zeros. Called only inside the ranges of the target.
using MemoryWriter = std::function<void(std::uint64_t address, const std::uint8_t* data, std::uint64_t bytes)>;

struct AddressRange {
  std::uint64_t begin;
  std::uint64_t end;  // inclusive
};

struct LoadTarget {
  unsigned xlen = 64;                // 32 or 64: the ELF class that is accepted
  std::vector<AddressRange> ranges;  // where segments may lie
  MemoryWriter write;
};

struct LoadedImage {
  std::uint64_t entry = 0;
  std::uint64_t begin = 0, end = 0;  // bytes that were written lie in [begin, end)
};

// All throw UserError that names the file and the problem; on an error nothing has been written.
// Segments go to their physical addresses.
LoadedImage load_elf(const std::string& path, const LoadTarget& target);
LoadedImage load_elf(const std::string& name, const std::vector<std::uint8_t>& file, const LoadTarget& target);
LoadedImage load_flat(const std::string& path, std::uint64_t address, const LoadTarget& target);
LoadedImage load_flat(const std::string& name, const std::vector<std::uint8_t>& file, std::uint64_t address,
                      const LoadTarget& target);

// True if the file begins like an ELF file.
bool is_elf(const std::vector<std::uint8_t>& file);
std::vector<std::uint8_t> read_image_file(const std::string& path);
// Value of a symbol of the symbol table.
std::optional<std::uint64_t> find_elf_symbol(const std::vector<std::uint8_t>& file, const std::string& symbol);

}  // namespace gyre::host
