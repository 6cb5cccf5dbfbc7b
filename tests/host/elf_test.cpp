// Images: good ones land where they say, damaged ones are refused with a message and without a write.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <elf.h>

#include <functional>
#include <random>

#include "elf_loader.h"
#include "error.h"

using namespace gyre::host;

namespace {

constexpr std::uint64_t kBase = 0x80000000, kBytes = 0x10000;
using File = std::vector<std::uint8_t>;

struct Loader {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kBytes, 0xAA);
  unsigned writes = 0;
  LoadTarget target{64, {{kBase, kBase + kBytes - 1}}, [this](std::uint64_t a, const std::uint8_t* d, std::uint64_t n) {
                      ++writes;
                      BOOST_REQUIRE(a >= kBase && a - kBase + n <= kBytes);
                      for (std::uint64_t i = 0; i < n; ++i) memory[a - kBase + i] = d != nullptr ? d[i] : 0;
                    }};
};

Elf64_Ehdr* header(File& f) { return reinterpret_cast<Elf64_Ehdr*>(f.data()); }
Elf64_Phdr* segment(File& f, unsigned i) { return reinterpret_cast<Elf64_Phdr*>(f.data() + sizeof(Elf64_Ehdr)) + i; }

// Two segments: 16 bytes at +0x100 of which the entry is the first, and 8 bytes + 24 zeros at +0x1000.
File good() {
  File f(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 24);
  Elf64_Ehdr& e = *header(f);
  std::memcpy(e.e_ident, ELFMAG, 4);
  e.e_ident[EI_CLASS] = ELFCLASS64;
  e.e_ident[EI_DATA] = ELFDATA2LSB;
  e.e_ident[EI_VERSION] = EV_CURRENT;
  e.e_type = ET_EXEC;
  e.e_machine = EM_RISCV;
  e.e_version = EV_CURRENT;
  e.e_entry = kBase + 0x100;
  e.e_phoff = sizeof(Elf64_Ehdr);
  e.e_ehsize = sizeof(Elf64_Ehdr);
  e.e_phentsize = sizeof(Elf64_Phdr);
  e.e_phnum = 2;
  e.e_shentsize = sizeof(Elf64_Shdr);
  const std::uint64_t data = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  *segment(f, 0) = {PT_LOAD, PF_R | PF_X, data, kBase + 0x100, kBase + 0x100, 16, 16, 4};
  *segment(f, 1) = {PT_LOAD, PF_R | PF_W, data + 16, kBase + 0x1000, kBase + 0x1000, 8, 32, 8};
  for (unsigned i = 0; i < 24; ++i) f[data + i] = static_cast<std::uint8_t>(i + 1);
  return f;
}

struct Damage {
  const char* name;
  const char* expected;  // part of the message
  std::function<void(File&)> apply;
};
std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }

const Damage kDamages[] = {
    {"empty", "not an ELF", [](File& f) { f.clear(); }},
    {"text", "not an ELF", [](File& f) { f.assign({'h', 'e', 'l', 'l', 'o'}); }},
    {"magic only", "header", [](File& f) { f.resize(4); }},
    {"half a header", "header", [](File& f) { f.resize(40); }},
    {"bad class", "", [](File& f) { f[EI_CLASS] = 9; }},
    {"32-bit header in place of 64", "", [](File& f) { f[EI_CLASS] = ELFCLASS32; }},
    {"big-endian", "", [](File& f) { f[EI_DATA] = ELFDATA2MSB; }},
    {"x86", "not for RISC-V", [](File& f) { header(f)->e_machine = EM_X86_64; }},
    {"object file", "not an executable", [](File& f) { header(f)->e_type = ET_REL; }},
    {"no program headers", "nothing to load", [](File& f) { header(f)->e_phnum = 0; }},
    {"headers of a wrong size", "program headers of 7 bytes", [](File& f) { header(f)->e_phentsize = 7; }},
    {"headers beyond the end", "", [](File& f) { header(f)->e_phoff = 1 << 20; }},
    {"header offset that wraps", "", [](File& f) { header(f)->e_phoff = ~0ull - 8; }},
    {"too many headers", "", [](File& f) { header(f)->e_phnum = 60000; }},
    {"headers cut off", "", [](File& f) { f.resize(sizeof(Elf64_Ehdr) + 60); }},
    {"segment cut off", "ends beyond", [](File& f) { f.resize(f.size() - 1); }},
    {"segment offset that wraps", "ends beyond", [](File& f) { segment(f, 0)->p_offset = ~0ull - 4; }},
    {"more bytes in file than in memory", "more bytes", [](File& f) { segment(f, 1)->p_memsz = 4; }},
    {"below RAM", "outside memory", [](File& f) { segment(f, 1)->p_paddr = 0x1000; }},
    {"ends above RAM", "outside memory", [](File& f) { segment(f, 1)->p_paddr = kBase + kBytes - 31; }},
    {"address that wraps", "outside memory", [](File& f) { segment(f, 1)->p_paddr = ~0ull - 3; }},
    {"enormous bss", "outside memory", [](File& f) { segment(f, 1)->p_memsz = 1ull << 62; }},
    {"overlap", "overlap", [](File& f) { segment(f, 1)->p_paddr = kBase + 0x108; }},
    {"nothing to load", "no loadable", [](File& f) { segment(f, 0)->p_type = segment(f, 1)->p_type = PT_NOTE; }},
    {"entry outside", "entry", [](File& f) { header(f)->e_entry = kBase + 0x200; }},
    {"entry odd", "entry", [](File& f) { header(f)->e_entry = kBase + 0x101; }},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(images)

BOOST_AUTO_TEST_CASE(a_good_file_is_loaded) {
  Loader loader;
  const LoadedImage image = load_elf("good.elf", good(), loader.target);
  BOOST_TEST(image.entry == kBase + 0x100);
  BOOST_TEST(image.begin == kBase + 0x100);
  BOOST_TEST(image.end == kBase + 0x1020);
  BOOST_TEST(loader.memory[0xFF] == 0xAA);
  BOOST_TEST(loader.memory[0x100] == 1);
  BOOST_TEST(loader.memory[0x10F] == 16);
  BOOST_TEST(loader.memory[0x110] == 0xAA);
  BOOST_TEST(loader.memory[0x1007] == 24);
  BOOST_TEST(loader.memory[0x1008] == 0);
  BOOST_TEST(loader.memory[0x101F] == 0);
  BOOST_TEST(loader.memory[0x1020] == 0xAA);
}

BOOST_DATA_TEST_CASE(damaged_files_are_refused, boost::unit_test::data::make(kDamages), damage) {
  Loader loader;
  File file = good();
  damage.apply(file);
  BOOST_CHECK_EXCEPTION(load_elf("dir/bad.elf", file, loader.target), gyre::UserError, [&](const gyre::UserError& e) {
    const std::string text = e.what();
    BOOST_TEST_MESSAGE(text);
    return text.find("dir/bad.elf") == 0 && text.find(damage.expected) != std::string::npos;
  });
  BOOST_TEST(loader.writes == 0u);
}

BOOST_AUTO_TEST_CASE(the_wrong_width_is_named) {
  Loader loader;
  loader.target.xlen = 32;
  BOOST_CHECK_EXCEPTION(load_elf("f", good(), loader.target), gyre::UserError, [](const gyre::UserError& e) {
    return std::string(e.what()).find("64-bit program, but this processor is RV32") != std::string::npos;
  });
}

BOOST_DATA_TEST_CASE(random_damage_never_crashes, boost::unit_test::data::xrange(2000), seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  File file = good();
  for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i) {
    if (random() % 8 == 0) file.resize(random() % (file.size() + 1));
    if (!file.empty()) file[random() % file.size()] = static_cast<std::uint8_t>(random());
  }
  Loader loader;
  try {
    load_elf("f", file, loader.target);
  } catch (const gyre::UserError&) {
    BOOST_TEST(loader.writes == 0u);
  }
  find_elf_symbol(file, "main");
}

BOOST_AUTO_TEST_CASE(flat_files) {
  Loader loader;
  const LoadedImage image = load_flat("f", File{1, 2, 3}, kBase + 4, loader.target);
  BOOST_TEST(image.entry == kBase + 4);
  BOOST_TEST(loader.memory[6] == 3);
  BOOST_CHECK_THROW(load_flat("f", File{}, kBase, loader.target), gyre::UserError);
  BOOST_CHECK_THROW(load_flat("f", File(kBytes, 0), kBase + 4, loader.target), gyre::UserError);
  BOOST_CHECK_THROW(load_elf("/nonexistent/file", loader.target), gyre::UserError);
  BOOST_CHECK_THROW(load_elf("/tmp", loader.target), gyre::UserError);
}

BOOST_AUTO_TEST_SUITE_END()
