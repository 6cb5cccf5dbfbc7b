// Source file and line of a code address, from DWARF, and the text of that line.
#ifndef GYRE_TOOLS_ELF_SOURCE_LINES_H
#define GYRE_TOOLS_ELF_SOURCE_LINES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gyre::tools {

class SourceLines {
 public:
  /// Relative file names of the debug information are looked up below `source_root`. A file that cannot be read has
  /// no lines.
  SourceLines(const std::string& elf_path, std::string source_root);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  struct Place {
    std::string file;  ///< as recorded by the compiler; empty when unknown
    int line = 0;
  };
  Place find(uint64_t address);

  /// The line itself; empty when the file cannot be read.
  const std::string& text(const Place& place);

 private:
  struct Unit {
    uint64_t end, die;  // end of the range; offset of the unit's entry
  };
  void index_units();

  int fd_ = -1;
  void* dwarf_ = nullptr;
  bool indexed_ = false;
  std::map<uint64_t, Unit> units_;  // by the first address of a range
  std::string source_root_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace gyre::tools

#endif
