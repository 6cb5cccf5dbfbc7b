// A device executable read into memory for the device tools: loadable bytes, executable sections, functions.
#ifndef GYRE_TOOLS_ELF_ELF_IMAGE_H
#define GYRE_TOOLS_ELF_ELF_IMAGE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gyre::tools {

/// A file the user named cannot be used; what() is one line with the file name.
class ToolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ElfSegment {
  uint32_t address;
  uint32_t memory_bytes;  ///< at least data.size(); the rest is zero
  std::vector<uint8_t> data;
};

struct ElfSection {
  std::string name;
  uint32_t address;
  std::vector<uint8_t> data;
};

struct ElfFunction {
  std::string name;
  uint32_t address;
  uint32_t bytes;
  bool kernel;  ///< stands in .simt_kernel: launched by hardware, argument uniform
};

struct ElfImage {
  std::string path;
  uint32_t entry = 0;
  std::vector<ElfSegment> segments;    ///< PT_LOAD, ascending
  std::vector<ElfSection> code;        ///< executable sections, ascending
  std::vector<ElfFunction> functions;  ///< STT_FUNC symbols, ascending, one for each address
};

/// Reads a little-endian RISC-V ET_EXEC file of `xlen` bits (32 or 64) whose addresses have 32. Throws ToolError.
ElfImage read_elf(const std::string& path, unsigned xlen = 32);

}  // namespace gyre::tools

#endif
