// Names for program counters: function and offset from the symbol table, file and line from DWARF.
#ifndef GYRE_TOOLS_ELF_SYMBOLS_H
#define GYRE_TOOLS_ELF_SYMBOLS_H

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gyre::tools {

/// The programs that may stand in one address space. Files are opened at the first lookup that needs them; one that
/// cannot be read, is damaged or has no symbols gives no names, and never an error: names are a courtesy.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// An ELF file, or any other image: then the ELF file of the same name beside it (device.vxbin: device.elf), if there
  /// is one. A file added later is asked first: it was loaded over the earlier ones. Adding a file again makes it the
  /// last one, and it is read again.
  void add(const std::string& path);
  /// How often a file has been added: what was found before may then be out of date.
  unsigned changes() const { return changes_; }

  struct Place {
    std::string function;      ///< empty: unknown
    std::uint64_t offset = 0;  ///< bytes from its start
    std::string file;          ///< as recorded by the compiler; empty: unknown
    int line = 0;
  };
  Place find(std::uint64_t pc) const;

  /// "main+0x1c" or "main"; empty when unknown.
  std::string name(std::uint64_t pc) const;
  /// "main+0x1c (firmware/device/example.c:17)", with as much of it as is known; empty when nothing is.
  std::string describe(std::uint64_t pc) const;

  /// Addresses [first, second) of the function `function`; of several the last added file's.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range(const std::string& function) const;

 private:
  class Program;
  std::deque<std::unique_ptr<Program>> programs_;  // first asked first
  unsigned changes_ = 0;
};

}  // namespace gyre::tools

#endif
