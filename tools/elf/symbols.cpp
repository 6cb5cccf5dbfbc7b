#include "symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "source_lines.h"

namespace gyre::tools {
namespace {

bool is_elf(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4> magic{};
  const bool elf = ::read(fd, magic.data(), magic.size()) == 4 && std::memcmp(magic.data(), ELFMAG, 4) == 0;
  close(fd);
  return elf;
}

// The compiler's own marks: .L labels, and mapping symbols ($x, $d).
bool is_mark(const char* name) { return name == nullptr || name[0] == '\0' || name[0] == '$' || name[0] == '.'; }

}  // namespace

class Symbols::Program {
 public:
  explicit Program(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  bool find(std::uint64_t pc, Place& place) {
    load();
    const Symbol* const symbol = symbol_at(pc);
    if (symbol != nullptr) {
      place.function = symbol->name;
      place.offset = pc - symbol->begin;
    }
    if (symbol == nullptr && !code_holds(pc)) return false;
    const SourceLines::Place line = lines_->find(pc);
    place.file = line.file;
    place.line = line.line;
    return symbol != nullptr || !place.file.empty();
  }

  std::optional<std::pair<std::uint64_t, std::uint64_t>> range(const std::string& function) {
    load();
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      if (symbols_[i].name == function) return std::pair{symbols_[i].begin, end_of(i)};
    return std::nullopt;
  }

 private:
  struct Symbol {
    std::uint64_t begin, end;  // end = begin: it goes on to the next symbol
    std::string name;
    std::uint64_t reach;  // the largest end so far
  };

  std::uint64_t end_of(std::size_t index) const {
    const Symbol& symbol = symbols_[index];
    if (symbol.end != symbol.begin) return symbol.end;
    for (std::size_t next = index + 1; next < symbols_.size(); ++next)
      if (symbols_[next].begin > symbol.begin) return std::min(symbols_[next].begin, code_end(symbol.begin));
    return code_end(symbol.begin);
  }

  std::uint64_t code_end(std::uint64_t address) const {
    for (const auto& [begin, end] : code_)
      if (address >= begin && address < end) return end;
    return address;
  }
  bool code_holds(std::uint64_t pc) const { return code_end(pc) != pc; }

  // A function that holds pc, else the label before it.
  const Symbol* symbol_at(std::uint64_t pc) const {
    auto at = std::upper_bound(symbols_.begin(), symbols_.end(), pc,
                               [](std::uint64_t value, const Symbol& symbol) { return value < symbol.begin; });
    const Symbol* label = nullptr;
    while (at != symbols_.begin()) {
      --at;
      if (at->end > pc) return &*at;
      if (label == nullptr && at->end == at->begin && pc < end_of(static_cast<std::size_t>(at - symbols_.begin())))
        label = &*at;
      if (at->reach <= pc) break;
    }
    return label;
  }

  void load() {
    if (lines_) return;
    std::string file = path_;
    if (!is_elf(file)) {
      file = std::filesystem::path(path_).replace_extension(".elf").string();
      if (file == path_ || !is_elf(file)) file.clear();
    }
    lines_ = std::make_unique<SourceLines>(file, "");
    if (file.empty()) return;
    elf_version(EV_CURRENT);
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    Elf* const elf = fd < 0 ? nullptr : elf_begin(fd, ELF_C_READ, nullptr);
    if (elf != nullptr) read_sections(elf);
    elf_end(elf);
    if (fd >= 0) close(fd);
    // Of several at one address the longest is met first, going back.
    std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::uint64_t reach = 0;
    for (Symbol& symbol : symbols_) symbol.reach = reach = std::max(reach, symbol.end);
  }

  void read_sections(Elf* elf) {
    std::vector<bool> executable;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      const std::size_t index = elf_ndxscn(section);
      if (executable.size() <= index) executable.resize(index + 1);
      if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_addr + header.sh_size < header.sh_addr) continue;
      executable[index] = true;
      code_.emplace_back(header.sh_addr, header.sh_addr + header.sh_size);
    }
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_SYMTAB)
        read_symbols(elf, section, header, executable);
    }
  }

  void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::vector<bool>& executable) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
      const unsigned type = GELF_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx >= executable.size() ||
          !executable[symbol.st_shndx])
        continue;
      const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (is_mark(name) || symbol.st_value + symbol.st_size < symbol.st_value) continue;
      symbols_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name, 0});
    }
  }

  const std::string path_;
  std::unique_ptr<SourceLines> lines_;  // null: nothing has been read yet
  std::vector<std::pair<std::uint64_t, std::uint64_t>> code_;
  std::vector<Symbol> symbols_;
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

void Symbols::add(const std::string& path) {
  programs_.erase(std::remove_if(programs_.begin(), programs_.end(),
                                 [&](const std::unique_ptr<Program>& program) { return program->path() == path; }),
                  programs_.end());
  programs_.push_front(std::make_unique<Program>(path));
  ++changes_;
}

Symbols::Place Symbols::find(std::uint64_t pc) const {
  Place place;
  for (const auto& program : programs_)
    if (program->find(pc, place)) break;
  return place;
}

std::string Symbols::name(std::uint64_t pc) const {
  const Place place = find(pc);
  std::array<char, 24> offset{};
  if (place.offset != 0)
    std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(place.offset));
  return place.function.empty() ? "" : place.function + offset.data();
}

std::string Symbols::describe(std::uint64_t pc) const {
  const Place place = find(pc);
  std::string text = name(pc);
  if (place.file.empty()) return text;
  const std::string line = place.file + ":" + std::to_string(place.line);
  return text.empty() ? line : text + " (" + line + ")";
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Symbols::range(const std::string& function) const {
  for (const auto& program : programs_)
    if (const auto found = program->range(function)) return found;
  return std::nullopt;
}

}  // namespace gyre::tools
