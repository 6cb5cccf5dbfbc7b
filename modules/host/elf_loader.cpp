#include "elf_loader.h"

#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "error.h"

namespace gyre::host {
namespace {

constexpr std::uint64_t kFileLimit = std::uint64_t{1} << 30;
constexpr unsigned kSegmentLimit = 1024;

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

ElfHandle open_elf(const std::vector<std::uint8_t>& file) {
  elf_version(EV_CURRENT);
  // libelf takes a writable pointer but only reads.
  return ElfHandle(elf_memory(reinterpret_cast<char*>(const_cast<std::uint8_t*>(file.data())), file.size()));
}

bool inside(const LoadTarget& target, std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t last = begin + bytes - 1;
  if (bytes == 0 || last < begin) return false;
  return std::any_of(target.ranges.begin(), target.ranges.end(),
                     [&](const AddressRange& range) { return begin >= range.begin && last <= range.end; });
}

std::string ranges_text(const LoadTarget& target) {
  std::string text;
  for (const AddressRange& range : target.ranges)
    text += fmt::format("{}[{:#x}, {:#x}]", text.empty() ? "" : " ", range.begin, range.end);
  return text;
}

// The loadable segments that occupy memory, checked against file and target.
std::vector<GElf_Phdr> segments_of(const std::string& name, Elf* elf, const GElf_Ehdr& header, std::uint64_t file_bytes,
                                   const LoadTarget& target) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0 || count == 0) user_error("{}: no program headers: nothing to load", name);
  if (count > kSegmentLimit) user_error("{}: {} program headers: at most {} are accepted", name, count, kSegmentLimit);
  const std::size_t entry_bytes = gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
  if (header.e_phentsize != entry_bytes)
    user_error("{}: damaged ELF header: program headers of {} bytes, not {}", name, header.e_phentsize, entry_bytes);
  const std::uint64_t table_bytes = count * entry_bytes;
  if (header.e_phoff > file_bytes || table_bytes > file_bytes - header.e_phoff)
    user_error("{}: truncated: the program headers lie beyond the end of the file", name);
  std::vector<GElf_Phdr> segments;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr)
      user_error("{}: program header {} cannot be read: {}", name, i, elf_errmsg(-1));
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_filesz > segment.p_memsz)
      user_error("{}: segment {} has more bytes in the file ({}) than in memory ({})", name, i, segment.p_filesz,
                 segment.p_memsz);
    if (segment.p_offset > file_bytes || segment.p_filesz > file_bytes - segment.p_offset)
      user_error("{}: truncated: segment {} ends beyond the end of the file", name, i);
    if (!inside(target, segment.p_paddr, segment.p_memsz))
      user_error("{}: segment {} ({} bytes at {:#x}) lies outside memory {}: link it elsewhere", name, i,
                 segment.p_memsz, segment.p_paddr, ranges_text(target));
    for (const GElf_Phdr& other : segments)
      if (segment.p_paddr < other.p_paddr + other.p_memsz && other.p_paddr < segment.p_paddr + segment.p_memsz)
        user_error("{}: segments at {:#x} and {:#x} overlap", name, other.p_paddr, segment.p_paddr);
    segments.push_back(segment);
  }
  if (segments.empty()) user_error("{}: no loadable segment", name);
  return segments;
}

}  // namespace

bool is_elf(const std::vector<std::uint8_t>& file) {
  return file.size() >= 4 && std::memcmp(file.data(), ELFMAG, 4) == 0;
}

std::vector<std::uint8_t> read_image_file(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) user_error("{}: {}", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) user_error("{}: not a plain file", path);
  if (static_cast<std::uint64_t>(status.st_size) > kFileLimit)
    user_error("{}: {} bytes: images larger than {} bytes are not accepted", path, status.st_size, kFileLimit);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) user_error("{}: {}", path, std::strerror(errno));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return bytes;
}

LoadedImage load_elf(const std::string& path, const LoadTarget& target) {
  return load_elf(path, read_image_file(path), target);
}

LoadedImage load_elf(const std::string& name, const std::vector<std::uint8_t>& file, const LoadTarget& target) {
  if (!is_elf(file)) user_error("{}: not an ELF file", name);
  const ElfHandle elf = open_elf(file);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    user_error("{}: truncated or damaged ELF header: {}", name, elf_errmsg(-1));
  const unsigned wanted = target.xlen == 64 ? ELFCLASS64 : ELFCLASS32;
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) user_error("{}: big-endian: build it for little-endian RISC-V", name);
  if (header.e_machine != EM_RISCV)
    user_error("{}: built for machine {}, not for RISC-V ({})", name, header.e_machine, EM_RISCV);
  if (header.e_ident[EI_CLASS] != wanted)
    user_error("{}: a {}-bit program, but this processor is RV{}", name, wanted == ELFCLASS64 ? 32 : 64, target.xlen);
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    user_error("{}: not an executable (ELF type {}): link it first", name, header.e_type);
  const std::vector<GElf_Phdr> segments = segments_of(name, elf.get(), header, file.size(), target);

  LoadedImage image;
  image.entry = header.e_entry;
  image.begin = ~std::uint64_t{0};
  bool entry_found = false;
  for (const GElf_Phdr& segment : segments) {
    if (header.e_entry - segment.p_vaddr < segment.p_filesz) {
      entry_found = true;
      image.entry = header.e_entry - segment.p_vaddr + segment.p_paddr;
    }
    image.begin = std::min<std::uint64_t>(image.begin, segment.p_paddr);
    image.end = std::max<std::uint64_t>(image.end, segment.p_paddr + segment.p_memsz);
  }
  if (!entry_found || image.entry % 2 != 0)
    user_error("{}: the entry point {:#x} is odd or lies in no loaded segment", name, header.e_entry);
  for (const GElf_Phdr& segment : segments) {
    if (segment.p_filesz > 0) target.write(segment.p_paddr, file.data() + segment.p_offset, segment.p_filesz);
    if (segment.p_memsz > segment.p_filesz)
      target.write(segment.p_paddr + segment.p_filesz, nullptr, segment.p_memsz - segment.p_filesz);
  }
  return image;
}

LoadedImage load_flat(const std::string& path, std::uint64_t address, const LoadTarget& target) {
  return load_flat(path, read_image_file(path), address, target);
}

LoadedImage load_flat(const std::string& name, const std::vector<std::uint8_t>& file, std::uint64_t address,
                      const LoadTarget& target) {
  if (file.empty()) user_error("{}: empty file", name);
  if (!inside(target, address, file.size()))
    user_error("{}: {} bytes at {:#x} do not fit into memory {}", name, file.size(), address, ranges_text(target));
  target.write(address, file.data(), file.size());
  return {address, address, address + file.size()};
}

std::optional<std::uint64_t> find_elf_symbol(const std::vector<std::uint8_t>& file, const std::string& symbol) {
  if (!is_elf(file)) return std::nullopt;
  const ElfHandle elf = open_elf(file);
  Elf_Scn* section = nullptr;
  while (elf && (section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    for (std::uint64_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym entry;
      if (gelf_getsym(data, static_cast<int>(i), &entry) == nullptr) break;
      const char* name = elf_strptr(elf.get(), header.sh_link, entry.st_name);
      if (name != nullptr && symbol == name) return entry.st_value;
    }
  }
  return std::nullopt;
}

}  // namespace gyre::host
