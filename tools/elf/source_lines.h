// Source file and line of a device address, from DWARF, and the text of that line.
#ifndef GYRE_TOOLS_ELF_SOURCE_LINES_H
#define GYRE_TOOLS_ELF_SOURCE_LINES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gyre::tools {

class SourceLines {
 public:
  /// Relative file names of the debug information are looked up below `source_root`.
  SourceLines(const std::string& elf_path, std::string source_root);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  struct Place {
    std::string file;  ///< as recorded by the compiler; empty when unknown
    int line = 0;
  };
  Place find(uint32_t address) const;

  /// The line itself; empty when the file cannot be read.
  const std::string& text(const Place& place);

 private:
  int fd_ = -1;
  void* dwarf_ = nullptr;
  std::string source_root_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace gyre::tools

#endif
