#include "source_lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>

namespace gyre::tools {

SourceLines::SourceLines(const std::string& elf_path, std::string source_root) : source_root_(std::move(source_root)) {
  fd_ = open(elf_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ >= 0) dwarf_ = dwarf_begin(fd_, DWARF_C_READ);
}

SourceLines::~SourceLines() {
  if (dwarf_ != nullptr) dwarf_end(static_cast<Dwarf*>(dwarf_));
  if (fd_ >= 0) close(fd_);
}

// Walks the units itself: .debug_aranges is optional.
void SourceLines::index_units() {
  indexed_ = true;
  auto* dwarf = static_cast<Dwarf*>(dwarf_);
  Dwarf_Off offset = 0, next = 0;
  size_t header_bytes = 0;
  while (dwarf_nextcu(dwarf, offset, &next, &header_bytes, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, offset + header_bytes, &unit) != nullptr) {
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (ptrdiff_t range = 0; (range = dwarf_ranges(&unit, range, &base, &begin, &end)) > 0;)
        if (begin < end) units_[begin] = {end, offset + header_bytes};
    }
    offset = next;
  }
}

SourceLines::Place SourceLines::find(uint64_t address) {
  Place place;
  if (dwarf_ == nullptr) return place;
  if (!indexed_) index_units();
  auto unit_range = units_.upper_bound(address);
  if (unit_range == units_.begin() || address >= (--unit_range)->second.end) return place;
  Dwarf_Die unit;
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_offdie(static_cast<Dwarf*>(dwarf_), unit_range->second.die, &unit) == nullptr ||
      dwarf_getsrclines(&unit, &lines, &count) != 0)
    return place;
  Dwarf_Addr best = 0;
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* row = dwarf_onesrcline(lines, i);
    Dwarf_Addr row_address = 0;
    int line = 0;
    if (dwarf_lineaddr(row, &row_address) != 0 || dwarf_lineno(row, &line) != 0) continue;
    // Line 0 is "no line": keep the nearest line before it.
    if (row_address > address || row_address < best || line == 0) continue;
    const char* file = dwarf_linesrc(row, nullptr, nullptr);
    if (file == nullptr) continue;
    best = row_address;
    place.file = file[0] == '.' && file[1] == '/' ? file + 2 : file;
    place.line = line;
  }
  return place;
}

const std::string& SourceLines::text(const Place& place) {
  static const std::string kNone;
  if (place.file.empty() || place.line <= 0) return kNone;
  auto [it, fresh] = files_.try_emplace(place.file);
  if (fresh) {
    std::ifstream in(place.file[0] == '/' ? place.file : source_root_ + "/" + place.file);
    for (std::string line; std::getline(in, line);) it->second.push_back(line);
  }
  const auto index = static_cast<size_t>(place.line) - 1;
  return index < it->second.size() ? it->second[index] : kNone;
}

}  // namespace gyre::tools
