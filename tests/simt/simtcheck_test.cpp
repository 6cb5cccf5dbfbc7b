// simtcheck accepts what our macros compile to and names the right rule on programs that break it (simt_c.md §5).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "checker.h"
#include "elf_image.h"
#include "gyre_paths.h"
#include "rv32.h"
#include "source_lines.h"

namespace {

using namespace gyre;
namespace fs = std::filesystem;

std::vector<fs::path> cases(const std::string& kind) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(SIMT_CASE_DIR) / kind))
    if (entry.path().extension() == ".elf") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

simtcheck::Report check(const tools::ElfImage& image, tools::SourceLines& lines, bool allow_pred = false) {
  auto waived = [&](uint32_t address) {
    const std::string text = lines.text(lines.find(address));
    const size_t mark = text.find("uniform: ");
    return mark != std::string::npos && text.compare(mark + 9, 2, "*/") != 0;
  };
  return simtcheck::Checker(image, waived, allow_pred).run();
}

simtcheck::Report check(const fs::path& path, bool allow_pred = false) {
  tools::SourceLines lines(path.string(), GYRE_SOURCE_DIR);
  return check(tools::read_elf(path.string()), lines, allow_pred);
}

std::string listing(const simtcheck::Report& report) {
  std::ostringstream out;
  for (const auto& f : report.findings) out << " [rule " << f.rule << " " << f.function << ": " << f.text << "]";
  return out.str();
}

// "name.S-O2.elf" -> the rules the first line of the source names
std::set<int> expected(const std::string& kind, const fs::path& elf) {
  const std::string file = elf.filename().string();
  std::ifstream in(fs::path(SIMT_SOURCE_DIR) / kind / file.substr(0, file.find("-O")));
  std::string line;
  std::getline(in, line);
  std::set<int> rules;
  std::istringstream words(line.substr(line.find("expect:") + 7));
  for (std::string word; words >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0]))) rules.insert(std::stoi(word));
  return rules;
}

BOOST_AUTO_TEST_CASE(wrong_programs_are_rejected_by_the_right_rule) {
  const auto all = cases("reject");
  BOOST_TEST(all.size() >= 50u);
  for (const auto& path : all) {
    const auto report = check(path);
    std::set<int> rules;
    for (const auto& finding : report.findings) rules.insert(finding.rule);
    BOOST_TEST(!rules.empty(), path.filename() << ": accepted");
    const auto wanted = expected("reject", path);
    BOOST_TEST(std::includes(rules.begin(), rules.end(), wanted.begin(), wanted.end()),
               path.filename() << ": expected rules missing in" << listing(report));
    if (path.string().find(".S-") != std::string::npos)  // what C compiles to varies with the level
      BOOST_TEST((rules == wanted), path.filename() << ": other rules too:" << listing(report));
  }
}

BOOST_AUTO_TEST_CASE(right_programs_are_accepted) {
  const auto all = cases("accept");
  BOOST_TEST(all.size() >= 15u);
  for (const auto& path : all) {
    const auto report = check(path);
    BOOST_TEST(report.findings.empty(), path.filename() << ":" << listing(report));
  }
}

BOOST_AUTO_TEST_CASE(pred_is_accepted_when_allowed) {
  const fs::path path = fs::path(SIMT_CASE_DIR) / "reject" / "pred.S-O2.elf";
  BOOST_TEST(check(path).findings.size() == 1u);
  BOOST_TEST(check(path, true).findings.empty());
}

BOOST_AUTO_TEST_CASE(findings_name_function_and_line) {
  const std::string path = (fs::path(SIMT_CASE_DIR) / "reject" / "plain_if.c-O2.elf").string();
  tools::SourceLines lines(path, GYRE_SOURCE_DIR);
  const auto report = check(tools::read_elf(path), lines);
  BOOST_REQUIRE(report.findings.size() == 1u);
  BOOST_TEST(report.findings[0].function == "case_kernel");
  const auto place = lines.find(report.findings[0].address);
  BOOST_TEST(place.file == "tests/simt/reject/plain_if.c");
  BOOST_TEST(lines.text(place).find("if (i & 1)") != std::string::npos);
}

// Every SPLIT, its branch and every JOIN of the shipped images matters: a program with one of them gone or changed
// must not pass.
BOOST_AUTO_TEST_CASE(damaged_images_are_rejected) {
  constexpr uint32_t kNop = 0x00000013;
  for (const char* name : {"device_O1.elf", "device.elf", "device_O3.elf"}) {
    const std::string path = (fs::path(GYRE_FIRMWARE_DIR) / name).string();
    tools::SourceLines lines(path, GYRE_SOURCE_DIR);
    const tools::ElfImage image = tools::read_elf(path);
    BOOST_TEST(check(image, lines).findings.empty());
    // Large images: only the functions of the small compute kernels, where every place is tried.
    for (size_t s = 0; s < image.code.size(); ++s)
      for (const auto& function : image.functions) {
        if (function.name != "gyre_divergence" && function.name != "gyre_reduce") continue;
        for (uint32_t pc = function.address; pc < function.address + function.bytes; pc += 4) {
          const uint32_t at = pc - image.code[s].address;
          if (at + 8 > image.code[s].data.size()) continue;
          auto word = [&](uint32_t offset) {
            const uint8_t* p = &image.code[s].data[offset];
            return p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
          };
          const simtcheck::Insn insn = simtcheck::decode(word(at));
          std::vector<std::pair<uint32_t, uint32_t>> changes;  // offset, new word
          if (insn.op == simtcheck::Op::kSplit) {
            changes = {{at, kNop}, {at + 4, kNop}, {at, insn.word & ~(31u << 7)}};
          } else if (insn.op == simtcheck::Op::kJoin) {
            changes = {{at, kNop}, {at, insn.word & ~(31u << 15)}};
          }
          for (const auto& [offset, value] : changes) {
            tools::ElfImage damaged;
            damaged.path = image.path;
            damaged.entry = image.entry;
            damaged.code = image.code;
            damaged.functions = {function};
            // Alone, the kernel keeps the meaning it has in the whole image.
            damaged.code = {
                {image.code[s].name,
                 function.address,
                 {image.code[s].data.begin() + (function.address - image.code[s].address),
                  image.code[s].data.begin() + (function.address - image.code[s].address) + function.bytes}}};
            uint8_t* p = &damaged.code[0].data[offset - (function.address - image.code[s].address)];
            for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(value >> (8 * i));
            BOOST_TEST(!check(damaged, lines).findings.empty(),
                       name << " " << function.name << ": " << std::hex << pc << " -> " << value << " passes");
          }
        }
      }
  }
}

BOOST_AUTO_TEST_CASE(unusable_files_are_one_line_errors) {
  const fs::path dir = fs::path(SIMT_CASE_DIR);
  BOOST_CHECK_THROW(tools::read_elf((dir / "absent.elf").string()), tools::ToolError);
  BOOST_CHECK_THROW(tools::read_elf("/proc/self/exe"), tools::ToolError);  // another machine
  std::ifstream in((fs::path(GYRE_FIRMWARE_DIR) / "device.elf").string(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (size_t keep : {0ul, 3ul, 20ul, 52ul, 100ul, good.size() / 4, good.size() / 2, good.size() - 100}) {
    const std::string path = (dir / "damaged.elf").string();
    std::ofstream(path, std::ios::binary) << good.substr(0, keep);
    BOOST_CHECK_THROW(tools::read_elf(path), tools::ToolError);
  }
}

}  // namespace
