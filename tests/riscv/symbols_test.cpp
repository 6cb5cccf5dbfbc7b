// Names of program counters, against GNU nm and addr2line, and on files that are no programs.
#include "symbols.h"

#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "run_gyre.h"

using gyre::test::ScratchFolder;
using gyre::tools::Symbols;
namespace fs = std::filesystem;

namespace {

const std::string kFirmware = GYRE_BUILD_DIR "/firmware/";

std::vector<std::string> lines_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::vector<std::string> lines;
  std::array<char, 1024> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    lines.emplace_back(buffer.data());
    lines.back().pop_back();
  }
  BOOST_REQUIRE_EQUAL(pclose(pipe), 0);
  return lines;
}

struct Function {
  std::uint64_t address, bytes;
  std::string name;
};

std::vector<Function> functions_of(const std::string& elf) {
  std::vector<Function> functions;
  for (const std::string& line : lines_of("riscv64-unknown-elf-nm -S --defined-only " + elf)) {
    std::istringstream words(line);
    Function f;
    char kind = 0;
    if (words >> std::hex >> f.address >> f.bytes >> kind >> f.name && (kind == 'T' || kind == 't') && f.bytes > 0)
      functions.push_back(f);
  }
  return functions;
}

bool has_entries_inside(const Function& f, const std::vector<Function>& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](const Function& other) {
    return other.address > f.address && other.address < f.address + f.bytes;
  });
}

const char* const kPrograms[] = {"device.elf", "player.elf"};

}  // namespace

BOOST_DATA_TEST_CASE(functions, boost::unit_test::data::make(kPrograms), program) {
  Symbols symbols;
  symbols.add(kFirmware + program);
  const std::vector<Function> functions = functions_of(kFirmware + program);
  BOOST_TEST(functions.size() > 20u);
  for (const Function& f : functions) {
    const auto range = symbols.range(f.name);
    BOOST_REQUIRE(range);
    // One name, two functions: static ones of two files. Functions inside another one: entries of a run of code.
    if (range->first != f.address || has_entries_inside(f, functions)) continue;
    BOOST_TEST(range->second == f.address + f.bytes);
    const Symbols::Place last = symbols.find(f.address + f.bytes - 2);
    BOOST_TEST(last.offset == f.bytes - 2);
    const std::string first = symbols.name(f.address);
    BOOST_TEST(first.find('+') == std::string::npos);
    // Two names for one address are both right.
    if (first == f.name) BOOST_TEST(last.function == f.name);
  }
}

BOOST_DATA_TEST_CASE(source_lines, boost::unit_test::data::make(kPrograms), program) {
  const std::string elf = kFirmware + program;
  Symbols symbols;
  symbols.add(elf);
  std::string addresses;
  std::vector<std::uint64_t> pcs;
  for (const Function& f : functions_of(elf))
    for (std::uint64_t pc = f.address; pc < f.address + f.bytes; pc += 12) {
      pcs.push_back(pc);
      std::array<char, 24> text;
      std::snprintf(text.data(), text.size(), "0x%llx\n", static_cast<unsigned long long>(pc));
      addresses += text.data();
    }
  ScratchFolder scratch("lines");
  std::ofstream(scratch / "pcs") << addresses;
  const auto answers = lines_of("riscv64-unknown-elf-addr2line -e " + elf + " < " + scratch / "pcs");
  BOOST_REQUIRE_EQUAL(answers.size(), pcs.size());
  unsigned compared = 0, own = 0, unequal = 0;
  for (std::size_t i = 0; i < pcs.size(); ++i) {
    std::string answer = answers[i].substr(0, answers[i].find(' '));  // without "(discriminator 2)"
    const std::size_t colon = answer.rfind(':');
    if (answer.find('?') != std::string::npos) continue;
    const Symbols::Place place = symbols.find(pcs[i]);
    const std::string file = fs::path(answer.substr(0, colon)).lexically_normal().string();
    const std::string ours = fs::path(place.file).lexically_normal().string();
    // Of the C library's files addr2line names the including one; of ours the compiler's folder and the name.
    const bool known = ours.rfind("firmware/", 0) == 0;
    const bool same = !known || (file.size() >= ours.size() && file.substr(file.size() - ours.size()) == ours);
    own += known;
    ++compared;
    if (!same || place.file.empty() || answer.substr(colon + 1) != std::to_string(place.line)) {
      if (++unequal < 5)
        BOOST_TEST_MESSAGE(std::hex << pcs[i] << ": " << ours << ":" << std::dec << place.line
                                    << ", addr2line: " << answer);
    }
  }
  BOOST_TEST(compared > pcs.size() / 3);
  BOOST_TEST(own > 100u);
  BOOST_TEST(unequal == 0u);
}

BOOST_AUTO_TEST_CASE(twin_beside_an_image) {
  Symbols elf, image;
  elf.add(kFirmware + "device.elf");
  image.add(kFirmware + "device.vxbin");
  BOOST_TEST(image.name(0x80000000) == "_start");
  BOOST_TEST(image.describe(0x80000024) == elf.describe(0x80000024));
  BOOST_TEST(image.describe(0x80000024).find("(firmware/device/") != std::string::npos);
  ScratchFolder scratch("twin");
  fs::copy(kFirmware + "device.vxbin", scratch / "alone.vxbin");
  Symbols alone;
  alone.add(scratch / "alone.vxbin");
  BOOST_TEST(alone.describe(0x80000000) == "");
}

BOOST_AUTO_TEST_CASE(later_program_over_earlier) {
  Symbols symbols;
  symbols.add(kFirmware + "device.elf");
  symbols.add(kFirmware + "player.elf");
  BOOST_TEST(symbols.name(symbols.range("board_init")->first) == "board_init");
  const std::uint64_t both = symbols.range("main")->first;
  symbols.add(kFirmware + "device.elf");
  BOOST_TEST(symbols.name(both) != "main");
  BOOST_TEST(symbols.name(both) != "");
}

BOOST_AUTO_TEST_CASE(outside_of_code) {
  Symbols symbols;
  BOOST_TEST(symbols.describe(0x80000000) == "");
  symbols.add(kFirmware + "device.elf");
  for (const std::uint64_t pc :
       {std::uint64_t{0}, std::uint64_t{0x7FFFFFFF}, std::uint64_t{0x90000000}, ~std::uint64_t{0}})
    BOOST_TEST(symbols.describe(pc) == "");
  BOOST_TEST(!symbols.range("no_such_function"));
}

// A lookup never fails: files cut anywhere, with damaged bytes, of other kinds, or gone.
BOOST_AUTO_TEST_CASE(files_that_are_no_programs) {
  ScratchFolder scratch("damaged");
  const std::string whole = gyre::test::slurp(kFirmware + "compute.elf");
  BOOST_REQUIRE(whole.size() > 1000u);
  unsigned number = 0;
  auto look = [&](const std::string& bytes) {
    const std::string name = scratch / ("f" + std::to_string(number++) + ".elf");
    std::ofstream(name, std::ios::binary) << bytes;
    Symbols symbols;
    symbols.add(name);
    for (const std::uint64_t pc : {0x80000000ull, 0x80000100ull, 0x80001000ull, 0ull, ~0ull}) symbols.describe(pc);
    symbols.range("main");
    fs::remove(name);
  };
  for (std::size_t cut = 0; cut < whole.size(); cut += whole.size() / 97 + 1) look(whole.substr(0, cut));
  for (std::size_t at = 0; at < 64; ++at)
    for (const char value : {'\0', '\xFF', '\x7F'}) {
      std::string bytes = whole;
      bytes[at] = value;
      look(bytes);
    }
  for (std::size_t at = 64; at < whole.size(); at += whole.size() / 301 + 1) {
    std::string bytes = whole;
    for (std::size_t i = at; i < std::min(at + 16, whole.size()); ++i) bytes[i] = static_cast<char>(~bytes[i]);
    look(bytes);
  }
  Symbols symbols;
  for (const char* name : {"/nowhere/at/all.elf", "/", "/dev/null", "", "x"}) symbols.add(name);
  BOOST_TEST(symbols.describe(0x80000000) == "");
}
