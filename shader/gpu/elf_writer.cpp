#include "elf_writer.h"

#include <elf.h>

#include <cstring>
#include <string>

namespace gyre::shader::gpu {
namespace {

constexpr std::uint32_t kRiscvFloatAbiSingle = 2;  // e_flags
constexpr std::uint32_t kPageBytes = 0x1000;       // file offsets of the segment agree with its addresses modulo this

struct Section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS, flags = 0, address = 0, link = 0, info = 0, entry_bytes = 0, align = 4;
  std::vector<std::uint8_t> bytes;
};

void put(std::vector<std::uint8_t>* out, std::uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out->push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t w : words) put(&out, w, 4);
  return out;
}

std::uint32_t add_name(std::vector<std::uint8_t>* names, const std::string& name) {
  const auto at = static_cast<std::uint32_t>(names->size());
  names->insert(names->end(), name.begin(), name.end());
  names->push_back(0);
  return at;
}

void put_symbol(std::vector<std::uint8_t>* out, std::uint32_t name, std::uint32_t value, std::uint32_t bytes,
                unsigned info, unsigned section) {
  put(out, name, 4);
  put(out, value, 4);
  put(out, bytes, 4);
  put(out, info, 1);
  put(out, STV_DEFAULT, 1);
  put(out, section, 2);
}

// The section an address lies in: 1-based among the loadable ones, which come first.
unsigned section_at(const std::vector<Section>& sections, std::uint32_t address) {
  for (std::size_t i = 1; i < sections.size(); ++i)
    if (address >= sections[i].address && address - sections[i].address < sections[i].bytes.size())
      return static_cast<unsigned>(i);
  return SHN_ABS;
}

}  // namespace

std::vector<std::uint8_t> write_elf(const Image& image) {
  std::vector<Section> sections(1);
  sections[0].type = SHT_NULL;
  sections[0].align = 0;
  auto loadable = [&](const char* name, std::uint32_t flags, std::uint32_t address, std::uint32_t align,
                      const std::vector<std::uint32_t>& words) {
    if (words.empty()) return;
    Section s;
    s.name = name;
    s.flags = SHF_ALLOC | flags;
    s.address = address;
    s.align = align;
    s.bytes = bytes_of(words);
    sections.push_back(std::move(s));
  };
  loadable(".text.start", SHF_EXECINSTR, image.base, 4, image.start);
  loadable(".simt_kernel", SHF_EXECINSTR, image.kernels_address, 4, image.kernels);
  loadable(".text", SHF_EXECINSTR, image.routines_address, 4, image.routines);
  loadable(".rodata", 0, image.table_address, 64, image.table);

  Section symbols, strings, names;
  symbols.name = ".symtab";
  symbols.type = SHT_SYMTAB;
  symbols.entry_bytes = sizeof(Elf32_Sym);
  symbols.info = 1;  // first global
  strings.name = ".strtab";
  names.name = ".shstrtab";
  strings.type = names.type = SHT_STRTAB;
  strings.align = names.align = 1;
  strings.bytes.push_back(0);
  put_symbol(&symbols.bytes, 0, 0, 0, 0, SHN_UNDEF);
  for (const Symbol& symbol : image.symbols)
    put_symbol(&symbols.bytes, add_name(&strings.bytes, symbol.name), symbol.address, symbol.bytes,
               ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), section_at(sections, symbol.address));
  const std::size_t loaded = sections.size();
  symbols.link = static_cast<std::uint32_t>(loaded) + 1;
  sections.push_back(symbols);
  sections.push_back(strings);
  sections.push_back(names);
  std::vector<std::uint32_t> name_at;
  for (const Section& s : sections) name_at.push_back(add_name(&sections.back().bytes, s.name));

  // The segment's first byte stands at an offset congruent to its address; all loadable sections at their distance from
  // it.
  const std::uint32_t first = kPageBytes + image.base % kPageBytes;
  std::vector<std::uint8_t> out(first, 0);
  std::vector<std::uint32_t> offset(sections.size(), 0);
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const Section& s = sections[i];
    out.resize(i < loaded ? first + (s.address - image.base) : (out.size() + 3) & ~std::size_t{3}, 0);
    offset[i] = static_cast<std::uint32_t>(out.size());
    out.insert(out.end(), s.bytes.begin(), s.bytes.end());
  }
  out.resize((out.size() + 3) & ~std::size_t{3}, 0);
  const auto headers = static_cast<std::uint32_t>(out.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    for (const std::uint32_t field :
         {name_at[i], s.type, s.flags, s.address, offset[i], static_cast<std::uint32_t>(s.bytes.size()), s.link, s.info,
          s.align, s.entry_bytes})
      put(&out, field, 4);
  }

  std::vector<std::uint8_t> head = {ELFMAG0,    ELFMAG1,     ELFMAG2,    ELFMAG3,
                                    ELFCLASS32, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE};
  head.resize(EI_NIDENT, 0);
  put(&head, ET_EXEC, 2);
  put(&head, EM_RISCV, 2);
  put(&head, EV_CURRENT, 4);
  put(&head, image.base, 4);
  put(&head, sizeof(Elf32_Ehdr), 4);  // program headers follow the header
  put(&head, headers, 4);
  put(&head, kRiscvFloatAbiSingle, 4);
  put(&head, sizeof(Elf32_Ehdr), 2);
  put(&head, sizeof(Elf32_Phdr), 2);
  put(&head, 1, 2);
  put(&head, sizeof(Elf32_Shdr), 2);
  put(&head, static_cast<std::uint32_t>(sections.size()), 2);
  put(&head, static_cast<std::uint32_t>(sections.size()) - 1, 2);
  const std::uint32_t bytes = image.end - image.base;
  for (const std::uint32_t field : {std::uint32_t{PT_LOAD}, first, image.base, image.base, bytes, bytes,
                                    std::uint32_t{PF_R | PF_W | PF_X}, kPageBytes})
    put(&head, field, 4);
  std::memcpy(out.data(), head.data(), head.size());
  return out;
}

}  // namespace gyre::shader::gpu
