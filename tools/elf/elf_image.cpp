#include "elf_image.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace gyre::tools {
namespace {

struct FileCloser {
  int fd;
  ~FileCloser() { close(fd); }
};

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

[[noreturn]] void fail(const std::string& path, const std::string& what) { throw ToolError(path + ": " + what); }

void read_segments(Elf* elf, ElfImage& image) {
  size_t count = 0, file_bytes = 0;
  if (elf_getphdrnum(elf, &count) != 0) fail(image.path, "program headers cannot be read");
  const char* file = elf_rawfile(elf, &file_bytes);
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) fail(image.path, "damaged program header");
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    if (header.p_offset > file_bytes || header.p_filesz > file_bytes - header.p_offset)
      fail(image.path, "a segment reaches past the end of the file");
    if (header.p_filesz > header.p_memsz || header.p_vaddr >> 32 != 0 || header.p_memsz > 0x100000000ull - header.p_vaddr)
      fail(image.path, "a segment leaves the 32-bit address space");
    const auto* begin = reinterpret_cast<const uint8_t*>(file) + header.p_offset;
    image.segments.push_back({static_cast<uint32_t>(header.p_vaddr),
                              static_cast<uint32_t>(header.p_memsz),
                              {begin, begin + header.p_filesz}});
  }
  std::sort(image.segments.begin(), image.segments.end(),
            [](const ElfSegment& a, const ElfSegment& b) { return a.address < b.address; });
}

void read_functions(Elf_Scn* section, const GElf_Shdr& header, Elf* elf, ElfImage& image, size_t kernel_section) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) fail(image.path, "damaged symbol table");
  for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) fail(image.path, "damaged symbol table");
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    image.functions.push_back({name != nullptr ? name : "?", static_cast<uint32_t>(symbol.st_value),
                               static_cast<uint32_t>(symbol.st_size), symbol.st_shndx == kernel_section});
  }
}

}  // namespace

ElfImage read_elf(const std::string& path, unsigned xlen) {
  ElfImage image;
  image.path = path;
  elf_version(EV_CURRENT);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, "cannot be opened");
  FileCloser closer{fd};
  std::unique_ptr<Elf, ElfEnd> elf(elf_begin(fd, ELF_C_READ, nullptr));
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    fail(path, "is not an ELF file");
  if (header.e_machine != EM_RISCV || header.e_type != ET_EXEC ||
      header.e_ident[EI_CLASS] != (xlen == 64 ? ELFCLASS64 : ELFCLASS32))
    fail(path, "is not a linked " + std::to_string(xlen) + "-bit RISC-V program");
  if (header.e_entry >> 32 != 0) fail(path, "starts above 4 GiB; device addresses have 32 bits");
  image.entry = static_cast<uint32_t>(header.e_entry);
  read_segments(elf.get(), image);

  size_t names = 0, kernel_section = SHN_UNDEF;
  if (elf_getshdrstrndx(elf.get(), &names) != 0) fail(path, "has no section names");
  Elf_Scn* symbols = nullptr;
  GElf_Shdr symbols_header{};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr section_header;
    if (gelf_getshdr(section, &section_header) == nullptr) fail(path, "damaged section header");
    const char* name = elf_strptr(elf.get(), names, section_header.sh_name);
    if (name == nullptr) fail(path, "damaged section name");
    if (std::string(name) == ".simt_kernel") kernel_section = elf_ndxscn(section);
    if (section_header.sh_type == SHT_SYMTAB) {
      symbols = section;
      symbols_header = section_header;
    }
    if (section_header.sh_type != SHT_PROGBITS || (section_header.sh_flags & SHF_EXECINSTR) == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const auto* begin = static_cast<const uint8_t*>(data->d_buf);
    image.code.push_back({name, static_cast<uint32_t>(section_header.sh_addr), {begin, begin + data->d_size}});
  }
  if (symbols == nullptr) fail(path, "has no symbol table");
  read_functions(symbols, symbols_header, elf.get(), image, kernel_section);

  std::sort(image.code.begin(), image.code.end(),
            [](const ElfSection& a, const ElfSection& b) { return a.address < b.address; });
  std::stable_sort(image.functions.begin(), image.functions.end(),
                   [](const ElfFunction& a, const ElfFunction& b) { return a.address < b.address; });
  image.functions.erase(std::unique(image.functions.begin(), image.functions.end(),
                                    [](const ElfFunction& a, const ElfFunction& b) { return a.address == b.address; }),
                        image.functions.end());
  return image;
}

}  // namespace gyre::tools
